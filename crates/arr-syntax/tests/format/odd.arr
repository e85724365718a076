def -- a
  f(x -- b
    : -- c
    [n -- d
    ]f64) -- e
  -> f64 -- f
  = -- g
  if -- h
    x -- i
    . -- j
    y
    -- k
    then
    -- l
    (1.0) -- m
    else
    -- n
    2.0

def g = f -- a
  ( -- b
    -- c
  )
  -- d
def h = ((((1 --| stray
  ))))
def i = -1 --| for j
def j = \x -- a
  => -- b
  for -- c
  i -- d
  < -- e
  n =>
  -- f
  x

def taken_back(r: R) = { r with lambda =
  { s[:] with -- beside
    x = 1 } }
