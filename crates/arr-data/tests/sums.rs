//! Values of sums: read, printed and read again, in the syntax of programs and in JSON.

use crate::common::Maker;
use arr_data::{Format, from_bytes, from_text, to_bytes, to_json, to_literal};
use arr_ir::{Edge, Scalar};

/// `Circle(f64) | Rect(f64, i64) | Row([m]f64) | Inner({ s: On(bool) | Off, xs: [2]f64 }) | Empty`
fn shape(maker: &mut Maker) -> Edge {
    let f = || Edge::Scalar(Scalar::F64);
    let named = |name: &str, fields: Vec<Edge>| (name.to_string(), fields);
    let switch = Edge::Sum {
        name: "Switch".into(),
        constructors: vec![named("On", vec![Edge::Scalar(Scalar::Bool)]), named("Off", vec![])],
    };
    let inner = Edge::Record(vec![("s".into(), switch), ("xs".into(), maker.ty("[2]f64"))]);
    Edge::Sum {
        name: "Shape".into(),
        constructors: vec![
            named("Circle", vec![f()]),
            named("Rect", vec![f(), Edge::Scalar(Scalar::I64)]),
            named("Row", vec![maker.ty("[m]f64")]),
            named("Inner", vec![inner]),
            named("Empty", vec![]),
        ],
    }
}

#[test]
fn print_then_read_gives_the_same_value() {
    let mut maker = Maker::new();
    let shape = shape(&mut maker);
    let rows = maker.array("n", shape.clone());
    let nested = maker.array("k", rows.clone());
    let cases = [
        (&shape, "Circle(1.5)"),
        (&shape, "Empty"),
        (&shape, "Rect(-0.0, 3)"),
        (&shape, "Row([1.0, nan, -inf])"),
        (&shape, "Inner({s = On(true), xs = [1.0, 2.0]})"),
        (&shape, "Inner({s = Off, xs = [1.0, 2.0]})"),
        (&rows, "[Circle(1.0), Empty, Row([1.0, 2.0]), Inner({s = Off, xs = [3.0, 4.0]}), Row([5.0, 6.0])]"),
        (&rows, "[Empty, Empty]"),
        (&rows, "[]"),
        (&nested, "[[Circle(1.0), Empty], [Row([1.0]), Rect(2.0, 4)]]"),
    ];
    for (edge, text) in cases {
        let value = from_text(text, edge).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        assert_eq!(to_literal(&value), text);
        let json = to_json(&value);
        let again = from_bytes(json.as_bytes(), Format::Json, edge).unwrap_or_else(|e| panic!("{json}: {e:?}"));
        assert_eq!(to_literal(&again), text, "{json}");
    }
}

#[test]
fn json_forms() {
    let mut maker = Maker::new();
    let shape = shape(&mut maker);
    for (json, text) in [
        ("\"Empty\"", "Empty"),
        ("{\"Empty\": []}", "Empty"),
        ("{\"Circle\": [1]}", "Circle(1.0)"),
        ("{\"Inner\": [{\"s\": \"Off\", \"xs\": [1, \"inf\"]}]}", "Inner({s = Off, xs = [1.0, inf]})"),
    ] {
        let value = from_bytes(json.as_bytes(), Format::Json, &shape).unwrap_or_else(|e| panic!("{json}: {e:?}"));
        assert_eq!(to_literal(&value), text);
    }
    assert_eq!(to_json(&from_text("Empty", &shape).unwrap()), "{\"Empty\": []}");
}

#[test]
fn what_does_not_fit_is_an_error() {
    let mut maker = Maker::new();
    let shape = shape(&mut maker);
    let rows = maker.array("n", shape.clone());
    let texts = [
        "Square(1.0)",
        "Circle",
        "Circle()",
        "Circle(1.0, 2.0)",
        "Rect(1.0, 2.5)",
        "3.0",
        "\"nothing\"",
        "{x = 1.0}",
        "Circle(",
        "Row([[1.0]])",
    ];
    for text in texts {
        assert!(from_text(text, &shape).is_err(), "{text}");
    }
    assert!(from_text("[Row([1.0]), Row([1.0, 2.0])]", &rows).is_err());
    assert!(from_text("Circle(1.0)", &Edge::Scalar(Scalar::F64)).is_err());
    assert!(from_text("\"Empty\"", &Edge::Scalar(Scalar::F64)).is_err());
}

#[test]
fn archives_of_arrays_hold_no_sums() {
    let mut maker = Maker::new();
    let shape = shape(&mut maker);
    let value = from_text("Circle(1.0)", &shape).unwrap();
    assert!(to_bytes("x.npz", &value, &shape).is_err());
    assert!(to_bytes("x.npy", &value, &shape).is_err());
    assert!(to_bytes("x.json", &value, &shape).is_ok());
    assert!(from_bytes(b"", Format::Npz, &shape).is_err());
    assert!(from_bytes(b"1,2", Format::Csv, &shape).is_err());
}
