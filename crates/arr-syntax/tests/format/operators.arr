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
