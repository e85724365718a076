//! Types and sizes as text, in the user's names.

use crate::data::declared_type::{DSize, DeclaredType};
use crate::data::problem::Fact;
use crate::data::types::{FnId, SumArg, SumTy, Ty};
use crate::elaborate::Elab;
use crate::elaborate::function::FnVal;
use crate::messages::written::type_text;
use arr_base::tuple_text;
use arr_ir::{SizeId, VarId};
use std::collections::BTreeMap;

/// What the parameters of a named type stand for, as text, where it is the name of a type that is found.
struct Meaning<'t> {
    params: &'t [String],
    stands_for: BTreeMap<String, String>,
}

impl Meaning<'_> {
    fn fields(&mut self, e: &Elab, declared: &[(String, DeclaredType)], found: &[(String, Ty)]) -> bool {
        let mut pairs = declared.iter().zip(found);
        declared.len() == found.len() && pairs.all(|((a, declared), (b, ty))| a == b && self.ty(e, declared, ty))
    }

    fn ty(&mut self, e: &Elab, declared: &DeclaredType, found: &Ty) -> bool {
        match (declared, found) {
            (DeclaredType::Scalar(a), Ty::Scalar(b)) => a == b,
            (DeclaredType::Param(name), ty) => self.param(name, e.whole(ty)),
            (DeclaredType::Array(n, declared), Ty::Array(m, ty)) => self.size(e, n, *m) && self.ty(e, declared, ty),
            (DeclaredType::Tuple(a), Ty::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.ty(e, a, b))
            }
            (DeclaredType::Record(a), Ty::Record(b)) => self.fields(e, a, b),
            // Sums are written with their names anyway; a record that holds one is written out.
            _ => false,
        }
    }

    fn size(&mut self, e: &Elab, declared: &DSize, found: SizeId) -> bool {
        match declared.poly.as_name() {
            Some(name) if self.params.iter().any(|p| p == name) => self.param(name, e.show_size(found)),
            Some(name) => e.tables.constant_size(name).is_some_and(|size| e.constant_size(found) == Some(size)),
            None => declared.poly.as_constant().is_some_and(|size| e.constant_size(found) == Some(size)),
        }
    }

    fn param(&mut self, name: &str, text: String) -> bool {
        *self.stands_for.entry(name.to_string()).or_insert_with(|| text.clone()) == text
    }
}

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
            Ty::Tuple(items) => tuple_text(items.iter().map(|t| self.whole(t))),
            Ty::Record(fields) => {
                if let Some(name) = self.name_of_record(fields) {
                    return name;
                }
                let fields: Vec<String> = fields.iter().map(|(n, t)| format!("{n}: {}", self.whole(t))).collect();
                format!("{{ {} }}", fields.join(", "))
            }
            Ty::Sum(sum) => self.show_sum(sum),
            Ty::Fn(id) => self.show_fn(*id),
        }
    }

    /// The name that this file, or one that it imports, gives a record type: `Mixture[k, 3]`, `random.Key`.
    fn name_of_record(&self, fields: &[(String, Ty)]) -> Option<String> {
        // Comparing takes time for each name and each part, and large types are not the ones with a name.
        const MOST_PARTS: usize = 256;
        if fields.iter().map(|(_, ty)| ty.parts(MOST_PARTS)).sum::<usize>() > MOST_PARTS {
            return None;
        }
        self.tables.named_records.iter().find_map(|named| {
            let prefix = self.tables.prefix(self.scope.module, named.module)?;
            let DeclaredType::Record(declared) = &named.ty else { return None };
            let mut meaning = Meaning { params: &named.params, stands_for: BTreeMap::new() };
            if !meaning.fields(self, declared, fields) {
                return None;
            }
            let args: Vec<&str> =
                named.params.iter().map(|p| meaning.stands_for.get(p).map(String::as_str)).collect::<Option<_>>()?;
            let args = if args.is_empty() { String::new() } else { format!("[{}]", args.join(", ")) };
            Some(format!("{prefix}{}{args}", named.name))
        })
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
