//! Making IR: a cursor into a function under construction, with one open block for each nesting level.
//!
//! ```text
//! let (i, axis) = b.axis("i", extent);
//! b.open();
//! let x = b.read(xs, vec![i]);
//! let y = b.prim(Prim::Mul, vec![x, x])?;
//! let body = b.close(vec![y]);
//! let ys = b.build(vec![axis], body, "ys");
//! ```

use crate::{
    Atom, Axis, Block, Check, Const, Func, Literal, Op, Prim, Reduction, Scalar, ScatterKind, SizeId, Stmt, Type,
    TypeId, VarId,
};
use arr_base::Span;
use std::sync::Arc;

/// Builds statements into the innermost open block.
#[derive(Debug)]
pub struct Builder {
    pub func: Func,
    /// The span given to the statements that follow.
    pub span: Option<Span>,
    open: Vec<Block>,
    /// A number for each open block, unique within this builder.
    numbers: Vec<u64>,
    last: u64,
}

impl Builder {
    /// A builder whose open block is the function's body.
    pub fn new(func: Func) -> Self {
        Self { func, span: None, open: vec![Block::default()], numbers: vec![0], last: 0 }
    }

    /// Closes the body with the given results and returns the function. Open blocks are dropped, and recorded in it as
    /// a fault.
    pub fn finish(mut self, results: Vec<Atom>) -> Func {
        let left_open = self.open.len() > 1;
        self.open.truncate(1);
        let body = match self.open.pop() {
            Some(body) if !left_open => body,
            body => self.func.broken(body.unwrap_or_default(), "a function ends inside a block"),
        };
        self.func.body = Block { results, ..body };
        self.func
    }

    /// Opens a nested block.
    pub fn open(&mut self) {
        self.open_with(Vec::new());
    }

    /// Opens a nested block with params.
    pub fn open_with(&mut self, params: Vec<VarId>) {
        self.open.push(Block { params, ..Block::default() });
        self.last += 1;
        self.numbers.push(self.last);
    }

    /// Closes the innermost block.
    pub fn close(&mut self, results: Vec<Atom>) -> Block {
        let nested = if self.open.len() > 1 { self.open.pop() } else { None };
        let block = match nested {
            Some(block) => {
                self.numbers.pop();
                block
            }
            None => self.func.broken(Block::default(), "a block is closed that is not open"),
        };
        Block { results, ..block }
    }

    /// The number of open blocks; 1 means the function's body only.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// The number of the innermost open block.
    pub fn block_number(&self) -> u64 {
        self.numbers.last().copied().unwrap_or(0)
    }

    /// Whether the block of this number is still open, so that the variables bound in it can be used.
    pub fn is_open(&self, number: u64) -> bool {
        self.numbers.binary_search(&number).is_ok()
    }

    /// Appends a statement as it is.
    pub fn push(&mut self, stmt: Stmt) {
        match self.open.last_mut() {
            Some(block) => block.stmts.push(stmt),
            None => self.func.broken((), "a statement outside of all blocks"),
        }
    }

    /// Appends an operation whose results have the given name hints and types.
    pub fn emit(&mut self, op: Op, results: Vec<(String, TypeId)>) -> Vec<VarId> {
        let vars: Vec<VarId> = results.into_iter().map(|(name, ty)| self.func.var(name, ty)).collect();
        self.push(Stmt { vars: vars.clone(), op, span: self.span });
        vars
    }

    /// Appends an operation with one result.
    pub fn emit1(&mut self, op: Op, name: &str, ty: TypeId) -> VarId {
        let var = self.func.var(name, ty);
        self.push(Stmt { vars: vec![var], op, span: self.span });
        var
    }

    /// A scalar primitive; folded when all operands are constants. `None` if it is not defined on these types.
    pub fn prim(&mut self, prim: Prim, args: Vec<Atom>) -> Option<Atom> {
        let elems: Vec<Scalar> = args.iter().map(|a| self.func.atom_elem(*a)).collect();
        let elem = prim.result(&elems)?;
        let constants: Option<Vec<Const>> = args.iter().map(|a| a.constant()).collect();
        if let Some(folded) = constants.and_then(|c| prim.fold(&c)) {
            return Some(Atom::Const(folded));
        }
        let ty = self.func.types.scalar(elem);
        Some(Atom::Var(self.emit1(Op::Prim(prim, args), prim.name(), ty)))
    }

    /// The value of a size; a constant or a variable itself where the size is one.
    pub fn size(&mut self, size: SizeId) -> Atom {
        if let Some(known) = self.func.known_size(size) {
            return known;
        }
        let ty = self.func.types.scalar(Scalar::I64);
        Atom::Var(self.emit1(Op::Size(size), "size", ty))
    }

    /// The size equal to an `i64` atom.
    pub fn size_of_atom(&mut self, atom: Atom) -> SizeId {
        self.func.size_of_atom(atom)
    }

    /// A fresh axis: its index as an atom, and the axis.
    pub fn axis(&mut self, name: &str, extent: SizeId) -> (Atom, Axis) {
        let index = self.func.scalar_var(name, Scalar::I64);
        (Atom::Var(index), Axis { index, extent })
    }

    /// A checked element read, with one index per axis.
    pub fn read(&mut self, array: VarId, index: Vec<Atom>) -> Atom {
        self.read_with(array, index, true)
    }

    /// An element read whose index is known to be in bounds.
    pub fn read_unchecked(&mut self, array: VarId, index: Vec<Atom>) -> Atom {
        self.read_with(array, index, false)
    }

    pub fn read_with(&mut self, array: VarId, index: Vec<Atom>, checked: bool) -> Atom {
        let ty = self.func.ty(array).clone();
        if ty.dims.is_empty() && index.is_empty() {
            return Atom::Var(array);
        }
        let name = self.func.name(array).to_string();
        let ty = self.func.types.scalar(ty.elem);
        Atom::Var(self.emit1(Op::Read { array, index, checked }, &name, ty))
    }

    /// `build`: one array per result of the body, axes in front.
    pub fn build(&mut self, axes: Vec<Axis>, body: Block, name: &str) -> Vec<VarId> {
        let outer: Vec<SizeId> = axes.iter().map(|a| a.extent).collect();
        let results = body.results.clone();
        let results = results
            .into_iter()
            .map(|atom| {
                let Type { elem, dims } = self.func.atom_ty(atom);
                let dims = outer.iter().copied().chain(dims).collect();
                (name.to_string(), self.func.types.ty(Type { elem, dims }))
            })
            .collect();
        self.emit(Op::Build { axes, body }, results)
    }

    /// `reduce`: one scalar per result of the body.
    pub fn reduce(&mut self, kind: Reduction, axes: Vec<Axis>, body: Block, name: &str) -> Vec<VarId> {
        let results = body.results.clone();
        let results = results
            .into_iter()
            .map(|atom| {
                let elem = match kind {
                    Reduction::ArgMax | Reduction::ArgMin => Scalar::I64,
                    _ => self.func.atom_elem(atom),
                };
                (name.to_string(), self.func.types.scalar(elem))
            })
            .collect();
        self.emit(Op::Reduce { kind, axes, body }, results)
    }

    /// `scatter`: `dest` with places replaced or added to. The body yields guard, indices, value.
    pub fn scatter(&mut self, kind: ScatterKind, dest: VarId, axes: Vec<Axis>, body: Block, checked: bool) -> VarId {
        let ty = self.func.type_id(dest);
        let name = self.func.name(dest).to_string();
        self.emit1(Op::Scatter { kind, dest, axes, body, checked }, &name, ty)
    }

    /// The variables that a loop with this body binds: the names and types of its params.
    fn state_of(&self, body: &Block) -> Vec<(String, TypeId)> {
        body.params.iter().map(|&p| (self.func.name(p).to_string(), self.func.type_id(p))).collect()
    }

    /// The variables that an operation with the results of a block binds.
    fn results_of(&mut self, block: &Block, name: &str) -> Vec<(String, TypeId)> {
        let mut bind = |&atom: &Atom| {
            let ty = self.func.atom_ty(atom);
            (name.to_string(), self.func.types.ty(ty))
        };
        block.results.iter().map(&mut bind).collect()
    }

    /// `loop`: the types of the results are those of the body's params.
    pub fn loop_(&mut self, axis: Axis, reverse: bool, inits: Vec<Atom>, body: Block) -> Vec<VarId> {
        let results = self.state_of(&body);
        self.emit(Op::Loop { axis, reverse, inits, body }, results)
    }

    /// `while`: the types of the results are those of the body's params.
    pub fn while_(&mut self, inits: Vec<Atom>, cond: Block, body: Block) -> Vec<VarId> {
        let results = self.state_of(&body);
        self.emit(Op::While { inits, cond, body }, results)
    }

    /// `custom`: the types of the results are those of the body's results. Forward mode uses the rule, too, if it is
    /// `transposed`.
    pub fn custom(
        &mut self,
        inputs: Vec<Atom>,
        (body, rule): (Block, Block),
        transposed: bool,
        name: &str,
    ) -> Vec<VarId> {
        let results = self.results_of(&body, name);
        self.emit(Op::Custom { inputs, body, rule, transposed }, results)
    }

    /// `argsort`: positions along the last axis.
    pub fn argsort(&mut self, array: VarId, name: &str) -> VarId {
        let dims = self.func.ty(array).dims.clone();
        let ty = self.func.types.array(dims, Scalar::I64);
        self.emit1(Op::Argsort(array), name, ty)
    }

    /// `if`: the types of the results are those of the first block's results.
    pub fn if_(&mut self, cond: Atom, then_block: Block, else_block: Block, name: &str) -> Vec<VarId> {
        let results = self.results_of(&then_block, name);
        self.emit(Op::If { cond, then_block, else_block }, results)
    }

    pub fn literal(&mut self, literal: Literal, name: &str) -> VarId {
        let dims = literal.dims.iter().map(|&d| self.func.types.size_const(d)).collect();
        let ty = self.func.types.array(dims, literal.elem);
        self.emit1(Op::Literal(Arc::new(literal)), name, ty)
    }

    pub fn check(&mut self, kind: Check, args: Vec<Atom>) {
        self.push(Stmt { vars: Vec::new(), op: Op::Check { kind, args }, span: self.span });
    }

    /// Shows a scalar or an array under a label.
    pub fn trace(&mut self, label: Arc<str>, value: Atom) {
        self.push(Stmt { vars: Vec::new(), op: Op::Trace { label, args: vec![value] }, span: self.span });
    }

    /// An array of the given axes filled with a scalar.
    pub fn fill(&mut self, dims: &[SizeId], value: Atom, name: &str) -> VarId {
        let axes = dims.iter().map(|&d| self.axis("i", d).1).collect();
        let body = Block { params: Vec::new(), stmts: Vec::new(), results: vec![value] };
        match self.build(axes, body, name).first() {
            Some(&v) => v,
            // A body with one result gives one array.
            None => self.func.scalar_var(name, Scalar::Bool),
        }
    }
}
