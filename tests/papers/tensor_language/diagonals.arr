-- Trace, eye and diag (sections 1 and 2.2): one is the transpose of another, and what one reads of the zeros that another
-- writes must cost nothing.
def trace(a: [n][n]f64) -> f64 = sum(for i < n => a[i, i])
def eye(x: f64, n: i64) -> [n][n]f64 = for i < n, j < n => if i == j then x else 0.0
def diag(x: [n]f64) -> [n][n]f64 = for i < n, j < n => if i == j then x[i] else 0.0
def trace_adjoint(a: [n][n]f64, dt: f64) -> [n][n]f64 = let (_, back) = vjp(trace, a) in back(dt)
def eye_adjoint(x: f64, da: [n][n]f64) -> f64 = let (_, back) = vjp(\x => eye(x, n), x) in back(da)
def diag_adjoint(x: [n]f64, da: [n][n]f64) -> [n]f64 = let (_, back) = vjp(diag, x) in back(da)
def trace_eye(x: f64, z: [n]f64) -> f64 = trace(eye(x, n))
def trace_eye_adjoint(x: f64, z: [n]f64, dt: f64) -> f64 =
  let (_, back) = vjp(\x => trace_eye(x, z), x) in back(dt)
def trace_diag(x: [n]f64) -> f64 = trace(diag(x))
def trace_diag_adjoint(x: [n]f64, dt: f64) -> [n]f64 =
  let (_, back) = vjp(trace_diag, x) in back(dt)

-- Four traces of one diagonal matrix: a derivative that adds whole matrices takes n^2 for each.
def traces(x: [n]f64) -> f64 = let a = diag(x) in trace(a) + trace(a) + trace(a) + trace(a)
def traces_adjoint(x: [n]f64, dt: f64) -> [n]f64 = let (_, back) = vjp(traces, x) in back(dt)

-- Row 0 times column 0 of a diagonal matrix is linear work, and so must its derivative be.
def corner(x: [n]f64) -> f64 = let a = diag(x) in a[:, 0] @ a[0]
def corner_adjoint(x: [n]f64, dt: f64) -> [n]f64 = let (_, back) = vjp(corner, x) in back(dt)

def x = [2.0, 3.0, 5.0]
def m = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]

-- > (trace(m), trace_adjoint(m, 2.0) == eye(2.0, 3))
-- (15.0, [[true, true, true], [true, true, true], [true, true, true]])
-- > (eye_adjoint(1.0, m), diag_adjoint(x, m))
-- (15.0, [1.0, 5.0, 9.0])
-- > (trace_diag(x), trace_diag_adjoint(x, 7.0))
-- (10.0, [7.0, 7.0, 7.0])
-- > (traces(x), traces_adjoint(x, 1.0))
-- (40.0, [4.0, 4.0, 4.0])
-- > (corner(x), corner_adjoint(x, 1.0))
-- (4.0, [4.0, 0.0, 0.0])
-- check-grad: trace at m
-- check-grad: \x => eye(x, 3) at 2.0
-- check-grad: diag at x
-- check-grad: traces at x
-- check-grad: corner at x
-- operations: trace a=[4][4] is 3 (paper 3)
-- operations: trace_adjoint a=[4][4] dt=[] is 0 (paper 0)
-- operations: eye_adjoint x=[] da=[4][4] is 3 (paper 3)
-- operations: trace_eye x=[] z=[4] is 3 (paper 3)
-- operations: trace_eye_adjoint x=[] z=[4] dt=[] is 3 (paper 3)
-- operations: trace_diag x=[4] is 3 (paper 3)
-- operations: trace_diag_adjoint x=[4] dt=[] is 0 (paper 0)
-- operations: traces x=[8] is 10 (paper 31)
-- operations: traces_adjoint x=[8] dt=[] is 2 (paper 24)
-- operations: corner x=[4] is 1 (paper 7)
-- operations: corner_adjoint x=[4] dt=[] is 3 (paper 9)
-- operations: corner x=[12] is 1 (paper 23)
-- operations: corner_adjoint x=[12] dt=[] is 3 (paper 25)
