-- Everything that can be wrong with an import.
import "./linlag.arr"
import "./nowhere.arr"
import "./shapes"
import "./lib"
import "./2d-model.arr"
import "./let.arr"
import ""
import "../latin.arr"
import "./shapes.arr" as s
import "./shapes.arr" as again
import "lib/scale.arr" as s

def again(x: f64) -> f64 = x
-- What could not be imported is not reported again where it is used.
def i(x: linlag.T) -> f64 = nowhere.f(1.0) + linlag.g(lib.h)
