//! `.npy`, `.npz` and CSV: accepted files, refused files, and that no bytes make the readers panic.
#![allow(clippy::result_large_err)]

use crate::common::{Maker, record, value, words};
use arr_data::{EdgeValue, Format, bind, from_bytes, from_bytes_within, from_text, to_bytes, to_literal};
use arr_ir::{Edge, Scalar};

fn npy(descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

fn read(bytes: &[u8], ty: &str) -> Result<String, String> {
    let edge = Maker::new().ty(ty);
    from_bytes(bytes, Format::Npy, &edge).map(|v| to_literal(&v)).map_err(|e| words(&e, ty))
}

#[test]
fn arrays_go_to_npy_and_back() {
    for (text, ty) in [
        ("[[1.5, 2.0], [3.0, nan]]", "[n][m]f64"),
        ("[0.1, -0.0]", "[n]f32"),
        ("[1, -2]", "[n]i64"),
        ("[1, -2]", "[n]i32"),
        ("[4000000000]", "[n]u32"),
        ("[true, false]", "[n]bool"),
        ("7.5", "f64"),
        ("[]", "[n]f64"),
    ] {
        let edge = Maker::new().ty(ty);
        let bytes = to_bytes("out.npy", &value(text, ty), &edge).unwrap();
        assert_eq!(bytes.len() % 64, to_bytes("out.npy", &value(text, ty), &edge).unwrap().len() % 64);
        assert_eq!(read(&bytes, ty).unwrap(), text);
    }
}

#[test]
fn byte_orders_and_fortran_order() {
    let le: Vec<u8> = [1.0f64, 2.0, 3.0, 4.0, 5.0, 6.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    let be: Vec<u8> = [1.0f64, 2.0, 3.0, 4.0, 5.0, 6.0].iter().flat_map(|x| x.to_be_bytes()).collect();
    assert_eq!(read(&npy("<f8", false, "(2, 3)", &le), "[n][m]f64").unwrap(), "[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]");
    assert_eq!(read(&npy("<f8", true, "(2, 3)", &le), "[n][m]f64").unwrap(), "[[1.0, 3.0, 5.0], [2.0, 4.0, 6.0]]");
    assert_eq!(read(&npy(">f8", false, "(6,)", &be), "[n]f64").unwrap(), "[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]");
    assert_eq!(read(&npy(">i2", false, "(2,)", &[255, 254, 0, 3]), "[n]i64").unwrap(), "[-2, 3]");
}

#[test]
fn conversions_are_lossless_or_refused() {
    assert_eq!(read(&npy("|u1", false, "(2,)", &[0, 255]), "[n]f32").unwrap(), "[0.0, 255.0]");
    assert_eq!(read(&npy("|i1", false, "(1,)", &[255]), "[n]i32").unwrap(), "[-1]");
    assert_eq!(read(&npy("<f4", false, "(1,)", &0.5f32.to_le_bytes()), "[n]f64").unwrap(), "[0.5]");
    assert_eq!(read(&npy("|b1", false, "(2,)", &[1, 0]), "[n]bool").unwrap(), "[true, false]");
    let big = npy("<i8", false, "(2,)", &[[1i64, (1 << 53) + 1].map(i64::to_le_bytes).concat()].concat());
    assert_eq!(read(&big, "[n]i64").unwrap(), "[1, 9007199254740993]");
    assert!(read(&big, "[n]f64").unwrap_err().contains("9007199254740993 does not fit `f64` exactly"));
    assert!(read(&big, "[n]i32").unwrap_err().starts_with("E0703"));
    let wide = npy("<f8", false, "(1,)", &0.5f64.to_le_bytes());
    assert_eq!(
        read(&wide, "[n]f32").unwrap_err(),
        "E0703: argument `x` has the wrong type\n  expected [n]f32, found [1]f64\n  note: it was read from `data.npy`"
    );
    for (descr, name) in
        [("<c16", "complex128"), ("<U5", "string"), ("|O", "object"), ("<f2", "f16"), ("<M8[ns]", "datetime")]
    {
        let e = read(&npy(descr, false, "(1,)", &[0; 16]), "[n]f64").unwrap_err();
        assert!(e.starts_with("E0703") && e.contains(name), "{e}");
    }
    let record = npy("x', '<f8')], 'y': '", false, "(1,)", &[0; 8]);
    assert!(read(&record, "[n]f64").is_err());
}

#[test]
fn shapes_and_damage() {
    let one = 1.0f64.to_le_bytes();
    assert!(
        read(&npy("<f8", false, "(1, 1)", &one), "[n]f64").unwrap_err().contains("expected [n]f64, found [1][1]f64")
    );
    assert!(read(&npy("<f8", false, "()", &one), "[n]f64").unwrap_err().starts_with("E0704"));
    let lying = npy("<f8", false, "(1000000000000, 1000)", &one);
    assert!(read(&lying, "[n][m]f64").unwrap_err().contains("E0702"));
    let overflow = npy("<f8", false, "(9000000000000000000, 9000000000000000000)", &one);
    assert!(read(&overflow, "[n][m]f64").unwrap_err().contains("more elements than memory can hold"));
    assert!(read(&npy("<f8", false, "(99999999999999999999,)", &one), "[n]f64").unwrap_err().starts_with("E0702"));
    assert!(read(&npy("<f8", false, "(-1,)", &one), "[n]f64").unwrap_err().starts_with("E0702"));
    assert!(
        read(&npy("<f8", false, "(2,)", &one), "[n]f64")
            .unwrap_err()
            .contains("claims 16 bytes of elements, but 8 follow")
    );
    assert!(read(&npy("<f8", false, "()", &[one, one].concat()), "f64").unwrap_err().contains("8 bytes follow"));
    assert!(read(b"", "f64").unwrap_err().contains("cut short"));
    assert!(read(b"PK\x03\x04", "f64").unwrap_err().contains("does not begin as one"));
    let mut header = b"\x93NUMPY\x02\x00\xff\xff\xff\xff".to_vec();
    header.extend([b'('; 64]);
    assert!(read(&header, "f64").unwrap_err().contains("cut short in the header"));
}

fn model() -> Edge {
    let mut maker = Maker::new();
    let (x, y) = (maker.ty("[n]f64"), maker.ty("[n][m]i64"));
    record(&[("x", x), ("p", record(&[("y", y), ("z", Edge::Scalar(Scalar::F64))]))])
}

fn model_bytes() -> Vec<u8> {
    let text = "{x = [1.0, 2.0], p = {y = [[1], [2]], z = 3.5}}";
    let v = arr_data::from_text(text, &model()).unwrap();
    to_bytes("out.npz", &v, &model()).unwrap()
}

#[test]
fn records_go_to_npz_and_back() {
    let v = from_bytes(&model_bytes(), Format::Npz, &model()).unwrap();
    assert_eq!(to_literal(&v), "{x = [1.0, 2.0], p = {y = [[1], [2]], z = 3.5}}");
    assert_eq!(model_bytes(), model_bytes());
    let pair = Edge::Tuple(vec![Edge::Scalar(Scalar::F64), Edge::Scalar(Scalar::Bool)]);
    let v = arr_data::from_text("(1.5, true)", &pair).unwrap();
    let bytes = to_bytes("out.npz", &v, &pair).unwrap();
    assert_eq!(from_bytes(&bytes, Format::Npz, &pair).unwrap(), v);
    // A single array may have any name.
    let edge = Maker::new().ty("[n]f64");
    let bytes = to_bytes("out.npz", &value("[1, 2]", "[n]f64"), &record(&[("q", edge.clone())])).unwrap();
    assert_eq!(to_literal(&from_bytes(&bytes, Format::Npz, &edge).unwrap()), "[1.0, 2.0]");
}

#[test]
fn npz_keys_must_be_the_fields() {
    let mut maker = Maker::new();
    let x = maker.ty("[n]f64");
    let more = record(&[("x", x.clone()), ("w", x.clone())]);
    let e = words(&from_bytes(&model_bytes(), Format::Npz, &more).unwrap_err(), "P");
    assert!(e.contains("has no field `w`\n  note: it has `p.y`, `p.z`, `x`"), "{e}");
    let fewer = record(&[("x", x)]);
    let e = words(&from_bytes(&model_bytes(), Format::Npz, &fewer).unwrap_err(), "P");
    assert!(e.contains("has a field `p.y` that its type does not have"), "{e}");
    let e = words(&from_bytes(&model_bytes(), Format::Npy, &fewer).unwrap_err(), "P");
    assert!(e.starts_with("E0703: a .npy file cannot hold"), "{e}");
}

fn csv(text: &str, ty: &str) -> Result<String, String> {
    let edge = Maker::new().ty(ty);
    from_bytes(text.as_bytes(), Format::Csv, &edge).map(|v| to_literal(&v)).map_err(|e| words(&e, ty))
}

#[test]
fn csv_tables() {
    assert_eq!(csv("1\n2.5\n-3e2\n", "[n]f64").unwrap(), "[1.0, 2.5, -300.0]");
    assert_eq!(csv("a, b\r\n1, 2\r\n\r\n3, nan\r\n", "[n][m]f64").unwrap(), "[[1.0, 2.0], [3.0, nan]]");
    assert_eq!(csv("1,2,3", "[n]i32").unwrap(), "[1, 2, 3]");
    assert_eq!(csv("\u{feff}x\n1", "[n]i64").unwrap(), "[1]");
    assert_eq!(csv("true\nfalse", "[n]bool").unwrap(), "[true, false]");
    assert_eq!(csv("", "[n]f64").unwrap(), "[]");
    assert_eq!(csv("x,y\n", "[n][m]f64").unwrap(), "[]");
    assert!(csv("1,2\n3\n", "[n][m]f64").unwrap_err().contains("line 2"));
    assert!(csv("1,2\n3,x\n", "[n][m]f64").unwrap_err().contains("`x` is not a number"));
    assert!(csv("1;2\n", "[n][m]f64").unwrap_err().contains("`1;2` has semicolons where commas"));
    assert!(csv("1.5 2.5\n3 4\n", "[n][m]f64").unwrap_err().contains("spaces"));
    assert!(csv("1\t2\n", "[n][m]f64").unwrap_err().contains("tabs"));
    assert!(csv("1,5;2,5\n", "[n][m]f64").unwrap_err().contains("semicolons"));
    assert_eq!(csv("1,\n", "[n][m]f64").unwrap(), "[[1.0, nan]]");
    assert!(csv("1,\n", "[n][m]i64").unwrap_err().contains("a cell is empty"));
    assert!(csv("height 1,width 1\n", "[n][m]f64").unwrap() == "[]");
    assert!(csv("1,a\n", "[n][m]f64").unwrap_err().contains("line 1, column 2"));
    assert!(csv("1,2\n3,4\n", "[n]f64").unwrap_err().starts_with("E0704"));
    assert!(csv("1.5\n", "[n]i64").unwrap_err().contains("expected i64, found f64") || csv("1.5\n", "[n]i64").is_err());
    assert!(csv("1\n", "f64").unwrap_err().contains("cannot hold"));
}

#[test]
fn a_number_in_csv_has_one_sign() {
    assert_eq!(csv("+5\n-5\n+.5\n-1e-3\n", "[n]f64").unwrap(), "[5.0, -5.0, 0.5, -0.001]");
    for text in ["++5", "+-5", "-+5", "--5", "+", "-", "++inf", "+-inf", "5-", "1e++5"] {
        let e = csv(&format!("1\n{text}\n"), "[n]f64").expect_err(text);
        assert!(e.starts_with("E0702") && e.contains("is not a number"), "{text}: {e}");
    }
}

/// An archive of one entry, whose bytes are repeated.
fn archive(name: &str, start: &[u8], block: &[u8], times: usize) -> Vec<u8> {
    use std::io::Write;
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
    zip.write_all(start).unwrap();
    (0..times).for_each(|_| zip.write_all(block).unwrap());
    zip.finish().unwrap().into_inner()
}

#[test]
fn archives_are_unpacked_within_limits() {
    let edge = Maker::new().ty("[n]f64");
    let zeros = vec![0; 1 << 20];
    // 4 MB of zeros, of which the beginning is read.
    let bomb = archive("arr_0.npy", &[], &zeros, 4);
    let e = words(&from_bytes_within(&bomb, Format::Npz, &edge, 1 << 30).unwrap_err(), "[n]f64");
    assert!(e.starts_with("E0702") && e.contains("does not begin as one"), "{e}");
    // An array, and the limit that it exceeds.
    let header = npy("<f8", false, "(524288,)", &[]);
    let array = archive("arr_0.npy", &header, &zeros, 4);
    assert!(array.len() < 1 << 20);
    let e = words(&from_bytes_within(&array, Format::Npz, &edge, 1 << 20).unwrap_err(), "[n]f64");
    assert!(e.starts_with("E0605") && e.contains("over the limit of 1048576"), "{e}");
    assert!(from_bytes_within(&array, Format::Npz, &edge, 1 << 30).is_ok());
    // The limit is on all of them together.
    let pair = Edge::Tuple(vec![Edge::Scalar(Scalar::F64), Edge::Scalar(Scalar::F64)]);
    let two = to_bytes("out.npz", &arr_data::from_text("(1.5, 2.5)", &pair).unwrap(), &pair).unwrap();
    assert!(from_bytes_within(&two, Format::Npz, &pair, 300).is_ok());
    let e = words(&from_bytes_within(&two, Format::Npz, &pair, 200).unwrap_err(), "P");
    assert!(e.starts_with("E0605"), "{e}");
    // A header that does not fit its entry, one that never ends, and one of another type: nothing more is read.
    for (start, times, found) in [
        (npy("<f8", false, "(3,)", &[]), 4, "bytes follow the 24 bytes of elements"),
        (npy("<f8", false, "(99999999,)", &[]), 1, "bytes of elements, but 1048576 follow"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff".to_vec(), 1, "a header of 4294967307 bytes"),
        (npy("<c16", false, "(262144,)", &[]), 4, "found [262144]complex128"),
    ] {
        let bytes = archive("arr_0.npy", &start, &zeros, times);
        let e = words(&from_bytes_within(&bytes, Format::Npz, &edge, 1 << 30).unwrap_err(), "[n]f64");
        assert!(e.contains(found), "{found}: {e}");
    }
}

#[test]
fn what_reading_text_takes_is_limited() {
    let edge = Maker::new().ty("[n]f64");
    let text = format!("[{}1]", "1,".repeat(10_000));
    assert!(from_bytes_within(text.as_bytes(), Format::Json, &edge, 1 << 24).is_ok());
    let e = words(&from_bytes_within(text.as_bytes(), Format::Json, &edge, 1 << 16).unwrap_err(), "[n]f64");
    assert!(e.starts_with("E0605: reading `data.npy` takes"), "{e}");
    let e = words(&arr_data::from_text_within(&text, &edge, 1 << 16).unwrap_err(), "[n]f64");
    assert!(e.starts_with("E0605"), "{e}");
}

#[test]
fn an_empty_array_has_extents_that_can_be_multiplied() {
    let cube = Maker::new().ty("[n][m][k]f64");
    let read = |shape: &str| from_bytes(&npy("<f8", false, shape, &[]), Format::Npy, &cube);
    for shape in ["(0, 3, 4)", "(3, 0, 4)", "(4294967296, 1073741824, 0)", "(0, 9223372036854775807, 1)"] {
        assert_eq!(
            format!("{:?}", read(shape).unwrap().leaves()[0].dims()).replace(['[', ']'], ""),
            shape.replace(['(', ')'], "")
        );
    }
    assert!(arr_data::is_printable(&read("(1000, 1000, 0)").unwrap()));
    assert!(arr_data::is_printable(&read("(0, 4294967296, 3)").unwrap()));
    assert!(!arr_data::is_printable(&read("(4294967296, 4, 0)").unwrap()));
    for shape in ["(4294967296, 4294967294, 0)", "(0, 4294967296, 4294967294)", "(2, 0, 9223372036854775807)"] {
        let e = words(&read(shape).unwrap_err(), "[n][m][k]f64");
        assert!(e.starts_with("E0702") && e.contains("more elements than memory can hold"), "{shape}: {e}");
    }
}

/// Sizes are assumed not to wrap, so a size that no array with elements has is refused.
#[test]
fn the_sizes_of_a_call_are_limited() {
    let mut maker = Maker::new();
    maker.param("x", "[n+n][m]f64");
    let func = maker.func;
    let bound = |shape: &str| {
        let value = from_bytes(&npy("<f8", false, shape, &[]), Format::Npy, &func.edge_params[0].ty).unwrap();
        bind(&func, &[value]).map(|bound| bound.sizes).map_err(|ds| ds[0].title.clone())
    };
    assert_eq!(bound("(2199023255552, 0)"), Ok(vec![1 << 40, 0]));
    let refused = "argument `x` makes the size `n` 1099511627777, and a size is at most 1099511627776";
    assert_eq!(bound("(2199023255554, 0)"), Err(refused.to_string()));
}

/// A size that overflows is none that an array has, whatever it wraps to: twice 2^63 and 2 are 2.
#[test]
fn a_size_that_overflows_is_refused() {
    let mut maker = Maker::new();
    maker.param("k", "i64");
    maker.param("x", "[k+k+2]f64");
    let func = maker.func;
    let args = ["-9223372036854775808", "[1, 2]"];
    let args = func.edge_params.iter().zip(args).map(|(param, text)| from_text(text, &param.ty).unwrap());
    let errors = bind(&func, &args.collect::<Vec<_>>()).unwrap_err();
    assert_eq!(errors[0].title, "the size `2 * k + 2` of argument `x` does not fit in 64 bits");
}

fn check_no_panic(bytes: &[u8], format: Format, edge: &Edge) {
    match from_bytes(bytes, format, edge) {
        Ok(v) => drop(to_literal(&v)),
        Err(e) => drop(words(&e, "t")),
    }
}

#[test]
fn cut_short_at_any_length_and_with_any_byte_changed() {
    let edge = Maker::new().ty("[n][m]f64");
    let plain = to_bytes("out.npy", &value("[[1.5, 2.0], [3.0, 4.0]]", "[n][m]f64"), &edge).unwrap();
    let picture = to_bytes("out.png", &value("[[0.5, 1.0], [0.0, 0.25]]", "[n][m]f64"), &edge).unwrap();
    let weights = arr_data::from_text("{x = [1.0, 2.0], p = {y = [[1], [2]], z = 3.5}}", &model()).unwrap();
    let tensors = to_bytes("out.safetensors", &weights, &model()).unwrap();
    let columns = record(&[("a", Maker::new().ty("[n]f64")), ("b", Maker::new().ty("[n]bool"))]);
    let samples: [(Vec<u8>, Format, Edge); 7] = [
        (picture, Format::Png, edge.clone()),
        (tensors, Format::Safetensors, model()),
        (b"b,a,c\nyes,2024-02-29T10:00Z,4\n0,NA,4\n".to_vec(), Format::Csv, columns),
        (plain, Format::Npy, edge.clone()),
        (model_bytes(), Format::Npz, model()),
        (b"a,b\n1,2\n3,4\n".to_vec(), Format::Csv, edge.clone()),
        (b"[[1, 2.5], [\"nan\", 3e1]]".to_vec(), Format::Json, edge),
    ];
    let mut seed = 99u64;
    for (bytes, format, edge) in samples {
        for cut in 0..bytes.len() {
            let short = &bytes[..cut];
            check_no_panic(short, format, &edge);
            if matches!(format, Format::Npy | Format::Npz | Format::Json | Format::Safetensors) {
                assert!(from_bytes(short, format, &edge).is_err(), "{format:?} cut at {cut}");
            }
        }
        for _ in 0..4000 {
            let mut damaged = bytes.clone();
            for _ in 0..3 {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let at = (seed >> 33) as usize % damaged.len();
                damaged[at] = (seed >> 20) as u8;
            }
            check_no_panic(&damaged, format, &edge);
        }
    }
}

#[test]
fn unwritable_and_unknown_formats() {
    let edge = Maker::new().ty("[n]f64");
    let v: EdgeValue = value("[1]", "[n]f64");
    for name in ["out.txt", "out.xls", "out"] {
        let d = to_bytes(name, &v, &edge).unwrap_err().to_output_diagnostic();
        assert_eq!(d.code.to_string(), "E0707");
    }
    assert!(Format::of("dir.npy/x").is_err());
    assert_eq!(Format::of("a.NPY"), Ok(Format::Npy));
}
