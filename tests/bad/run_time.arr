-- Errors that only running shows: each names the place and the values.
--
-- $ arr run bad/run_time.arr --entry index [1.0,2.0] 2
-- $ arr run bad/run_time.arr --entry index [1.0,2.0] -1
-- $ arr run bad/run_time.arr --entry index [] 0
-- $ arr run bad/run_time.arr --entry row [[1.0,2.0]] 1
-- $ arr run bad/run_time.arr --entry window [1.0,2.0,3.0] 2 1
-- $ arr run bad/run_time.arr --entry window [1.0,2.0,3.0] 0 4
-- $ arr run bad/run_time.arr --entry update [1.0,2.0] 5
-- $ arr run bad/run_time.arr --entry quotient 1 0
-- $ arr run bad/run_time.arr --entry remainder 1 0
-- $ arr run bad/run_time.arr --entry asserted [1.0,2.0] [1.0]
-- $ arr run bad/run_time.arr --entry fill -3
-- $ arr run bad/run_time.arr --entry fill 1000000000000 --max-memory 1GB
-- $ arr run bad/run_time.arr --entry fill 4611686018427387904
-- $ arr run bad/run_time.arr --entry largest []
-- $ arr run bad/run_time.arr --entry scattered [0.0,0.0] [0,7]
-- $ arr run bad/run_time.arr --entry inside [1.0,2.0,3.0]
-- $ arr run bad/run_time.arr --entry slope [1.0,2.0,3.0] 3
-- $ arr run bad/run_time.arr --entry index [1.0,2.0] 2 --json
-- $ arr run bad/run_time.arr --entry long 1000000 --max-steps 1000

def index(x: [n]f64, i: i64) -> f64 = x[i]
def row(a: [n][m]f64, i: i64) -> [m]f64 = a[i]
def window(x: [n]f64, lo: i64, hi: i64) -> f64 = sum(x[lo:hi])
def update(x: [n]f64, i: i64) -> [n]f64 = x with [i] = 0.0
def quotient(a: i64, b: i64) -> i64 = a / b
def remainder(a: i64, b: i64) -> i64 = a % b
def asserted(x: [n]f64, y: [m]f64) -> [n]f64 = x + (y :> [n]f64)
def fill(n: i64) -> [n]f64 = for i < n => 1.0
def largest(x: [n]f64) -> f64 = maximum(x)
def scattered(x: [n]f64, is: [m]i64) -> [n]f64 = scatter_add(x, is, ones(m))
def inside(x: [n]f64) -> f64 = sum(for i => x[i] * x[i + 1])
def slope(x: [n]f64, i: i64) -> [n]f64 = grad(\y => y[i] ** 2)(x)
def long(n: i64) -> f64 = loop s = 0.0 for i < n do s + 1.0
