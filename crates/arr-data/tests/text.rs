//! Literals and JSON: accepted text, refused text, and that printed values can be read back.

use crate::common::{Maker, record, show, value, words};
use arr_data::{EdgeValue, Format, bind, from_bytes, from_text, to_json, to_literal};
use arr_ir::{Edge, Scalar};

fn refused(text: &str, ty: &str) -> String {
    let edge = Maker::new().ty(ty);
    words(&from_text(text, &edge).expect_err(text), ty)
}

#[test]
fn literals_print_as_they_are_read() {
    for (text, ty) in [
        ("3", "i64"),
        ("-3", "i32"),
        ("true", "bool"),
        ("2.5", "f64"),
        ("1e-10", "f64"),
        ("-0.0", "f64"),
        ("inf", "f64"),
        ("-inf", "f32"),
        ("nan", "f64"),
        ("0.1", "f32"),
        ("1e300", "f64"),
        ("[]", "[n]f64"),
        ("[1.0, 2.0]", "[n]f64"),
        ("[[1, 2, 3], [4, 5, 6]]", "[n][m]i64"),
        ("[[[true]], [[false]]]", "[n][m][k]bool"),
    ] {
        assert_eq!(to_literal(&value(text, ty)), text, "{ty}");
    }
    assert_eq!(to_literal(&value(" [ 1 , 2i32, -3.5, ] ", "[n]f64")), "[1.0, 2.0, -3.5]");
    assert_eq!(to_literal(&value("(4)", "f64")), "4.0");
    assert_eq!(to_literal(&value("1e16", "f64")), "1e16");
}

#[test]
fn large_arrays_break_at_rows_and_read_back() {
    let row = |k: usize| format!("[{}]", (0..k).map(|i| format!("{}.5", i * 1234)).collect::<Vec<_>>().join(", "));
    let wide = value(&row(40), "[n]f64");
    let text = to_literal(&wide);
    assert!(text.lines().count() > 1 && text.lines().all(|l| l.len() <= 100), "{text}");
    assert_eq!(value(&text, "[n]f64"), wide);
    let matrix = value(&format!("[{0}, {0}, {0}]", row(9)), "[n][m]f64");
    let text = to_literal(&matrix);
    assert_eq!(text.lines().count(), 3, "{text}");
    assert_eq!(value(&text, "[n][m]f64"), matrix);
}

fn points() -> Edge {
    let mut maker = Maker::new();
    let rows = maker.ty("[k]i64");
    let point = record(&[("x", Edge::Scalar(arr_ir::Scalar::F64)), ("y", rows)]);
    let points = maker.array("n", point);
    Edge::Tuple(vec![points, Edge::Scalar(arr_ir::Scalar::Bool)])
}

#[test]
fn arrays_of_records_are_kept_as_records_of_arrays() {
    let text = "([{x = 1.0, y = [1, 2]}, {x = 2.0, y = [3, 4]}], true)";
    let v = from_text(text, &points()).unwrap();
    assert_eq!(to_literal(&v), text);
    let leaves = v.leaves();
    assert_eq!(leaves[0].dims(), [2]);
    assert_eq!(leaves[1].dims(), [2, 2]);
    assert_eq!(EdgeValue::from_leaves(&points(), &leaves), Some(v.clone()));
    let json = to_json(&v);
    assert_eq!(json, r#"[[{"x": 1.0, "y": [1, 2]}, {"x": 2.0, "y": [3, 4]}], true]"#);
    assert_eq!(from_bytes(json.as_bytes(), Format::Json, &points()).unwrap(), v);
}

#[test]
fn json_has_strings_for_what_is_not_finite() {
    let v = value("[nan, inf, -inf, 1.0]", "[n]f64");
    let json = to_json(&v);
    assert_eq!(json, r#"["nan", "inf", "-inf", 1.0]"#);
    let edge = Maker::new().ty("[n]f64");
    for text in [json.as_str(), "[NaN, Infinity, -Infinity, 1]", "[\"NaN\", \"\\u0069nf\", \"-inf\", 1e0]"] {
        assert_eq!(to_literal(&from_bytes(text.as_bytes(), Format::Json, &edge).unwrap()), to_literal(&v));
    }
    let _: serde_json::Value = serde_json::from_str(&json).unwrap();
}

#[test]
fn json_is_strict_in_files() {
    let edge = Maker::new().ty("[n]f64");
    for text in ["[1,]", "(1, 2)", "[1f32]", "[nan]", "[1 2]", "[1", "", "[1] 2", "{x = 1}", "null", "[\"a\"]", "\u{0}"]
    {
        let e = from_bytes(text.as_bytes(), Format::Json, &edge).expect_err(text);
        assert!(words(&e, "[n]f64").starts_with("E07"), "{text}");
    }
    let e = from_bytes(b"[1.0,\n 2.0,\n x]", Format::Json, &edge).unwrap_err();
    assert_eq!(
        words(&e, "[n]f64"),
        "E0702: `data.npy` is not a readable JSON file: `x` is not a value\n  note: it was given for the parameter `x: [n]f64`\n  note: it was read from `data.npy`, line 3, column 2"
    );
}

#[test]
fn what_does_not_fit_is_refused_with_the_declared_type() {
    assert_eq!(
        refused("2.5", "i64"),
        "E0703: argument `x` has the wrong type\n  expected i64, found f64\n  note: it was read from `data.npy`"
    );
    assert!(refused("[1, 2]", "f64").contains("expected f64, found [2]i64"));
    assert!(refused("3", "[n]f64").contains("expected [n]f64, found i64"));
    assert!(refused("[1.0, 2.0]", "[n][m]f64").starts_with("E0704"));
    assert!(refused("[1.0, 2.0]", "[n][m]f64").contains("expected [n][m]f64, found [2]f64"));
    assert!(
        refused("[[1, 2], [3]]", "[n][m]f64").contains("argument `x[1]` is not regular: a row of 1 beside a row of 2")
    );
    assert!(refused("[1, true]", "[n]i64").contains("`x[1]` has the wrong type\n  expected i64, found bool"));
    assert!(refused("9007199254740993", "f64").contains("does not fit `f64` exactly"));
    assert!(refused("-1", "u32").contains("E0703: argument `x`: -1 does not fit `u32` exactly"));
    assert!(refused("1.5f64", "f32").starts_with("E0703"));
    for text in
        ["", "[1, 2", "1 2", "abc", "[1;2]", "1.", "--1", "1e", "{x = 1, x = 2}", "\"a\"", "1f16", "é", "-", "infx"]
    {
        assert!(refused(text, "f64").starts_with("E0706"), "{text}: {}", refused(text, "f64"));
    }
    let deep = "[".repeat(100_000);
    assert!(refused(&deep, "f64").contains("nests deeper"));
}

#[test]
fn records_say_which_field_is_missing_or_too_much() {
    let edge = record(&[("a", Edge::Scalar(arr_ir::Scalar::F64)), ("b", Edge::Scalar(arr_ir::Scalar::F64))]);
    let e = |text: &str| words(&from_text(text, &edge).unwrap_err(), "P");
    assert!(e("{a = 1}").contains("`x` has no field `b`\n  note: it has `a`"));
    assert!(
        e("{a = 1, b = 2, c = 3}")
            .contains("has a field `c` that its type does not have\n  note: its type has `a`, `b`")
    );
    assert!(e("{a = 1, b = [2]}").contains("`x.b` has the wrong type"));
    assert!(from_text("{b = 2, a = 1}", &edge).is_ok());
}

#[test]
fn sizes_are_bound_and_checked() {
    let mut maker = Maker::new();
    maker.param("k", "i64");
    maker.param("x", "[n]f64");
    maker.param("y", "[n+1][k]f64");
    let func = maker.func;
    let run = |args: [&str; 3]| {
        let values: Vec<_> =
            func.edge_params.iter().zip(args).map(|(p, text)| from_text(text, &p.ty).unwrap()).collect();
        bind(&func, &values).map_err(|ds| ds.iter().map(show).collect::<Vec<_>>().join("\n"))
    };
    let bound = run(["2", "[1, 2]", "[[1, 2], [3, 4], [5, 6]]"]).unwrap();
    assert_eq!(bound.sizes, [2]);
    assert_eq!(
        run(["3", "[1, 2]", "[[1, 2], [3, 4], [5, 6]]"]).unwrap_err(),
        "E0704: arguments `k` and `y` disagree: `k` is 3, but `y` has 2 along the axis of that size\n  note: `y: [n+1][k]f64` is given a `[3][2]f64`"
    );
    assert_eq!(
        run(["2", "[1, 2]", "[[1, 2]]"]).unwrap_err(),
        "E0704: arguments `x` and `y` disagree about size `n + 1`: 3 and 1\n  note: `x: [n]f64` is given a `[2]f64`\n  note: `y: [n+1][k]f64` is given a `[1][2]f64`"
    );
    let one = from_text("2", &func.edge_params[0].ty).unwrap();
    assert_eq!(
        bind(&func, &[one]).map_err(|ds| ds.iter().map(show).collect::<Vec<_>>()).unwrap_err(),
        ["E0705: `f` takes 3 arguments, but 1 was given\n  note: it is `f(k: i64, x: [n]f64, y: [n+1][k]f64)`"]
    );
    // An empty matrix takes its columns from the other arguments.
    let bound = run(["7", "[]", "[[1, 2, 3, 4, 5, 6, 7]]"]).unwrap();
    assert_eq!(bound.sizes, [0]);
}

#[test]
fn a_size_that_stands_only_in_a_sum_is_solved_for() {
    let mut maker = Maker::new();
    maker.param("y", "[n+n+1]f64");
    let func = maker.func;
    let ty = &func.edge_params[0].ty;
    assert_eq!(bind(&func, &[from_text("[1, 2, 3]", ty).unwrap()]).unwrap().sizes, [1]);
    assert!(bind(&func, &[from_text("[1, 2]", ty).unwrap()]).is_err());
    assert!(bind(&func, &[from_text("[]", ty).unwrap()]).is_err());
}

#[test]
fn an_empty_array_of_rows_takes_the_row_length_that_is_known() {
    let mut maker = Maker::new();
    maker.param("xs", "[n][d]f64");
    maker.param("w", "[d]f64");
    let func = maker.func;
    let values: Vec<_> =
        func.edge_params.iter().zip(["[]", "[1, 2]"]).map(|(p, text)| from_text(text, &p.ty).unwrap()).collect();
    let bound = bind(&func, &values).unwrap();
    assert_eq!(bound.leaves[0].dims(), [0, 2]);
    assert_eq!(bound.sizes, [0, 2]);
}

/// Sizes that the extents of empty arguments do not determine.
#[test]
fn an_empty_array_leaves_its_rows_open() {
    let bound = |ty: &str, text: &str| {
        let mut maker = Maker::new();
        maker.param("x", ty);
        let func = maker.func;
        let value = from_text(text, &func.edge_params[0].ty).unwrap();
        bind(&func, &[value]).map(|bound| (bound.sizes, bound.leaves[0].dims().to_vec())).map_err(|ds| show(&ds[0]))
    };
    // `n` is 0 if nothing else determines it, or the value that makes the rows empty.
    assert_eq!(bound("[b][n]f64", "[]"), Ok((vec![0, 0], vec![0, 0])));
    assert_eq!(bound("[b][n+1]f64", "[]").map(|(_, dims)| dims), Ok(vec![0, 1]));
    assert_eq!(bound("[b][n+-1]f64", "[]"), Ok((vec![0, 1], vec![0, 0])));
    assert_eq!(
        bound("[b][n+n+-3]f64", "[]").map(|(_, dims)| dims),
        Err("E0704: an empty argument `x` does not show what the size `2 * n - 3` is\n  \
         note: `x: [b][n+n+-3]f64` is given a `[0][?]f64`\n  \
         hint: a `.npy` file says the shape of an empty array"
            .to_string())
    );
    assert_eq!(bound("[b][n+-1][m]f64", "[]").map(|(_, dims)| dims), Ok(vec![0, 0, 0]));
    // Rows that would be too large for memory have no elements either.
    let e = bound("[b][n+4294967296][4294967296]f64", "[]").unwrap_err();
    assert!(e.starts_with("E0605"), "{e}");
    assert!(bound("[b][n+1]f64", "[[]]").is_err());
}

#[test]
fn many_fields_are_read_in_no_time() {
    let edge = Maker::new().ty("f64");
    let fields = |sign: &str, quote: &str| {
        (0..100_000).map(|k| format!("{quote}k{k}{quote}{sign}1")).collect::<Vec<_>>().join(",")
    };
    let start = std::time::Instant::now();
    let json = from_bytes(format!("{{{}}}", fields(":", "\"")).as_bytes(), Format::Json, &edge).unwrap_err();
    let literal = from_text(&format!("{{{}}}", fields("=", "")), &edge).unwrap_err();
    let twice = from_text(&format!("{{{}, k99999 = 2}}", fields("=", "")), &edge).unwrap_err();
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
    // A finding is described in one line.
    for e in [json, literal] {
        let text = words(&e, "f64");
        assert!(text.contains("k11: i64, .. 99988 more }") && text.len() < 400, "{text}");
    }
    assert!(words(&twice, "f64").contains("the field `k99999` is given twice"));
}

#[test]
fn no_text_panics() {
    let alphabet: Vec<char> = "[](){}\"\\-+.,:= \n0129eEinfatrue_xuD8é\u{0}".chars().collect();
    let edges = [points(), Maker::new().ty("[n][m]f64"), record(&[("x", Edge::Tuple(vec![]))])];
    let mut seed = 7u64;
    for _ in 0..20_000 {
        let mut text = String::new();
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        for _ in 0..(seed >> 60) + 3 {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            text.push(alphabet[(seed >> 33) as usize % alphabet.len()]);
        }
        for edge in &edges {
            let _ = from_text(&text, edge);
            if let Err(e) = from_bytes(text.as_bytes(), Format::Json, edge) {
                words(&e, "t");
            }
        }
    }
}

/// An array inside of an array of records has axes of its own.
#[test]
fn nested_arrays_of_tuples_are_printed_as_they_are_read() {
    let mut maker = Maker::new();
    let pairs = Edge::Tuple(vec![Edge::Scalar(Scalar::F64), Edge::Scalar(Scalar::Bool)]);
    let pairs = maker.array("m", pairs);
    let edge = maker.array("n", record(&[("xs", pairs)]));
    let text = "[{xs = [(1.0, true), (2.0, false)]}, {xs = [(3.0, true), (4.0, true)]}]";
    let value = arr_data::from_text(text, &edge).unwrap();
    assert_eq!(to_literal(&value), text);
    assert_eq!(to_json(&value), text.replace("xs =", "\"xs\":").replace('(', "[").replace(')', "]"));
}
