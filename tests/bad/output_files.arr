-- A result that cannot be written leaves no file behind; nor does a program that fails.
--
-- $ arr run bad/output_files.arr 2 -o out.npy
-- $ arr run bad/output_files.arr --entry back @out.npy
-- $ arr run bad/output_files.arr 2 -o no/such/directory/out.npy
-- $ arr run bad/output_files.arr 2 -o out.txt
-- $ ls out.txt
-- $ arr run bad/output_files.arr --entry fails 2 -o fails.npy
-- $ ls fails.npy
-- $ arr run bad/output_files.arr --entry record 2 -o record.npy
-- $ ls record.npy
-- $ arr run bad/output_files.arr --entry record 2 -o record.npz
-- $ arr run bad/output_files.arr --entry read @record.npz
-- $ arr run bad/output_files.arr --entry record 2 -o record.json
-- $ cat record.json
-- $ arr run bad/output_files.arr --entry read @record.json

def main(n: i64) -> [n]f64 = for i < n => f64(i)
def back(x: [n]f64) -> f64 = sum(x)
def fails(n: i64) -> [n]f64 = (for i < n => f64(i)) with [n] = 1.0
def record(n: i64) -> { a: [n]f64, k: i64 } = { a = for i < n => 0.5 * f64(i), k = n }
def read(r: { a: [n]f64, k: i64 }) -> f64 = sum(r.a) + f64(r.k)
