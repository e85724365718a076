-- Values that cannot be drawn, and fields that are not there.
--
-- $ arr plot bad/plots.arr
-- $ arr plot bad/plots.arr --entry number -o number.svg
-- $ arr plot bad/plots.arr --entry fields --x tme -o fields.svg
-- $ arr plot bad/plots.arr --entry fields --x table
-- $ arr plot bad/plots.arr --entry fields --y table,time
-- $ arr plot bad/plots.arr --entry fields --x time --y uneven
-- $ arr plot bad/plots.arr --entry fields -o fields.pdf
-- $ arr run bad/plots.arr --entry fields --plot fields
-- $ arr run bad/plots.arr --entry fields --x time
-- $ arr plot bad/plots.arr --entry gaps
-- $ arr plot bad/plots.arr --entry fields --get table -o missing/table.svg
-- $ arr plot words.csv
-- $ arr plot ragged.csv --y x
-- $ arr plot gaps.csv:kind
-- $ arr plot gaps.csv [1.0]
-- $ arr plot note.txt
-- $ arr plot broken.json
-- $ arr plot missing.csv

def number: f64 = 1.0
def fields = { time = [0.0, 1.0], table = [[1.0, 2.0, 3.0]], uneven = [1.0] }
def gaps = [0.0 / 0.0, 1.0 / 0.0]
