-- Products of indices and of sizes wrap long before an array is too long; what was compared with the length then proves
-- nothing.
def fourth_power(x: [n]f64) -> f64 =
  sum(for i < n => let j = i * i * i * i in if j < n then x[j] else 0.0)
def large_stride(x: [n]f64) -> f64 =
  sum(for i < n => let j = i * 4611686018427387904 in if j < n then x[j] else 0.0)
def beyond(x: [n]f64, k: i64) -> f64 =
  sum(for i < 3 => let j = (i + k) * 3 in if j < n then x[j] else 0.0)
def counted(x: [n]f64, is: [m]i64, by: i64) -> f64 =
  let places = for i in is => min(max(i, 0), n - 1)
  let moved = places with [0] = places[0] + by
  in sum(for p in moved => x[p])
def added(x: [n]f64, is: [m]i64, by: i64) -> f64 =
  let places = for i in is => min(max(i, 0), n - 1)
  let moved = scatter_add(places, [0, 0], [by, by])
  in sum(for p in moved => x[p])

-- > fourth_power([1.0, 2.0, 3.0])
-- 3.0
-- > fourth_power(for i < 20 => 1.0)
-- 3.0
-- > fourth_power(for i < 65000 => 1.0)
-- error: E0601
-- > grad(fourth_power)(for i < 65000 => 1.0)
-- error: E0601
-- > large_stride([5.0, 1.0])
-- 5.0
-- > large_stride([5.0, 1.0, 2.0])
-- error: E0601
-- > grad(large_stride)([5.0, 1.0, 2.0])
-- error: E0601
-- > jvp(large_stride, [5.0, 1.0, 2.0], [1.0, 1.0, 1.0]).1
-- error: E0601
-- > beyond([1.0, 2.0, 3.0, 4.0], 0)
-- 5.0
-- > beyond([1.0, 2.0], 3074457345618258603)
-- error: E0601
-- > grad(\x => beyond(x, 3074457345618258603))([1.0, 2.0])
-- error: E0601
-- > counted([1.0, 2.0], [0, 7], 1)
-- 4.0
-- > counted([1.0, 2.0], [0, 7], 2)
-- error: E0601
-- > added([1.0, 2.0], [-1, 7], 1)
-- error: E0601
-- > grad(\x => added(x, [-1, 7], 9223372036854775807))([1.0, 2.0])
-- error: E0601
