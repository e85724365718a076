

-- A file's heading,
-- in two lines.



--|   Documentation.
--| More of it.
-- and a remark below
def f(x: [n]f64, -- the points
      y: f64     -- the weight
     ) -> f64 = sum(x) * y -- one line


-- before g
def g(x: f64) -> f64 =
  -- first
  let a = x + 1.0 -- beside a

  -- before b, and
  -- still before b


  let b = -- why
    a * 2.0
  -- the result
  in
  -- inside in
  a + b -- sum
    -- of parts
    - 1.0 -- last
-- at the end of g, no line between
def h(p: Point) -> f64 =
  match p { -- cases
    A(x) => x, -- first case
    -- second case
    B =>
      -- explained
      0.0

    -- third

    , C => 1.0
    -- no more
  }

def r = { -- open
  x = 1.0, -- the abscissa

  -- above y
  y = f(2.0 -- two
    , 3.0),
  z = [
    -- rows
    [1.0, 2.0], -- first row
    [3.0, 4.0]
    -- no third row
  ]
}

def i(x: f64) = if x > 0.0 -- positive
  then 1.0
  -- otherwise
  else -- not positive
    0.0

def j(x: f64) = (x -- left
  -- between
  + 1.0) * (-- inside
  2.0)

def k(a: f64, b: f64) =
  let c = a in -- after in
  if c > b then c else b

def l(a: f64, b: f64) =
  let c = a
  let d = b
  in -- the sum
  -- of both
  (for i < 2 =>
    c + d)

type Shape = Circle(f64) -- radius
  | Rect(f64, f64) -- width and height
  -- nothing
  | Empty
type T = { a: f64, -- one
  b: f64 }
-- the end

--| of documentation for nobody
