-- Tables whose columns are missing, or hold something else; parts that are not there.
--
-- $ arr run bad/tables.arr @semicolons.csv
-- $ arr run bad/tables.arr @gaps.csv
-- $ arr run bad/tables.arr @matrix.npy
-- $ arr run bad/tables.arr @words.csv
-- $ arr run bad/tables.arr --entry count @gaps.csv:n
-- $ arr run bad/tables.arr --entry count @gaps.csv:kind
-- $ arr run bad/tables.arr --entry count @gaps.csv
-- $ arr run bad/tables.arr --entry three @gaps.csv:n,n
-- $ arr run bad/tables.arr --entry kinds @gaps.csv:kind
-- $ arr run bad/tables.arr --entry kinds @gaps.csv:kind --na dog
-- $ arr run bad/tables.arr --entry kinds @ragged.csv
-- $ arr run bad/tables.arr --entry sums @gaps.csv
-- $ arr run bad/tables.arr --entry both @gaps.csv:x [1.0]
-- $ arr run bad/tables.arr --entry three @ragged.json:rows.0
-- $ arr run bad/tables.arr --entry count @matrix.npy:n
-- $ arr run bad/tables.arr --entry count [1] --get n
-- $ arr run bad/tables.arr --entry count [1] --get n --json
-- $ arr run bad/tables.arr --entry count [1] -o n.csv
-- $ arr run bad/tables.arr --entry picture [[300]] -o picture.png
-- $ arr run bad/tables.arr --entry picture @bytes.npy -o picture.txt
-- $ arr run bad/tables.arr --entry picture @note.txt

type Kind = Cat | Dog
type Sum = A(f64) | B

def main(p: { x: [n]f64, n: [n]i64 }) -> f64 = sum(p.x)
def count(n: [k]i64) -> i64 = sum(n)
def kinds(kinds: [n]Kind) -> i64 = n
def sums(sums: [n]Sum) -> i64 = n
def three(x: [n][3]f64) -> f64 = sum(sum(x))
def both(x: [n]f64, y: [n]f64) -> [n]f64 = x + y
def picture(p: [h][w]i64) -> [h][w]i64 = p
