//! Scalar functions in WGSL.

use crate::program::Integers;
use arr_ir::{Const, Prim, Scalar};

/// A primitive that kernels do not have on these types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported(pub String);

/// The helper functions that a module's scalar code calls.
#[derive(Debug)]
pub struct Functions {
    pub integers: Integers,
}

impl Functions {
    pub fn new(integers: Integers) -> Functions {
        Functions { integers }
    }

    /// The expression of a primitive on expressions.
    pub fn call(&mut self, prim: Prim, args: &[(String, Scalar)]) -> Result<String, Unsupported> {
        let elem = args.first().map_or(Scalar::F32, |a| a.1);
        let values: Vec<&str> = args.iter().map(|a| a.0.as_str()).collect();
        let infix = |op: &str| match values.as_slice() {
            [a, b] => Ok(format!("({a} {op} {b})")),
            _ => Err(Unsupported(prim.name().to_string())),
        };
        match prim {
            Prim::Add => infix("+"),
            Prim::Sub => infix("-"),
            Prim::Mul => infix("*"),
            Prim::Div if elem.is_float() => infix("/"),
            Prim::Eq => infix("=="),
            Prim::Ne => infix("!="),
            Prim::Lt => infix("<"),
            Prim::Le => infix("<="),
            Prim::Gt => infix(">"),
            Prim::Ge => infix(">="),
            Prim::And => infix("&&"),
            Prim::Or => infix("||"),
            _ => Ok(format!("{}({})", prim.name(), values.join(", "))),
        }
    }

    /// The definitions of the functions that calls need.
    pub fn text(&self) -> String {
        String::new()
    }
}

/// WGSL's name of a type in functions.
pub fn type_name(scalar: Scalar, integers: Integers) -> &'static str {
    match (scalar, integers) {
        (Scalar::I64, Integers::Narrow) => "i32",
        _ => scalar.name(),
    }
}

/// A constant as an expression.
pub fn literal(value: Const, integers: Integers) -> String {
    match value {
        Const::Bool(b) => b.to_string(),
        Const::I32(k) => format!("{k}i"),
        Const::I64(k) if integers == Integers::Narrow => format!("{k}i"),
        Const::I64(k) => format!("{k}li"),
        Const::U32(k) => format!("{k}u"),
        Const::F32(x) => format!("{x:?}f"),
        Const::F64(x) => format!("{x:?}lf"),
    }
}
