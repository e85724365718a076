//! C identifiers for Arr names.

use std::collections::BTreeSet;

/// Reserved words of C or C++.
const RESERVED: &[&str] = &[
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "typeof_unqual",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
];
/// Macros of C libraries and compilers, which a name would be replaced by.
const MACROS: &[&str] = &[
    "NULL",
    "EOF",
    "errno",
    "stdin",
    "stdout",
    "stderr",
    "linux",
    "unix",
    "i386",
    "I",
    "NAN",
    "INFINITY",
    "HUGE",
    "MAXFLOAT",
    "DOMAIN",
    "SING",
    "OVERFLOW",
    "UNDERFLOW",
    "PLOSS",
    "TLOSS",
    "MATH_ERRNO",
    "MATH_ERREXCEPT",
    "math_errhandling",
    "RAND_MAX",
    "offsetof",
    "assert",
    "CHAR_BIT",
    "MB_LEN_MAX",
    "PATH_MAX",
    "BUFSIZ",
    "EXIT_SUCCESS",
    "EXIT_FAILURE",
    "CLOCKS_PER_SEC",
];
/// Types of C that headers mention.
const TYPES: &[&str] = &[
    "int8_t",
    "int16_t",
    "int32_t",
    "int64_t",
    "uint8_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "intptr_t",
    "uintptr_t",
    "intmax_t",
    "uintmax_t",
    "size_t",
    "ptrdiff_t",
    "max_align_t",
    "nullptr_t",
    "float_t",
    "double_t",
];
/// What names begin with that are ours, or macros of `<math.h>` and `<float.h>`.
const PREFIXES: &[&str] = &["M_", "FP_", "HUGE_VAL", "ARR_", "arr_", "FLT_", "DBL_", "LDBL_", "__"];
/// What the names of limits begin with, `INT64_MAX` and the like.
const LIMITED: &[&str] = &[
    "INT",
    "UINT",
    "SIZE",
    "PTRDIFF",
    "SIG_ATOMIC",
    "WCHAR",
    "WINT",
    "CHAR",
    "SCHAR",
    "UCHAR",
    "SHRT",
    "USHRT",
    "LONG",
    "ULONG",
    "LLONG",
    "ULLONG",
];

/// Whether C, C++ or the part that all headers share gives a name a meaning of its own.
fn is_known(name: &str) -> bool {
    // `_Bool` and the like are the compiler's.
    let is_compilers = name.starts_with('_') && name.chars().nth(1).is_some_and(|c| c.is_ascii_uppercase());
    let is_limit = || {
        ["_MAX", "_MIN", "_WIDTH", "_C"].iter().any(|end| name.ends_with(end))
            && LIMITED.iter().any(|start| name.starts_with(start))
    };
    is_compilers
        || [RESERVED, MACROS, TYPES].iter().any(|table| table.contains(&name))
        || PREFIXES.iter().any(|start| name.starts_with(start))
        || is_limit()
}

/// The name with characters that every C compiler allows: `x'` is `x_prime`, and `α` is `u3b1`. It may be a reserved word.
pub fn plain(name: &str) -> String {
    let mut text = String::new();
    for c in name.chars() {
        match c {
            '\'' => text.push_str("_prime"),
            c if c.is_ascii_alphanumeric() => text.push(c),
            c if c.is_alphanumeric() => text.push_str(&format!("u{:x}", u32::from(c))),
            _ => text.push('_'),
        }
    }
    text
}

/// The name as a valid identifier.
pub fn identifier(name: &str) -> String {
    let mut text = plain(name);
    if text.starts_with(|c: char| c.is_ascii_digit()) || text.is_empty() {
        text.insert(0, '_');
    }
    unknown(text)
}

/// The name, with a `_` behind it if it has a meaning of its own.
pub(crate) fn unknown(name: String) -> String {
    if is_known(&name) { name + "_" } else { name }
}

/// The prefix of the names of a file's functions and types: the file's name without its extension. The names that
/// belong to every header begin with `arr_`, so no others may.
pub fn prefix(path: &str) -> String {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let stem = file.strip_suffix(".arr").unwrap_or(file);
    let text = plain(stem);
    let own = text.starts_with(|c: char| c.is_ascii_alphabetic());
    if own && text != "arr" && !text.starts_with("arr_") { text } else { format!("m_{}", text.trim_start_matches('_')) }
}

/// The names that are taken in one scope.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Scope {
    taken: BTreeSet<String>,
}

impl Scope {
    /// A scope in which these are taken.
    pub fn with(names: &[&str]) -> Scope {
        Scope { taken: names.iter().map(|name| (*name).to_string()).collect() }
    }

    /// Takes one name more.
    pub fn take(&mut self, name: String) {
        self.taken.insert(name);
    }

    /// The names that are taken.
    pub fn taken(&self) -> impl Iterator<Item = &str> {
        self.taken.iter().map(String::as_str)
    }

    /// The name, or the first of `name_2`, `name_3`, .. that is not taken.
    pub fn fresh(&mut self, name: &str) -> String {
        let numbered = (2u32..).map(|n| format!("{name}_{n}"));
        let mut candidates = std::iter::once(name.to_string()).chain(numbered);
        let found = candidates.find(|candidate| !self.taken.contains(candidate)).unwrap_or_default();
        self.taken.insert(found.clone());
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_an_identifier() {
        assert_eq!(identifier("x'"), "x_prime");
        assert_eq!(identifier("double"), "double_");
        assert_eq!(identifier("2d-model"), "_2d_model");
        for name in ["_Bool", "M_PI", "HUGE_VALF", "INT64_MAX", "SIZE_MAX", "arr_f64_1", "int64_t", "char8_t"] {
            assert_eq!(identifier(name), format!("{name}_"));
        }
        for name in ["_bool", "M", "internal", "MAX", "COUNT_MAX", "arrival", "m_pi"] {
            assert_eq!(identifier(name), name);
        }
    }

    #[test]
    fn prefixes_leave_room_for_the_runtime() {
        let found = ["a/mixture.arr", "arr.arr", "arr_f64.arr", "2d.arr", "_x.arr", "array.arr"].map(prefix);
        assert_eq!(found, ["mixture", "m_arr", "m_arr_f64", "m_2d", "m_x", "array"]);
    }

    #[test]
    fn names_do_not_clash() {
        let mut scope = Scope::with(&["context"]);
        let found = ["x_", "x_", "context", "x__2", "x_"].map(|name| scope.fresh(name));
        assert_eq!(found, ["x_", "x__2", "context_2", "x__2_2", "x__3"]);
    }
}
