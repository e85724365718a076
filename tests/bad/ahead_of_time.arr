-- $ arr build bad/ahead_of_time.arr --entry dot --entry twice --entry missing -o model.o
-- $ arr build bad/ahead_of_time.arr --grad count --grad squares -o model.o
-- $ arr build bad/ahead_of_time.arr --grad energy --wrt y -o model.o
-- $ arr build bad/ahead_of_time.arr -o model.o
-- $ arr build bad/ahead_of_time.arr --entry energy -o model
-- $ arr build bad/ahead_of_time.arr --entry energy --emit lib -o model.o
-- $ arr build bad/ahead_of_time.arr --entry energy --emit obj -o model.h
-- $ arr build bad/ahead_of_time.arr --entry energy --emit wgsl -o model.json
-- $ arr build bad/ahead_of_time.arr --entry energy --emit exe -o model
-- $ arr build bad/ahead_of_time.arr --entry energy -o model.mlir
-- $ arr build bad/ahead_of_time.arr --entry energy --sizes n=3,m=4 -o model.mlir
-- $ arr build bad/ahead_of_time.arr --entry energy --sizes n=-3 -o model.mlir
-- $ arr build bad/ahead_of_time.arr --entry energy --sizes n -o model.mlir
-- $ arr build bad/ahead_of_time.arr --entry energy --emit mlir -o model.json
-- $ arr build bad/ahead_of_time.arr --entry zeros_of -o model.mlir
-- $ arr build bad/ahead_of_time.arr --entry blocks --entry halvings --grad halvings -o model.mlir
-- $ arr build bad/ahead_of_time.arr --entry energy -o nowhere/model.h
-- $ arr build bad/ahead_of_time.arr --entry energy
-- $ arr build bad/mistake.arr -o model.h
-- $ arr build nowhere.arr -o model.h
-- $ ls model.o

def dot[t: num](x: [n]t, y: [n]t) -> t = sum(x * y)

def twice(g: f64 -> f64, x: f64) -> f64 = g(g(x))

def count(n: i64) -> i64 = n + 1

def squares(x: [n]f64) -> [n]f64 = x * x

def energy(x: [n]f64) -> f64 = sum(x * x)

def zeros_of(n: i64) -> [n]f64 = for i < n => 0.0

def blocks(n: i64, k: i64) -> f64 =
  let rows = for i < n => f64(i)
  let columns = for j < k => f64(j)
  in sum(rows) * sum(columns) + sum(rows)

def halvings(x: f64) -> f64 = loop y = x while abs(y) > 1.0 do y / (1.5 + y * y)
