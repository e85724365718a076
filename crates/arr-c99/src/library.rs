//! The functions that generated code needs and C lacks, written once, and only those that a file uses.
//!
//! Where C leaves a result undefined (overflow, division by zero, a conversion out of range), these have the value that
//! the interpreter has.

use arr_ir::Scalar;
use std::collections::BTreeSet;

/// A function of the library: what it does, for which type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Helper {
    pub base: &'static str,
    pub elem: Scalar,
}

impl Helper {
    pub fn name(self) -> String {
        format!("arr_{}_{}", self.base, self.elem.name())
    }
}

/// The name of a function of the library.
pub(crate) fn helper(base: &'static str, elem: Scalar) -> String {
    Helper { base, elem }.name()
}

/// A row: the function, the types that it is written for (`T` is the type, `U` the unsigned integer of its width, `S` the
/// suffix of its functions of `<math.h>`), and what it calls.
struct Row {
    base: &'static str,
    elems: &'static [Scalar],
    calls: &'static [(&'static str, Option<Scalar>)],
    text: &'static str,
}

const FLOATS: &[Scalar] = &[Scalar::F64, Scalar::F32];
const DOUBLE: &[Scalar] = &[Scalar::F64];
const SIGNED: &[Scalar] = &[Scalar::I64, Scalar::I32];
const WHOLE: &[Scalar] = &[Scalar::I64, Scalar::I32, Scalar::U32];
const ALL: &[Scalar] = &[Scalar::F64, Scalar::F32, Scalar::I64, Scalar::I32, Scalar::U32, Scalar::Bool];

const ROWS: &[Row] = &[
    Row {
        base: "add",
        elems: SIGNED,
        calls: &[],
        text: "static T arr_add_N(T a, T b)\n{\n    return (T)((U)a + (U)b);\n}\n",
    },
    Row {
        base: "sub",
        elems: SIGNED,
        calls: &[],
        text: "static T arr_sub_N(T a, T b)\n{\n    return (T)((U)a - (U)b);\n}\n",
    },
    Row {
        base: "mul",
        elems: SIGNED,
        calls: &[],
        text: "static T arr_mul_N(T a, T b)\n{\n    return (T)((U)a * (U)b);\n}\n",
    },
    Row { base: "neg", elems: WHOLE, calls: &[], text: "static T arr_neg_N(T a)\n{\n    return (T)(0 - (U)a);\n}\n" },
    Row {
        base: "abs",
        elems: SIGNED,
        calls: &[("neg", None)],
        text: "static T arr_abs_N(T a)\n{\n    return a < 0 ? arr_neg_N(a) : a;\n}\n",
    },
    Row {
        base: "sign",
        elems: SIGNED,
        calls: &[],
        text: "static T arr_sign_N(T a)\n{\n    return (T)((a > 0) - (a < 0));\n}\n",
    },
    Row {
        base: "sign",
        elems: &[Scalar::U32],
        calls: &[],
        text: "static T arr_sign_N(T a)\n{\n    return a > 0 ? 1 : 0;\n}\n",
    },
    Row {
        base: "sign",
        elems: FLOATS,
        calls: &[],
        text: "/* -1, 0 or 1; NaN for NaN. */\nstatic T arr_sign_N(T a)\n{\n    return a > 0 ? 1 : a < 0 ? -1 : a;\n}\n",
    },
    Row {
        base: "min",
        elems: WHOLE,
        calls: &[],
        text: "static T arr_min_N(T a, T b)\n{\n    return a <= b ? a : b;\n}\n",
    },
    Row {
        base: "max",
        elems: WHOLE,
        calls: &[],
        text: "static T arr_max_N(T a, T b)\n{\n    return a >= b ? a : b;\n}\n",
    },
    Row {
        base: "min",
        elems: FLOATS,
        calls: &[],
        text: "/* The smaller, the first at a tie; NaN if either is NaN. */\nstatic T arr_min_N(T a, T b)\n{\n    return a <= b || a != a ? a : b;\n}\n",
    },
    Row {
        base: "max",
        elems: FLOATS,
        calls: &[],
        text: "/* The larger, the first at a tie; NaN if either is NaN. */\nstatic T arr_max_N(T a, T b)\n{\n    return a >= b || a != a ? a : b;\n}\n",
    },
    Row {
        base: "div",
        elems: SIGNED,
        calls: &[("neg", None)],
        text: "/* Rounds down; wraps where the quotient has no place. */\nstatic T arr_div_N(T a, T b)\n{\n    if (b == 0) {\n        return 0;\n    }\n    if (b == -1) {\n        return arr_neg_N(a);\n    }\n    return (T)(a / b - (a % b != 0 && (a < 0) != (b < 0)));\n}\n",
    },
    Row {
        base: "rem",
        elems: SIGNED,
        calls: &[],
        text: "/* Has the sign of the divisor. */\nstatic T arr_rem_N(T a, T b)\n{\n    if (b == 0 || b == -1) {\n        return 0;\n    }\n    return (T)(a % b + ((a % b != 0 && (a < 0) != (b < 0)) ? b : 0));\n}\n",
    },
    Row {
        base: "rem",
        elems: &[Scalar::F32],
        calls: &[],
        text: "/* Has the sign of the divisor. */\nstatic T arr_rem_N(T a, T b)\n{\n    return (T)((double)a - (double)b * floor((double)a / (double)b));\n}\n",
    },
    Row {
        base: "rem",
        elems: DOUBLE,
        calls: &[],
        text: "/* Has the sign of the divisor. */\nstatic T arr_rem_N(T a, T b)\n{\n    return a - b * floor(a / b);\n}\n",
    },
    Row {
        base: "mulz",
        elems: FLOATS,
        calls: &[],
        text: "/* A product in which a zero wins over infinities and NaN. */\nstatic T arr_mulz_N(T a, T b)\n{\n    return a == 0 || b == 0 ? 0 : a * b;\n}\n",
    },
    Row {
        base: "pow",
        elems: WHOLE,
        calls: &[],
        text: "/* Wraps; a negative exponent gives 0 unless the base is 1 or -1. */\nstatic T arr_pow_N(T a, T b)\n{\n    U product = 1;\n    U square = (U)a;\n    U rest = (U)b;\n    if (b < 1) {\n        if (b == 0 || a == 1) {\n            return 1;\n        }\n        return (U)a + 1 != 0 ? 0 : (U)b % 2 == 0 ? 1 : (T)(0 - (U)1);\n    }\n    while (rest > 0) {\n        if (rest % 2 == 1) {\n            product *= square;\n        }\n        square *= square;\n        rest /= 2;\n    }\n    return (T)product;\n}\n",
    },
    Row {
        base: "powi",
        elems: FLOATS,
        calls: &[],
        text: "/* An integer power, by repeated squaring. */\nstatic T arr_powi_N(T x, int64_t n)\n{\n    double product = 1;\n    double square = x;\n    uint64_t rest = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;\n    while (rest > 0) {\n        if (rest % 2 == 1) {\n            product *= square;\n        }\n        square *= square;\n        rest /= 2;\n    }\n    return (T)(n < 0 ? 1 / product : product);\n}\n",
    },
    Row {
        base: "shl",
        elems: WHOLE,
        calls: &[],
        text: "/* The count is taken modulo the width. */\nstatic T arr_shl_N(T a, T k)\n{\n    return (T)((U)a << ((U)k % (8 * sizeof(T))));\n}\n",
    },
    Row {
        base: "shr",
        elems: &[Scalar::U32],
        calls: &[],
        text: "/* The count is taken modulo the width. */\nstatic T arr_shr_N(T a, T k)\n{\n    return a >> (k % (8 * sizeof(T)));\n}\n",
    },
    Row {
        base: "shr",
        elems: SIGNED,
        calls: &[],
        text: "/* The count is taken modulo the width; the sign fills. */\nstatic T arr_shr_N(T a, T k)\n{\n    const U count = (U)k % (8 * sizeof(T));\n    return a < 0 ? (T)~(~(U)a >> count) : (T)((U)a >> count);\n}\n",
    },
    Row {
        base: "to_i64",
        elems: FLOATS,
        calls: &[],
        text: "/* Truncates and saturates; 0 for NaN. */\nstatic int64_t arr_to_i64_N(T x)\n{\n    if (!(x > (T)-9223372036854775808.0)) {\n        return x != x ? 0 : INT64_MIN;\n    }\n    return x < (T)9223372036854775808.0 ? (int64_t)x : INT64_MAX;\n}\n",
    },
    Row {
        base: "to_i32",
        elems: FLOATS,
        calls: &[("to_i64", None)],
        text: "/* Truncates and saturates; 0 for NaN. */\nstatic int32_t arr_to_i32_N(T x)\n{\n    const int64_t whole = arr_to_i64_N(x);\n    return (int32_t)(whole < INT32_MIN ? INT32_MIN : whole > INT32_MAX ? INT32_MAX : whole);\n}\n",
    },
    Row {
        base: "to_u32",
        elems: FLOATS,
        calls: &[("to_i64", None)],
        text: "/* Truncates and saturates; 0 for NaN. */\nstatic uint32_t arr_to_u32_N(T x)\n{\n    const int64_t whole = arr_to_i64_N(x);\n    return (uint32_t)(whole < 0 ? 0 : whole > UINT32_MAX ? UINT32_MAX : whole);\n}\n",
    },
    Row {
        base: "sigmoid",
        elems: FLOATS,
        calls: &[],
        text: "/* 1 / (1 + exp(-x)), without overflow. */\nstatic T arr_sigmoid_N(T x)\n{\n    const T small = expS(-fabsS(x));\n    return (x < 0 ? small : 1) / (1 + small);\n}\n",
    },
    Row {
        base: "softplus",
        elems: FLOATS,
        calls: &[],
        text: "/* log(1 + exp(x)), without overflow. */\nstatic T arr_softplus_N(T x)\n{\n    return (x > 0 || x != x ? x : 0) + log1pS(expS(-fabsS(x)));\n}\n",
    },
    Row { base: "polygamma", elems: DOUBLE, calls: &[], text: POLYGAMMA },
    Row {
        base: "before",
        elems: FLOATS,
        calls: &[],
        text: "/* Whether element a comes before element b when sorting: NaNs last, ties by position. */\nstatic bool arr_before_N(const T *keys, int64_t a, int64_t b)\n{\n    const bool odd_a = keys[a] != keys[a];\n    const bool odd_b = keys[b] != keys[b];\n    if (odd_a != odd_b) {\n        return odd_b;\n    }\n    if (!odd_a && keys[a] != keys[b]) {\n        return keys[a] < keys[b];\n    }\n    return a < b;\n}\n",
    },
    Row {
        base: "before",
        elems: &[Scalar::I64, Scalar::I32, Scalar::U32, Scalar::Bool],
        calls: &[],
        text: "/* Whether element a comes before element b when sorting: ties by position. */\nstatic bool arr_before_N(const T *keys, int64_t a, int64_t b)\n{\n    return keys[a] != keys[b] ? keys[a] < keys[b] : a < b;\n}\n",
    },
    Row { base: "argsort", elems: ALL, calls: &[("before", None)], text: ARGSORT },
    Row {
        base: "fresh",
        elems: ALL,
        calls: &[],
        text: "/* One of the places from `first` on, each of `length` elements, that none of the arrays has. */\nstatic T *arr_fresh_N(T *first, int64_t length, const T *const *taken, int count)\n{\n    T *place = first;\n    int at = 0;\n    while (at < count && length > 0) {\n        at++;\n        if (place == taken[at - 1]) {\n            place += length;\n            at = 0;\n        }\n    }\n    return place;\n}\n",
    },
    Row {
        base: "extent",
        elems: &[Scalar::I64],
        calls: &[],
        text: "/* A size; a negative one is an empty axis. */\nstatic int64_t arr_extent_N(int64_t size)\n{\n    return size > 0 ? size : 0;\n}\n",
    },
    Row {
        base: "times",
        elems: &[Scalar::I64],
        calls: &[],
        text: "/* The product of two numbers of elements, or INT64_MAX where that is too large. */\nstatic int64_t arr_times_N(int64_t a, int64_t b)\n{\n    return a > 0 && b > INT64_MAX / a ? INT64_MAX : a * b;\n}\n",
    },
    Row {
        base: "plus",
        elems: &[Scalar::I64],
        calls: &[],
        text: "/* The sum of two numbers of elements, or INT64_MAX where that is too large. */\nstatic int64_t arr_plus_N(int64_t a, int64_t b)\n{\n    return a > INT64_MAX - b ? INT64_MAX : a + b;\n}\n",
    },
    Row {
        base: "sum_fits",
        elems: &[Scalar::I64],
        calls: &[],
        text: "static bool arr_sum_fits_N(int64_t a, int64_t b)\n{\n    return b >= 0 ? a <= INT64_MAX - b : a >= INT64_MIN - b;\n}\n",
    },
    Row {
        base: "product_fits",
        elems: &[Scalar::I64],
        calls: &[],
        text: "/* Whether the product of sizes is an integer; of a size that is not positive, it is. */\nstatic bool arr_product_fits_N(const int64_t *sizes, int count)\n{\n    int64_t product = 1;\n    int at;\n    for (at = 0; at < count; at++) {\n        if (sizes[at] <= 0) {\n            return true;\n        }\n    }\n    for (at = 0; at < count; at++) {\n        if (sizes[at] > INT64_MAX / product) {\n            return false;\n        }\n        product *= sizes[at];\n    }\n    return true;\n}\n",
    },
];

/// Heap sort of positions: in place, and in a total order, so that it is stable.
const ARGSORT: &str = "/* Fills each row of `length` elements of `into` with the order of the same row of `keys`. */
static void arr_argsort_N(int64_t *into, const T *keys, int64_t count, int64_t length)
{
    int64_t row, at;
    for (row = 0; length > 0 && row + length <= count; row += length) {
        int64_t *order = into + row;
        const T *key = keys + row;
        int64_t heap = length / 2;
        int64_t end = length;
        for (at = 0; at < length; at++) {
            order[at] = at;
        }
        while (end > 1) {
            int64_t moved, parent, child;
            if (heap > 0) {
                moved = order[--heap];
            } else {
                moved = order[--end];
                order[end] = order[0];
            }
            parent = heap;
            while ((child = 2 * parent + 1) < end) {
                if (child + 1 < end && arr_before_N(key, order[child], order[child + 1])) {
                    child++;
                }
                if (!arr_before_N(key, moved, order[child])) {
                    break;
                }
                order[parent] = order[child];
                parent = child;
            }
            order[parent] = moved;
        }
    }
}
";

/// As `arr_math::polygamma`: recurrence, then the asymptotic series (Abramowitz and Stegun 6.3.18, 6.4.11), reflection below 0.
const POLYGAMMA: &str = "/* The derivative of order n + 1 of lgamma (Abramowitz and Stegun 6.3.18, 6.4.11). */
static double arr_polygamma_N(int64_t n, double x)
{
    static const double bernoulli[10] = {
        1.0 / 6.0, -1.0 / 30.0, 1.0 / 42.0, -1.0 / 30.0, 5.0 / 66.0,
        -691.0 / 2730.0, 7.0 / 6.0, -3617.0 / 510.0, 43867.0 / 798.0, -174611.0 / 330.0
    };
    const double pi = 3.14159265358979323846;
    const double order = (double)n;
    double steps = 0, factorial = 1, head, tail = 0, reflected = 0, reflected_sign = 1;
    int64_t k, j;
    if (n < 0 || n > 170 || x != x || (x <= 0 && x == floor(x))) {
        return NAN;
    }
    if (x < 0 && n == 0) {
        reflected = -pi / tan(pi * x);
        x = 1 - x;
    } else if (x < 0 && n == 1) {
        const double s = pi / sin(pi * x);
        reflected = s * s;
        reflected_sign = -1;
        x = 1 - x;
    }
    if (n == 0) {
        double top = 0, bottom = 1, square;
        while (x < 10) {
            top = top * x + bottom;
            bottom *= x;
            x += 1;
        }
        square = 1 / (x * x);
        for (k = 7; k >= 0; k--) {
            tail = (tail + bernoulli[k] / (double)(2 * k + 2)) * square;
        }
        return log(x) - 0.5 / x - tail - top / bottom + reflected;
    }
    for (k = 1; k <= n; k++) {
        factorial *= (double)k;
    }
    for (k = 0; x < 15 + order; k++) {
        steps += pow(x, -(order + 1));
        x += 1;
        if (k > 100000) {
            return NAN;
        }
    }
    head = factorial / order / pow(x, order) + factorial / (2 * pow(x, order + 1));
    for (k = 0; k < 10; k++) {
        double ratio = 1;
        for (j = 2 * k + 3; j < 2 * k + 2 + n; j++) {
            ratio *= (double)j;
        }
        tail += bernoulli[k] * ratio * pow(x, -(double)(2 * k + 2 + n));
    }
    return reflected_sign * (n % 2 == 0 ? -1 : 1) * (head + tail + factorial * steps) + reflected;
}
";

/// The functions of the library that a text mentions.
pub(crate) fn mentioned(text: &str) -> BTreeSet<Helper> {
    let words: BTreeSet<&str> = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
    let rows = ROWS.iter().flat_map(|row| row.elems.iter().map(|&elem| Helper { base: row.base, elem }));
    rows.filter(|helper| words.contains(helper.name().as_str())).collect()
}

/// The text of these functions and of those that they call, each once.
pub(crate) fn text(needs: &BTreeSet<Helper>) -> String {
    let mut all = BTreeSet::new();
    needs.iter().for_each(|&helper| add(helper, &mut all));
    let rows = ROWS.iter().flat_map(|row| row.elems.iter().map(move |&elem| (row, elem)));
    let wanted = rows.filter(|(row, elem)| all.contains(&Helper { base: row.base, elem: *elem }));
    wanted.map(|(row, elem)| written(row.text, elem) + "\n").collect()
}

fn add(helper: Helper, all: &mut BTreeSet<Helper>) {
    if !all.insert(helper) {
        return;
    }
    let row = ROWS.iter().find(|row| row.base == helper.base && row.elems.contains(&helper.elem));
    for &(base, elem) in row.map_or(&[][..], |row| row.calls) {
        add(Helper { base, elem: elem.unwrap_or(helper.elem) }, all);
    }
}

/// The row's text for a type: `T`, `U`, `S` and `_N` are written out where they stand alone.
fn written(text: &str, elem: Scalar) -> String {
    let unsigned = if elem.bytes() == 8 { "uint64_t" } else { "uint32_t" };
    let suffix = if elem == Scalar::F32 { "f" } else { "" };
    let ty = arr_header::c_type(elem);
    let mut out = String::new();
    let mut word = String::new();
    let flush = |word: &mut String, out: &mut String| {
        out.push_str(&match word.as_str() {
            "T" => ty.to_string(),
            "U" => unsigned.to_string(),
            w if w.ends_with("_N") => format!("{}{}", w.strip_suffix('N').unwrap_or(w), elem.name()),
            "expS" | "fabsS" | "log1pS" => format!("{}{suffix}", word.trim_end_matches('S')),
            w => w.to_string(),
        });
        word.clear();
    };
    for c in text.chars() {
        if c.is_ascii_alphanumeric() || c == '_' {
            word.push(c);
        } else {
            flush(&mut word, &mut out);
            out.push(c);
        }
    }
    flush(&mut word, &mut out);
    out
}
