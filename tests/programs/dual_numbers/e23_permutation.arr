-- E23: a permutation of four axes: axis k of the result is axis p[k] of the argument.
def x = for a < 5, b < 3, c < 6, d < 9 => f64(a + 10 * b + 100 * c + 1000 * d)
def p(x: [i][j][k][l]f64) -> [l][i][j][k]f64 = permute(x, (3, 0, 1, 2))

-- > shape(p(x))
-- [9, 5, 3, 6]
-- > p(x)[8, 4, 2, 5] == x[4, 2, 5, 8]
-- true
-- > all(flatten(for a < 5, b < 3, c < 6, d < 9 => p(x)[d, a, b, c] == x[a, b, c, d]))
-- true
-- > transpose([[[1.0], [2.0], [3.0]], [[4.0], [5.0], [6.0]]])
-- [[[1.0], [4.0]], [[2.0], [5.0]], [[3.0], [6.0]]]
-- check-grad: p at for a < 2, b < 1, c < 3, d < 2 => f64(a + 10 * b + 100 * c + 1000 * d)
