-- Definitions that use themselves, directly and through others.
def factorial(n: i64) -> i64 = if n == 0 then 1 else n * factorial(n - 1)
def even(n: i64) -> bool = if n == 0 then true else odd(n - 1)
def odd(n: i64) -> bool = if n == 0 then false else even(n - 1)
