-- A file that would like to run a script: <script>alert("top")</script>

--| <script>alert(1)</script> and <img src=x onerror=alert(2)>, [click](javascript:alert(3)).
--|
--| <iframe src="https://example.com"></iframe>
--|
--| ![a picture](https://example.com/a.png) "quoted" &amp; `<b>`
--| > hostile'(1.0) < 2.0 -- </span></pre><script>alert(4)</script>
--| true
def hostile'(x: f64) -> f64 = x

-- ---- <i>A section</i>

--| # A heading
--|
--| | one | two |
--| |-----|-----|
--| | 1   | 2   |
def next(
  a_long_parameter: [n]f64,
  another_long_parameter: [n][m]f64,
  a_third_one: { field: f64 }
) -> [n]f64 =
  hostile'(a_third_one.field) * a_long_parameter

def _part = 1.0
