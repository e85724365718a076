//! The names that variables have in IR text: their hints, made unique in the order in which the text binds them.

use crate::{Atom, Block, Const, Func, Op, Poly, SizeId, Type, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Words that cannot be names, because they may occur where a name may.
const RESERVED: [&str; 15] = [
    "true", "false", "inf", "nan", "inff32", "nanf32", "return", "yield", "check", "reverse", "seed", "else", "if",
    "func", "vjp",
];

/// Whether the parser would read a name as something else.
pub(crate) fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name)
}

/// Unique printed names for the variables of one function, and text that contains them.
///
/// The position of a variable in the order of binding also orders the terms of printed sizes, so that the text does
/// not depend on how variables are numbered.
#[derive(Clone, Debug)]
pub struct Names<'f> {
    func: &'f Func,
    names: FxHashMap<VarId, (String, usize)>,
}

impl<'f> Names<'f> {
    pub fn new(func: &'f Func) -> Names<'f> {
        let mut namer =
            Namer { func, taken: FxHashSet::default(), tried: FxHashMap::default(), names: FxHashMap::default() };
        func.sizes.iter().chain(&func.params).for_each(|&v| namer.bind(v));
        namer.block(&func.body);
        // Variables that nothing binds come last, so that they have unique names in text of ill-formed code too.
        func.vars.ids().for_each(|v| namer.bind(v));
        Names { func, names: namer.names }
    }

    /// The unique name of a variable; `?v7` if it is not a variable of the function.
    pub fn var(&self, var: VarId) -> String {
        self.names.get(&var).map_or_else(|| format!("?{var}"), |(name, _)| name.clone())
    }

    pub fn atom(&self, atom: Atom) -> String {
        match atom {
            Atom::Var(v) => self.var(v),
            Atom::Const(c) => const_text(c),
        }
    }

    pub fn atoms(&self, atoms: &[Atom]) -> String {
        let texts: Vec<String> = atoms.iter().map(|&a| self.atom(a)).collect();
        texts.join(", ")
    }

    /// A size as a polynomial: `n*m + 2`.
    pub fn size(&self, size: SizeId) -> String {
        self.poly(self.func.types.poly(size))
    }

    pub fn poly(&self, poly: &Poly) -> String {
        poly_text(poly, &|v| self.names.get(&v).map_or(usize::MAX, |(_, order)| *order), &|v| self.var(v))
    }

    /// A type: `[n][m]f64`.
    pub fn ty(&self, ty: &Type) -> String {
        let dims: String = ty.dims.iter().map(|&d| format!("[{}]", self.size(d))).collect();
        format!("{dims}{}", ty.elem)
    }

    /// The type of a variable; `?` if it is not a variable of the function.
    pub fn var_ty(&self, var: VarId) -> String {
        match self.func.vars.get(var) {
            Some(info) => self.ty(self.func.types.get(info.ty)),
            None => "?".to_string(),
        }
    }

    pub fn atom_ty(&self, atom: Atom) -> String {
        match atom {
            Atom::Var(v) => self.var_ty(v),
            Atom::Const(c) => c.scalar().to_string(),
        }
    }

    /// `x: [n]f64`
    pub fn typed(&self, var: VarId) -> String {
        format!("{}: {}", self.var(var), self.var_ty(var))
    }
}

struct Namer<'f> {
    func: &'f Func,
    taken: FxHashSet<String>,
    /// The last suffix given to a hint: lower ones stay taken, and thousands of variables may share a hint.
    tried: FxHashMap<String, usize>,
    names: FxHashMap<VarId, (String, usize)>,
}

impl Namer<'_> {
    fn bind(&mut self, var: VarId) {
        if self.names.contains_key(&var) {
            return;
        }
        let base = sanitize(self.func.vars.get(var).map_or("", |info| info.name.as_str()));
        let mut name = base.clone();
        if !self.taken.insert(name.clone()) {
            let suffix = self.tried.entry(base.clone()).or_insert(0);
            loop {
                *suffix += 1;
                name = format!("{base}_{suffix}");
                if self.taken.insert(name.clone()) {
                    break;
                }
            }
        }
        let order = self.names.len();
        self.names.insert(var, (name, order));
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            stmt.vars.iter().for_each(|&v| self.bind(v));
            self.op(&stmt.op);
        }
    }

    fn op(&mut self, op: &Op) {
        op.axes().iter().for_each(|a| self.bind(a.index));
        for block in op.blocks() {
            block.params.iter().for_each(|&p| self.bind(p));
            self.block(block);
        }
    }
}

/// A hint as a legal name: characters not allowed in names become `_`.
pub(crate) fn sanitize(hint: &str) -> String {
    let legal = |c: char| c.is_alphanumeric() || matches!(c, '_' | '\'' | '.');
    let mut name: String = hint.chars().map(|c| if legal(c) { c } else { '_' }).collect();
    if !name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        name.insert(0, '_');
    }
    if is_reserved(&name) {
        name.push('_');
    }
    name
}

/// A polynomial as text, terms of higher degree first, then in the given order of variables.
pub(crate) fn poly_text(poly: &Poly, order: &dyn Fn(VarId) -> usize, name: &dyn Fn(VarId) -> String) -> String {
    let mut terms: Vec<(Vec<(usize, VarId)>, i64)> = Vec::new();
    for (monomial, &coefficient) in &poly.terms {
        let mut factors: Vec<(usize, VarId)> = monomial.iter().map(|&v| (order(v), v)).collect();
        factors.sort_unstable();
        terms.push((factors, coefficient));
    }
    terms.sort_by(|(a, _), (b, _)| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    let mut text = String::new();
    for (factors, coefficient) in terms {
        let sign = match (text.is_empty(), coefficient < 0) {
            (true, true) => "-",
            (true, false) => "",
            (false, true) => " - ",
            (false, false) => " + ",
        };
        text.push_str(sign);
        let mut parts: Vec<String> = factors.iter().map(|&(_, v)| name(v)).collect();
        if coefficient.unsigned_abs() != 1 || parts.is_empty() {
            parts.insert(0, coefficient.unsigned_abs().to_string());
        }
        text.push_str(&parts.join("*"));
    }
    if text.is_empty() { "0".to_string() } else { text }
}

/// A constant: `1.0`, `3`, `3i32`, `true`. Floats are in the shortest form that reads back as the same value.
pub fn const_text(c: Const) -> String {
    match c {
        Const::Bool(b) => b.to_string(),
        Const::I64(i) => i.to_string(),
        Const::I32(i) => format!("{i}i32"),
        Const::U32(u) => format!("{u}u32"),
        Const::F64(x) if x.is_nan() => "nan".to_string(),
        Const::F32(x) if x.is_nan() => "nanf32".to_string(),
        // `Debug` of floats is the shortest form, and has a point or an exponent unless it is `inf`.
        Const::F64(x) => format!("{x:?}"),
        Const::F32(x) => format!("{x:?}f32"),
    }
}
