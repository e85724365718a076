//! The edge of the definition: types, parameters decomposed into leaves, results assembled from leaves.

use crate::ast;
use crate::emitter::Emitter;
use crate::scalar;
use arr_ir::{Atom, Edge, Poly, SizeId, VarId};
use arr_syntax::ast::{Expr, ExprKind, Param, Size, SizeKind, Type, TypeKind};

/// One step from a parameter to its leaf.
#[derive(Clone, Debug)]
pub enum Step {
    Axis(SizeId),
    Field(String),
    Item(u32),
}

/// A leaf: the parameter it belongs to, and the path to it.
#[derive(Clone, Debug)]
pub struct LeafPath {
    base: String,
    steps: Vec<Step>,
}

impl LeafPath {
    pub fn new(base: &str, steps: &[Step]) -> LeafPath {
        LeafPath { base: base.to_string(), steps: steps.to_vec() }
    }

    /// The axes on the path.
    pub fn axes(&self) -> Vec<SizeId> {
        self.steps.iter().filter_map(|step| if let Step::Axis(n) = step { Some(*n) } else { None }).collect()
    }
}

/// The paths to the leaves of a parameter; leaves of sums have none.
fn leaf_paths(base: &str, edge: &Edge, steps: &mut Vec<Step>, out: &mut Vec<Option<LeafPath>>) {
    match edge {
        Edge::Scalar(_) => out.push(Some(LeafPath::new(base, steps))),
        Edge::Sum { .. } => out.extend(edge.leaves().iter().map(|_| None)),
        Edge::Array(size, inner) => {
            steps.push(Step::Axis(*size));
            leaf_paths(base, inner, steps, out);
            steps.pop();
        }
        Edge::Tuple(items) => {
            for (item, k) in items.iter().zip(0..) {
                steps.push(Step::Item(k));
                leaf_paths(base, item, steps, out);
                steps.pop();
            }
        }
        Edge::Record(fields) => {
            for (field, item) in fields {
                steps.push(Step::Field(field.clone()));
                leaf_paths(base, item, steps, out);
                steps.pop();
            }
        }
    }
}

/// Whether it is an array of scalars, or a scalar: one leaf.
fn is_leaf(edge: &Edge) -> bool {
    match edge {
        Edge::Scalar(_) => true,
        Edge::Array(_, inner) => is_leaf(inner),
        Edge::Tuple(_) | Edge::Record(_) | Edge::Sum { .. } => false,
    }
}

/// Whether the value is the tuple of its leaves in order.
pub fn is_flat(edge: &Edge) -> bool {
    match edge {
        Edge::Tuple(items) => items.iter().all(is_leaf),
        _ => is_leaf(edge),
    }
}

impl Emitter<'_> {
    /// The parameters; their leaves can be read from here on.
    pub fn params(&mut self) -> Vec<Param> {
        let func = self.func;
        for &v in &func.sizes {
            let name = self.names.fresh(func.name(v));
            self.exprs.insert(v, ast::var(&name));
        }
        let (mut names, mut leaves) = (Vec::new(), Vec::new());
        for param in &func.edge_params {
            // A parameter that hides a built-in function would hide it from the printed code too.
            let name = self.names.fresh(&param.name);
            leaf_paths(&name, &param.ty, &mut Vec::new(), &mut leaves);
            names.push(name);
        }
        for (&v, leaf) in func.params.iter().zip(&leaves) {
            let Some(leaf) = leaf else { continue };
            let whole = self.whole(leaf);
            self.exprs.insert(v, whole);
            self.leaves.insert(v, leaf.clone());
        }
        let mut rest = func.params.as_slice();
        for (param, name) in func.edge_params.iter().zip(&names) {
            let (own, after) = rest.split_at(param.ty.leaves().len().min(rest.len()));
            rest = after;
            if param.ty.has_sum() {
                self.take_apart(name, &param.ty, own);
            }
        }
        // A size that has another name here has another meaning in the program's types.
        if func
            .sizes
            .iter()
            .any(|&v| !matches!(self.exprs.get(&v).map(|e| &*e.kind), Some(ExprKind::Name(n)) if n == func.name(v)))
        {
            self.types = &[];
        }
        let one = |(name, param): (String, &arr_ir::EdgeParam)| Param {
            pattern: ast::pattern(&[name]),
            ty: self.named_ty(&param.ty),
        };
        names.into_iter().zip(&func.edge_params).map(one).collect()
    }

    /// The leaf read at the first indices of its axes.
    pub fn access(&self, leaf: &LeafPath, indices: &[Expr]) -> Expr {
        let mut rest = indices.iter();
        let mut waiting = Vec::new();
        let mut e = ast::var(&leaf.base);
        for step in &leaf.steps {
            let step = match step {
                Step::Axis(_) => {
                    waiting.extend(rest.next().cloned());
                    continue;
                }
                Step::Field(field) => |e: Expr| ExprKind::Field(e, ast::name(field)),
                Step::Item(k) => {
                    let e2 = ast::index(e, std::mem::take(&mut waiting));
                    e = ast::expr(ExprKind::Project(e2, *k, ast::span()));
                    continue;
                }
            };
            e = ast::expr(step(ast::index(e, std::mem::take(&mut waiting))));
        }
        ast::index(e, waiting)
    }

    /// The leaf as a value: an array of records has to be traversed.
    pub fn whole(&mut self, leaf: &LeafPath) -> Expr {
        let last = leaf.steps.iter().rposition(|s| !matches!(s, Step::Axis(_))).unwrap_or(0);
        let axis = |step: &Step| if let Step::Axis(n) = step { Some(*n) } else { None };
        let sizes: Vec<SizeId> = leaf.steps.iter().take(last).filter_map(axis).collect();
        if sizes.is_empty() {
            return self.access(leaf, &[]);
        }
        self.names.open();
        let axes: Vec<(String, Expr)> =
            sizes.iter().map(|&n| (self.names.fresh_index("i"), self.size_expr(n))).collect();
        let indices: Vec<Expr> = axes.iter().map(|(i, _)| ast::var(i)).collect();
        self.names.close();
        ast::for_(&axes, self.access(leaf, &indices))
    }

    /// The element of an array.
    pub fn element(&self, array: VarId, indices: Vec<Expr>) -> Expr {
        match self.leaves.get(&array) {
            Some(leaf) => self.access(leaf, &indices),
            None => ast::index(self.var(array), indices),
        }
    }

    pub fn size_expr(&self, size: SizeId) -> Expr {
        scalar::poly(self.func.types.poly(size), &|v| self.var(v))
    }

    /// As [`Emitter::ty`]; the type of a parameter is written as the program has it, wherever it stands.
    pub fn named_ty(&self, edge: &Edge) -> Option<Type> {
        let known = self.func.edge_params.iter().zip(self.types);
        if let Some((_, ty)) = known.into_iter().find(|(param, _)| param.ty == *edge) {
            return Some(ty.clone());
        }
        match edge {
            Edge::Tuple(items) => {
                Some(ast::ty(TypeKind::Tuple(items.iter().map(|e| self.named_ty(e)).collect::<Option<_>>()?)))
            }
            _ => self.ty(edge),
        }
    }

    /// The type in source; `None` if it mentions a size that no parameter binds.
    pub fn ty(&self, edge: &Edge) -> Option<Type> {
        Some(match edge {
            Edge::Scalar(elem) => ast::ty(TypeKind::Named { name: ast::name(elem.name()), args: Vec::new() }),
            Edge::Array(size, inner) => {
                ast::ty(TypeKind::Array(self.size(self.func.types.poly(*size))?, Box::new(self.ty(inner)?)))
            }
            Edge::Tuple(items) => ast::ty(TypeKind::Tuple(items.iter().map(|e| self.ty(e)).collect::<Option<_>>()?)),
            Edge::Record(fields) => {
                let field = |(name, e): &(String, Edge)| Some((ast::name(name), self.ty(e)?));
                ast::ty(TypeKind::Record(fields.iter().map(field).collect::<Option<_>>()?))
            }
            Edge::Sum { name, constructors } => self.sum_type(name, constructors)?,
        })
    }

    /// A polynomial over sizes, in the syntax of types.
    pub fn size(&self, poly: &Poly) -> Option<Size> {
        // A size in a sum's payload has a name in the body, not in the signature.
        let known = |v: &VarId| self.func.sizes.contains(v) || self.leaves.contains_key(v);
        if !poly.vars().iter().all(known) {
            return None;
        }
        size_of_expr(&scalar::poly(poly, &|v| self.var(v)))
    }

    /// The result assembled from its leaves, at the indices of the arrays traversed so far.
    pub fn assemble(&mut self, edge: &Edge, leaves: &mut dyn Iterator<Item = Atom>, at: &[Expr]) -> Expr {
        match edge {
            _ if is_leaf(edge) => match leaves.next() {
                Some(Atom::Var(v)) if !at.is_empty() => self.element(v, at.to_vec()),
                Some(leaf) => self.atom(leaf),
                None => self.broken("fewer results than leaves"),
            },
            Edge::Array(size, inner) => {
                self.names.open();
                let i = self.names.fresh_index("i");
                let extent = self.size_expr(*size);
                let at: Vec<Expr> = at.iter().cloned().chain([ast::var(&i)]).collect();
                let element = self.assemble(inner, leaves, &at);
                self.names.close();
                ast::for_(&[(i, extent)], element)
            }
            Edge::Tuple(items) => {
                let items = items.iter().map(|e| self.assemble(e, leaves, at)).collect();
                ast::expr(ExprKind::Tuple(items))
            }
            Edge::Record(fields) => {
                let fields = fields.iter().map(|(n, e)| (ast::name(n), self.assemble(e, leaves, at))).collect();
                ast::expr(ExprKind::Record(fields))
            }
            Edge::Sum { name, constructors } => self.assemble_sum((name, constructors), leaves, at),
            Edge::Scalar(_) => self.broken("a scalar that is no leaf"),
        }
    }
}

fn size_of_expr(e: &Expr) -> Option<Size> {
    use arr_syntax::ast::BinaryOp;
    let both = |a: &Expr, b: &Expr| Some((Box::new(size_of_expr(a)?), Box::new(size_of_expr(b)?)));
    Some(ast::size(match &*e.kind {
        ExprKind::Number(n) => SizeKind::Int(n.decimal_digits().parse().ok()?),
        ExprKind::Name(name) => SizeKind::Name(name.clone()),
        ExprKind::Binary(BinaryOp::Add, a, b) => both(a, b).map(|(a, b)| SizeKind::Add(a, b))?,
        ExprKind::Binary(BinaryOp::Sub, a, b) => both(a, b).map(|(a, b)| SizeKind::Sub(a, b))?,
        ExprKind::Binary(BinaryOp::Mul, a, b) => both(a, b).map(|(a, b)| SizeKind::Mul(a, b))?,
        _ => return None,
    }))
}
