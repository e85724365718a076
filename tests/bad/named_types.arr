-- Records print under the names that programs give them.
import random

type Line = { a: f64, b: f64 }
type Mixture[k, d] = { weights: [k]f64, means: [k][d]f64 }

def sum_of(p: Line) -> f64 = exp(p)
def converted(q: Mixture[2, n]) -> Line = q
def drawn(x: [n]f64) -> [n]f64 = random.uniform(0, n)
def passed(q: Mixture[2, 3]) -> f64 = sum_of(q)
def unnamed(q: Mixture[2, 3]) -> f64 = sum_of({ a = 1.0 })

-- A size of what is called means nothing to its caller.
def rows(a: [b][n]f64, labels: [b]i64) -> f64 = sum(a[labels[0]])
def called(p: [c]f64, n: [m]i64) -> f64 = rows(p, n)
