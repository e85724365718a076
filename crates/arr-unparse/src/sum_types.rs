//! Sum types at the edge of the definition: the types to print, parameters decomposed with `match`, results assembled.
//!
//! The IR represents a sum by its leaves, so its type is reconstructed from its uses: where two of them differ in a
//! size or a type, the printed type has a parameter. `Layer[n, m]` and `Layer[m, k]` are one type `Layer[n, m]`.

use crate::ast;
use crate::edge::{LeafPath, Step};
use crate::emitter::Emitter;
use crate::names::variable_name;
use arr_ir::{Atom, Const, Edge, EdgeParam, Func, Scalar, SizeId, VarId};
use arr_syntax::ast::{
    Binding, Bound, Constructor, Expr, ExprKind, Item, Pattern, PatternKind, Type, TypeArg, TypeBody, TypeDef,
    TypeDefParam, TypeKind, TypeParam,
};

/// A size or a type that differs between the uses of a sum: one entry per use.
#[derive(Clone, PartialEq, Debug)]
enum Varying {
    Size(Vec<SizeId>),
    Type(Vec<Edge>),
}

/// A sum that the signature mentions.
#[derive(Debug)]
pub struct Sum {
    /// The name in the IR, and the printed one.
    name: String,
    printed: String,
    /// The printed names of the constructors.
    constructors: Vec<String>,
    /// The payloads of its constructors, at each use.
    uses: Vec<Vec<(String, Vec<Edge>)>>,
    /// The parameters of the printed type, in order of appearance.
    params: Vec<(String, Varying)>,
    item: Option<TypeDef>,
}

/// The last part of a qualified name.
fn own_name(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

fn collect(edge: &Edge, sums: &mut Vec<Sum>) {
    match edge {
        Edge::Scalar(_) => {}
        Edge::Array(_, inner) => collect(inner, sums),
        Edge::Tuple(items) => items.iter().for_each(|e| collect(e, sums)),
        Edge::Record(fields) => fields.iter().for_each(|(_, e)| collect(e, sums)),
        Edge::Sum { name, constructors } => {
            // A sum comes after those in its payload.
            constructors.iter().flat_map(|(_, f)| f).for_each(|e| collect(e, sums));
            match sums.iter_mut().find(|s| s.name == *name) {
                Some(sum) if sum.uses.contains(constructors) => {}
                Some(sum) => sum.uses.push(constructors.clone()),
                None => sums.push(Sum {
                    name: name.clone(),
                    printed: own_name(name).to_string(),
                    constructors: constructors.iter().map(|(c, _)| own_name(c).to_string()).collect(),
                    uses: vec![constructors.clone()],
                    params: Vec::new(),
                    item: None,
                }),
            }
        }
    }
}

/// Finds the common generalization of several uses.
struct Generalize<'f> {
    func: &'f Func,
    params: Vec<(String, Varying)>,
    known: &'f [Sum],
    /// An impossible case that was met.
    broken: Option<&'static str>,
}

impl Generalize<'_> {
    /// The parameter for this variation.
    fn param(&mut self, varying: Varying, hint: &str) -> String {
        if let Some((name, _)) = self.params.iter().find(|(_, v)| *v == varying) {
            return name.clone();
        }
        let taken = |name: &str| self.params.iter().any(|(n, _)| n == name) || Scalar::from_name(name).is_some();
        let mut name = hint.to_string();
        let mut n = 1;
        while taken(&name) {
            name = format!("{hint}{n}");
            n += 1;
        }
        self.params.push((name.clone(), varying));
        name
    }

    fn size(&mut self, sizes: Vec<SizeId>) -> arr_syntax::ast::Size {
        let poly = |s: &SizeId| self.func.types.poly(*s).clone();
        let first = sizes.first().map(poly).unwrap_or_default();
        let constant = first.as_constant().filter(|_| sizes.iter().all(|s| poly(s) == first));
        if let Some(value) = constant {
            return ast::size(arr_syntax::ast::SizeKind::Int(value));
        }
        let hint = first.as_var().map_or("k".to_string(), |v| self.func.name(v).to_string());
        let hint = if hint.starts_with(|c: char| c.is_ascii_lowercase()) { hint } else { "k".to_string() };
        let hint: String = hint.chars().filter(|c| c.is_ascii_alphanumeric()).collect();
        let name = self.param(Varying::Size(sizes), &hint);
        ast::size(arr_syntax::ast::SizeKind::Name(name))
    }

    fn ty(&mut self, edges: Vec<&Edge>) -> Type {
        match edges.first() {
            Some(Edge::Scalar(elem)) if edges.iter().all(|e| **e == Edge::Scalar(*elem)) => {
                named(elem.name(), Vec::new())
            }
            Some(Edge::Array(..)) if edges.iter().all(|e| matches!(e, Edge::Array(..))) => {
                let part = |e: &&'_ Edge| if let Edge::Array(n, _) = *e { Some(*n) } else { None };
                let size = self.size(edges.iter().filter_map(part).collect());
                let inner = |e: &Edge| if let Edge::Array(_, inner) = e { Some((**inner).clone()) } else { None };
                let below: Vec<Edge> = edges.iter().filter_map(|e| inner(e)).collect();
                ast::ty(TypeKind::Array(size, Box::new(self.ty(below.iter().collect()))))
            }
            Some(Edge::Tuple(items)) if edges.iter().all(|e| matches!(e, Edge::Tuple(i) if i.len() == items.len())) => {
                let column = |k: usize| -> Vec<&Edge> {
                    edges.iter().filter_map(|e| if let Edge::Tuple(i) = *e { i.get(k) } else { None }).collect()
                };
                ast::ty(TypeKind::Tuple((0..items.len()).map(|k| self.ty(column(k))).collect()))
            }
            Some(Edge::Record(fields)) if edges.iter().all(|e| same_fields(e, fields)) => {
                let column = |k: usize| -> Vec<&Edge> {
                    edges
                        .iter()
                        .filter_map(|e| if let Edge::Record(f) = *e { f.get(k).map(|f| &f.1) } else { None })
                        .collect()
                };
                let fields = fields.iter().enumerate().map(|(k, (name, _))| (ast::name(name), self.ty(column(k))));
                ast::ty(TypeKind::Record(fields.collect()))
            }
            Some(Edge::Sum { name, .. })
                if edges.iter().all(|e| matches!(e, Edge::Sum { name: n, .. } if n == name)) =>
            {
                self.sum(name, &edges)
            }
            _ => {
                let name = self.param(Varying::Type(edges.into_iter().cloned().collect()), "t");
                named(&name, Vec::new())
            }
        }
    }

    /// A sum inside a sum: its arguments at each use, generalized.
    fn sum(&mut self, name: &str, edges: &[&Edge]) -> Type {
        let known = self.known;
        let Some(sum) = known.iter().find(|s| s.name == name) else {
            self.broken = Some("a sum carries one that is not declared before it");
            return ast::ty(TypeKind::Error);
        };
        let mut args = Vec::new();
        for (_, varying) in &sum.params {
            let at = |e: &&Edge| if let Edge::Sum { constructors, .. } = *e { sum.use_of(constructors) } else { None };
            let uses: Vec<usize> = edges.iter().filter_map(at).collect();
            args.push(match varying {
                Varying::Size(sizes) => {
                    TypeArg::Size(self.size(uses.iter().filter_map(|u| sizes.get(*u).copied()).collect()))
                }
                Varying::Type(types) => {
                    let types: Vec<&Edge> = uses.iter().filter_map(|u| types.get(*u)).collect();
                    TypeArg::Type(self.ty(types))
                }
            });
        }
        named(&sum.printed, args)
    }
}

fn same_fields(edge: &Edge, fields: &[(String, Edge)]) -> bool {
    matches!(edge, Edge::Record(other) if other.iter().map(|f| &f.0).eq(fields.iter().map(|f| &f.0)))
}

fn named(name: &str, args: Vec<TypeArg>) -> Type {
    ast::ty(TypeKind::Named { name: ast::name(name), args })
}

impl Sum {
    /// The index of this use.
    fn use_of(&self, constructors: &[(String, Vec<Edge>)]) -> Option<usize> {
        self.uses.iter().position(|u| u == constructors)
    }

    fn declare(&mut self, func: &Func, known: &[Sum]) -> Result<(), &'static str> {
        let mut general = Generalize { func, params: Vec::new(), known, broken: None };
        let first = self.uses.first().ok_or("a sum is declared that nothing uses")?;
        let mut constructors = Vec::new();
        for (c, (name, fields)) in first.iter().enumerate() {
            let column = |k: usize| -> Vec<&Edge> { self.uses.iter().filter_map(|u| u.get(c)?.1.get(k)).collect() };
            let fields = (0..fields.len()).map(|k| general.ty(column(k))).collect();
            let name = self.constructors.get(c).map_or(name.as_str(), String::as_str);
            constructors.push(Constructor { name: ast::name(name), fields });
        }
        self.params = general.params;
        let param = |(name, varying): &(String, Varying)| match varying {
            Varying::Size(_) => TypeDefParam::Size(ast::name(name)),
            Varying::Type(_) => TypeDefParam::Type(TypeParam { name: ast::name(name), bound: Bound::Any }),
        };
        self.item = Some(TypeDef {
            doc: Vec::new(),
            name: ast::name(&self.printed),
            params: self.params.iter().map(param).collect(),
            body: TypeBody::Sum(constructors),
            span: ast::span(),
        });
        general.broken.map_or(Ok(()), Err)
    }
}

/// The sums of a function's signature, those in payloads of others first. Fails if the payload of a sum contains one
/// that was not found before it.
pub fn sums(func: &Func) -> Result<Vec<Sum>, &'static str> {
    let mut found = Vec::new();
    let edges = func.edge_params.iter().map(|EdgeParam { ty, .. }| ty).chain([&func.edge_result]);
    edges.for_each(|edge| collect(edge, &mut found));
    let mut done: Vec<Sum> = Vec::new();
    for mut sum in found {
        // Two modules may have types, and constructors, of the same name.
        sum.printed = unused(&sum.printed, |name| done.iter().any(|d| d.printed == name));
        for constructor in &mut sum.constructors {
            *constructor = unused(constructor, |name| done.iter().any(|d| d.constructors.iter().any(|c| c == name)));
        }
        sum.declare(func, &done)?;
        done.push(sum);
    }
    Ok(done)
}

/// The name, with a number if it is taken.
fn unused(name: &str, taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2..).map(|n| format!("{name}{n}"));
    std::iter::once(name.to_string()).chain(numbered).find(|n| !taken(n)).unwrap_or_else(|| name.to_string())
}

/// The definitions of the types.
pub fn items(sums: &[Sum]) -> Vec<Item> {
    sums.iter().filter_map(|s| s.item.clone()).map(Item::Type).collect()
}

/// The leaves of a value, during their collection.
struct Parts<'p> {
    /// Which of them are needed.
    used: &'p [bool],
    /// Their variables, at the edge of the function.
    vars: &'p [VarId],
    bindings: Vec<Binding>,
    leaves: Vec<Expr>,
}

impl Emitter<'_> {
    /// Takes the names of the types and their constructors.
    pub fn reserve_sums(&mut self) {
        let sums = std::mem::take(&mut self.sums);
        for sum in &sums {
            self.names.reserve(&sum.printed);
            sum.constructors.iter().for_each(|name| self.names.reserve(name));
        }
        self.sums = sums;
    }

    /// The printed name of a sum's constructor with this index.
    fn constructor(&mut self, sum: &str, k: usize) -> String {
        let sum = self.sums.iter().find(|s| s.name == sum);
        match sum.and_then(|s| s.constructors.get(k)).cloned() {
            Some(name) => name,
            None => {
                self.broken("a constructor of no declared sum");
                String::new()
            }
        }
    }

    /// A sum's type in source; `None` if it mentions a size that no parameter binds.
    pub fn sum_type(&self, name: &str, constructors: &[(String, Vec<Edge>)]) -> Option<Type> {
        let sum = self.sums.iter().find(|s| s.name == name)?;
        let at = sum.use_of(constructors)?;
        let mut args = Vec::new();
        for (_, varying) in &sum.params {
            args.push(match varying {
                Varying::Size(sizes) => TypeArg::Size(self.size(self.func.types.poly(*sizes.get(at)?))?),
                Varying::Type(types) => TypeArg::Type(self.ty(types.get(at)?)?),
            });
        }
        Some(named(&sum.printed, args))
    }

    /// Decomposes the sums of a parameter: their leaves are named in the prologue.
    pub fn take_apart(&mut self, base: &str, edge: &Edge, vars: &[VarId]) {
        let used: Vec<bool> = vars.iter().map(|v| self.uses.get(*v).count > 0).collect();
        let mut parts = Parts { used: &used, vars, bindings: Vec::new(), leaves: Vec::new() };
        self.parts(base, edge, &mut Vec::new(), &mut parts);
        self.prologue.append(&mut parts.bindings);
    }

    /// The leaves of a named value. Those of sums are bound to names first.
    fn parts(&mut self, base: &str, edge: &Edge, steps: &mut Vec<Step>, parts: &mut Parts<'_>) {
        match edge {
            Edge::Scalar(_) => {
                let path = LeafPath::new(base, steps);
                parts.leaves.push(self.whole(&path));
            }
            Edge::Array(size, inner) => {
                steps.push(Step::Axis(*size));
                self.parts(base, inner, steps, parts);
                steps.pop();
            }
            Edge::Tuple(items) => {
                for (item, k) in items.iter().zip(0..) {
                    steps.push(Step::Item(k));
                    self.parts(base, item, steps, parts);
                    steps.pop();
                }
            }
            Edge::Record(fields) => {
                for (name, field) in fields {
                    steps.push(Step::Field(name.clone()));
                    self.parts(base, field, steps, parts);
                    steps.pop();
                }
            }
            Edge::Sum { name: sum, constructors } => {
                let from = parts.leaves.len();
                let wanted: Vec<bool> = parts.used.iter().skip(from).take(edge.leaves().len()).copied().collect();
                if !wanted.contains(&true) {
                    parts.leaves.extend(wanted.iter().map(|_| ast::int(0)));
                    return;
                }
                let value = self.sum_leaves(&LeafPath::new(base, steps), (sum, constructors), &wanted);
                let mut names = Vec::new();
                for (k, wanted) in wanted.iter().enumerate() {
                    if !wanted {
                        parts.leaves.push(ast::int(0));
                        continue;
                    }
                    let name = match parts.vars.get(from + k) {
                        Some(v) => self.bind(*v),
                        None => self.names.fresh("t"),
                    };
                    parts.leaves.push(ast::var(&name));
                    names.push(name);
                }
                parts.bindings.push(ast::binding(ast::pattern(&names), value));
            }
        }
    }

    /// The needed leaves of a sum, or of arrays of it, as a tuple.
    fn sum_leaves(&mut self, path: &LeafPath, sum: (&str, &[(String, Vec<Edge>)]), wanted: &[bool]) -> Expr {
        self.names.open();
        let axes: Vec<(String, Expr)> =
            path.axes().into_iter().map(|n| (self.names.fresh_index("i"), self.size_expr(n))).collect();
        let indices: Vec<Expr> = axes.iter().map(|(i, _)| ast::var(i)).collect();
        let value = self.arms(self.access(path, &indices), sum, wanted);
        self.names.close();
        if axes.is_empty() {
            return value;
        }
        let array = ast::for_(&axes, value);
        if wanted.iter().filter(|w| **w).count() > 1 { ast::call("unzip", vec![array]) } else { array }
    }

    /// `match e { Circle(r) => (0, r, 0.0), .. }`
    fn arms(&mut self, e: Expr, (sum, constructors): (&str, &[(String, Vec<Edge>)]), wanted: &[bool]) -> Expr {
        let mut arms = Vec::new();
        for own in 0..constructors.len() {
            self.names.open();
            let mut leaves: Vec<Expr> = Vec::new();
            let (mut bindings, mut patterns) = (Vec::new(), Vec::new());
            if Edge::has_tag(constructors) {
                leaves.push(ast::int(i64::try_from(own).unwrap_or(i64::MAX)));
            }
            for (k, (name, fields)) in constructors.iter().enumerate() {
                for field in fields {
                    let below = field.leaves();
                    if k != own {
                        leaves.extend(below.iter().map(|leaf| self.zeros(&leaf.ty.dims, leaf.ty.elem)));
                        continue;
                    }
                    let Some(used) = wanted.get(leaves.len()..leaves.len() + below.len()) else {
                        return self.broken("a sum with more leaves than there are variables");
                    };
                    if !used.contains(&true) {
                        patterns.push(Pattern { kind: PatternKind::Wildcard, span: ast::span() });
                        leaves.extend(below.iter().map(|_| ast::int(0)));
                        continue;
                    }
                    let part = self.names.fresh(&variable_name(own_name(name)));
                    patterns.push(ast::pattern(std::slice::from_ref(&part)));
                    let mut parts = Parts { used, vars: &[], bindings: Vec::new(), leaves: Vec::new() };
                    self.parts(&part, field, &mut Vec::new(), &mut parts);
                    leaves.append(&mut parts.leaves);
                    bindings.append(&mut parts.bindings);
                }
            }
            let kept = leaves.into_iter().zip(wanted).filter(|(_, wanted)| **wanted).map(|(leaf, _)| leaf).collect();
            let body = ast::let_(bindings, ast::tuple(kept));
            self.names.close();
            let kind = PatternKind::Constructor(ast::name(&self.constructor(sum, own)), patterns);
            arms.push((Pattern { kind, span: ast::span() }, body));
        }
        ast::expr(ExprKind::Match(e, arms))
    }

    /// Zeros of this type.
    fn zeros(&mut self, dims: &[SizeId], elem: Scalar) -> Expr {
        let zero = crate::scalar::constant(Const::zero(elem));
        if dims.is_empty() {
            return zero;
        }
        if elem == Scalar::F64 {
            return ast::call("zeros", dims.iter().map(|&n| self.size_expr(n)).collect());
        }
        self.names.open();
        let axes: Vec<(String, Expr)> =
            dims.iter().map(|&n| (self.names.fresh_index("i"), self.size_expr(n))).collect();
        self.names.close();
        ast::for_(&axes, zero)
    }

    /// A sum assembled from its leaves: `match tag { 0 => Circle(r), _ => Empty }`.
    pub fn assemble_sum(
        &mut self,
        (sum, constructors): (&str, &[(String, Vec<Edge>)]),
        leaves: &mut dyn Iterator<Item = Atom>,
        at: &[Expr],
    ) -> Expr {
        let tag = if Edge::has_tag(constructors) { leaves.next() } else { None };
        if tag.is_none() && Edge::has_tag(constructors) {
            return self.broken("fewer results than leaves");
        }
        let mut values = Vec::new();
        for (k, (_, fields)) in constructors.iter().enumerate() {
            let fields: Vec<Expr> = fields.iter().map(|field| self.assemble(field, leaves, at)).collect();
            let constructor = ast::var(&self.constructor(sum, k));
            values.push(if fields.is_empty() { constructor } else { ast::expr(ExprKind::Call(constructor, fields)) });
        }
        let tag = match tag {
            None => return values.into_iter().next().unwrap_or_else(|| self.broken("a sum without constructors")),
            Some(Atom::Const(c)) => {
                let own = c.as_i64().and_then(|k| usize::try_from(k).ok());
                let own = own.and_then(|k| values.into_iter().nth(k));
                return own.unwrap_or_else(|| self.broken("a tag of no constructor"));
            }
            Some(Atom::Var(v)) if !at.is_empty() => self.element(v, at.to_vec()),
            Some(tag) => self.atom(tag),
        };
        let last = values.len().saturating_sub(1);
        let arms = values.into_iter().enumerate().map(|(k, value)| {
            let kind =
                if k == last { PatternKind::Wildcard } else { PatternKind::Int(i64::try_from(k).unwrap_or(i64::MAX)) };
            (Pattern { kind, span: ast::span() }, value)
        });
        ast::expr(ExprKind::Match(tag, arms.collect()))
    }
}
