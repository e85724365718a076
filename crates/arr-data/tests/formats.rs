//! Safetensors, pictures and text; parts of files and of results.
#![allow(clippy::result_large_err)]

use crate::common::{Maker, record, value, words};
use arr_data::{
    CellRules, EdgeValue, Format, Reading, from_bytes, from_bytes_within, from_file, part_type, part_value,
};
use arr_data::{to_bytes, to_literal};
use arr_ir::{Edge, Scalar};

fn read(bytes: &[u8], format: Format, ty: &str) -> Result<String, String> {
    let edge = Maker::new().ty(ty);
    from_bytes(bytes, format, &edge).map(|v| to_literal(&v)).map_err(|e| words(&e, ty))
}

fn model() -> Edge {
    let mut maker = Maker::new();
    let (w, k) = (maker.ty("[n][m]f32"), maker.ty("[n]i64"));
    let layer = record(&[("w", w), ("k", k)]);
    record(&[("layers", Edge::Tuple(vec![layer.clone(), layer])), ("scale", Edge::Scalar(Scalar::F64))])
}

const MODEL: &str = "{layers = ({w = [[1.5, 2.0]], k = [1]}, {w = [[0.5], [0.25]], k = [-2, 3]}), scale = 0.1}";

/// A file of one tensor.
fn tensor(name: &str, dtype: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header =
        format!("{{\"{name}\":{{\"dtype\":\"{dtype}\",\"shape\":{shape},\"data_offsets\":[0,{}]}}}}", data.len());
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

#[test]
fn records_go_to_safetensors_and_back() {
    let v = arr_data::from_text(MODEL, &model()).unwrap();
    let bytes = to_bytes("m.safetensors", &v, &model()).unwrap();
    assert_eq!(bytes, to_bytes("m.safetensors", &v, &model()).unwrap());
    assert_eq!(to_literal(&from_bytes(&bytes, Format::Safetensors, &model()).unwrap()), MODEL);
    for (text, ty) in
        [("[true, false]", "[n]bool"), ("[4000000000]", "[n]u32"), ("[1, -2]", "[n]i32"), ("[]", "[n]f64")]
    {
        let bytes = to_bytes("m.safetensors", &value(text, ty), &Maker::new().ty(ty)).unwrap();
        assert_eq!(read(&bytes, Format::Safetensors, ty).unwrap(), text);
    }
    let half = tensor("w", "F16", "[2]", &[0x00, 0x3c, 0x01, 0x00]);
    assert_eq!(read(&half, Format::Safetensors, "[n]f32").unwrap(), "[1.0, 5.9604645e-8]");
    let brain = tensor("w", "BF16", "[2]", &[0x80, 0x3f, 0xc0, 0x7f]);
    assert_eq!(read(&brain, Format::Safetensors, "[n]f64").unwrap(), "[1.0, nan]");
    let bytes = tensor("w", "U8", "[2]", &[1, 255]);
    assert_eq!(read(&bytes, Format::Safetensors, "[n]i64").unwrap(), "[1, 255]");
}

#[test]
fn tensors_that_do_not_fit() {
    let one = tensor("w", "F64", "[1]", &1.0f64.to_le_bytes());
    assert!(read(&one, Format::Safetensors, "[n]f32").unwrap_err().contains("expected [n]f32, found [1]f64"));
    assert!(read(&one, Format::Safetensors, "[n][m]f64").unwrap_err().starts_with("E0704"));
    let small = tensor("w", "F8_E4M3", "[1]", &[1]);
    assert!(read(&small, Format::Safetensors, "[n]f32").unwrap_err().contains("found [1]f8_e4m3"));
    let pair = record(&[("w", Maker::new().ty("[n]f64")), ("b", Maker::new().ty("[n]f64"))]);
    let e = words(&from_bytes(&one, Format::Safetensors, &pair).unwrap_err(), "P");
    assert!(e.contains("has no field `b`\n  note: it has `w`"), "{e}");
    let big = tensor("w", "F64", "[1000]", &[0; 8000]);
    let edge = Maker::new().ty("[n]f64");
    assert!(from_bytes_within(&big, Format::Safetensors, &edge, 8000).is_ok());
    assert!(words(&from_bytes_within(&big, Format::Safetensors, &edge, 7999).unwrap_err(), "P").starts_with("E0605"));
    for damaged in [&one[..one.len() - 1], &one[..20], &[], &tensor("w", "F64", "[1000000]", &[0; 8])] {
        assert!(read(damaged, Format::Safetensors, "[n]f64").unwrap_err().starts_with("E0702"));
    }
}

fn png(text: &str, ty: &str) -> Result<Vec<u8>, String> {
    let edge = Maker::new().ty(ty);
    to_bytes("a.png", &value(text, ty), &edge).map_err(|e| e.to_output_diagnostic().notes[0].clone())
}

#[test]
fn pictures_go_to_png_and_back() {
    let grey = png("[[0.0, 0.2, 1.0], [-1.0, 7.0, nan]]", "[n][m]f64").unwrap();
    assert_eq!(read(&grey, Format::Png, "[n][m]f64").unwrap(), "[[0.0, 0.2, 1.0], [0.0, 1.0, 0.0]]");
    assert_eq!(read(&grey, Format::Png, "[n][m]u32").unwrap(), "[[0, 51, 255], [0, 255, 0]]");
    assert_eq!(read(&grey, Format::Png, "[n][m][k]i64").unwrap().matches("[51, 51, 51]").count(), 1);
    let colours = png("[[[255, 0, 7], [1, 2, 3]]]", "[n][m][k]u32").unwrap();
    assert_eq!(read(&colours, Format::Png, "[n][m][k]i32").unwrap(), "[[[255, 0, 7], [1, 2, 3]]]");
    let e = read(&colours, Format::Png, "[n][m]f64").unwrap_err();
    assert!(e.starts_with("E0704") && e.contains("found [1][2][3]"), "{e}");
    let opacity = png("[[[255, 0, 7, 128]]]", "[n][m][k]i64").unwrap();
    assert_eq!(read(&opacity, Format::Png, "[n][m][k]i64").unwrap(), "[[[255, 0, 7, 128]]]");
    let opaque = png("[[[255, 0, 7, 255]]]", "[n][m][k]i64").unwrap();
    assert_eq!(read(&opaque, Format::Png, "[n][m][k]i64").unwrap(), "[[[255, 0, 7]]]");
    assert!(read(&opaque, Format::Png, "[n]f64").unwrap_err().contains("a PNG file cannot hold"));
}

#[test]
fn what_is_no_picture() {
    assert!(png("[1.0]", "[n]f64").unwrap_err().starts_with("a picture is an array `[height][width]`"));
    assert!(png("[[[1.0, 2.0]]]", "[n][m][k]f64").unwrap_err().contains("the result is a `[1][1][2]f64`"));
    assert!(png("[[256]]", "[n][m]i64").unwrap_err().contains("from 0 to 255, and one is 256"));
    assert!(png("[[true]]", "[n][m]bool").unwrap_err().contains("of numbers, and the result is a `[_][_]bool`"));
    assert!(png("[]", "[n][m]f64").unwrap_err().contains("a picture has pixels"));
    let picture = png("[[0.5, 0.5]]", "[n][m]f64").unwrap();
    let edge = Maker::new().ty("[n][m]f64");
    assert!(words(&from_bytes_within(&picture, Format::Png, &edge, 10).unwrap_err(), "P").starts_with("E0605"));
    for cut in [0, 7, 20, picture.len() / 2] {
        assert!(read(&picture[..cut], Format::Png, "[n][m]f64").unwrap_err().starts_with("E0702"));
    }
    // A header of a huge picture, with its checksum.
    let mut huge = picture;
    huge[16..24].copy_from_slice(&[0x7f, 0xff, 0, 0, 0x7f, 0xff, 0, 0]);
    assert!(read(&huge, Format::Png, "[n][m]f64").unwrap_err().starts_with("E0702"));
}

#[test]
fn texts_are_bytes() {
    assert_eq!(read(b"ab\n\xff", Format::Text, "[n]i64").unwrap(), "[97, 98, 10, 255]");
    assert_eq!(read(b"", Format::Text, "[n]u32").unwrap(), "[]");
    assert!(read(b"ab", Format::Text, "[n]f64").unwrap_err().contains("a text is an array of its bytes"));
    let edge = Maker::new().ty("[n]i64");
    assert_eq!(to_bytes("a.txt", &value("[104, 105]", "[n]i64"), &edge).unwrap(), b"hi");
    let e = to_bytes("a.txt", &value("[256]", "[n]i64"), &edge).unwrap_err().to_output_diagnostic();
    assert!(e.notes[0].contains("from 0 to 255, and an element is 256"), "{e:?}");
    assert!(words(&from_bytes_within(b"abc", Format::Text, &edge, 23).unwrap_err(), "P").starts_with("E0605"));
}

/// What is read of a file, for a parameter `w`, and the notes.
fn part(bytes: &[u8], format: Format, edge: &Edge, part: Option<&str>) -> Result<String, String> {
    let how = Reading { limit: u64::MAX, parameter: "w", part, cells: &CellRules::default() };
    let read = from_file(bytes, format, edge, &how);
    read.map(|(value, notes)| [vec![to_literal(&value)], notes].concat().join("; ")).map_err(|e| words(&e, "T"))
}

#[test]
fn parts_of_files() {
    let matrix = Maker::new().ty("[n][m]f32");
    let taken = "[[1.5, 2.0]]; its part `w` is read, by the parameter's name";
    let v = arr_data::from_text(MODEL, &model()).unwrap();
    for name in ["m.json", "m.npz", "m.safetensors"] {
        let (bytes, format) = (to_bytes(name, &v, &model()).unwrap(), Format::of(name).unwrap());
        assert_eq!(part(&bytes, format, &matrix, Some("layers.0.w")).unwrap(), "[[1.5, 2.0]]");
        let whole = part(&bytes, format, &model(), None).unwrap();
        assert_eq!(whole, MODEL);
        let e = part(&bytes, format, &matrix, Some("layers.2.w")).unwrap_err();
        assert!(e.starts_with("E0709: `data.npy` has no part `layers.2.w`"), "{e}");
        // The part of the parameter's name, in a file that holds more.
        let layer = record(&[("w", matrix.clone()), ("k", Maker::new().ty("[n]i64"))]);
        let v = arr_data::from_text("{w = [[1.5, 2.0]], k = [1]}", &layer).unwrap();
        let bytes = to_bytes(name, &v, &layer).unwrap();
        assert_eq!(part(&bytes, format, &matrix, None).unwrap(), taken);
        assert_eq!(part(&bytes, format, &layer, None).unwrap(), "{w = [[1.5, 2.0]], k = [1]}");
        let nested = record(&[("w", layer.clone()), ("loss", Edge::Scalar(Scalar::F64))]);
        let v = arr_data::from_text("{w = {w = [[1.5, 2.0]], k = [1]}, loss = 0.5}", &nested).unwrap();
        let bytes = to_bytes(name, &v, &nested).unwrap();
        let inner = record(&[("k", Maker::new().ty("[n]i64")), ("v", matrix.clone())]);
        assert!(part(&bytes, format, &inner, None).is_err());
        assert_eq!(part(&bytes, format, &layer, Some("w")).unwrap(), "{w = [[1.5, 2.0]], k = [1]}");
    }
    let npy = to_bytes("a.npy", &value("[1]", "[n]f64"), &Maker::new().ty("[n]f64")).unwrap();
    assert!(part(&npy, Format::Npy, &Maker::new().ty("[n]f64"), Some("x")).unwrap_err().starts_with("E0709"));
}

#[test]
fn parts_of_results() {
    let of = |value: &EdgeValue, edge: &Edge, part: &str| {
        let ty = part_type(edge, part).map_err(|d| format!("{}: {} {:?}", d.code, d.title, d.notes))?;
        let found = part_value(value.clone(), part).unwrap();
        // The part of the type is the type of the part.
        assert_eq!(EdgeValue::from_leaves(&ty, &found.leaves()).as_ref(), Some(&found));
        Ok::<String, String>(to_literal(&found))
    };
    let v = arr_data::from_text(MODEL, &model()).unwrap();
    assert_eq!(of(&v, &model(), "scale").unwrap(), "0.1");
    assert_eq!(of(&v, &model(), "layers.1.k").unwrap(), "[-2, 3]");
    assert_eq!(of(&v, &model(), "layers.0").unwrap(), "{w = [[1.5, 2.0]], k = [1]}");
    assert_eq!(of(&v, &model(), "w").unwrap_err(), "E0709: the result has no part `w` [\"it has `layers`, `scale`\"]");
    assert!(of(&v, &model(), "scale.x").unwrap_err().contains("it has no parts"));
    // Arrays of records are arrays of each field.
    let mut maker = Maker::new();
    let inner = maker.ty("[m]f64");
    let pair = Edge::Tuple(vec![inner, Edge::Scalar(Scalar::Bool)]);
    let point = record(&[("p", pair), ("q", Edge::Scalar(Scalar::I64))]);
    let points = maker.array("n", point);
    let v = arr_data::from_text("[{p = ([1, 2], true), q = 1}, {p = ([3, 4], false), q = 2}]", &points).unwrap();
    assert_eq!(of(&v, &points, "p.0").unwrap(), "[[1.0, 2.0], [3.0, 4.0]]");
    assert_eq!(of(&v, &points, "p").unwrap(), "[([1.0, 2.0], true), ([3.0, 4.0], false)]");
    assert_eq!(of(&v, &points, "q").unwrap(), "[1, 2]");
}

/// Files without a type, for drawing.
#[test]
fn numbers_of_files() {
    let numbers = |bytes: &[u8], format: Format, part: Option<&str>| {
        let how = Reading { limit: 1 << 20, parameter: "", part, cells: &CellRules::default() };
        let read = arr_data::numbers_of(bytes, format, &how, &[]);
        let origin = arr_data::Origin {
            argument: String::new(),
            declared: String::new(),
            source: arr_data::Source::File("f".to_string()),
        };
        let shown = |(value, notes): (EdgeValue, Vec<String>)| [vec![to_literal(&value)], notes].concat().join("; ");
        read.map(shown).map_err(|e| crate::common::show(&e.to_diagnostic(&origin)))
    };
    let csv = |text: &str, part| numbers(text.as_bytes(), Format::Csv, part);
    let table = "t,name,y\n1,a,2\n3,b,\n";
    assert_eq!(
        csv(table, None).unwrap(),
        "{t = [1.0, 3.0], y = [2.0, nan]}; what is no column of numbers is left out: `name`"
    );
    assert_eq!(csv(table, Some("y")).unwrap(), "{y = [2.0, nan]}");
    assert_eq!(csv(table, Some("z")).unwrap_err(), "E0709: `f` has no column `z`\n  note: it has `t`, `name`, `y`");
    assert_eq!(csv("1\n2\n", None).unwrap(), "[1.0, 2.0]");
    assert_eq!(csv("1,2\n3,4\n", None).unwrap(), "[[1.0, 2.0], [3.0, 4.0]]");
    assert!(csv("t,y\n1\n", None).unwrap_err().starts_with("E0702: `f` is not a readable CSV file: it has 1 column"));
    let json = |text: &str, part| numbers(text.as_bytes(), Format::Json, part);
    let tree =
        "{\"a\": [1, \"nan\", true], \"b\": {\"m\": [[1], [2]], \"c\": 3}, \"s\": [\"x\"], \"r\": [[1], [2, 3]]}";
    let left = "`s` is no array of numbers, and is left out; `r` is no array of numbers, and is left out";
    assert_eq!(
        json(tree, None).unwrap(),
        format!("{{a = [1.0, nan, 1.0], b = {{m = [[1.0], [2.0]], c = 3.0}}}}; {left}")
    );
    assert_eq!(json(tree, Some("b.m")).unwrap(), "[[1.0], [2.0]]");
    assert!(json("[1, 2", None).unwrap_err().starts_with("E0702"));
    let matrix = to_bytes("a.npy", &value("[[1, 2]]", "[n][m]i32"), &Maker::new().ty("[n][m]i32")).unwrap();
    assert_eq!(numbers(&matrix, Format::Npy, None).unwrap(), "[[1.0, 2.0]]");
    assert!(numbers(&matrix, Format::Npy, Some("x")).unwrap_err().starts_with("E0709"));
    assert!(numbers(b"", Format::Text, None).unwrap_err().starts_with("E0703: `f` is a txt file, which is not drawn"));
}

/// What is not read says what to do instead.
#[test]
fn tables_of_other_programs() {
    let unknown = |name: &str| words(&Format::of(name).unwrap_err(), "[n]f64");
    for name in ["a.arrow", "dir.x/b.Feather"] {
        let e = unknown(name);
        assert!(e.contains("files of Arrow are not read: write the table as a `."), "{e}");
    }
    assert!(!unknown("a.xls").contains("Arrow"));
    assert_eq!(Format::of("A.PARQUET").unwrap(), Format::Parquet);
    let e = to_bytes("a.parquet", &value("[1]", "[n]f64"), &Maker::new().ty("[n]f64")).unwrap_err();
    let d = e.to_output_diagnostic();
    assert!(d.code.to_string() == "E0707" && format!("{d:?}").contains("read only; use `.csv`"), "{d:?}");
    #[cfg(not(feature = "parquet"))]
    {
        let e = read(b"PAR1", Format::Parquet, "[n]f64").unwrap_err();
        assert!(e.starts_with("E0702") && e.contains("is a Parquet file, and this `arr` was built without"), "{e}");
        assert!(e.contains("cargo install --locked --path crates/arr-cli --features parquet"), "{e}");
    }
}
