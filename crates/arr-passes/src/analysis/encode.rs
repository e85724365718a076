//! Operations as keys: equal keys mean equal operations up to the names of the variables that they bind.

use arr_base::Id;
use arr_ir::{Atom, Block, Func, Op, ScatterKind, VarId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// An operation in words.
pub type Key = Rc<[u64]>;

/// Longer operations are not compared, so that nested ones do not cost quadratic time.
pub const MAX_KEY: usize = 4_096;

/// The operation as a key; `None` for one that is too long or whose equality does not make it the same (`check`). The
/// key leaves out whether a read is checked: the first of two equal reads has stopped the program or was inside.
pub fn encode_op(func: &Func, op: &Op) -> Option<Key> {
    let mut e = Encoder { func, words: Vec::new(), bound: FxHashMap::default() };
    e.op(op)?;
    Some(e.words.into())
}

struct Encoder<'f> {
    func: &'f Func,
    words: Vec<u64>,
    /// Numbers of the variables bound inside, in order of binding.
    bound: FxHashMap<VarId, u64>,
}

impl Encoder<'_> {
    fn bind(&mut self, v: VarId) {
        let number = self.bound.len() as u64;
        self.bound.insert(v, number);
    }

    fn var(&mut self, v: VarId) {
        match self.bound.get(&v) {
            Some(&number) => self.words.extend([1, number]),
            None => self.words.extend([2, v.index() as u64]),
        }
    }

    fn atom(&mut self, atom: Atom) {
        match atom {
            Atom::Var(v) => self.var(v),
            Atom::Const(c) => self.words.extend([3 + c.scalar() as u64, c.bits()]),
        }
    }

    fn atoms(&mut self, atoms: &[Atom]) {
        self.words.push(atoms.len() as u64);
        for &a in atoms {
            self.atom(a);
        }
    }

    fn size(&mut self, size: arr_ir::SizeId) {
        let poly = self.func.types.poly(size).clone();
        self.words.push(poly.terms.len() as u64);
        for (monomial, coefficient) in poly.terms {
            self.words.extend([monomial.len() as u64, coefficient as u64]);
            for v in monomial {
                self.var(v);
            }
        }
    }

    fn block(&mut self, block: &Block) -> Option<()> {
        for &p in &block.params {
            self.bind(p);
        }
        self.words.push(block.stmts.len() as u64);
        for stmt in &block.stmts {
            self.op(&stmt.op)?;
            for &v in &stmt.vars {
                self.bind(v);
            }
        }
        self.atoms(&block.results);
        Some(())
    }

    fn axes(&mut self, axes: &[arr_ir::Axis]) {
        self.words.push(axes.len() as u64);
        for axis in axes {
            self.size(axis.extent);
            self.bind(axis.index);
        }
    }

    fn op(&mut self, op: &Op) -> Option<()> {
        if self.words.len() > MAX_KEY {
            return None;
        }
        match op {
            Op::Prim(prim, args) => {
                self.words.extend([1, *prim as u64]);
                self.prim_args(*prim, args);
            }
            Op::Size(size) => {
                self.words.push(2);
                self.size(*size);
            }
            Op::Literal(literal) => self.literal(literal)?,
            Op::Read { array, index, .. } => {
                self.words.push(4);
                self.var(*array);
                self.atoms(index);
            }
            Op::Build { axes, body } => {
                self.words.push(5);
                self.axes(axes);
                self.block(body)?;
            }
            Op::Reduce { kind, axes, body } => {
                self.words.extend([6, *kind as u64]);
                self.axes(axes);
                self.block(body)?;
            }
            Op::Scatter { kind, dest, axes, body, .. } => {
                self.words.extend([7, u64::from(*kind == ScatterKind::Add)]);
                self.var(*dest);
                self.axes(axes);
                self.block(body)?;
            }
            Op::Loop { axis, reverse, inits, body } => {
                self.words.extend([8, u64::from(*reverse)]);
                self.atoms(inits);
                self.axes(std::slice::from_ref(axis));
                self.block(body)?;
            }
            Op::If { cond, then_block, else_block } => {
                self.words.push(9);
                self.atom(*cond);
                self.block(then_block)?;
                self.block(else_block)?;
            }
            Op::StopGradient(a) => {
                self.words.push(10);
                self.atom(*a);
            }
            Op::Argsort(array) => {
                self.words.push(11);
                self.var(*array);
            }
            Op::While { inits, cond, body } => {
                self.words.push(12);
                self.atoms(inits);
                self.block(cond)?;
                self.block(body)?;
            }
            // The body's value could be shared, the rule could not.
            Op::Custom { .. } | Op::Call { .. } | Op::Barrier(_) | Op::Trace { .. } => return None,
            // The shape is the bound variable's, which the key does not hold.
            Op::Reshape(_) | Op::Check { .. } | Op::Vjp { .. } | Op::Jvp { .. } => return None,
        }
        Some(())
    }

    /// Operands of a commutative primitive are put in order.
    fn prim_args(&mut self, prim: arr_ir::Prim, args: &[Atom]) {
        let start = self.words.len();
        self.atoms(args);
        if crate::simplify::is_commutative(prim)
            && let Some([_, a0, a1, b0, b1]) = self.words.get_mut(start..)
            && (*b0, *b1) < (*a0, *a1)
        {
            std::mem::swap(a0, b0);
            std::mem::swap(a1, b1);
        }
    }

    fn literal(&mut self, literal: &arr_ir::Literal) -> Option<()> {
        if literal.data.len() > MAX_KEY {
            return None;
        }
        self.words.extend([3, literal.elem as u64, literal.dims.len() as u64]);
        self.words.extend(literal.dims.iter().map(|&d| d as u64));
        self.words.extend(literal.data.iter().map(|c| c.bits()));
        Some(())
    }
}
