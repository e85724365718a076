//! What is drawn of values, and that drawing ends well for all of them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::result_large_err)]

use arr_data::EdgeValue;
use arr_ir::{Data, Edge, Scalar, Value};
use arr_plot::{Body, Chart, Choice, Mark, Words};

fn vector(numbers: &[f64]) -> EdgeValue {
    EdgeValue::Leaf(Value::array(vec![numbers.len() as i64], Data::F64(numbers.to_vec())))
}

fn matrix(rows: i64, columns: i64, of: impl Fn(i64) -> f64) -> EdgeValue {
    EdgeValue::Leaf(Value::array(vec![rows, columns], Data::F64((0..rows * columns).map(of).collect())))
}

fn record(fields: &[(&str, EdgeValue)]) -> EdgeValue {
    EdgeValue::Record(fields.iter().map(|(name, value)| (name.to_string(), value.clone())).collect())
}

fn choice(x: Option<&str>, y: &[&str]) -> Choice {
    Choice { x: x.map(str::to_string), y: y.iter().map(|name| name.to_string()).collect(), ..Choice::default() }
}

fn words() -> Words {
    let doc = ["The `loss`. More words.", "", "- `time`: time in s.", "- `fit.loss`: error"];
    Words::of("main", &doc.map(str::to_string))
}

fn chart(value: &EdgeValue, x: Option<&str>, y: &[&str]) -> Result<Chart, String> {
    Chart::of(value, &choice(x, y), &words()).map_err(|d| format!("{}: {} {:?}", d.code, d.title, d.notes))
}

fn training() -> EdgeValue {
    let fit = record(&[
        ("loss", vector(&[3.0, 2.0, 1.5])),
        ("rate", EdgeValue::Leaf(Value::Scalar(arr_ir::Const::F64(0.1)))),
    ]);
    record(&[("time", vector(&[0.0, 0.5, 2.0])), ("fit", fit), ("w", matrix(3, 4, |at| at as f64))])
}

#[test]
fn fields_are_lines_with_names() {
    let drawn = chart(&training(), Some("time"), &[]).unwrap();
    assert_eq!((drawn.title.as_str(), drawn.x.as_str(), drawn.y.as_str()), ("The loss", "time in s", "error"));
    let Body::Series(series) = &drawn.body else { panic!("{drawn:?}") };
    assert_eq!(series.len(), 1);
    assert_eq!(
        (series[0].mark, series[0].points.as_slice()),
        (Mark::Line, [(0.0, 3.0), (0.5, 2.0), (2.0, 1.5)].as_slice())
    );
    let drawn = chart(&training(), None, &[]).unwrap();
    let Body::Series(series) = &drawn.body else { panic!("{drawn:?}") };
    let names: Vec<&str> = series.iter().map(|series| series.name.as_str()).collect();
    assert_eq!(
        (names.as_slice(), drawn.x.as_str(), drawn.y.as_str()),
        (["time in s", "error"].as_slice(), "index", "")
    );
    assert!(matches!(chart(&training(), None, &["w"]).unwrap().body, Body::Matrix(_)));
    assert_eq!(Words::of("main", &[]).title, "main");
}

#[test]
fn pairs_are_points_and_matrices_pictures() {
    let drawn = chart(&matrix(3, 2, |at| at as f64), None, &[]).unwrap();
    let Body::Series(series) = &drawn.body else { panic!("{drawn:?}") };
    assert_eq!(
        (series[0].mark, series[0].points.as_slice()),
        (Mark::Points, [(0.0, 1.0), (2.0, 3.0), (4.0, 5.0)].as_slice())
    );
    let Body::Matrix(small) = chart(&matrix(2, 3, |at| at as f64), None, &[]).unwrap().body else {
        panic!("no matrix")
    };
    assert_eq!((small.down, small.across, small.cells), (2, 3, vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0]));
    // Of a large one the means of blocks, without what is not finite.
    let of = |at: i64| if at == 0 { f64::NAN } else { at as f64 };
    let Body::Matrix(large) = chart(&matrix(1, 1024, of), None, &[]).unwrap().body else { panic!("no matrix") };
    assert_eq!((large.columns, large.across), (1024, 512));
    assert_eq!(large.cells[..3], [1.0, 2.5, 4.5]);
}

#[test]
fn what_cannot_be_drawn() {
    let refused = |value: &EdgeValue, x: Option<&str>, y: &[&str]| chart(value, x, y).unwrap_err();
    assert!(refused(&record(&[]), None, &[]).contains("a picture shows vectors"));
    assert!(refused(&vector(&[]), None, &[]).contains("no finite numbers"));
    assert!(refused(&vector(&[f64::NAN]), None, &[]).starts_with("E0707"));
    assert!(refused(&matrix(0, 3, |_| 0.0), None, &[]).contains("no finite numbers"));
    let e = refused(&training(), Some("tim"), &[]);
    assert!(e.starts_with("E0709") && e.contains("`time`, `fit.loss`, `w`"), "{e}");
    assert!(refused(&training(), Some("w"), &[]).contains("is no vector"));
    assert!(refused(&training(), None, &["w", "time"]).contains("a picture of its own"));
    assert!(refused(&training(), Some("time"), &["time", "x"]).starts_with("E0709"));
    let uneven = record(&[("a", vector(&[1.0])), ("b", vector(&[1.0, 2.0]))]);
    assert!(refused(&uneven, Some("a"), &[]).contains("`a` has 1 elements and `b` has 2"));
    assert!(chart(&uneven, None, &[]).is_ok());
    let two = record(&[("a", matrix(1, 1, |_| 0.0)), ("b", matrix(1, 1, |_| 0.0))]);
    assert!(refused(&two, None, &[]).contains("several matrices"));
}

/// The numbers of a part of the text between two marks.
fn between<'t>(text: &'t str, from: &str, to: &str) -> Vec<&'t str> {
    text.split(from).skip(1).filter_map(|rest| rest.split(to).next()).collect()
}

#[test]
fn pictures_show_their_data() {
    let drawn = chart(&training(), Some("time"), &[]).unwrap();
    let svg = drawn.svg().unwrap();
    assert!(svg.starts_with("<svg width=\"720\" height=\"440\" viewBox=\"0 0 2880 1760\""), "{svg}");
    for text in ["The loss", "time in s", "error", "0.0", "2.0", "1.5", "3.0"] {
        assert!(svg.contains(&format!("\n{text}\n")), "{text}: {svg}");
    }
    let lines = between(&svg, "stroke=\"#0072B2\"", "/>");
    let points: Vec<Vec<i32>> = between(lines[0], "points=\"", "\"")[0]
        .split_whitespace()
        .map(|point| point.split(',').map(|n| n.parse().unwrap()).collect())
        .collect();
    // The line falls, more slowly at last, and ends at the right edge.
    assert_eq!(points.len(), 3);
    assert!(points[0][1] < points[1][1] && points[1][1] < points[2][1]);
    assert_eq!(points[2][0], (720 - 24) * 4);
    let gap = chart(&vector(&[1.0, 2.0, f64::NAN, 1.0, 2.0, f64::INFINITY, 5.0]), None, &[]).unwrap().svg().unwrap();
    assert_eq!(
        (
            gap.matches("polyline fill=\"none\" opacity=\"1\" stroke=\"#0072B2\"").count(),
            gap.matches("<circle").count()
        ),
        (2, 1)
    );
    let png = drawn.png().unwrap();
    assert_eq!(png, drawn.png().unwrap());
    let reader = png::Decoder::new(std::io::Cursor::new(&png)).read_info().unwrap();
    assert_eq!(reader.info().size(), (1440, 880));
}

#[test]
fn terminals_get_characters() {
    let text = chart(&vector(&[0.0, 1.0, 4.0, 9.0]), None, &[]).unwrap().text(60, false);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines[0], lines.len()), ("The loss", 22));
    assert!(lines.iter().all(|line| line.chars().count() <= 60), "{text}");
    assert!(lines[20].ends_with('3') && lines[21].trim() == "index", "{text}");
    let two = record(&[("a", vector(&[0.0, 1.0])), ("b", vector(&[1.0, 0.0]))]);
    let text = chart(&two, None, &[]).unwrap().text(60, false);
    assert!(text.contains('*') && text.contains("* a   + b"), "{text}");
    assert!(chart(&two, None, &[]).unwrap().text(60, true).contains("\x1b[38;2;0;114;178m"));
    let text = chart(&matrix(2, 3, |at| at as f64), None, &[]).unwrap().text(60, false);
    assert_eq!(text, "The loss\n  ░░▒▒\n▓▓████\n2 x 3, from 0.00 to 5.00\n");
}

/// Numbers of any size, and values that are all the same, have axes.
#[test]
fn extreme_numbers_are_drawn() {
    let max = f64::MAX;
    let cases: [&[f64]; 10] = [
        &[0.0],
        &[5.0, 5.0],
        &[-max, max],
        &[max, max],
        &[5e-324, 0.0],
        &[1e-300, 2e-300],
        &[1.0, 1.0 + f64::EPSILON],
        &[1e15, 1e15 + 1.0],
        &[-1e-12, 1e-12],
        &[f64::NAN, f64::NEG_INFINITY, 1e300],
    ];
    for numbers in cases {
        for value in
            [vector(numbers), EdgeValue::Leaf(Value::array(vec![1, numbers.len() as i64], Data::F64(numbers.to_vec())))]
        {
            let drawn = chart(&value, None, &[]).unwrap();
            let svg = drawn.svg().unwrap();
            assert!(svg.len() < 60_000 && !svg.contains("NaN") && !svg.contains("inf"), "{numbers:?}: {svg}");
            assert!(drawn.text(80, false).lines().all(|line| line.chars().count() <= 80), "{numbers:?}");
        }
    }
    let many: Vec<f64> = (0..300_000).map(|i| (f64::from(i) * 0.37).sin()).collect();
    assert!(chart(&vector(&many), None, &[]).unwrap().svg().unwrap().len() < 400_000);
    let fields: Vec<(String, EdgeValue)> =
        (0..100).map(|i| (format!("field_with_a_long_name_{i}"), vector(&[1.0]))).collect();
    let svg = chart(&EdgeValue::Record(fields), None, &[]).unwrap().svg().unwrap();
    assert!(svg.contains("and 80 more"));
}

/// The names that can be drawn of a type are those that can be drawn of its values.
#[test]
fn fields_are_checked_before_a_value_is_there() {
    let mut func = arr_ir::Func::new("f");
    let n = func.scalar_var("n", Scalar::I64);
    let n = func.types.size(arr_ir::Poly::var(n));
    let array = |inner: Edge| Edge::Array(n, Box::new(inner));
    let float = || Edge::Scalar(Scalar::F64);
    let sum =
        Edge::Sum { name: "S".to_string(), constructors: vec![("A".to_string(), vec![]), ("B".to_string(), vec![])] };
    let fields = [("a", array(float())), ("b", Edge::Tuple(vec![array(array(float())), float()])), ("c", array(sum))];
    let edge = Edge::Record(fields.map(|(name, ty)| (name.to_string(), ty)).to_vec());
    let leaves = [vec![2], vec![1, 2], vec![], vec![2]].map(|dims: Vec<i64>| match dims.is_empty() {
        true => Value::Scalar(arr_ir::Const::F64(1.0)),
        false => Value::array(dims, Data::F64(vec![1.0, 2.0])),
    });
    let mut leaves = leaves.to_vec();
    leaves[3] = Value::array(vec![2], Data::I64(vec![0, 1]));
    let value = EdgeValue::from_leaves(&edge, &leaves).unwrap();
    for name in ["a", "b.0", "b.1", "c", "c.tag", "d", ""] {
        let choice = choice(None, &[name]);
        let before = choice.check(&edge).map_err(|d| (d.title, d.notes));
        let after = Chart::of(&value, &choice, &words()).map(|_| ()).map_err(|d| (d.title, d.notes));
        assert_eq!(before, after, "{name}");
        assert_eq!(before.is_ok(), matches!(name, "a" | "b.0"), "{name}");
    }
    // Constructors are only along the horizontal axis, where no matrix is.
    for name in ["a", "b.0", "c", "d"] {
        let choice = choice(Some(name), &["a"]);
        let before = choice.check(&edge).map_err(|d| (d.title, d.notes));
        let after = Chart::of(&value, &choice, &words()).map(|_| ()).map_err(|d| (d.title, d.notes));
        assert_eq!(before, after, "{name}");
        assert_eq!(before.is_ok(), matches!(name, "a" | "c"), "{name}");
    }
    assert!(Choice::default().check(&float()).is_err() && Choice::default().check(&edge).is_ok());
}

#[test]
fn bars_begin_at_zero_beside_each_other() {
    let two = record(&[("a", vector(&[2.0, 4.0])), ("b", vector(&[-1.0, 0.0]))]);
    let bars = Choice { bars: true, ..choice(None, &[]) };
    let drawn = Chart::of(&two, &bars, &words()).unwrap();
    let Body::Series(series) = &drawn.body else { panic!("{drawn:?}") };
    assert!(series.iter().all(|one| one.mark == Mark::Bars));
    let svg = drawn.svg().unwrap();
    let sides = |color: &str| -> Vec<[i32; 4]> {
        let number = |text: &str, name: &str| between(text, &format!(" {name}=\""), "\"")[0].parse::<i32>().unwrap();
        let of = |rect: &&str| rect.contains(color);
        let rects = between(&svg, "<rect", "/>").into_iter().filter(of);
        rects.map(|rect| ["x", "y", "width", "height"].map(|name| number(rect, name))).collect()
    };
    // The last one of each is in the legend; nothing is drawn for zero.
    let (first, second) = (sides("#0072B2"), sides("#D55E00"));
    assert_eq!((first.len(), second.len()), (3, 2));
    let base = first[0][1] + first[0][3];
    assert_eq!(first[1][1] + first[1][3], base);
    assert!((first[1][3] - 2 * first[0][3]).abs() <= 2 && (second[0][1] - base).abs() <= 1, "{first:?} {second:?}");
    assert!((first[0][0] + first[0][2] - second[0][0]).abs() <= 1, "{first:?} {second:?}");
    assert!(Chart::of(&matrix(3, 4, |at| at as f64), &bars, &words()).is_err());
    let text = Chart::of(&vector(&[1.0, 2.0]), &bars, &words()).unwrap().text(60, false);
    assert!(text.contains('⣿'), "{text}");
}

#[test]
fn logarithmic_axes_leave_out_what_has_no_logarithm() {
    let log = Choice { log_y: true, ..choice(None, &[]) };
    let drawn = Chart::of(&vector(&[1.0, 0.0, -1.0, 1000.0]), &log, &words()).unwrap();
    let Body::Series(series) = &drawn.body else { panic!("{drawn:?}") };
    assert_eq!((series[0].points[0], series[0].points[3]), ((0.0, 0.0), (3.0, 3.0)));
    assert!(series[0].points[1].1.is_nan() && series[0].points[2].1.is_nan());
    let svg = drawn.svg().unwrap();
    assert!(["1", "10", "100", "1000"].iter().all(|text| svg.contains(&format!("\n{text}\n"))), "{svg}");
    let e = Chart::of(&vector(&[0.0, -1.0]), &log, &words()).unwrap_err();
    assert_eq!(e.notes, ["it has no positive numbers, which a logarithmic axis shows"]);
}

#[test]
fn errors_are_bars_of_their_field() {
    let measured = |errors: &str| record(&[("u", vector(&[1.0, 2.0])), (errors, vector(&[0.5, f64::NAN]))]);
    let drawn = chart(&measured("u_err"), None, &[]).unwrap();
    let Body::Series(series) = &drawn.body else { panic!("{drawn:?}") };
    assert_eq!((series.len(), series[0].errors[0]), (1, (0.5, 1.5)));
    assert!(series[0].errors[1].0.is_nan());
    // A field of another name, and one that is asked for, is a line.
    let lines = |value: &EdgeValue, y: &[&str]| match chart(value, None, y).unwrap().body {
        Body::Series(series) => series.len(),
        Body::Matrix(_) => 0,
    };
    assert_eq!((lines(&measured("v_err"), &[]), lines(&measured("u_err"), &["u", "u_err"])), (2, 2));
    assert!(drawn.text(60, false).lines().all(|line| line.chars().count() <= 60));
}

#[test]
fn columns_are_known_by_their_fields() {
    let value = record(&[("t [s]", vector(&[0.0, 1.0])), ("U [V]", vector(&[1.0, 2.0]))]);
    assert_eq!(chart(&value, Some("t__s_"), &["U [V]"]).unwrap().x, "t [s]");
    let value = record(&[("t__s_", vector(&[0.0, 1.0])), ("U__V_", vector(&[1.0, 2.0]))]);
    assert_eq!(chart(&value, Some("t [s]"), &["U [V]"]).unwrap().x, "t__s_");
}

#[test]
fn long_titles_are_divided() {
    let doc = [format!("The {}", "voltage of the probe, ".repeat(20))];
    let drawn = Chart::of(&vector(&[1.0, 2.0]), &choice(None, &[]), &Words::of("main", &doc)).unwrap();
    let svg = drawn.svg().unwrap();
    let titles = between(&svg, "font-size=\"51", "</text>");
    let letters = |text: &&str| text.lines().nth(1).unwrap().len();
    assert!(titles.len() == 3 && titles.iter().map(letters).all(|n| n > 40 && n <= 76), "{titles:?}");
    assert!(drawn.text(60, false).lines().all(|line| line.chars().count() <= 60));
    assert!(drawn.png().is_ok());
}
