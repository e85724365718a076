-- $ arr run bad/irregular_kept.arr --entry smallest '[3, 1, 2]'
-- A sorted array has to be stored, and here its size differs from one iteration to the next.
def smallest(x: [n]f64) -> [n]f64 = for i < n => let s = sort(for j < i + 1 => x[j]) in s[0]
