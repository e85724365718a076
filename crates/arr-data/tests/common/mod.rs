//! Functions with given parameters, made without the front end.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use arr_data::{DataError, EdgeValue, Origin, Source};
use arr_ir::{Edge, EdgeParam, Func, Poly, Scalar, VarId};

/// Sizes `n m k`, which are size parameters unless an `i64` parameter has the name.
pub struct Maker {
    pub func: Func,
    names: Vec<(String, VarId)>,
}

impl Maker {
    pub fn new() -> Maker {
        Maker { func: Func::new("f"), names: Vec::new() }
    }

    pub fn size(&mut self, name: &str) -> Poly {
        if let Ok(n) = name.parse() {
            return Poly::constant(n);
        }
        if let Some((a, b)) = name.rsplit_once('+') {
            return self.size(a).add(&self.size(b));
        }
        if let Some((_, v)) = self.names.iter().find(|(n, _)| n == name) {
            return Poly::var(*v);
        }
        let var = self.func.scalar_var(name, Scalar::I64);
        self.func.sizes.push(var);
        self.names.push((name.to_string(), var));
        Poly::var(var)
    }

    pub fn array(&mut self, size: &str, inner: Edge) -> Edge {
        let poly = self.size(size);
        Edge::Array(self.func.types.size(poly), Box::new(inner))
    }

    /// `[n][m]f64`
    pub fn ty(&mut self, text: &str) -> Edge {
        match text.strip_prefix('[') {
            Some(rest) => {
                let (size, inner) = rest.split_once(']').unwrap();
                self.size(size);
                let inner = self.ty(inner);
                self.array(size, inner)
            }
            None => Edge::Scalar(Scalar::from_name(text).unwrap()),
        }
    }

    pub fn param(&mut self, name: &str, text: &str) {
        let ty = self.ty(text);
        self.param_of(name, text, ty);
    }

    pub fn param_of(&mut self, name: &str, text: &str, ty: Edge) {
        for leaf in ty.leaves() {
            let id = self.func.types.ty(leaf.ty.clone());
            let var = self.func.var(format!("{name}{}", leaf.path), id);
            self.func.params.push(var);
            if ty == Edge::Scalar(Scalar::I64) {
                self.names.push((name.to_string(), var));
            }
        }
        self.func.edge_params.push(EdgeParam { name: name.to_string(), ty, text: text.to_string() });
    }
}

pub fn record(fields: &[(&str, Edge)]) -> Edge {
    Edge::Record(fields.iter().map(|(n, e)| (n.to_string(), e.clone())).collect())
}

pub fn value(text: &str, ty: &str) -> EdgeValue {
    let edge = Maker::new().ty(ty);
    arr_data::from_text(text, &edge).unwrap_or_else(|e| panic!("{text}: {e:?}"))
}

/// A diagnostic on a few lines.
pub fn words(error: &DataError, declared: &str) -> String {
    let origin = Origin {
        argument: "x".to_string(),
        declared: declared.to_string(),
        source: Source::File("data.npy".to_string()),
    };
    show(&error.to_diagnostic(&origin))
}

pub fn show(d: &arr_base::Diagnostic) -> String {
    let mut text = format!("{}: {}", d.code, d.title);
    if let Some((expected, found)) = &d.expected_found {
        text += &format!("\n  expected {expected}, found {found}");
    }
    for note in &d.notes {
        text += &format!("\n  note: {note}");
    }
    if let Some(hint) = &d.hint {
        text += &format!("\n  hint: {hint}");
    }
    text
}
