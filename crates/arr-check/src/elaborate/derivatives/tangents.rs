//! Derivatives of sums: the floats that reverse and forward mode take and give, and the values that users see.
//!
//! The tangent or cotangent of a sum has the sum's type: its constructor and its integers are those of the value, its
//! floats are the derivative, and what constructors that are not the value's own would carry is zero.

use crate::data::types::{SumTy, Ty};
use crate::data::values::Val;
use crate::elaborate::Elab;
use arr_ir::{Atom, Const, Prim, Scalar, SizeId, VarId};

/// A place inside a sum: its tag, how many axes the tag has, and the constructor.
type Inside = (Atom, usize, usize);

/// Walks over a value and its derivative side by side.
struct Walk<'v> {
    primal: std::slice::Iter<'v, Atom>,
    dims: Vec<SizeId>,
    inside: Vec<Inside>,
    /// How many sums surround this place, with or without a tag.
    sums: usize,
}

/// What the walk meets.
enum Leaf<'w> {
    /// A float: the axes of the leaf, and the constructors it is inside of.
    Float(&'w [SizeId], Scalar, &'w [Inside]),
    /// A leaf of the value that a derivative of a sum has as well.
    Kept(Atom),
}

impl Walk<'_> {
    fn new(primal: &Val) -> Walk<'_> {
        Walk { primal: primal.leaves.iter(), dims: Vec::new(), inside: Vec::new(), sums: 0 }
    }

    fn next(&mut self) -> Atom {
        self.primal.next().copied().unwrap_or(Atom::bool(false))
    }

    fn ty(&mut self, ty: &Ty, meet: &mut dyn FnMut(Leaf<'_>)) {
        match ty {
            Ty::Error | Ty::Fn(_) => {}
            Ty::Scalar(elem) => {
                let atom = self.next();
                if elem.is_float() {
                    meet(Leaf::Float(&self.dims, *elem, &self.inside));
                } else if self.sums > 0 {
                    meet(Leaf::Kept(atom));
                }
            }
            Ty::Array(size, inner) => {
                self.dims.push(*size);
                self.ty(inner, meet);
                self.dims.pop();
            }
            Ty::Tuple(items) => items.iter().for_each(|t| self.ty(t, meet)),
            Ty::Record(fields) => fields.iter().for_each(|(_, t)| self.ty(t, meet)),
            Ty::Sum(sum) => {
                // A sum without a float has no derivative, except as a part of one that has.
                let kept = self.sums > 0 || ty.has_float();
                let tag = sum.has_tag().then(|| self.next());
                if let Some(tag) = tag.filter(|_| kept) {
                    meet(Leaf::Kept(tag));
                }
                self.sums += usize::from(kept);
                for (k, (_, fields)) in sum.constructors.iter().enumerate() {
                    let inside = tag.map(|tag| (tag, self.dims.len(), k));
                    self.inside.extend(inside);
                    fields.iter().for_each(|t| self.ty(t, meet));
                    self.inside.truncate(self.inside.len() - usize::from(inside.is_some()));
                }
                self.sums -= usize::from(kept);
            }
        }
    }
}

impl Elab<'_> {
    /// The derivative with respect to `primal` as a value of type `ty`, from its floats.
    pub fn tangent_value(&self, primal: &Val, ty: &Ty, floats: Vec<Atom>) -> Val {
        if !ty.has_sum() {
            return Val::new(ty.clone(), floats);
        }
        let mut floats = floats.into_iter();
        let mut leaves = Vec::new();
        Walk::new(primal).ty(&primal.ty, &mut |leaf| match leaf {
            Leaf::Float(..) => leaves.extend(floats.next()),
            Leaf::Kept(atom) => leaves.push(atom),
        });
        Val::new(ty.clone(), leaves)
    }

    /// The floats of a tangent or cotangent that the program gives for `primal`: those of constructors that are not the
    /// value's own are zero, whatever was given.
    pub fn tangent_floats(&mut self, primal: &Val, tangent: &Val) -> Vec<Atom> {
        if !tangent.ty.has_sum() {
            return tangent.leaves.clone();
        }
        let mut given = tangent.leaves.iter().copied();
        let mut floats: Vec<(Atom, Vec<SizeId>, Scalar, Vec<Inside>)> = Vec::new();
        Walk::new(primal).ty(&primal.ty, &mut |leaf| {
            let Some(atom) = given.next() else { return };
            if let Leaf::Float(dims, elem, inside) = leaf {
                floats.push((atom, dims.to_vec(), elem, inside.to_vec()));
            }
        });
        floats.into_iter().map(|(atom, dims, elem, inside)| self.masked(atom, &dims, elem, &inside)).collect()
    }

    /// Fresh variables for the floats of a derivative of `primal`, and the value of them.
    pub fn tangent_placeholder(&mut self, primal: &Val, ty: &Ty, name: &str) -> (Vec<VarId>, Val) {
        let floats = ty.leaves().into_iter().filter(|(_, t)| t.elem.is_float());
        let mut vars = Vec::new();
        for (path, t) in floats {
            let t = self.b.func.types.ty(t);
            vars.push(self.b.func.var(format!("{name}{path}"), t));
        }
        let val = self.tangent_value(primal, ty, vars.iter().map(|v| Atom::Var(*v)).collect());
        (vars, val)
    }

    /// The leaf where the value has all these constructors, zero elsewhere.
    fn masked(&mut self, leaf: Atom, dims: &[SizeId], elem: Scalar, inside: &[Inside]) -> Atom {
        if inside.is_empty() {
            return leaf;
        }
        self.tabulate1(dims, "tangent", |e, index| {
            let mut here: Option<Atom> = None;
            for (tag, axes, k) in inside {
                let tag = e.read_inside(*tag, index.iter().take(*axes).copied().collect());
                let same = e.prim(Prim::Eq, vec![tag, SumTy::tag(*k)]);
                here = Some(here.map_or(same, |h| e.prim(Prim::And, vec![h, same])));
            }
            let value = e.read_inside(leaf, index.to_vec());
            let zero = Atom::Const(Const::zero(elem));
            e.prim(Prim::Select, vec![here.unwrap_or(Atom::bool(true)), value, zero])
        })
    }
}
