-- Names that C, C++, Rust or the text of headers know already. The file is built as `main.arr`, and `main` is none for a namespace.

type words = {
  _Bool: f64,
  co_await: f64,
  char8_t: f64,
  M_PI: f64,
  move: f64,
  move_: f64,
  fn: f64,
  int64_t: i64,
  NULL: bool
}
type main_words = { x: f64 }
type failure = { a: f64 }
type Context = { a: f64, b: i64 }
type arr = Circle(f64, f64) | Ok(words) | None | Empty

def macros(
  M_PI: f64,
  M_E: f64,
  HUGE_VAL: f64,
  SIZE_MAX: f64,
  _Bool: f64,
  _Complex: f64,
  NAN: f64,
  I: f64,
  MAIN_H: f64
) -> f64 =
  M_PI + M_E + HUGE_VAL + SIZE_MAX + _Bool + _Complex + NAN + I + MAIN_H
def limits(
  INT64_MAX: i64,
  INT32_MIN: i64,
  UINT32_MAX: i64,
  ARR_OK: i64,
  FLT_EPSILON: i64,
  CHAR_BIT: i64
) -> i64 =
  INT64_MAX + INT32_MIN + UINT32_MAX + ARR_OK + FLT_EPSILON + CHAR_BIT
def types(
  int64_t: i64,
  size_t: [n]f64,
  arr_f64_1: [n]f64,
  arr_context: [n]f64,
  double_t: f64
) -> [n]f64 =
  size_t + arr_f64_1 * double_t + arr_context * f64(int64_t)
def rust(
  Ok: f64,
  Err: f64,
  Some: f64,
  None: f64,
  Context: f64,
  Owned: f64,
  ARR_CIRCLE: f64,
  Self: f64,
  fn: f64
) -> f64 =
  Ok + Err + Some + None + Context + Owned + ARR_CIRCLE + Self + fn
def record(main_words: words, x: main_words, y: main_words) -> words =
  { main_words with _Bool = x.x + y.x }
def sums(arr: arr, std: arr) -> (arr, words) = (
  match arr { Ok(w) => Circle(w._Bool, w.co_await), _ => std },
  {
    _Bool = 0.5,
    co_await = 1.5,
    char8_t = 2.5,
    M_PI = 3.5,
    move = 4.5,
    move_ = 5.5,
    fn = 6.5,
    int64_t = 7,
    NULL = true
  }
)
def context(x: Context, y: failure) -> (Context, failure) = (x, y)
def explain(x: f64) -> f64 = x
def failure(x: f64) -> f64 = x
def failures(x: f64) -> f64 = x
def f(x: [n]f64, a: [n][n]f64) -> f64 = sum((a @ (a @ x)) ** 2)
def f_work(x: [n]f64, a: [n][n]f64) -> f64 = sum((a @ (a @ x)) ** 3)
def f_constant_0(x: f64) -> f64 = x
def main(x: f64) -> f64 = x
def std(x: f64) -> f64 = x
def arr(x: [n]f64) -> [n]f64 = x
def sys(x: [n]f64) -> [n]f64 = x
def double(exp: f64, sin: f64) -> f64 = exp * sin
