//! Files of values: a value that is read for a type can be written and read again as the same value.

use crate::Outcome;
use arr_data::{CellRules, EdgeValue, Format, Reading, from_bytes_within, from_text, to_bytes, to_literal};
use arr_driver::{Derive, MemoryWorld, Session};
use arr_ir::Edge;
use std::cell::OnceCell;

const DECLARATIONS: &str = "type Item[n] = One(f64) | Row([n]f64) | Two(i64, bool) | Nil\n\
    type Kind = Cat | Big_dog | Other\n\
    type Point[d] = { at: [d]f64, weight: f32, tag: i64 }\n\
    def f(a: f64, b: [n]f64, c: [n][m]i64, d: (f32, [n]bool), e: Point[n], g: [m]Point[n], h: Item[n], i: [m]Item[n], j: u32, \
    k: [n][m]f32, l: { x: [n]f64, y: [n][m]f64 }, o: [n]i32, p: { x: [n]f64, b: [n]bool, kind: [n]Kind }, \
    q: [n]{ x: f32, kind: Kind }, r: { x: f64, k: i64 }, s: [n]Kind, t: [n][m][w]i64, u: [n][m]u32) = a\n";

/// The memory for a file that is read.
const LIMIT: u64 = 1 << 26;

thread_local! {
    static EDGES: OnceCell<Vec<Edge>> = const { OnceCell::new() };
}

/// Runs a check on every type for which values are read.
fn each(check: impl Fn(&Edge) -> Outcome) -> Outcome {
    EDGES.with(|edges| {
        let made = || {
            let mut session = Session::new(MemoryWorld::new([("p.arr", DECLARATIONS.as_bytes())]));
            let program = session.program("p.arr", "f", &Derive::Nothing);
            program.map_or_else(|_| Vec::new(), |p| p.func().edge_params.iter().map(|p| p.ty.clone()).collect())
        };
        let edges = edges.get_or_init(made);
        if edges.is_empty() {
            return Err("the types that values are read of are not accepted".to_string());
        }
        edges.iter().try_for_each(&check)
    })
}

/// The same except for NaNs, which are equal to none.
fn same(a: &EdgeValue, b: &EdgeValue) -> bool {
    a == b || to_literal(a) == to_literal(b)
}

/// Whether extents are known; those inside an empty list become known when the value is bound to a parameter.
fn known(value: &EdgeValue) -> bool {
    value.leaves().iter().all(|leaf| leaf.dims().iter().all(|n| *n >= 0))
}

fn reads(bytes: &[u8], format: Format, written: &[&str]) -> Outcome {
    each(|edge| {
        let Ok(value) = from_bytes_within(bytes, format, edge, LIMIT) else { return Ok(()) };
        if !known(&value) {
            return Ok(());
        }
        for name in written {
            let Ok(bytes) = to_bytes(name, &value, edge) else { continue };
            let format = Format::of(name).map_err(|error| format!("{name}: {error:?}"))?;
            match from_bytes_within(&bytes, format, edge, LIMIT) {
                Ok(again) if same(&again, &value) => {}
                Ok(again) => {
                    return Err(format!("{name}: {} becomes {}", to_literal(&value), to_literal(&again)));
                }
                Err(error) => return Err(format!("{name}: {} is not read again: {error:?}", to_literal(&value))),
            }
        }
        Ok(())
    })
}

pub fn npy(bytes: &[u8]) -> Outcome {
    numbers(bytes, Format::Npy)?;
    reads(bytes, Format::Npy, &["a.npy", "a.json"])
}

pub fn npz(bytes: &[u8]) -> Outcome {
    reads(bytes, Format::Npz, &["a.npz", "a.json"])
}

/// The numbers of a file, of which nothing is known, are those of an array.
fn numbers(bytes: &[u8], format: Format) -> Outcome {
    let how = Reading { limit: 1 << 24, parameter: "", part: None, cells: &CellRules::default() };
    match arr_data::numbers_of(bytes, format, &how, &[]) {
        Ok((value, _)) if !known(&value) => Err(format!("an array of no shape: {}", to_literal(&value))),
        _ => Ok(()),
    }
}

pub fn json(bytes: &[u8]) -> Outcome {
    numbers(bytes, Format::Json)?;
    reads(bytes, Format::Json, &["a.json", "a.npy", "a.npz"])
}

pub fn csv(bytes: &[u8]) -> Outcome {
    numbers(bytes, Format::Csv)?;
    reads(bytes, Format::Csv, &["a.csv", "a.json", "a.npy"])
}

/// Panics of the library that decodes values are answers, which a fuzzer must not take for failures.
#[cfg(feature = "parquet")]
pub fn parquet(bytes: &[u8]) -> Outcome {
    static HOOK: std::sync::Once = std::sync::Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !arr_base::is_quiet() {
                before(info);
            }
        }));
    });
    numbers(bytes, Format::Parquet)?;
    reads(bytes, Format::Parquet, &["a.csv", "a.json"])
}

pub fn safetensors(bytes: &[u8]) -> Outcome {
    reads(bytes, Format::Safetensors, &["a.safetensors", "a.npz", "a.json"])
}

pub fn png(bytes: &[u8]) -> Outcome {
    reads(bytes, Format::Png, &["a.npy", "a.json"])
}

/// Values in the syntax of programs and the command line.
pub fn literal(bytes: &[u8]) -> Outcome {
    let Ok(text) = std::str::from_utf8(bytes) else { return Ok(()) };
    each(|edge| {
        let Ok(value) = from_text(text, edge) else { return Ok(()) };
        let printed = to_literal(&value);
        match from_text(&printed, edge) {
            Ok(again) if same(&again, &value) => Ok(()),
            Ok(again) => Err(format!("{printed} is read as {}", to_literal(&again))),
            Err(error) => Err(format!("{printed} is not read again: {error:?}")),
        }
    })
}
