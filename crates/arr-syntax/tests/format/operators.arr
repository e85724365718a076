def tail = a + \x => b - for i => c
def deep = - - - x
def bare = if if a then b else c then d else e
def parens = (a or b) and (c) or ((d))
def wrapped = first_operand_of_the_sum * second_operand_of_the_sum + third_operand_of_the_sum - fourth_operand
def compared = first_operand_of_the_sum * second_operand_of_the_sum == third_operand_of_the_sum * fourth_operand
def trailing = a +
  b *
  c
def branch = if a then (for k => b) else c
def powers = (a ** b) ** c + a ** (b ** c) + (a @ b) * c
def polynomial = a @ (a6 @ (a6 + 16380 * a4 + 40840800 * a2)
  + 33522128640 * a6 + 10559470521600 * a4)
def updated(x: [n]f64) = x with [i] = for c < m => (b[i, c] - sum(for j < k => u[i, i + 1 + j] * x[i + 1 + j, c])) / u[i, i]
def updates(x: [n]f64) = x with [i] = some_function_of_a_long_name(x) with [j] = some_function_of_a_long_name(x)
def slices = (x[::-1], x[n-1:-k], x[-1:f(x)])
def carried = loop (first_state, second_state): ([n][n]f64, [n][n]f64) = (identity(n), base) for step < bits do (first_state, second_state)
