def f(x: f64) =
  -- a comment
  x   -- and another
