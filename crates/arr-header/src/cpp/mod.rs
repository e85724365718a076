//! The C++ side of a header: functions that throw, results that free themselves, arrays as `std::span`s. It includes the
//! header, whose structs are its types.

use crate::interface::{Function, Interface, Passing};
use crate::names::{Scope, identifier};
use crate::text::{c_type, comment, plain};
use crate::types::CType;
use std::fmt::Write as _;

/// The part of every file, of which only the first inclusion counts.
const COMMON: &str = include_str!("common.hpp");

/// Names that a namespace cannot have, besides those that are no identifiers.
const TAKEN: &[&str] = &["std", "arr", "main", "posix"];

/// Functions and types of C libraries, which no namespace can have the names of.
const LIBRARY: &[&str] = &[
    "abs",
    "accept",
    "access",
    "acos",
    "alarm",
    "alloca",
    "asin",
    "atan",
    "atof",
    "atoi",
    "bind",
    "bsearch",
    "calloc",
    "cbrt",
    "ceil",
    "chdir",
    "chmod",
    "chown",
    "clock",
    "close",
    "connect",
    "copysign",
    "cos",
    "cosh",
    "creat",
    "crypt",
    "ctime",
    "daemon",
    "difftime",
    "div",
    "drem",
    "dup",
    "encrypt",
    "environ",
    "erf",
    "erfc",
    "erff",
    "execl",
    "exit",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "fdim",
    "ffs",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "fork",
    "fputs",
    "fread",
    "free",
    "frexp",
    "fsync",
    "gamma",
    "getenv",
    "gets",
    "gmtime",
    "htons",
    "hypot",
    "ilogb",
    "index",
    "isatty",
    "j0",
    "j1",
    "jn",
    "kill",
    "labs",
    "ldexp",
    "ldiv",
    "lgamma",
    "link",
    "listen",
    "llabs",
    "locale",
    "localeconv",
    "localtime",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "lrint",
    "lround",
    "lseek",
    "malloc",
    "mblen",
    "memchr",
    "memcpy",
    "memmove",
    "memset",
    "mktime",
    "modf",
    "nan",
    "nearbyint",
    "nice",
    "open",
    "pause",
    "perror",
    "pipe",
    "poll",
    "popen",
    "pow",
    "printf",
    "profil",
    "putenv",
    "puts",
    "qsort",
    "quick_exit",
    "raise",
    "rand",
    "random",
    "read",
    "readlink",
    "realloc",
    "recv",
    "remainder",
    "remove",
    "rename",
    "rewind",
    "rindex",
    "rint",
    "round",
    "scalb",
    "scalbln",
    "scalbn",
    "scanf",
    "select",
    "send",
    "setenv",
    "setjmp",
    "shutdown",
    "sigaction",
    "signal",
    "significand",
    "sin",
    "sincos",
    "sinh",
    "sleep",
    "socket",
    "sqrt",
    "srand",
    "srandom",
    "stat",
    "strcat",
    "strchr",
    "strcmp",
    "strcpy",
    "strdup",
    "strlen",
    "swab",
    "symlink",
    "sync",
    "syscall",
    "system",
    "tan",
    "tanh",
    "tgamma",
    "time",
    "timezone",
    "tmpfile",
    "tm",
    "trunc",
    "truncate",
    "ttyname",
    "ungetc",
    "unlink",
    "usleep",
    "utime",
    "vfork",
    "wait",
    "wcslen",
    "wctob",
    "write",
    "y0",
    "y1",
    "yn",
];

impl Interface<'_> {
    /// A C++ header for objects compiled from `source`, beside the C header `header`.
    pub fn cpp(&self, source: &str, version: &str, header: &str) -> String {
        let guard = format!("{}_HPP", self.prefix().to_ascii_uppercase());
        let namespace = Scope::with(&[TAKEN, LIBRARY].concat()).fresh(&identifier(self.prefix()));
        let source = plain(source);
        let mut text = format!(
            "/* Compiled from {source} by arr {version}. C++20. */\n#ifndef {guard}\n#define {guard}\n\n\
             #include \"{header}\"\n\n{COMMON}\n"
        );
        for array in self.arrays() {
            text.push_str(&self.cpp_array(&array));
        }
        for row in 0..self.structs.rows.len() {
            let ty = CType::Struct(row);
            if self.has_arrays(&ty) {
                text.push_str(&self.cpp_traits(&ty, ""));
            }
        }
        text.push_str(&format!("\nnamespace {namespace} {{\n\n"));
        let mut scope = Scope::with(&["std", "arr"]);
        // A shorter name must not hide one of the header.
        self.structs.rows.iter().for_each(|s| scope.take(s.name.clone()));
        let prefix = format!("{}_", self.prefix());
        let mut own = |name: &str| scope.fresh(&identifier(name.strip_prefix(&prefix).unwrap_or(name)));
        for s in &self.structs.rows {
            let _ = writeln!(text, "using {} = ::{};", own(&s.name), s.name);
        }
        for function in &self.functions {
            text.push_str(&self.cpp_function(function, &own(&function.symbol), &function.symbol, false));
            if let Some(into) = &function.into {
                text.push_str(&self.cpp_function(function, &own(into), into, true));
            }
        }
        text + &format!("\n}} /* namespace {namespace} */\n\n#endif\n")
    }

    fn cpp_array(&self, ty: &CType) -> String {
        let CType::Array { elem, rank } = ty else { return String::new() };
        let guard = format!("{}_HPP", self.type_name(ty).to_ascii_uppercase());
        let (name, element) = (self.type_name(ty), c_type(*elem));
        let member = format!("    using element = {element};\n");
        format!(
            "#ifndef {guard}\n#define {guard}\n{}\
             template <> struct arr::array_of<{element}, {rank}> {{\n    using type = {name};\n}};\n#endif\n\n",
            self.cpp_traits(ty, &member)
        )
    }

    fn cpp_traits(&self, ty: &CType, member: &str) -> String {
        let (name, free) = (self.type_name(ty), self.release_symbol(ty));
        format!(
            "template <> struct arr::traits<{name}> {{\n{member}    \
             static void free({name} *value) {{ {free}(value); }}\n}};\n"
        )
    }

    fn cpp_function(&self, function: &Function, name: &str, symbol: &str, into: bool) -> String {
        // Names that stand for something else in the function's body.
        let mut scope = Scope::with(&["context"]);
        let mut parameters = vec!["arr::context &context".to_string()];
        let mut arguments = vec!["context.get()".to_string()];
        let mut returned = Vec::new();
        for p in &function.parameters {
            let (ty, name) = (self.type_name(p.ty()), scope.fresh(&p.name));
            let (passing, owned) = (self.passing(p, into), self.has_arrays(p.ty()));
            match passing {
                Passing::Value => parameters.push(format!("{ty} {name}")),
                Passing::Read => parameters.push(format!("const {ty} &{name}")),
                Passing::Memory => parameters.push(format!("{ty} &{name}")),
                Passing::Returned => {}
            }
            arguments.push(match passing {
                Passing::Value => name.clone(),
                Passing::Returned if owned => format!("{name}.address()"),
                _ => format!("&{name}"),
            });
            if passing == Passing::Returned {
                returned.push(Returned { ty: if owned { format!("arr::owned<{ty}>") } else { ty }, name, owned });
            }
        }
        let doc = match into {
            true => vec!["With arrays in memory that the results name.".to_string()],
            false => function.doc().to_vec(),
        };
        let locals: String = returned.iter().map(|r| format!("    {} {}{{}};\n", r.ty, r.name)).collect();
        let (result, statement) = result_of(&returned);
        format!(
            "\n{}inline {result} {name}({})\n{{\n{locals}    context.check(::{symbol}({}));\n{statement}}}\n",
            comment(&doc, ""),
            parameters.join(", "),
            arguments.join(", ")
        )
    }
}

/// A result that a function gives back: its type and its variable.
struct Returned {
    ty: String,
    name: String,
    /// Whether it is an `arr::owned`, which moves.
    owned: bool,
}

/// The type that a function gives back, and the statement that does it.
fn result_of(returned: &[Returned]) -> (String, String) {
    match returned {
        [] => ("void".to_string(), String::new()),
        // A variable alone is moved.
        [one] => (one.ty.clone(), format!("    return {};\n", one.name)),
        _ => {
            let types: Vec<&str> = returned.iter().map(|r| r.ty.as_str()).collect();
            let moved = |r: &Returned| if r.owned { format!("std::move({})", r.name) } else { r.name.clone() };
            let values: Vec<String> = returned.iter().map(moved).collect();
            (format!("std::tuple<{}>", types.join(", ")), format!("    return {{{}}};\n", values.join(", ")))
        }
    }
}
