//! Tables: columns by name, the types of cells, gaps, dates, categories, and tables that are written.
#![allow(clippy::result_large_err)]

use crate::common::{Maker, record, words};
use arr_data::{CellRules, DateUnit, Delimiter, EdgeValue, Format, Reading, from_file, to_bytes, to_literal};
use arr_ir::{Edge, Scalar};

/// `{ age: [n]f64, smoker: [n]bool }`
fn patients() -> Edge {
    let mut maker = Maker::new();
    let (age, smoker) = (maker.ty("[n]f64"), maker.ty("[n]bool"));
    record(&[("age", age), ("smoker", smoker)])
}

fn species() -> Edge {
    let constructors = ["Setosa", "Iris_versicolor", "NA'"].map(|name| (name.to_string(), Vec::new())).to_vec();
    Edge::Sum { name: "Species".to_string(), constructors }
}

fn array(inner: Edge) -> Edge {
    Maker::new().array("n", inner)
}

/// The value and the notes, or the diagnostic.
fn read_with(text: &str, edge: &Edge, part: Option<&str>, cells: &CellRules) -> Result<(EdgeValue, String), String> {
    let how = Reading { limit: 1 << 20, parameter: "x", part, cells };
    let read = from_file(text.as_bytes(), Format::Csv, edge, &how);
    read.map(|(value, notes)| (value, notes.join("\n"))).map_err(|e| words(&e, "T"))
}

fn read(text: &str, edge: &Edge) -> Result<String, String> {
    read_with(text, edge, None, &CellRules::default()).map(|(value, _)| to_literal(&value))
}

fn read_part(text: &str, ty: &str, part: &str) -> Result<String, String> {
    read_with(text, &Maker::new().ty(ty), Some(part), &CellRules::default()).map(|(value, _)| to_literal(&value))
}

#[test]
fn rows_without_values_are_rows_and_empty_lines_are_none() {
    let vector = Maker::new().ty("[n]f64");
    assert_eq!(read("a\n1\n\"\"\n3\n", &vector).unwrap(), "[1.0, nan, 3.0]");
    assert_eq!(read("a\n1\n\n3\n\n", &vector).unwrap(), "[1.0, 3.0]");
    assert_eq!(read("a\r\n1\r\n   \r\n3", &vector).unwrap(), "[1.0, 3.0]");
    let pair = record(&[("a", Maker::new().ty("[n]f64")), ("b", Maker::new().ty("[n]f64"))]);
    assert_eq!(read("a,b\n1,2\n,\n3,4\n", &pair).unwrap(), "{a = [1.0, nan, 3.0], b = [2.0, nan, 4.0]}");
    // Lines are those of an editor.
    for (text, line) in [
        ("a,b\n1,x\n", 2),
        ("a,b\r\n1,2\r\n3,x\r\n", 3),
        ("a,b\n\n\n1,x\n", 4),
        ("\n\na,b\n1,2\n\n3,x", 6),
        ("a,b\n\"1\",2\n1,x", 3),
        ("a,b\r1,2\r3,x\r", 3),
    ] {
        let e = read(text, &pair).unwrap_err();
        assert!(e.contains(&format!("line {line}, column 2")), "{text:?}: {e}");
    }
}

#[test]
fn columns_are_found_by_name() {
    let text = "id,smoker,age\n7,yes,61.5\n9,no,NA\n";
    let (value, notes) = read_with(text, &patients(), None, &CellRules::default()).unwrap();
    assert_eq!(to_literal(&value), "{age = [61.5, nan], smoker = [true, false]}");
    assert_eq!(notes, "the column `id` is left out");
    let rows = array(record(&[("age", Edge::Scalar(Scalar::F64)), ("id", Edge::Scalar(Scalar::I64))]));
    let (value, notes) = read_with(text, &rows, None, &CellRules::default()).unwrap();
    assert_eq!(to_literal(&value), "[{age = 61.5, id = 7}, {age = nan, id = 9}]");
    assert_eq!(notes, "the column `smoker` is left out");
    let one = record(&[("age", Edge::Scalar(Scalar::F64)), ("smoker", Edge::Scalar(Scalar::Bool))]);
    assert_eq!(read("age,smoker\n3,0\n", &one).unwrap(), "{age = 3.0, smoker = false}");
    let e = read("age,smoker\n3,0\n4,1\n", &one).unwrap_err();
    assert!(e.starts_with("E0704") && e.contains("found 2 rows"), "{e}");
    // Signs that no name has are `_`, and a name that is exactly there wins.
    let mass = record(&[("body_mass", Maker::new().ty("[n]f64"))]);
    assert_eq!(read("body mass\n80\n", &mass).unwrap(), "{body_mass = [80.0]}");
    assert_eq!(read("body mass,body_mass\n80,81\n", &mass).unwrap(), "{body_mass = [81.0]}");
    let e = read("body mass,body-mass\n80,81\n", &mass).unwrap_err();
    assert!(e.contains("several columns `body_mass`"), "{e}");
    assert_eq!(read("age,smoker\n", &patients()).unwrap(), "{age = [], smoker = []}");
}

#[test]
fn a_column_can_be_named() {
    let text = "\u{feff}height,\"body mass\",n\n1.5,60,1\n2.0,90,2\n";
    assert_eq!(read_part(text, "[n]f64", "body mass").unwrap(), "[60.0, 90.0]");
    assert_eq!(read_part(text, "[n]i64", "n").unwrap(), "[1, 2]");
    assert_eq!(read_part(text, "[n][m]f64", "n,height").unwrap(), "[[1.0, 1.5], [2.0, 2.0]]");
    assert_eq!(read_part("1,2\n3,4\n", "[n]f64", "1").unwrap(), "[3.0]");
    let e = read_part(text, "[n]f64", "n,height").unwrap_err();
    assert!(e.starts_with("E0704") && e.contains("found 2 columns"), "{e}");
    let e = read_part(text, "[n]f64", "width").unwrap_err();
    assert!(e.starts_with("E0709: `data.npy` has no column `width`\n  note: it has `height`, `body mass`, `n`"), "{e}");
    let e = read("y,z\n1,2\n3,4\n", &Maker::new().ty("[n]f64")).unwrap_err();
    assert!(e.starts_with("E0709: `data.npy` has no column `x`\n  note: it has `y`, `z`"), "{e}");
    assert!(e.ends_with("hint: `@data.npy:y` reads the first column"), "{e}");
    let e = read("y,x [m]\n1,2\n3,4\n", &Maker::new().ty("[n]f64")).unwrap_err();
    assert!(e.ends_with("hint: `@data.npy:x__m_` reads the column `x [m]`"), "{e}");
    // One row is a vector only without a heading.
    let e = read("y,z\n1,2\n", &Maker::new().ty("[n]f64")).unwrap_err();
    assert!(e.starts_with("E0709: `data.npy` has no column `x`"), "{e}");
    assert_eq!(read("1,2\n", &Maker::new().ty("[n]f64")).unwrap(), "[1.0, 2.0]");
    // A file of several columns for one parameter: the column of its name.
    let (value, notes) = read_with("y,x\n1,2\n3,4\n", &Maker::new().ty("[n]f64"), None, &CellRules::default()).unwrap();
    assert_eq!((to_literal(&value).as_str(), notes.as_str()), ("[2.0, 4.0]", "the column `y` is left out"));
}

#[test]
fn headings_that_are_none() {
    let e = |text: &str| read(text, &patients()).unwrap_err();
    assert!(e("").starts_with("E0702") && e("").contains("a heading names the columns"));
    assert!(e("1.5,true\n").contains("its first line has the number `1.5`"));
    assert!(e("age;smoker\n1;true\n").contains("its heading has semicolons where commas separate columns"));
    assert!(e("age,smoker,age\n1,true,2\n").contains("several columns `age`"));
    assert!(e("age,smoke\n1,true\n").starts_with("E0709: `data.npy` has no column `smoker`"));
    assert!(e("age,smoker\n1\n").contains("it has 1 column where the rows above have 2"));
}

#[test]
fn cells_have_the_type_of_their_column() {
    let column = |ty: &str, cell: &str| read_part(&format!("c,d\n{cell},0\n"), ty, "c");
    for yes in ["true", "True", "yes", "YES", "1"] {
        assert_eq!(column("[n]bool", yes).unwrap(), "[true]");
    }
    for no in ["false", "No", "0"] {
        assert_eq!(column("[n]bool", no).unwrap(), "[false]");
    }
    assert_eq!(column("[n]f32", "").unwrap(), "[nan]");
    assert_eq!(column("[n]f64", "NA").unwrap(), "[nan]");
    for (ty, cell, part) in [
        ("[n]bool", "2", "`2` is not `true` or `false`"),
        ("[n]bool", "", "a cell is empty, and `bool` has no value for that"),
        ("[n]i64", "NA", "`NA` is a missing value, and `i64` has none"),
        ("[n]i64", "x", "`x` is not a number"),
        ("[n]f64", "null", "`null` is not a number"),
    ] {
        let e = column(ty, cell).unwrap_err();
        assert!(e.starts_with("E0702") && e.contains(part) && e.contains("line 2, column 1 (`c`)"), "{cell}: {e}");
    }
    let rules = CellRules { gaps: vec!["-999".to_string(), "null".to_string()], ..CellRules::default() };
    let (value, _) = read_with("null\n-999\n1\n", &Maker::new().ty("[n]f64"), None, &rules).unwrap();
    assert_eq!(to_literal(&value), "[nan, nan, 1.0]");
}

#[test]
fn dates_are_numbers() {
    let text = "day\n1970-01-02\n2024-02-29\n1969-12-31\n";
    assert_eq!(read(text, &Maker::new().ty("[n]i64")).unwrap(), "[1, 19782, -1]");
    assert_eq!(read("1970-01-02\n", &Maker::new().ty("[n]f32")).unwrap(), "[1.0]");
    let times = "1970-01-02T12:00\n1970-01-02 06:00:00\n1970-01-02T00:00:00Z\n1970-01-02T01:00:00+01:00\n";
    assert_eq!(read(times, &Maker::new().ty("[n]f64")).unwrap(), "[1.5, 1.25, 1.0, 1.0]");
    let e = read(times, &Maker::new().ty("[n]i64")).unwrap_err();
    assert!(e.starts_with("E0703") && e.contains("1970-01-02T12:00 does not fit `i64` exactly"), "{e}");
    let seconds = CellRules { dates: DateUnit::Seconds, ..CellRules::default() };
    let (value, _) = read_with(times, &Maker::new().ty("[n]i64"), None, &seconds).unwrap();
    assert_eq!(to_literal(&value), "[129600, 108000, 86400, 86400]");
    for wrong in ["2023-02-29", "2024-13-01", "2024-1-1", "2024-01-01T25:00", "2024-01-01T10:00+99:00", "2024-01-01x"] {
        let e = read(&format!("d\n1\n{wrong}\n"), &Maker::new().ty("[n]f64")).expect_err(wrong);
        assert!(e.contains("is not a number"), "{wrong}: {e}");
    }
}

#[test]
fn categories_are_constructors() {
    let text = "species\nSetosa\nsetosa\niris-versicolor\n";
    assert_eq!(read(text, &array(species())).unwrap(), "[Setosa, Setosa, Iris_versicolor]");
    assert_eq!(read("setosa\n", &array(species())).unwrap(), "[Setosa]");
    let table = record(&[("kind", array(species())), ("w", Maker::new().ty("[n]f64"))]);
    assert_eq!(read("w,kind\n1,setosa\n", &table).unwrap(), "{kind = [Setosa], w = [1.0]}");
    let e = read("w,kind\n1,virginica\n", &table).unwrap_err();
    assert!(e.starts_with("E0703: argument `x`: `virginica` is not a constructor of `Species`"), "{e}");
    assert!(e.contains("line 2, column 2 (`kind`)"), "{e}");
    let e = read("w,kind\n1,\n", &table).unwrap_err();
    assert!(e.contains("a cell is empty"), "{e}");
    let carrying = Edge::Sum {
        name: "S".to_string(),
        constructors: vec![("A".to_string(), vec![Edge::Scalar(Scalar::F64)]), ("B".to_string(), Vec::new())],
    };
    assert!(read("A\n", &array(carrying)).unwrap_err().contains("a CSV file cannot hold argument `x`"));
}

#[test]
fn the_memory_of_a_table_is_limited() {
    let text = format!("age,smoker\n{}", "1,0\n".repeat(100));
    let cells = CellRules::default();
    let read = |limit| {
        let how = Reading { limit, parameter: "x", part: None, cells: &cells };
        from_file(text.as_bytes(), Format::Csv, &patients(), &how).map(|_| ()).map_err(|e| words(&e, "T"))
    };
    assert_eq!(read(1600), Ok(()));
    assert!(read(1599).unwrap_err().starts_with("E0605"));
}

/// Tables that are written are read as the same values.
#[test]
fn tables_are_written() {
    let mut maker = Maker::new();
    let (x, k, b) = (maker.ty("[n]f64"), maker.ty("[n]i64"), maker.ty("[n]bool"));
    let columns = record(&[("x", x), ("k", k), ("b", b), ("s", array(species()))]);
    let cases = [
        (
            columns.clone(),
            "{x = [0.1, nan, -inf], k = [1, -2, 3], b = [true, false, true], s = [Setosa, Setosa, Iris_versicolor]}",
            "x,k,b,s\n0.1,1,true,Setosa\nNaN,-2,false,Setosa\n-Inf,3,true,Iris_versicolor\n",
        ),
        (columns, "{x = [], k = [], b = [], s = []}", "x,k,b,s\n"),
        (
            array(record(&[("u", Edge::Scalar(Scalar::F32)), ("v", species())])),
            "[{u = 1.5, v = Setosa}]",
            "u,v\n1.5,Setosa\n",
        ),
        (
            record(&[("u", Edge::Scalar(Scalar::F64)), ("v", Edge::Scalar(Scalar::U32))]),
            "{u = 1.5, v = 7}",
            "u,v\n1.5,7\n",
        ),
        (Maker::new().ty("[n]f64"), "[1.0, 2.5]", "1.0\n2.5\n"),
        (Maker::new().ty("[n][m]i32"), "[[1, 2], [3, 4]]", "1,2\n3,4\n"),
        (array(species()), "[Setosa]", "Setosa\n"),
    ];
    for (edge, literal, text) in cases {
        let value = arr_data::from_text(literal, &edge).unwrap();
        let written = to_bytes("out.csv", &value, &edge).unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), text);
        assert_eq!(read(text, &edge).unwrap(), to_literal(&value));
    }
    for (ty, literal) in [("f64", "1.5"), ("[n][m][k]f64", "[[[1.0]]]")] {
        let edge = Maker::new().ty(ty);
        let e = to_bytes("out.csv", &arr_data::from_text(literal, &edge).unwrap(), &edge).unwrap_err();
        assert!(e.to_output_diagnostic().notes[0].starts_with("a .csv file holds"), "{e:?}");
    }
    let uneven = record(&[("a", Maker::new().ty("[n]f64")), ("b", Maker::new().ty("[n]f64"))]);
    let value = arr_data::from_text("{a = [1], b = [1, 2]}", &uneven).unwrap();
    assert!(to_bytes("out.csv", &value, &uneven).unwrap_err().to_output_diagnostic().notes[0].contains("one length"));
}

/// What to do about a cell is said with the error.
#[test]
fn errors_in_cells_say_what_helps() {
    let hint = |ty: &str, cell: &str| {
        let e = read_part(&format!("c,d\n{cell},0\n"), ty, "c").unwrap_err();
        e.rsplit_once("hint: ").map_or(String::new(), |(_, hint)| hint.to_string())
    };
    assert_eq!(hint("[n]bool", ""), "a column of `f64` reads flags as 1, 0 and, without a value, NaN");
    assert_eq!(hint("[n]i64", ""), "a column of `f64` reads a cell without a value as NaN");
    assert_eq!(hint("[n]f64", "-"), "`--na -` reads such a cell as a missing value, NaN");
    assert_eq!(hint("[n]f64", "not known"), "`--na 'not known'` reads such a cell as a missing value, NaN");
    assert_eq!(hint("[n]i64", "cat"), "");
    assert!(hint("[n]f64", "0;1").starts_with("`--delimiter ';'`"));
    assert_eq!(hint("[n]f64", "0\t1"), "`--delimiter tab` reads columns between tabs");
    assert_eq!(hint("[n]f64", "\"0,5\""), "`--decimal , --delimiter ,` reads numbers with decimal commas");
    let e = read("kind\nsetosa\n\"\"\n", &array(species())).unwrap_err();
    assert!(e.ends_with("hint: a constructor `Missing` of `Species` stands for cells without a value"), "{e}");
    let e = read("kind\niris setosa\n", &array(species())).unwrap_err();
    assert!(e.ends_with("hint: the constructor for `iris setosa` is `Iris_setosa`"), "{e}");
}

#[test]
fn flags_are_numbers_in_columns_of_floats_that_have_names() {
    assert_eq!(read("ok\nyes\nFalse\n1\n\"\"\n", &Maker::new().ty("[n]f64")).unwrap(), "[1.0, 0.0, 1.0, nan]");
    assert_eq!(read_part("ok,x\nno,2\n", "[n]f32", "ok").unwrap(), "[0.0]");
    // The first of these may be a row, which would be lost.
    let e = read("yes\nno\n", &Maker::new().ty("[n]f64")).unwrap_err();
    assert!(e.contains("`no` is not a number"), "{e}");
    assert_eq!(read("no\n1\n2\n", &Maker::new().ty("[n]f64")).unwrap(), "[1.0, 2.0]");
    assert!(read_part("ok,x\nno,2\n", "[n]i64", "ok").unwrap_err().contains("`no` is not a number"));
}

#[test]
fn a_constructor_takes_cells_without_a_value() {
    let names = ["Cat", "Missing", "Dog"].map(|name| (name.to_string(), Vec::new())).to_vec();
    let kind = Edge::Sum { name: "Kind".to_string(), constructors: names };
    assert_eq!(
        read("kind\ncat\nNA\n\"\"\ndog\nmissing\n", &array(kind)).unwrap(),
        "[Cat, Missing, Missing, Dog, Missing]"
    );
}

#[test]
fn columns_that_no_field_can_be_named_after() {
    let one = |name: &str| record(&[(name, Maker::new().ty("[n]f64"))]);
    assert_eq!(read("2nd,x\n1,2\n", &one("_2nd")).unwrap(), "{_2nd = [1.0]}");
    assert_eq!(read("type,x\n1,2\n", &one("_type")).unwrap(), "{_type = [1.0]}");
    assert_eq!(read("_type,type\n1,2\n", &one("_type")).unwrap(), "{_type = [1.0]}");
    assert_eq!(read("t [s],x\n1,2\n", &one("t__s_")).unwrap(), "{t__s_ = [1.0]}");
    for near in ["t", "t_s", "T"] {
        let e = read("t [s],U [V]\n1,2\n", &one(near)).unwrap_err();
        assert!(e.starts_with("E0709") && e.ends_with("hint: the field for `t [s]` is `t__s_`"), "{near}: {e}");
    }
    let e = read("t [s],x\n1,2\n", &one("u")).unwrap_err();
    assert!(!e.contains("hint"), "{e}");
}

/// Files of instruments and of spreadsheets.
#[test]
fn other_ways_to_write_a_table() {
    let table = record(&[("t", Maker::new().ty("[n]f64")), ("u", Maker::new().ty("[n]f64"))]);
    let read =
        |text: &str, cells: &CellRules| read_with(text, &table, None, cells).map(|(value, _)| to_literal(&value));
    let plain = CellRules::default();
    let sign = |sign: u8| CellRules { delimiter: Some(Delimiter::Sign(sign)), ..CellRules::default() };
    let comma = CellRules { decimal_comma: true, ..CellRules::default() };
    let expected = "{t = [0.5, 1.0], u = [2.0, nan]}";
    assert_eq!(read("t;u\n0.5;2\n1;\n", &sign(b';')).unwrap(), expected);
    assert_eq!(read("t\tu\n0.5\t2\n1\t\n", &sign(b'\t')).unwrap(), expected);
    assert_eq!(read("t;u\n0,5;2\n1;\n", &comma).unwrap(), expected);
    let spaces = CellRules { delimiter: Some(Delimiter::Spaces), ..CellRules::default() };
    assert_eq!(read("  t   u\n 0.5 2\n  1.0  NA\n", &spaces).unwrap(), expected);
    let quoted = CellRules { delimiter: Some(Delimiter::Sign(b',')), ..comma.clone() };
    assert_eq!(read("t,u\n\"0,5\",2\n1,\n", &quoted).unwrap(), expected);
    let skipping = CellRules { skipped_lines: 2, ..CellRules::default() };
    assert_eq!(read("# a\r\nb\r\nt,u\r\n0.5,2\r\n1,\r\n", &skipping).unwrap(), expected);
    let e = read("# a\nb\nt,u\n0.5,x\n", &skipping).unwrap_err();
    assert!(e.contains("line 4, column 2"), "{e}");
    let e = read("t;u\n0,5;1.5\n", &comma).unwrap_err();
    assert!(e.contains("`1.5` has a point where commas stand before decimals"), "{e}");
    let how = Reading { limit: 1 << 20, parameter: "", part: None, cells: &sign(b';') };
    let drawn = |text: &str| arr_data::numbers_of(text.as_bytes(), Format::Csv, &how, &[]);
    let e = drawn("t;u\n0,5;1,5\n").map(|_| ()).map_err(|e| words(&e, "T")).unwrap_err();
    assert!(e.contains("`0,5` has a comma") && e.contains("`--decimal ,`"), "{e}");
    assert!(drawn("t;u\n0;1,5\n").unwrap().1.join("").ends_with("`--decimal ,` reads numbers with decimal commas"));
    let e = read("t;u\n0,5;2\n", &sign(b';')).unwrap_err();
    assert!(
        e.contains("`0,5` has a comma") && e.ends_with("hint: `--decimal ,` reads numbers with decimal commas"),
        "{e}"
    );
    for (text, part, hint) in [
        ("t;u\n0,5;2\n", "its heading has semicolons where commas separate columns", "`--delimiter ';'`"),
        ("t\tu\n0\t2\n", "its heading has tabs where commas separate columns", "`--delimiter tab`"),
        ("# scope\nt,u\n0,1\n", "line 1 is a comment, `# scope`, and no row", "`--skip-lines 1`"),
        ("# scope\n# 2\nt,u\n0,1\n", "line 1 is a comment", "`--skip-lines 2` begins with line 3"),
        ("Scope 7\n\nt,u\n0,1\n", "line 1 is a title, `Scope 7`, and no row", "`--skip-lines 2`"),
    ] {
        let e = read(text, &plain).unwrap_err();
        assert!(e.contains(part) && e.contains(hint), "{text:?}: {e}");
        // What draws a table says the same.
        let how = Reading { limit: 1 << 20, parameter: "", part: None, cells: &plain };
        let drawn = arr_data::numbers_of(text.as_bytes(), Format::Csv, &how, &[]).map(|_| ());
        let drawn = drawn.map_err(|e| words(&e, "T")).unwrap_err();
        assert!(drawn.contains(hint) && drawn.contains(part), "{text:?}: {drawn}");
    }
}

#[test]
fn a_column_that_is_drawn_has_numbers_only() {
    let cells = CellRules::default();
    let numbers = |needed: &[&str]| {
        let how = Reading { limit: 1 << 20, parameter: "", part: None, cells: &cells };
        let text = "t [s],U,name,ok\n0,1.0,a,yes\n1,-,b,no\n";
        let read = arr_data::numbers_of(text.as_bytes(), Format::Csv, &how, needed);
        read.map(|(value, notes)| (to_literal(&value), notes.join("\n"))).map_err(|e| words(&e, "T"))
    };
    let (value, notes) = numbers(&[]).unwrap();
    assert_eq!(value, "{t [s] = [0.0, 1.0]}");
    assert_eq!(
        notes,
        "the column `U` is left out, as `-` is not a number (line 3, column 2 (`U`)); `--na -` reads such a cell as a \
         missing value, NaN\nwhat is no column of numbers is left out: `name`, `ok`"
    );
    let e = numbers(&["t__s_", "U"]).unwrap_err();
    assert!(e.contains("`-` is not a number") && e.contains("line 3, column 2 (`U`)") && e.contains("`--na -`"), "{e}");
    assert_eq!(numbers(&["ok"]).unwrap().0, "{t [s] = [0.0, 1.0], ok = [1.0, 0.0]}");
}

#[test]
fn rows_are_on_lines() {
    let cells = CellRules::default();
    let line = |text: &str, edge: &Edge, part: Option<&str>, row| {
        let how = Reading { limit: 1 << 20, parameter: "x", part, cells: &cells };
        arr_data::line_of_row(text.as_bytes(), Format::Csv, edge, &how, row)
    };
    let vector = Maker::new().ty("[n]f64");
    assert_eq!(line("x\n1\n\n2\n", &vector, None, 1), Some(4));
    assert_eq!(line("1\n2\n", &vector, None, 1), Some(2));
    assert_eq!(line("1,2,3\n", &vector, None, 2), Some(1));
    assert_eq!(line("a,b\n1,2\n3,4\n", &vector, Some("b"), 1), Some(3));
    assert_eq!(line("age,smoker\n1,0\n", &patients(), None, 0), Some(2));
    assert_eq!(line("x\n1\n", &vector, None, 1), None);
}
