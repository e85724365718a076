//! Types and sizes as text, in the user's names.

use crate::data::problem::Fact;
use crate::data::types::{FnId, SumArg, SumTy, Ty};
use crate::elaborate::Elab;
use crate::elaborate::function::FnVal;
use crate::messages::written::type_text;
use arr_ir::{SizeId, VarId};

impl Elab<'_> {
    /// A type for a message; only the beginning of a very long one.
    pub fn show(&self, ty: &Ty) -> String {
        const LONGEST: usize = 2_000;
        let text = self.whole(ty);
        match text.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}..", text.get(..end).unwrap_or_default()),
            None => text,
        }
    }

    pub fn whole(&self, ty: &Ty) -> String {
        match ty {
            Ty::Error => "?".to_string(),
            Ty::Scalar(elem) => elem.name().to_string(),
            Ty::Array(size, inner) => format!("[{}]{}", self.show_size(*size), self.whole(inner)),
            Ty::Tuple(items) => {
                let items: Vec<String> = items.iter().map(|t| self.whole(t)).collect();
                format!("({})", items.join(", "))
            }
            Ty::Record(fields) => {
                let fields: Vec<String> = fields.iter().map(|(n, t)| format!("{n}: {}", self.whole(t))).collect();
                format!("{{ {} }}", fields.join(", "))
            }
            Ty::Sum(sum) => self.show_sum(sum),
            Ty::Fn(id) => self.show_fn(*id),
        }
    }

    /// `Layer[n, 3, f64]`
    pub fn show_sum(&self, sum: &SumTy) -> String {
        if sum.args.is_empty() {
            return sum.name.clone();
        }
        let arg = |arg: &SumArg| match arg {
            SumArg::Size(n) => self.show_size(*n),
            SumArg::Ty(ty) => self.whole(ty),
        };
        format!("{}[{}]", sum.name, sum.args.iter().map(arg).collect::<Vec<_>>().join(", "))
    }

    fn show_fn(&self, id: FnId) -> String {
        match self.fns.get(id) {
            Some(FnVal::Opaque { params, result }) => match params.as_slice() {
                [one] => format!("{} -> {}", self.show(one), self.show(result)),
                params => {
                    let params: Vec<String> = params.iter().map(|t| self.show(t)).collect();
                    format!("({}) -> {}", params.join(", "), self.show(result))
                }
            },
            Some(FnVal::Constructor(sum, k)) => sum.signature(*k),
            Some(FnVal::Def(def)) => match self.tables.syntax(*def) {
                Some(def) => {
                    let params = def.params.iter().flatten().filter_map(|p| p.ty.as_ref()).map(type_text);
                    let params: Vec<String> = params.collect();
                    let result = def.result.as_ref().map_or("_".to_string(), type_text);
                    format!("({}) -> {result}", params.join(", "))
                }
                None => "function".to_string(),
            },
            _ => "function".to_string(),
        }
    }

    pub fn show_size(&self, size: SizeId) -> String {
        let poly = self.b.func.types.poly(size);
        let mut text = String::new();
        // Monomials with variables first, the constant last.
        let (constant, rest): (Vec<_>, Vec<_>) = poly.terms.iter().partition(|(m, _)| m.is_empty());
        for (monomial, &c) in rest.into_iter().chain(constant) {
            let sign = if c < 0 { "-" } else { "+" };
            if !text.is_empty() || c < 0 {
                text.push_str(sign);
            }
            let names: Vec<String> = monomial.iter().map(|v| self.size_name(*v)).collect();
            match (c.unsigned_abs(), names.is_empty()) {
                (n, true) => text.push_str(&n.to_string()),
                (1, false) => text.push_str(&names.join("*")),
                (n, false) => text.push_str(&format!("{n}*{}", names.join("*"))),
            }
        }
        if text.is_empty() { "0".to_string() } else { text }
    }

    pub fn size_name(&self, v: VarId) -> String {
        match self.origins.get(&v) {
            Some(origin) if !origin.name.is_empty() => origin.name.clone(),
            _ if self.extents.contains_key(&v) => self.b.func.name(v).to_string(),
            _ => "?k".to_string(),
        }
    }

    /// Where the variables of these sizes come from, each once. Those without a place in a file are left out.
    pub fn origins_of(&self, sizes: &[SizeId]) -> Vec<Fact> {
        let mut vars: Vec<VarId> = sizes.iter().flat_map(|s| self.b.func.types.poly(*s).vars()).collect();
        vars.sort_unstable();
        vars.dedup();
        vars.into_iter().filter_map(|v| self.origins_of_var(v)).collect()
    }

    /// Where one variable of a size comes from.
    pub fn origins_of_var(&self, v: VarId) -> Option<Fact> {
        let origin = self.origins.get(&v)?;
        Some((origin.span?, format!("`{}` {}", self.size_name(v), origin.fact)))
    }
}
