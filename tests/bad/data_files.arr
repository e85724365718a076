-- Data files that are missing, damaged, or hold something else.
--
-- $ arr run bad/data_files.arr @x.npy
-- $ arr run bad/data_files.arr @integers.npy
-- $ arr run bad/data_files.arr @missing.npy
-- $ arr run bad/data_files.arr @matrix.npy
-- $ arr run bad/data_files.arr @cut.npy
-- $ arr run bad/data_files.arr @header.npy
-- $ arr run bad/data_files.arr @complex.npy
-- $ arr run bad/data_files.arr @bytes.npy
-- $ arr run bad/data_files.arr @bytes.npz
-- $ arr run bad/data_files.arr @ragged.json
-- $ arr run bad/data_files.arr @broken.json
-- $ arr run bad/data_files.arr @x.unknown
-- $ arr run bad/data_files.arr @examples
-- $ arr run bad/data_files.arr --entry counts @x.npy
-- $ arr run bad/data_files.arr --entry table @ragged.csv
-- $ arr run bad/data_files.arr --entry table @words.csv

def main(x: [n]f64) -> f64 = sum(x)
def counts(x: [n]i64) -> i64 = sum(x)
def table(x: [n][m]f64) -> f64 = sum(sum(x))
