//! The table of scalar functions in WGSL: one row for every [`Prim`] at every type it has.
//!
//! A row is an expression of the operands, or the call of a helper function. Helper functions are written in WGSL, in
//! `scalar/*.wgsl`; a module includes those that it names, and those that these name. They are within a few units in
//! the last place of the interpreter (the tests of the table state how many for each) and have its special cases,
//! except that a device may take subnormal numbers for zeros.

use crate::program::{Integers, narrowed_constant};
use arr_ir::{Const, Prim, Scalar, TypeRule};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

const INT: &str = include_str!("scalar/int.wgsl");
const NARROW: &str = include_str!("scalar/narrow.wgsl");
const REAL: &str = include_str!("scalar/real.wgsl");
const SINGLE: &str = include_str!("scalar/f32.wgsl");
const DOUBLE: &str = include_str!("scalar/f64.wgsl");

/// The type that a scalar has in a shader.
pub fn type_name(scalar: Scalar, integers: Integers) -> &'static str {
    match scalar {
        Scalar::I64 if integers == Integers::Narrow => "i32",
        _ => scalar.name(),
    }
}

/// An expression of type `u32` as an `i64`. Without a sign-extending conversion: Mesa 22 miscompiles comparisons of
/// those with constants.
pub(crate) fn integer_of(unsigned: &str, integers: Integers) -> String {
    match integers {
        Integers::Narrow => format!("i32({unsigned})"),
        Integers::Native => format!("i64(u64({unsigned}))"),
    }
}

/// A constant as an expression. It may name a helper function; see [`Functions::mention`]. A narrow `i64` is converted
/// by [`narrowed_constant`]; one that does not fit is truncated.
pub fn literal(c: Const, integers: Integers) -> String {
    match c {
        Const::Bool(b) => b.to_string(),
        Const::I64(i) if integers == Integers::Narrow => {
            literal(Const::I32(narrowed_constant(i).unwrap_or(i as i32)), integers)
        }
        Const::I32(i32::MIN) => "(-2147483647i - 1i)".to_string(),
        Const::I32(i) if i < 0 => format!("({i}i)"),
        Const::I32(i) => format!("{i}i"),
        Const::I64(i64::MIN) => "(-9223372036854775807li - 1li)".to_string(),
        Const::I64(i) if i < 0 => format!("({i}li)"),
        Const::I64(i) => format!("{i}li"),
        Const::U32(u) => format!("{u}u"),
        Const::F32(x) => float(x.is_nan(), f64::from(x), Scalar::F32, || match x.abs() {
            // Shortest decimal digits of subnormal numbers may be refused.
            a if a < f32::MIN_POSITIVE && a != 0.0 => format!("bitcast<f32>({:#010x}u)", x.to_bits()),
            _ => format!("{x:?}f"),
        }),
        Const::F64(x) => float(x.is_nan(), x, Scalar::F64, || match x.abs() {
            a if a < f64::MIN_POSITIVE && a != 0.0 => format!("bitcast<f64>({:#018x}lu)", x.to_bits()),
            _ => format!("{x:?}lf"),
        }),
    }
}

fn float(nan: bool, x: f64, scalar: Scalar, finite: impl Fn() -> String) -> String {
    let name = scalar.name();
    if nan {
        return format!("arr_{name}_nan()");
    }
    match (x.is_infinite(), x.is_sign_negative()) {
        (true, false) => format!("arr_{name}_infinity()"),
        (true, true) => format!("(-arr_{name}_infinity())"),
        (false, true) => format!("({})", finite()),
        (false, false) => finite(),
    }
}

/// An operator has no row on these operand types.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsupported {
    pub prim: Prim,
    pub args: Vec<Scalar>,
}

impl std::fmt::Display for Unsupported {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let args: Vec<_> = self.args.iter().map(|a| a.name()).collect();
        write!(f, "{}({}) has no form in WGSL", self.prim.name(), args.join(", "))
    }
}

/// The helper functions that a module needs.
#[derive(Clone, Debug)]
pub struct Functions {
    integers: Integers,
    used: BTreeSet<&'static str>,
}

impl Functions {
    pub fn new(integers: Integers) -> Functions {
        Functions { integers, used: BTreeSet::new() }
    }

    /// The expression for an operator on operands of these types. Operands are expressions that can be combined with
    /// any operator: names, literals, calls, or in parentheses; so is the result. Fails if the operator has no form in
    /// WGSL on these types.
    pub fn call(&mut self, prim: Prim, args: &[(String, Scalar)]) -> Result<String, Unsupported> {
        let types: Vec<Scalar> = args.iter().map(|(_, s)| *s).collect();
        let unsupported = || Unsupported { prim, args: types.clone() };
        prim.result(&types).ok_or_else(unsupported)?;
        if let (Prim::PowInt, [(x, elem), (n, _)]) = (prim, args)
            && let Some(text) = small_power(*elem, n, x)
        {
            self.mention(&text);
            return Ok(text);
        }
        let mut text = row(prim, &types, self.integers).ok_or_else(unsupported)?;
        let all_constant = args.iter().all(|(arg, _)| is_literal(arg));
        for (k, (arg, elem)) in args.iter().enumerate() {
            // naga evaluates constants itself, but does not support all of those with 64 bits.
            let alone = all_constant || matches!(prim, Prim::Shl | Prim::Shr | Prim::Polygamma) && is_literal(arg);
            let name = type_name(*elem, self.integers);
            let arg = match name {
                "i64" | "f64" if alone => format!("arr_{name}_value({arg})"),
                _ => arg.clone(),
            };
            text = text.replace(&format!("{{{k}}}"), &arg);
        }
        self.mention(&text);
        Ok(text)
    }

    /// As [`Functions::call`], for a result of type `i64` in 32 bits: one that does not fit stops the program, at a
    /// fault site, which is a word. The operands fit. Fails as that does; an operator with a checked helper function of
    /// its own never does.
    pub fn checked(&mut self, prim: Prim, args: &[(String, Scalar)], place: &str) -> Result<String, Unsupported> {
        let operands: Vec<&str> = args.iter().map(|(text, _)| text.as_str()).collect();
        let operands = operands.join(", ");
        let text = match (prim, args.last().map(|(_, scalar)| *scalar)) {
            (Prim::ToI64, Some(Scalar::U32)) => format!("{CHECKED}wide({operands}, 0u, {place})"),
            (Prim::ToI64, Some(from @ (Scalar::F32 | Scalar::F64))) => {
                format!("{CHECKED}{}({operands}, {place})", from.name())
            }
            (Prim::Add | Prim::Sub | Prim::Mul | Prim::Pow | Prim::Shl, _) => {
                format!("{CHECKED}{}({operands}, {place})", prim.name())
            }
            _ => format!("{CHECKED}fit({}, {place})", self.call(prim, args)?),
        };
        self.mention(&text);
        Ok(text)
    }

    /// An `i64` in 32 bits that must not be one of the extremes: those stop the program.
    pub fn finite(&mut self, value: &str, place: &str) -> String {
        self.mentioned(format!("{CHECKED}finite({value}, {place})"))
    }

    /// A constant of type `i64` that does not fit 32 bits: using it stops the program.
    pub fn unfit(&mut self, value: i64, place: &str) -> String {
        let (low, high) = (value as u32, (value >> 32) as u32);
        self.mentioned(format!("{CHECKED}none({low:#010x}u, {high:#010x}u, {place})"))
    }

    fn mentioned(&mut self, text: String) -> String {
        self.mention(&text);
        text
    }

    /// Collects the helper functions that a text names.
    pub fn mention(&mut self, text: &str) {
        for word in words(text) {
            if let Some((name, block)) = BLOCKS.get_key_value(word)
                && self.used.insert(name)
            {
                self.mention(block.text.as_str());
            }
        }
    }

    /// The definitions of the functions used, in the order of the files.
    pub fn text(&self) -> String {
        let mut blocks: Vec<_> = self.used.iter().filter_map(|name| BLOCKS.get(name)).collect();
        blocks.sort_by_key(|b| b.order);
        let texts: Vec<&str> = blocks.iter().map(|b| b.text.as_str()).collect();
        texts.join("\n\n")
    }
}

/// The prefix of helper functions that can stop the program.
pub const CHECKED: &str = "arr_checked_";

/// Whether an operator on narrow integers that fit may give an `i64` that does not.
pub(crate) fn may_overflow(prim: Prim, args: &[Scalar]) -> bool {
    match prim {
        Prim::Add | Prim::Sub | Prim::Mul | Prim::Pow | Prim::Shl => args.contains(&Scalar::I64),
        Prim::BitAnd | Prim::BitOr | Prim::BitXor => args.contains(&Scalar::I64),
        Prim::ToI64 => !matches!(args, [Scalar::Bool | Scalar::I64]),
        _ => false,
    }
}

/// A definition in a file: its text, and its position among all.
struct Block {
    text: String,
    order: usize,
}

/// Definitions are separated by empty lines, each with its comment before it.
static BLOCKS: LazyLock<BTreeMap<&'static str, Block>> = LazyLock::new(|| {
    let files = [
        INT.replace("INT", "i32"),
        // `arr_u32_pow` exists already.
        INT.replace("INT", "i64"),
        NARROW.to_string(),
        SINGLE.to_string(),
        REAL.replace("REAL", "f32"),
        DOUBLE.to_string(),
        REAL.replace("REAL", "f64"),
    ];
    let mut blocks = BTreeMap::new();
    for text in files.iter().flat_map(|file| file.split("\n\n")) {
        let Some(name) = defined(text) else { continue };
        // The table lives as long as the process.
        let name: &'static str = Box::leak(name.to_string().into_boxed_str());
        let order = blocks.len();
        blocks.entry(name).or_insert(Block { text: text.trim().to_string(), order });
    }
    blocks
});

/// The name that a block defines.
fn defined(block: &str) -> Option<&str> {
    let line = block.lines().find(|line| !line.starts_with("//") && !line.is_empty())?;
    let rest = ["fn ", "const ", "var<private> ", "struct "].iter().find_map(|key| line.strip_prefix(key))?;
    words(rest).next()
}

/// The words of a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

/// Whether an expression is the literal of a number.
fn is_literal(text: &str) -> bool {
    text.trim_start_matches(['(', '-']).starts_with(|c: char| c.is_ascii_digit())
}

/// `x` to a small constant power.
fn small_power(elem: Scalar, exponent: &str, x: &str) -> Option<String> {
    let name = elem.name();
    let digits = exponent.trim_matches(['(', ')']).trim_end_matches("li").trim_end_matches('i');
    Some(match digits {
        "0" => format!("{name}(1.0)"),
        "1" => x.to_string(),
        "2" => format!("arr_{name}_square({x})"),
        "3" => format!("arr_{name}_cube({x})"),
        "-1" => format!("(1.0 / {x})"),
        "-2" => format!("(1.0 / arr_{name}_square({x}))"),
        _ => return None,
    })
}

/// The row of an operator: an expression with `{0}`, `{1}`, `{2}` for the operands.
fn row(prim: Prim, args: &[Scalar], integers: Integers) -> Option<String> {
    let elem = *args.last()?;
    let name = type_name(elem, integers);
    if let TypeRule::Convert(to) = prim.rule() {
        return Some(conversion(elem, to, integers));
    }
    let inline = |text: &str| Some(text.to_string());
    let infix = |op: &str| Some(format!("({{0}} {op} {{1}})"));
    let helper = |what: &str| {
        let operands: Vec<String> = (0..args.len()).map(|k| format!("{{{k}}}")).collect();
        Some(format!("arr_{name}_{what}({})", operands.join(", ")))
    };
    let float = elem.is_float();
    let unsigned = elem == Scalar::U32;
    match prim {
        Prim::Add => infix("+"),
        Prim::Sub => infix("-"),
        Prim::Mul => infix("*"),
        Prim::Div if float || unsigned => infix("/"),
        Prim::Rem if unsigned => infix("%"),
        Prim::Neg if unsigned => inline("(0u - {0})"),
        Prim::Neg => inline("(-{0})"),
        Prim::Abs if unsigned => inline("{0}"),
        Prim::Round if elem == Scalar::F64 => helper("round"),
        Prim::Abs | Prim::Floor | Prim::Ceil | Prim::Round | Prim::Sqrt => Some(format!("{}({{0}})", prim.name())),
        Prim::Sign if unsigned => inline("min({0}, 1u)"),
        Prim::Min if !float => inline("min({0}, {1})"),
        Prim::Max if !float => inline("max({0}, {1})"),
        Prim::Eq if !float => infix("=="),
        Prim::Ne if !float => infix("!="),
        Prim::Lt if !float => infix("<"),
        Prim::Le if !float => infix("<="),
        Prim::Gt if !float => infix(">"),
        Prim::Ge if !float => infix(">="),
        Prim::Gt => Some(format!("arr_{name}_lt({{1}}, {{0}})")),
        Prim::Ge => Some(format!("arr_{name}_le({{1}}, {{0}})")),
        Prim::And => infix("&&"),
        Prim::Or => infix("||"),
        Prim::Not => inline("(!{0})"),
        Prim::BitAnd => infix("&"),
        Prim::BitOr => infix("|"),
        Prim::BitXor => infix("^"),
        Prim::Shl | Prim::Shr if elem == Scalar::I64 && name == "i32" => {
            Some(format!("arr_narrow_{}({{0}}, {{1}})", prim.name()))
        }
        Prim::Shl | Prim::Shr => {
            let op = if prim == Prim::Shl { "<<" } else { ">>" };
            let wide = name == "i64";
            Some(format!("({{0}} {op} (u32({{1}}) & {}u))", if wide { 63 } else { 31 }))
        }
        Prim::Select => inline("select({2}, {1}, {0})"),
        Prim::PowInt => {
            let float = type_name(*args.first()?, integers);
            let wide = type_name(Scalar::I64, integers) == "i64";
            Some(if wide {
                format!("arr_{float}_powi({{0}}, arr_i64_exponent({{1}}))")
            } else {
                format!("arr_{float}_powi({{0}}, {{1}})")
            })
        }
        Prim::Polygamma => Some(format!(
            "arr_{name}_polygamma(i32(clamp({{0}}, {0}(-1), {0}(171))), {{1}})",
            type_name(Scalar::I64, integers)
        )),
        Prim::MulZero => helper("mulz"),
        // Functions of one float have no rows of their own; each is a helper function of its name.
        arr_ir::any_function!() => helper(prim.name()),
        Prim::Div
        | Prim::Rem
        | Prim::Sign
        | Prim::Min
        | Prim::Max
        | Prim::Pow
        | Prim::Atan2
        | Prim::IsNan
        | Prim::IsFinite
        | Prim::Eq
        | Prim::Ne
        | Prim::Lt
        | Prim::Le => helper(prim.name()),
        Prim::ToBool | Prim::ToI32 | Prim::ToI64 | Prim::ToU32 | Prim::ToF32 | Prim::ToF64 => None,
    }
}

fn conversion(from: Scalar, to: Scalar, integers: Integers) -> String {
    let (source, target) = (type_name(from, integers), type_name(to, integers));
    match (from, to) {
        _ if source == target => "{0}".to_string(),
        (Scalar::F32 | Scalar::F64, Scalar::Bool) => format!("arr_{source}_ne({{0}}, {source}(0.0))"),
        (_, Scalar::Bool) => format!("({{0}} != {source}(0))"),
        // naga would sign-extend.
        (Scalar::U32, Scalar::I64) if target == "i64" => "i64(u64({0}))".to_string(),
        (Scalar::I32, Scalar::I64) if target == "i64" => "arr_i32_to_i64({0})".to_string(),
        (Scalar::F32 | Scalar::F64, _) if to.is_int() => format!("arr_{source}_to_{target}({{0}})"),
        // Between integers: wraps, or extends according to the source's signedness.
        _ => format!("{target}({{0}})"),
    }
}
