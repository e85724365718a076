-- A file that nobody has formatted.
def  main( )->f64=mean_square([1.0,2.0, 3.0]) -- its value


--| The mean of the squares.
def mean_square(x:[n]f64)->f64=
  let s=sum(x*x) in  -- the sum

  -- and the count
  let c = f64(n)
  in (s)/(c)
