//! C expressions as text, with what decides where parentheses stand.

use arr_ir::Const;

/// How tightly an operator binds; a larger number is tighter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Binds {
    Conditional,
    Or,
    And,
    /// `& | ^ << >>`, which always stand in parentheses beside other operators.
    Bits,
    Compare,
    Sum,
    Product,
    Unary,
    Primary,
}

/// An expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Text {
    pub text: String,
    pub binds: Binds,
}

impl Text {
    pub fn new(text: impl Into<String>, binds: Binds) -> Text {
        Text { text: text.into(), binds }
    }

    pub fn primary(text: impl Into<String>) -> Text {
        Text::new(text, Binds::Primary)
    }

    /// As an operand of an operator that binds so tightly.
    pub fn within(&self, binds: Binds) -> String {
        if self.binds >= binds { self.text.clone() } else { format!("({})", self.text) }
    }

    /// As an operand that stands to the right of an operator which binds so tightly: of equals the left comes first.
    fn right(&self, binds: Binds) -> String {
        if self.binds > binds { self.text.clone() } else { format!("({})", self.text) }
    }

    pub fn is_zero(&self) -> bool {
        self.text == "0"
    }

    pub fn is_one(&self) -> bool {
        self.text == "1"
    }

    /// The number of a constant that is whole and not negative.
    fn as_whole(&self) -> Option<i64> {
        let inside = self.text.strip_prefix("INT64_C(").and_then(|rest| rest.strip_suffix(')'));
        inside.unwrap_or(&self.text).parse().ok().filter(|&n| n >= 0)
    }
}

/// `a op b`. Operands of a comparison, and of operators that readers mix up, are in parentheses unless they bind more tightly.
pub(crate) fn binary(a: &Text, operator: &str, b: &Text, binds: Binds) -> Text {
    let left = match binds {
        Binds::Compare => a.right(Binds::Compare),
        Binds::Bits => a.within(Binds::Unary),
        // `a && b || c` draws a warning.
        Binds::Or if a.binds == Binds::And => format!("({})", a.text),
        _ => a.within(binds),
    };
    let right = match binds {
        Binds::Bits => b.within(Binds::Unary),
        Binds::Or if b.binds == Binds::And => format!("({})", b.text),
        Binds::And | Binds::Or => b.within(binds),
        _ => b.right(binds),
    };
    Text::new(format!("{left} {operator} {right}"), binds)
}

/// `function(a, b)`
pub(crate) fn call(function: &str, args: &[Text]) -> Text {
    let args: Vec<&str> = args.iter().map(|a| a.text.as_str()).collect();
    Text::primary(format!("{function}({})", args.join(", ")))
}

/// `(type)a`
pub(crate) fn cast(ty: &str, a: &Text) -> Text {
    Text::new(format!("({ty}){}", a.within(Binds::Unary)), Binds::Unary)
}

/// `a + b` for offsets: nothing is added to 0, and a negative constant is taken away.
pub(crate) fn offset_sum(a: &Text, b: &Text) -> Text {
    if a.is_zero() {
        return b.clone();
    }
    let is_number = |text: &Text| text.text.trim_start_matches('-').bytes().all(|c| c.is_ascii_digit());
    if is_number(a) && !is_number(b) {
        return offset_sum(b, a);
    }
    match b.text.strip_prefix('-') {
        _ if b.is_zero() => a.clone(),
        Some(rest) if !rest.is_empty() && rest.bytes().all(|c| c.is_ascii_digit()) => {
            binary(a, "-", &Text::primary(rest), Binds::Sum)
        }
        // Integers may be added in any order.
        _ => Text::new(format!("{} + {}", a.within(Binds::Sum), b.within(Binds::Sum)), Binds::Sum),
    }
}

/// `a * b` for offsets.
pub(crate) fn offset_product(a: &Text, b: &Text) -> Text {
    match (a.is_zero() || b.is_zero(), a.is_one(), b.is_one()) {
        (true, ..) => Text::primary("0"),
        (_, true, _) => b.clone(),
        (_, _, true) => a.clone(),
        _ => Text::new(format!("{} * {}", a.within(Binds::Product), b.within(Binds::Product)), Binds::Product),
    }
}

/// The product of the factors of a number of elements. As long as memory can hold as many, it does not overflow, not even on
/// the way to a factor that is 0: constants come last, and all but the last of three or more others are multiplied by `wrapping`.
pub(crate) fn count_product(factors: &[Text], wrapping: &str) -> Text {
    let (known, unknown): (Vec<&Text>, Vec<&Text>) = factors.iter().partition(|factor| factor.as_whole().is_some());
    let known = known.iter().filter_map(|factor| factor.as_whole()).collect::<Vec<i64>>();
    let constant = if known.contains(&0) { 0 } else { known.iter().fold(1, |a: i64, &b| a.saturating_mul(b)) };
    let constant = self::constant(Const::I64(constant));
    let Some((last, first)) = unknown.split_last() else { return constant };
    let first = first.iter().map(|&factor| factor.clone());
    let first = first.reduce(|a, b| call(wrapping, &[a, b]));
    let product = first.map_or((*last).clone(), |first| offset_product(&first, last));
    offset_product(&product, &constant)
}

/// A constant.
pub(crate) fn constant(c: Const) -> Text {
    match c {
        Const::Bool(b) => Text::primary(if b { "true" } else { "false" }),
        Const::I32(i32::MIN) => Text::primary("INT32_MIN"),
        Const::I64(i64::MIN) => Text::primary("INT64_MIN"),
        Const::I32(i) => number(i.to_string()),
        Const::I64(i) if i32::try_from(i).is_ok() => number(i.to_string()),
        Const::I64(i) => Text::primary(if i < 0 { format!("(-INT64_C({}))", -i) } else { format!("INT64_C({i})") }),
        Const::U32(u) => Text::primary(format!("{u}u")),
        Const::F32(x) => float(f64::from(x), format!("{x:?}"), "f"),
        Const::F64(x) => float(x, format!("{x:?}"), ""),
    }
}

fn number(text: String) -> Text {
    let binds = if text.starts_with('-') { Binds::Unary } else { Binds::Primary };
    Text::new(text, binds)
}

fn float(x: f64, digits: String, suffix: &str) -> Text {
    if x.is_nan() {
        return Text::primary("NAN");
    }
    if x.is_infinite() {
        return if x > 0.0 { Text::primary("INFINITY") } else { Text::new("-INFINITY", Binds::Unary) };
    }
    number(digits + suffix)
}
