//! Parquet files: columns by name, their types, missing values, every encoding, and files that are damaged. The files are
//! written by the library that the reader decodes values with.
#![allow(clippy::result_large_err)]

use crate::common::{Maker, record, words};
use ::parquet::basic::{Compression, Encoding};
use ::parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArray, FixedLenByteArrayType, FloatType,
    Int32Type, Int64Type,
};
use ::parquet::file::properties::{WriterProperties, WriterVersion};
use ::parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use ::parquet::schema::parser::parse_message_type;
use arr_data::{CellRules, DateUnit, EdgeValue, Format, Reading, from_file, to_literal};
use arr_ir::{Edge, Scalar};
use std::sync::Arc;

/// The values of a column; missing ones are `None`.
enum Column {
    Bool(Vec<Option<bool>>),
    Int(Vec<Option<i32>>),
    Long(Vec<Option<i64>>),
    Float(Vec<Option<f32>>),
    Double(Vec<Option<f64>>),
    Text(Vec<Option<&'static str>>),
    Fixed(Vec<Option<Vec<u8>>>),
}

fn known<T: Clone>(values: &[T]) -> Vec<Option<T>> {
    values.iter().cloned().map(Some).collect()
}

fn put<T: DataType>(group: &mut SerializedRowGroupWriter<'_, Vec<u8>>, values: Vec<Option<T::T>>) {
    let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
    let values: Vec<T::T> = values.into_iter().flatten().collect();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<T>().write_batch(&values, Some(&levels), None).unwrap();
    column.close().unwrap();
}

fn each<A: Clone, B>(values: &[Option<A>], to: impl Fn(A) -> B) -> Vec<Option<B>> {
    values.iter().cloned().map(|value| value.map(&to)).collect()
}

/// A file of parts of rows, each with all columns.
fn file(schema: &str, properties: WriterProperties, parts: &[Vec<Column>]) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(&format!("message table {{ {schema} }}")).unwrap());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).unwrap();
    for columns in parts {
        let mut group = writer.next_row_group().unwrap();
        for column in columns {
            match column {
                Column::Bool(values) => put::<BoolType>(&mut group, values.clone()),
                Column::Int(values) => put::<Int32Type>(&mut group, values.clone()),
                Column::Long(values) => put::<Int64Type>(&mut group, values.clone()),
                Column::Float(values) => put::<FloatType>(&mut group, values.clone()),
                Column::Double(values) => put::<DoubleType>(&mut group, values.clone()),
                Column::Text(values) => put::<ByteArrayType>(&mut group, each(values, ByteArray::from)),
                Column::Fixed(values) => {
                    put::<FixedLenByteArrayType>(&mut group, each(values, FixedLenByteArray::from));
                }
            }
        }
        group.close().unwrap();
    }
    writer.into_inner().unwrap()
}

fn plain(schema: &str, columns: Vec<Column>) -> Vec<u8> {
    file(schema, WriterProperties::default(), &[columns])
}

fn patients() -> Vec<u8> {
    let schema = "required int64 id; optional byte_array sex (STRING); optional double age; required boolean smoker;
                  required int32 seen (DATE);";
    let columns = vec![
        Column::Long(known(&[7, 9, 11])),
        Column::Text(known(&["female", "male", "Female"])),
        Column::Double(vec![Some(61.5), None, Some(30.0)]),
        Column::Bool(known(&[true, false, true])),
        Column::Int(known(&[19782, 19783, 19784])),
    ];
    plain(schema, columns)
}

fn sex() -> Edge {
    let constructors = ["Female", "Male"].map(|name| (name.to_string(), Vec::new())).to_vec();
    Edge::Sum { name: "Sex".to_string(), constructors }
}

fn read_with(bytes: &[u8], edge: &Edge, part: Option<&str>, cells: &CellRules) -> Result<(String, String), String> {
    let how = Reading { limit: 1 << 24, parameter: "x", part, cells };
    let read = from_file(bytes, Format::Parquet, edge, &how);
    read.map(|(value, notes)| (to_literal(&value), notes.join("\n"))).map_err(|e| words(&e, "T"))
}

fn read(bytes: &[u8], edge: &Edge) -> Result<String, String> {
    read_with(bytes, edge, None, &CellRules::default()).map(|(value, _)| value)
}

fn read_as(bytes: &[u8], ty: &str, part: Option<&str>) -> Result<String, String> {
    read_with(bytes, &Maker::new().ty(ty), part, &CellRules::default()).map(|(value, _)| value)
}

#[test]
fn columns_are_found_by_name() {
    let bytes = patients();
    let mut maker = Maker::new();
    let (age, smoker, sexes) = (maker.ty("[n]f64"), maker.ty("[n]bool"), maker.array("n", sex()));
    let edge = record(&[("smoker", smoker), ("age", age), ("sex", sexes)]);
    let (value, notes) = read_with(&bytes, &edge, None, &CellRules::default()).unwrap();
    assert_eq!(value, "{smoker = [true, false, true], age = [61.5, nan, 30.0], sex = [Female, Male, Female]}");
    assert_eq!(notes, "the columns `id`, `seen` are left out");
    let rows =
        Maker::new().array("n", record(&[("id", Edge::Scalar(Scalar::I64)), ("age", Edge::Scalar(Scalar::F64))]));
    assert_eq!(read(&bytes, &rows).unwrap(), "[{id = 7, age = 61.5}, {id = 9, age = nan}, {id = 11, age = 30.0}]");
    let one = record(&[("id", Edge::Scalar(Scalar::I64))]);
    let e = read(&bytes, &one).unwrap_err();
    assert!(e.starts_with("E0704") && e.contains("found 3 rows"), "{e}");
    let missing = record(&[("weight", Maker::new().ty("[n]f64"))]);
    let e = read(&bytes, &missing).unwrap_err();
    assert!(e.starts_with("E0709") && e.contains("no column `weight`") && e.contains("it has `id`, `sex`"), "{e}");
}

#[test]
fn vectors_and_matrices_are_columns() {
    let bytes = patients();
    assert_eq!(read_as(&bytes, "[n]f64", Some("age")).unwrap(), "[61.5, nan, 30.0]");
    assert_eq!(read_as(&bytes, "[n][m]f64", Some("id,age")).unwrap(), "[[7.0, 61.5], [9.0, nan], [11.0, 30.0]]");
    let e = read_as(&bytes, "[n]f64", Some("id,age")).unwrap_err();
    assert!(e.starts_with("E0704") && e.contains("found 2 columns"), "{e}");
    let e = read_as(&bytes, "[n]f64", None).unwrap_err();
    assert!(e.starts_with("E0709") && e.contains("no column `x`"), "{e}");
    let e = read_as(&bytes, "[n][m]f64", None).unwrap_err();
    assert!(
        e.starts_with("E0703") && e.contains("found the text `female`") && e.contains("row 1, column 2 (`sex`)"),
        "{e}"
    );
    let pair = plain(
        "required float x; required double y;",
        vec![Column::Float(known(&[1.0, 2.0])), Column::Double(known(&[3.0, 4.0]))],
    );
    assert_eq!(read_as(&pair, "[n]f64", None).unwrap(), "[1.0, 2.0]");
    assert_eq!(read_as(&pair, "[n][m]f64", None).unwrap(), "[[1.0, 3.0], [2.0, 4.0]]");
    let only = plain("required int32 y;", vec![Column::Int(known(&[1, -2]))]);
    assert_eq!(read_as(&only, "[n]i64", None).unwrap(), "[1, -2]");
    let none = plain("required int32 y;", vec![Column::Int(Vec::new())]);
    assert_eq!(read_as(&none, "[n]i64", None).unwrap(), "[]");
    let e = read_as(&only, "f64", None).unwrap_err();
    assert!(e.starts_with("E0703") && e.contains("a Parquet file cannot hold"), "{e}");
    let e = read_as(&only, "[n][m][k]f64", None).unwrap_err();
    assert!(e.starts_with("E0703") && e.contains("array of one or two axes"), "{e}");
}

#[test]
fn numbers_are_converted_where_nothing_is_lost() {
    let schema = "required int32 small (INTEGER(8,true)); required int32 un (INTEGER(32,false)); required int64 big;
                  required int64 unbig (INTEGER(64,false)); required float single; required double double;
                  required int32 cents (DECIMAL(9,2)); required fixed_len_byte_array(3) wide (DECIMAL(6,1));
                  required fixed_len_byte_array(2) half (FLOAT16); required boolean flag;";
    let columns = vec![
        Column::Int(known(&[-3, 1])),
        Column::Int(known(&[-1, 0])),
        Column::Long(known(&[1 << 53, (1 << 53) + 1])),
        Column::Long(known(&[-1, 5])),
        Column::Float(known(&[0.1, 2.0])),
        Column::Double(known(&[0.1, 2.0])),
        Column::Int(known(&[-1234, 500])),
        Column::Fixed(known(&[vec![0xff, 0xff, 0x85], vec![0, 0, 20]])),
        Column::Fixed(known(&[vec![0x00, 0x3c], vec![0, 0xc0]])),
        Column::Bool(known(&[true, false])),
    ];
    let bytes = plain(schema, columns);
    let fits = [
        ("small", "[n]i32", "[-3, 1]"),
        ("small", "[n]f32", "[-3.0, 1.0]"),
        ("un", "[n]u32", "[4294967295, 0]"),
        ("un", "[n]i64", "[4294967295, 0]"),
        ("big", "[n]i64", "[9007199254740992, 9007199254740993]"),
        ("single", "[n]f32", "[0.1, 2.0]"),
        ("single", "[n]f64", "[0.10000000149011612, 2.0]"),
        ("double", "[n]f64", "[0.1, 2.0]"),
        ("cents", "[n]f64", "[-12.34, 5.0]"),
        ("wide", "[n]f32", "[-12.3, 2.0]"),
        ("half", "[n]f32", "[1.0, -2.0]"),
        ("flag", "[n]bool", "[true, false]"),
        ("flag", "[n]f64", "[1.0, 0.0]"),
    ];
    for (column, ty, expected) in fits {
        assert_eq!(read_as(&bytes, ty, Some(column)).as_deref(), Ok(expected), "{column} as {ty}");
    }
    let unfit = [
        ("small", "[n]u32", "-3 does not fit `u32` exactly"),
        ("small", "[n]bool", "`-3` is not `true` or `false`"),
        ("un", "[n]i32", "4294967295 does not fit `i32`"),
        ("big", "[n]f64", "9007199254740993 does not fit `f64`"),
        ("unbig", "[n]i64", "18446744073709551615 does not fit `i64`"),
        ("double", "[n]f32", "found f64"),
        ("double", "[n]i64", "found f64"),
        ("cents", "[n]i64", "found f64"),
        ("flag", "[n]i64", "found bool"),
    ];
    for (column, ty, expected) in unfit {
        let e = read_as(&bytes, ty, Some(column)).unwrap_err();
        assert!(e.starts_with("E070") && e.contains(expected) && e.contains(&format!("(`{column}`)")), "{column}: {e}");
    }
    let e = read_as(&bytes, "[n]f64", Some("big")).unwrap_err();
    assert!(e.contains("row 2, column 3 (`big`)"), "{e}");
}

#[test]
fn dates_are_days_or_seconds() {
    let schema = "required int32 day (DATE); required int64 milli (TIMESTAMP(MILLIS,true));
                  required int64 micro (TIMESTAMP(MICROS,false)); required int64 nano (TIMESTAMP(NANOS,true));
                  required int32 time (TIME(MILLIS,true)); required byte_array text (STRING);";
    let columns = vec![
        Column::Int(known(&[1, -1])),
        Column::Long(known(&[86_400_000, 43_200_000])),
        Column::Long(known(&[-86_400_000_000, 1_500_000])),
        Column::Long(known(&[86_400_000_000_000, 0])),
        Column::Int(known(&[1, 2])),
        Column::Text(known(&["1970-01-02", "1970-01-01T06:00:00+00:00"])),
    ];
    let bytes = plain(schema, columns);
    let seconds = CellRules { dates: DateUnit::Seconds, ..CellRules::default() };
    let all = |column, ty: &str, cells| read_with(&bytes, &Maker::new().ty(ty), Some(column), cells).map(|(v, _)| v);
    let days = CellRules::default();
    assert_eq!(all("day", "[n]i64", &days).unwrap(), "[1, -1]");
    assert_eq!(all("day", "[n]i32", &seconds).unwrap(), "[86400, -86400]");
    assert_eq!(all("milli", "[n]f64", &days).unwrap(), "[1.0, 0.5]");
    assert_eq!(all("milli", "[n]i64", &seconds).unwrap(), "[86400, 43200]");
    assert_eq!(all("micro", "[n]f64", &seconds).unwrap(), "[-86400.0, 1.5]");
    assert_eq!(all("nano", "[n]u32", &days).unwrap(), "[1, 0]");
    assert_eq!(all("text", "[n]f64", &days).unwrap(), "[1.0, 0.25]");
    let e = all("milli", "[n]i64", &days).unwrap_err();
    assert!(e.contains("`1970-01-01T12:00:00Z` does not fit `i64`") && e.contains("row 2"), "{e}");
    let e = all("day", "[n]bool", &days).unwrap_err();
    assert!(e.starts_with("E0703") && e.contains("found a date"), "{e}");
    let e = all("time", "[n]f64", &days).unwrap_err();
    assert!(e.starts_with("E0703") && e.contains("the column `time` of") && e.contains("holds times of day"), "{e}");
}

#[test]
fn missing_values_are_nan_or_an_error() {
    let schema = "optional double x; optional int32 n; optional boolean b; optional byte_array s (STRING);
                  optional byte_array t (STRING);";
    let columns = vec![
        Column::Double(vec![None, Some(2.0)]),
        Column::Int(vec![Some(4), None]),
        Column::Bool(vec![Some(true), None]),
        Column::Text(vec![None, Some("male")]),
        Column::Text(known(&["NA", ""])),
    ];
    let bytes = plain(schema, columns);
    assert_eq!(read_as(&bytes, "[n]f32", Some("n")).unwrap(), "[4.0, nan]");
    assert_eq!(read_as(&bytes, "[n]f64", Some("x")).unwrap(), "[nan, 2.0]");
    for (column, ty) in [("n", "[n]i64"), ("b", "[n]bool")] {
        let e = read_as(&bytes, ty, Some(column)).unwrap_err();
        assert!(e.starts_with("E0702") && e.contains("a value is missing") && e.contains("row 2, column"), "{e}");
    }
    let e = read_with(&bytes, &Maker::new().array("n", sex()), Some("s"), &CellRules::default()).unwrap_err();
    assert!(
        e.contains("a value is missing")
            && e.contains("constructor `Missing` of `Sex`")
            && e.contains("row 1, column 4 (`s`)"),
        "{e}"
    );
    // No text stands for a missing value, and none that the user names.
    let cells = CellRules { gaps: vec!["NA".to_string()], ..CellRules::default() };
    let e = read_with(&bytes, &Maker::new().ty("[n]f64"), Some("t"), &cells).unwrap_err();
    assert!(e.contains("found the text `NA`"), "{e}");
    let e = read_with(&bytes, &Maker::new().array("n", sex()), Some("t"), &cells).unwrap_err();
    assert!(e.contains("`NA` is not a constructor of `Sex`"), "{e}");
}

#[test]
fn columns_within_columns_are_refused_where_they_are_read() {
    let schema = "optional group tags (LIST) { repeated group list { optional int32 element; } }
                  optional group at { required double x; } repeated double many; required double y;";
    let schema = Arc::new(parse_message_type(&format!("message table {{ {schema} }}")).unwrap());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(WriterProperties::default())).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<Int32Type>().write_batch(&[1, 2], Some(&[3, 3]), Some(&[0, 1])).unwrap();
    column.close().unwrap();
    for (levels, repeated) in [(Some(&[1][..]), None), (Some(&[1][..]), Some(&[0][..])), (None, None)] {
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<DoubleType>().write_batch(&[2.5], levels, repeated).unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    let bytes = writer.into_inner().unwrap();
    assert_eq!(read_as(&bytes, "[n]f64", Some("y")).unwrap(), "[2.5]");
    for (column, holds) in [("tags", "lists"), ("at", "records"), ("many", "lists")] {
        let e = read_as(&bytes, "[n]f64", Some(column)).unwrap_err();
        assert!(e.starts_with("E0703") && e.contains(&format!("`{column}` of")), "{e}");
        assert!(e.contains(&format!("holds {holds}, which are not read")), "{e}");
    }
    let how = Reading { limit: 1 << 20, parameter: "", part: None, cells: &CellRules::default() };
    let (value, notes) = arr_data::numbers_of(&bytes, Format::Parquet, &how, &[]).unwrap();
    assert_eq!(to_literal(&value), "{y = [2.5]}");
    assert_eq!(notes, ["what is no column of numbers is left out: `tags`, `at`, `many`"]);
}

/// Numbers, texts and their types in every way that they can be written.
#[test]
fn every_encoding_is_read() {
    const ROWS: i64 = 3000;
    let names = ["male", "female", "Female", "MALE"];
    let gap = |n: i64| n % 7 == 3;
    let part = |from: i64| {
        let rows = from..from + ROWS;
        let some = |n: i64| (!gap(n)).then_some(n);
        vec![
            Column::Long(rows.clone().map(|n| some(n).map(|n| n * n % 1013 - 500)).collect()),
            Column::Int(rows.clone().map(|n| some(n).map(|n| n as i32 % 17)).collect()),
            Column::Double(rows.clone().map(|n| some(n).map(|n| n as f64 / 8.0)).collect()),
            Column::Float(rows.clone().map(|n| some(n).map(|n| n as f32)).collect()),
            Column::Text(rows.clone().map(|n| Some(names[n as usize % 4])).collect()),
            Column::Bool(rows.map(|n| Some(n % 3 == 0)).collect()),
        ]
    };
    let schema =
        "optional int64 a; optional int32 b; optional double c; optional float d; optional byte_array e (STRING);
                  optional boolean f;";
    let number = |n: i64, x: f64| if gap(n) { f64::NAN } else { x };
    let rows = 0..2 * ROWS;
    let expected: Vec<Vec<f64>> = vec![
        rows.clone().map(|n| number(n, (n * n % 1013 - 500) as f64)).collect(),
        rows.clone().map(|n| number(n, (n % 17) as f64)).collect(),
        rows.clone().map(|n| number(n, n as f64 / 8.0)).collect(),
        rows.clone().map(|n| number(n, n as f64)).collect(),
    ];
    let codecs = [Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::GZIP(Default::default())];
    let of = |name: &str| vec![name.to_string()].into();
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        for (dictionary, codec) in [(true, 0), (true, 1), (false, 0), (false, 1), (false, 2)] {
            for (wide, text) in [
                (Encoding::PLAIN, Encoding::PLAIN),
                (Encoding::BYTE_STREAM_SPLIT, Encoding::DELTA_LENGTH_BYTE_ARRAY),
                (Encoding::DELTA_BINARY_PACKED, Encoding::DELTA_BYTE_ARRAY),
            ] {
                let float = if wide == Encoding::DELTA_BINARY_PACKED { Encoding::PLAIN } else { wide };
                let properties = WriterProperties::builder()
                    .set_writer_version(version)
                    .set_dictionary_enabled(dictionary)
                    .set_compression(codecs[codec])
                    .set_write_batch_size(100)
                    .set_data_page_row_count_limit(700)
                    .set_column_encoding(of("a"), wide)
                    .set_column_encoding(of("b"), wide)
                    .set_column_encoding(of("c"), float)
                    .set_column_encoding(of("d"), float)
                    .set_column_encoding(of("e"), text)
                    .build();
                let bytes = file(schema, properties, &[part(0), part(ROWS)]);
                check_columns(&bytes, &expected, &format!("{version:?} {dictionary} {codec} {wide} {text}"));
            }
        }
    }
}

fn check_columns(bytes: &[u8], expected: &[Vec<f64>], what: &str) {
    let vector = |column: &str, ty: Edge| {
        let how = Reading { limit: 1 << 24, parameter: "", part: Some(column), cells: &CellRules::default() };
        let (value, _) = from_file(bytes, Format::Parquet, &ty, &how).unwrap_or_else(|e| panic!("{what}: {e:?}"));
        match value.leaves().first() {
            Some(arr_ir::Value::Array(array)) => {
                (0..array.data.len()).map(|at| array.data.get(at).and_then(|c| c.as_f64())).collect::<Vec<_>>()
            }
            _ => panic!("{what}: no array"),
        }
    };
    for (column, expected) in ["a", "b", "c", "d"].iter().zip(expected) {
        let read = vector(column, Maker::new().ty("[n]f64"));
        let same = read.iter().zip(expected).all(|(a, b)| a.is_some_and(|a| a == *b || (a.is_nan() && b.is_nan())));
        assert!(same && read.len() == expected.len(), "{what}: column {column}");
    }
    let read_text = |column: &str, ty: Edge| {
        let how = Reading { limit: 1 << 24, parameter: "", part: Some(column), cells: &CellRules::default() };
        let (value, _) = from_file(bytes, Format::Parquet, &ty, &how).unwrap_or_else(|e| panic!("{what}: {e:?}"));
        to_literal(&value).replace("\n ", " ")
    };
    let texts = read_text("e", Maker::new().array("n", sex()));
    assert!(texts.starts_with("[Male, Female, Female, Male, Male"), "{what}");
    assert_eq!(texts.matches("Male").count(), expected[0].len() / 2, "{what}");
    let flags = read_text("f", Maker::new().ty("[n]bool"));
    assert!(flags.starts_with("[true, false, false, true"), "{what}");
    assert_eq!(flags.matches("true").count(), expected[0].len() / 3, "{what}");
}

#[test]
fn memory_is_limited() {
    // A million missing values take a few bytes.
    let bytes = plain("optional double x;", vec![Column::Double(vec![None; 1 << 20])]);
    assert!(bytes.len() < 8000, "{}", bytes.len());
    let within = |limit| {
        let how = Reading { limit, parameter: "", part: None, cells: &CellRules::default() };
        from_file(&bytes, Format::Parquet, &Maker::new().ty("[n]f64"), &how).map_err(|e| words(&e, "[n]f64"))
    };
    let e = within(1 << 20).unwrap_err();
    assert!(e.starts_with("E0605"), "{e}");
    assert!(matches!(within(1 << 24), Ok((EdgeValue::Leaf(_), _))));
    // A page that is far larger than it looks, in the file.
    let text: &'static str = Box::leak("a".repeat(1 << 22).into_boxed_str());
    let properties = WriterProperties::builder().set_compression(Compression::GZIP(Default::default())).build();
    let bytes = file("required byte_array x (STRING);", properties, &[vec![Column::Text(known(&[text]))]]);
    let how = Reading { limit: 1 << 20, parameter: "", part: None, cells: &CellRules::default() };
    let e = from_file(&bytes, Format::Parquet, &Maker::new().array("n", sex()), &how).unwrap_err();
    assert!(words(&e, "[n]Sex").starts_with("E0605"), "{e:?}");
}

#[test]
fn damaged_files_are_refused() {
    let edge = Maker::new().ty("[n]f64");
    let whole = patients();
    let of = |bytes: &[u8]| read_with(bytes, &edge, Some("age"), &CellRules::default()).map(|_| ()).unwrap_err();
    assert!(of(b"").contains("it is empty"));
    assert!(of(b"PAR1").contains("cut short"));
    assert!(of(b"age\n1\n").contains("is not a readable Parquet file"));
    assert!(of(&whole[..whole.len() - 1]).contains("cut short"));
    assert!(of(b"PAR1\xff\xff\xff\x7fPAR1").contains("footer is longer than the file"));
    assert!(of(b"PAR1\x00\x00\x00\x00PAR1").contains("footer is damaged"));
    assert!(of(b"PARE\x00\x00\x00\x00PARE").contains("it is encrypted"));
    let mut pages = whole.clone();
    pages[4..200].fill(0xff);
    assert!(of(&pages).contains("header of a page is damaged"), "{}", of(&pages));
}

/// Every file is read, or refused, without a panic; the library's are answers.
#[test]
fn cut_short_at_any_length_and_with_any_byte_changed() {
    let mut maker = Maker::new();
    let (age, smoker, sexes) = (maker.ty("[n]f64"), maker.ty("[n]bool"), maker.array("n", sex()));
    let edge = record(&[("smoker", smoker), ("age", age), ("sex", sexes)]);
    let plain = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_column_encoding(vec!["sex".to_string()].into(), Encoding::DELTA_BYTE_ARRAY);
    let columns = || {
        vec![
            Column::Text(known(&["female", "male", "Female"])),
            Column::Double(vec![Some(61.5), None, Some(30.0)]),
            Column::Bool(known(&[true, false, true])),
        ]
    };
    let schema = "optional byte_array sex (STRING); optional double age; required boolean smoker;";
    let delta = file(schema, plain.build(), &[columns(), columns()]);
    let newer = WriterProperties::builder()
        .set_writer_version(WriterVersion::PARQUET_2_0)
        .set_compression(Compression::SNAPPY)
        .build();
    let newer = file(schema, newer, &[columns()]);
    let mut seed = 99u64;
    let mut random = move || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        seed >> 20
    };
    for bytes in [patients(), delta, newer] {
        for cut in 0..bytes.len() {
            assert!(read(&bytes[..cut], &edge).is_err());
        }
        for _ in 0..3000 {
            let mut damaged = bytes.clone();
            for _ in 0..1 + random() % 3 {
                let at = random() as usize % damaged.len();
                damaged[at] = random() as u8;
            }
            let _ = read(&damaged, &edge);
        }
    }
}
