//! The table of scalar primitives in C.
//!
//! A row is the expression that has the primitive's value. What C lacks, or leaves undefined, is a function of the
//! library; everything else is an operator or a function of `<math.h>`. The match has no catch-all, so that the compiler
//! names a missing row.

use crate::library::Helper;
use crate::text::{Binds, Text, binary, call, cast};
use arr_header::c_type;
use arr_ir::{Prim, Scalar};

/// How scalars are computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Arithmetic {
    /// Functions of an `f32` are those of an `f64`, rounded, as the interpreter has them.
    pub strict: bool,
}

/// An operand.
#[derive(Clone, Debug)]
pub(crate) struct Arg {
    pub text: Text,
    pub elem: Scalar,
    /// Whether it is computed from sizes and indices alone, so that no overflow has to be thought of.
    pub index: bool,
}

/// The primitive's value.
pub(crate) fn scalar(prim: Prim, args: &[Arg], how: Arithmetic) -> Option<Text> {
    let texts: Vec<Text> = args.iter().map(|a| a.text.clone()).collect();
    let elem = args.first()?.elem;
    let index = args.iter().all(|a| a.index);
    let helper = |base: &'static str, elem: Scalar| call(&Helper { base, elem }.name(), &texts);
    let text = match (prim, texts.as_slice()) {
        (Prim::Add | Prim::Sub | Prim::Mul, [a, b]) => {
            if elem == Scalar::I32 || (elem == Scalar::I64 && !index) {
                return Some(helper(arithmetic(prim), elem));
            }
            let (operator, binds) = match prim {
                Prim::Add => ("+", Binds::Sum),
                Prim::Sub => ("-", Binds::Sum),
                _ => ("*", Binds::Product),
            };
            let negative = b.text.strip_prefix('-').filter(|n| n.bytes().all(|c| c.is_ascii_digit()));
            match negative {
                Some(n) if prim == Prim::Add && index => binary(a, "-", &Text::primary(n), binds),
                _ => binary(a, operator, b, binds),
            }
        }
        (Prim::Div, [a, b]) if elem.is_float() || elem == Scalar::U32 => binary(a, "/", b, Binds::Product),
        (Prim::Rem, [a, b]) if elem == Scalar::U32 => binary(a, "%", b, Binds::Product),
        (Prim::Div, _) => helper("div", elem),
        (Prim::Rem, _) => helper("rem", elem),
        (Prim::MulZero, _) => helper("mulz", elem),
        (Prim::Neg, [a]) if elem.is_float() => Text::new(format!("-{}", a.within(Binds::Primary)), Binds::Unary),
        (Prim::Neg, _) => helper("neg", elem),
        (Prim::Abs, [a]) if elem.is_float() => call(single("fabs", elem), std::slice::from_ref(a)),
        (Prim::Abs, [a]) if elem == Scalar::U32 => a.clone(),
        (Prim::Abs, _) => helper("abs", elem),
        (Prim::Sign, _) => helper("sign", elem),
        (Prim::Min, _) => helper("min", elem),
        (Prim::Max, _) => helper("max", elem),
        (Prim::Pow, _) if elem.is_float() => function("pow", elem, &texts, how),
        (Prim::Pow, _) => helper("pow", elem),
        (Prim::PowInt, [x, n]) => match power(x, &n.text) {
            Some(text) => text,
            None => helper("powi", elem),
        },
        (Prim::Sqrt, [a]) => call(single("sqrt", elem), std::slice::from_ref(a)),
        (Prim::Floor, [a]) => call(single("floor", elem), std::slice::from_ref(a)),
        (Prim::Ceil, [a]) => call(single("ceil", elem), std::slice::from_ref(a)),
        (Prim::Round, [a]) => call(single("rint", elem), std::slice::from_ref(a)),
        (Prim::IsNan, [a]) => Text::new(format!("isnan({}) != 0", a.text), Binds::Compare),
        (Prim::IsFinite, [a]) => Text::new(format!("isfinite({}) != 0", a.text), Binds::Compare),
        (Prim::Atan2, _) => function("atan2", elem, &texts, how),
        (Prim::Exp, _) => function("exp", elem, &texts, how),
        (Prim::Expm1, _) => function("expm1", elem, &texts, how),
        (Prim::Log, _) => function("log", elem, &texts, how),
        (Prim::Log1p, _) => function("log1p", elem, &texts, how),
        (Prim::Tanh, _) => function("tanh", elem, &texts, how),
        (Prim::Sin, _) => function("sin", elem, &texts, how),
        (Prim::Cos, _) => function("cos", elem, &texts, how),
        (Prim::Tan, _) => function("tan", elem, &texts, how),
        (Prim::Asin, _) => function("asin", elem, &texts, how),
        (Prim::Acos, _) => function("acos", elem, &texts, how),
        (Prim::Atan, _) => function("atan", elem, &texts, how),
        (Prim::Sinh, _) => function("sinh", elem, &texts, how),
        (Prim::Cosh, _) => function("cosh", elem, &texts, how),
        (Prim::Erf, _) => function("erf", elem, &texts, how),
        (Prim::Lgamma, _) => function("lgamma", elem, &texts, how),
        (Prim::Sigmoid, _) => helper("sigmoid", elem),
        (Prim::Softplus, _) => helper("softplus", elem),
        (Prim::Digamma, [x]) => {
            let name = Helper { base: "polygamma", elem: Scalar::F64 }.name();
            rounded(call(&name, &[Text::primary("0"), x.clone()]), elem)
        }
        (Prim::Polygamma, _) => rounded(helper("polygamma", Scalar::F64), args.get(1).map_or(elem, |x| x.elem)),
        (Prim::Eq, [a, b]) => compare(a, "==", b, elem),
        (Prim::Ne, [a, b]) => compare(a, "!=", b, elem),
        (Prim::Lt, [a, b]) => compare(a, "<", b, elem),
        (Prim::Le, [a, b]) => compare(a, "<=", b, elem),
        (Prim::Gt, [a, b]) => compare(a, ">", b, elem),
        (Prim::Ge, [a, b]) => compare(a, ">=", b, elem),
        (Prim::And, [a, b]) => junction(a, "&&", b, Binds::And, "true"),
        (Prim::Or, [a, b]) => junction(a, "||", b, Binds::Or, "false"),
        (Prim::Not, [a]) => Text::new(format!("!{}", a.within(Binds::Unary)), Binds::Unary),
        (Prim::BitAnd, [a, b]) => binary(a, "&", b, Binds::Bits),
        (Prim::BitOr, [a, b]) => binary(a, "|", b, Binds::Bits),
        (Prim::BitXor, [a, b]) => binary(a, "^", b, Binds::Bits),
        (Prim::Shl, _) => helper("shl", elem),
        (Prim::Shr, _) => helper("shr", elem),
        (Prim::Select, [c, a, b]) => Text::new(
            format!("{} ? {} : {}", c.within(Binds::Or), a.within(Binds::Or), b.within(Binds::Conditional)),
            Binds::Conditional,
        ),
        (Prim::ToBool, [a]) if elem == Scalar::Bool => a.clone(),
        (Prim::ToBool, [a]) => binary(a, "!=", &zero(elem), Binds::Compare),
        (Prim::ToI32, _) if elem.is_float() => helper("to_i32", elem),
        (Prim::ToI64, _) if elem.is_float() => helper("to_i64", elem),
        (Prim::ToU32, _) if elem.is_float() => helper("to_u32", elem),
        (Prim::ToI32, [a]) => converted(a, elem, Scalar::I32),
        (Prim::ToI64, [a]) => converted(a, elem, Scalar::I64),
        (Prim::ToU32, [a]) => converted(a, elem, Scalar::U32),
        (Prim::ToF32, [a]) => converted(a, elem, Scalar::F32),
        (Prim::ToF64, [a]) => converted(a, elem, Scalar::F64),
        (
            Prim::Add
            | Prim::Sub
            | Prim::Mul
            | Prim::PowInt
            | Prim::Sqrt
            | Prim::Floor
            | Prim::Ceil
            | Prim::Round
            | Prim::IsNan
            | Prim::IsFinite
            | Prim::Digamma
            | Prim::Eq
            | Prim::Ne
            | Prim::Lt
            | Prim::Le
            | Prim::Gt
            | Prim::Ge
            | Prim::And
            | Prim::Or
            | Prim::Not
            | Prim::BitAnd
            | Prim::BitOr
            | Prim::BitXor
            | Prim::Select
            | Prim::ToBool
            | Prim::ToI32
            | Prim::ToI64
            | Prim::ToU32
            | Prim::ToF32
            | Prim::ToF64,
            _,
        ) => return None,
    };
    Some(text)
}

/// A comparison. Compilers warn of one that compares an integer with itself.
pub(crate) fn compare(a: &Text, operator: &str, b: &Text, elem: Scalar) -> Text {
    let zero = elem == Scalar::U32 && b.text == "0u";
    if zero && matches!(operator, "<" | ">=") {
        return Text::primary(if operator == "<" { "false" } else { "true" });
    }
    if a == b && !elem.is_float() {
        return Text::primary(if matches!(operator, "==" | "<=" | ">=") { "true" } else { "false" });
    }
    binary(a, operator, b, Binds::Compare)
}

/// `and` or `or`: a side that is known decides, or leaves it to the other.
fn junction(a: &Text, operator: &str, b: &Text, binds: Binds, neutral: &str) -> Text {
    let known = |text: &Text| matches!(text.text.as_str(), "true" | "false");
    match (known(a), known(b)) {
        (true, _) => {
            if a.text == neutral {
                b.clone()
            } else {
                a.clone()
            }
        }
        (_, true) => {
            if b.text == neutral {
                a.clone()
            } else {
                b.clone()
            }
        }
        _ => binary(a, operator, b, binds),
    }
}

fn arithmetic(prim: Prim) -> &'static str {
    match prim {
        Prim::Add => "add",
        Prim::Sub => "sub",
        _ => "mul",
    }
}

/// A function of `<math.h>`. In strict code one of an `f32` is that of an `f64`, rounded.
fn function(name: &'static str, elem: Scalar, args: &[Text], how: Arithmetic) -> Text {
    if elem == Scalar::F32 && how.strict {
        return rounded(call(name, args), elem);
    }
    call(single(name, elem), args)
}

fn rounded(text: Text, elem: Scalar) -> Text {
    if elem == Scalar::F32 { cast("float", &text) } else { text }
}

/// The name of the function of `<math.h>` for a type.
fn single(name: &'static str, elem: Scalar) -> &'static str {
    const NAMES: &[(&str, &str)] = &[
        ("fabs", "fabsf"),
        ("sqrt", "sqrtf"),
        ("floor", "floorf"),
        ("ceil", "ceilf"),
        ("rint", "rintf"),
        ("pow", "powf"),
        ("atan2", "atan2f"),
        ("exp", "expf"),
        ("expm1", "expm1f"),
        ("log", "logf"),
        ("log1p", "log1pf"),
        ("tanh", "tanhf"),
        ("sin", "sinf"),
        ("cos", "cosf"),
        ("tan", "tanf"),
        ("asin", "asinf"),
        ("acos", "acosf"),
        ("atan", "atanf"),
        ("sinh", "sinhf"),
        ("cosh", "coshf"),
        ("erf", "erff"),
        ("lgamma", "lgammaf"),
    ];
    if elem != Scalar::F32 {
        return name;
    }
    NAMES.iter().find(|row| row.0 == name).map_or(name, |row| row.1)
}

fn zero(elem: Scalar) -> Text {
    crate::text::constant(arr_ir::Const::zero(elem))
}

fn converted(a: &Text, from: Scalar, to: Scalar) -> Text {
    if from == to { a.clone() } else { cast(c_type(to), a) }
}

/// A small constant power of a name, in the order of products that the interpreter has (repeated squaring).
fn power(x: &Text, n: &str) -> Option<Text> {
    let is_name = x.binds == Binds::Primary && x.text.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
    if !is_name {
        return None;
    }
    let square = || binary(x, "*", x, Binds::Product);
    match n {
        "1" => Some(x.clone()),
        "2" => Some(square()),
        "3" => Some(binary(x, "*", &square(), Binds::Product)),
        "4" => Some(binary(&square(), "*", &square(), Binds::Product)),
        _ => None,
    }
}
