//! Lowering of IR functions to loops.
//!
//! One routine per kind of operation; all of them work at the level of the function and inside kernels alike. This file
//! holds the shared parts: values of variables and sizes, blocks, and the ownership of array references.

mod accumulate;
mod array;
mod control;
mod destination;
mod kernel;
mod partial;
mod product;
mod product_checks;
mod scalar;
mod section;
mod split_index_set;

pub(crate) use kernel::extreme;

use crate::analysis::liveness::Liveness;
use crate::emit::Emitter;
use crate::{Demand, Expr, LocalId, LoopFunc, LowerError, Operand, Output, Param, ParamSize, SpanId, Stmt, Ty};
use arr_base::{Id, Span};
use arr_ir::integers::Integers;
use arr_ir::{Atom, Axis, Block, Func, Op, Poly, Prim, Scalar, SizeId, VarId};
use std::collections::{BTreeSet, HashMap};

/// What lowering may rely on.
#[derive(Clone, Copy, Default, Debug)]
pub struct LowerOptions {
    /// Also check reads and scatters that an earlier stage marked as known to be inside.
    pub check_all: bool,
    /// Float sums may be reordered, and matrix products are statements.
    pub relaxed: bool,
    /// Mark every loop of a kernel, not only the outermost, with whether its iterations need an order and with its
    /// source position. For back ends that divide a nest further than into chunks of its outermost loop.
    pub nested: bool,
    /// Loops of the program may run for one block of points after another; their iterations then count once per block.
    /// Not with `nested`.
    pub blocks: bool,
    /// Iterations of the program's loops are counted at run time.
    pub counts: bool,
    /// Matrix products of unknown sizes are always statements, which then cost no call.
    pub any_product: bool,
    /// Verify after every step, whether the compiler checks itself or not.
    pub verify: bool,
    /// Loops and products say what they compute, for a profile: [`LoopFunc::sections`].
    pub profile: bool,
}

/// Lowers a function to loops. Fails as [`lower_with`] does.
pub fn lower(func: &Func) -> Result<LoopFunc> {
    lower_with(func, LowerOptions::default())
}

/// Lowers a function to loops, with options, and runs the passes over them. Fails as [`lower_unoptimized`] does, and if
/// lowering or a pass meets or leaves ill-formed code; their output is verified if `options` say so, or
/// if the compiler [checks itself](arr_base::checks_itself).
pub fn lower_with(func: &Func, options: LowerOptions) -> Result<LoopFunc> {
    let mut loops = lower_unoptimized(func, options)?;
    let verifies = options.verify || arr_base::checks_itself();
    let mut check = |after: &'static str, loops: &LoopFunc| {
        if let Some(what) = loops.broken.first() {
            return Err(ill_formed(format!("`{after}` has met what cannot be: {what}")));
        }
        if !verifies {
            return Ok(());
        }
        crate::verify(loops).map_err(|faults| LowerError::Broken { after, faults })
    };
    check("lowering", &loops)?;
    crate::run_passes(&mut loops, &options, &|_| false, &mut check)?;
    Ok(loops)
}

/// Lowers a function to loops, kernel by kernel, without the passes over loops. Fails if a `vjp`, `jvp` or `custom` is
/// left, a variable is read that is not bound, or an operation is not well formed.
pub fn lower_unoptimized(func: &Func, options: LowerOptions) -> Result<LoopFunc> {
    let mut lowerer = Lowerer {
        func,
        options,
        emit: Emitter::new(&func.name),
        values: HashMap::new(),
        extents: HashMap::new(),
        span: None,
        frames: Vec::new(),
        stored: HashMap::new(),
        integers: Integers::default(),
        section: None,
    };
    lowerer.params()?;
    let outputs = lowerer.block(&func.body, BTreeSet::new())?;
    for (&atom, value) in func.body.results.iter().zip(outputs) {
        let dims = lowerer.dims(&func.atom_ty(atom).dims)?;
        lowerer.emit.func.outputs.push(Output { value, dims });
    }
    Ok(lowerer.emit.finish())
}

pub(crate) struct Lowerer<'a> {
    pub func: &'a Func,
    pub options: LowerOptions,
    pub emit: Emitter,
    /// Scalars, and references to buffers.
    values: HashMap<VarId, Operand>,
    /// The extents of axis indices: an index is inside an axis of the same size.
    extents: HashMap<VarId, SizeId>,
    /// The source position of the statement being lowered: its own, or that of the nearest statement around it that has
    /// one.
    span: Option<Span>,
    /// The open blocks' array references, innermost last.
    frames: Vec<Liveness>,
    /// In the nest after matrix products: the values that are already in memory; `None` for parts of one.
    stored: HashMap<VarId, Option<product::Stored>>,
    /// The definitions of integers.
    integers: Integers,
    /// The place of the section being lowered, in code that is to be profiled.
    section: Option<SpanId>,
}

pub(crate) type Result<T> = std::result::Result<T, LowerError>;

impl Lowerer<'_> {
    fn params(&mut self) -> Result<()> {
        for &size in &self.func.sizes {
            let local = self.emit.local(self.func.name(size), Ty::Scalar(Scalar::I64));
            self.values.insert(size, local.into());
            self.emit.func.sizes.push(local);
        }
        for &param in &self.func.params {
            let ty = self.local_ty(param);
            let local = self.emit.local(self.func.name(param), ty);
            self.values.insert(param, local.into());
            self.emit.func.params.push(Param { local, dims: Vec::new() });
        }
        // An array's axes may mention an integer parameter that comes after it.
        for (k, &param) in self.func.params.iter().enumerate() {
            let dims: Result<Vec<ParamSize>> = self.func.ty(param).dims.iter().map(|&d| self.param_size(d)).collect();
            if let Some(row) = self.emit.func.params.get_mut(k) {
                row.dims = dims?;
            }
        }
        Ok(())
    }

    fn param_size(&self, size: SizeId) -> Result<ParamSize> {
        self.func.types.poly(size).renamed(|&v| self.local_of(v))
    }

    // Values.

    pub fn local_ty(&self, var: VarId) -> Ty {
        let ty = self.func.ty(var);
        if ty.is_scalar() { Ty::Scalar(ty.elem) } else { Ty::Buffer(ty.elem) }
    }

    pub fn bind(&mut self, var: VarId, value: Operand) {
        self.values.insert(var, value);
    }

    /// The operand for a variable. Fails if the variable is not bound.
    pub fn value(&self, var: VarId) -> Result<Operand> {
        self.values.get(&var).copied().ok_or_else(|| LowerError::Unbound(format!("{}.{var}", self.func.name(var))))
    }

    fn local_of(&self, var: VarId) -> Result<LocalId> {
        match self.value(var)? {
            Operand::Local(local) => Ok(local),
            Operand::Const(_) => {
                Err(ill_formed(format!("{} is a constant where a variable is needed", self.func.name(var))))
            }
        }
    }

    /// The reference for an array variable. Fails if the variable is not bound, or to no array.
    pub fn buffer(&self, var: VarId) -> Result<LocalId> {
        let local = self.local_of(var)?;
        match self.emit.func.ty(local) {
            Ty::Buffer(_) => Ok(local),
            Ty::Scalar(_) | Ty::Address(_) => Err(ill_formed(format!("{} is not an array", self.func.name(var)))),
        }
    }

    /// The value of an operand. Fails if it is a variable that is not bound.
    pub fn atom(&self, atom: Atom) -> Result<Operand> {
        match atom {
            Atom::Var(v) => self.value(v),
            Atom::Const(c) => Ok(Operand::Const(c)),
        }
    }

    /// The values of operands. Fails if one is a variable that is not bound.
    pub fn atoms(&self, atoms: &[Atom]) -> Result<Vec<Operand>> {
        atoms.iter().map(|&a| self.atom(a)).collect()
    }

    /// The value of a size, computed where its variables are bound. Fails if one of them is not bound.
    pub fn size(&mut self, size: SizeId) -> Result<Operand> {
        let poly: Poly = self.func.types.poly(size).clone();
        self.poly(&poly)
    }

    fn check_extents(&mut self, axes: &[Axis]) -> Result<()> {
        let sizes: Vec<SizeId> = axes.iter().map(|a| a.extent).collect();
        self.check_sizes(&sizes)
    }

    /// Checks that sizes which a program requests are integers: products, and sums of non-negative numbers. Sizes
    /// inside kernels are those of existing arrays, and a device computes with fewer bits.
    fn check_sizes(&mut self, sizes: &[SizeId]) -> Result<()> {
        if self.options.nested || !self.emit.outside_kernels() {
            return Ok(());
        }
        for &size in sizes {
            let poly: Poly = self.func.types.poly(size).clone();
            // An extent that depends on an outer axis is no larger than the range of that axis.
            if poly.vars().iter().all(|v| self.values.contains_key(v)) {
                self.check_poly(&poly)?;
            }
        }
        Ok(())
    }

    fn check_poly(&mut self, poly: &Poly) -> Result<()> {
        let span = self.place();
        let mut sum: Option<Operand> = None;
        for (monomial, &coefficient) in poly.terms.iter().filter(|(_, c)| **c > 0) {
            let mut factors = monomial.iter().map(|&v| self.value(v)).collect::<Result<Vec<Operand>>>()?;
            if coefficient != 1 || factors.is_empty() {
                factors.push(Operand::int(coefficient));
            }
            if factors.len() > 1 {
                self.emit.check(Demand::SizeProduct, factors.clone(), span);
            }
            let product = factors.into_iter().fold(Operand::int(1), |product, f| self.emit.int(Prim::Mul, product, f));
            sum = Some(match sum {
                None => product,
                Some(sum) => {
                    self.emit.check(Demand::SizeSum, vec![sum, product], span);
                    self.emit.int(Prim::Add, sum, product)
                }
            });
        }
        Ok(())
    }

    /// The value of a polynomial over integers that are bound.
    fn poly(&mut self, poly: &Poly) -> Result<Operand> {
        let mut sum = Operand::int(0);
        let mut constant = 0;
        for (monomial, &coefficient) in &poly.terms {
            if monomial.is_empty() {
                constant = coefficient;
                continue;
            }
            let mut product = Operand::int(1);
            for &v in monomial {
                let factor = self.value(v)?;
                product = self.emit.int(Prim::Mul, product, factor);
            }
            product = self.emit.int(Prim::Mul, product, Operand::int(coefficient));
            sum = self.emit.int(Prim::Add, sum, product);
        }
        Ok(self.emit.int(Prim::Add, sum, Operand::int(constant)))
    }

    /// The values of sizes. Fails if a variable of one is not bound.
    pub fn dims(&mut self, dims: &[SizeId]) -> Result<Vec<Operand>> {
        dims.iter().map(|&d| self.size(d)).collect()
    }

    // Blocks and references.

    /// Lowers a block in the innermost open block. `owned` are array variables whose references it owns from the start.
    /// The results that are arrays are references that the caller owns. Fails where [`lower_unoptimized`] does.
    pub fn block(&mut self, block: &Block, owned: BTreeSet<VarId>) -> Result<Vec<Operand>> {
        let start: Vec<VarId> = owned.iter().copied().collect();
        self.frames.push(Liveness::new(self.func, block, owned));
        self.release_unused(&start)?;
        // Statements that were lowered together with an earlier one.
        let mut done = 0;
        for (at, stmt) in block.stmts.iter().enumerate() {
            if at < done {
                continue;
            }
            if let Some(frame) = self.frames.last_mut() {
                frame.enter_stmt(self.func, at, stmt);
            }
            let around = (self.span, self.section);
            self.span = stmt.span.or(around.0);
            let count = self.joining(block, at);
            self.enter_section(block.stmts.get(at..=at + count).unwrap_or_default());
            match count {
                0 => self.stmt(stmt)?,
                count => {
                    self.build_placed(block, at, count)?;
                    done = at + 1 + count;
                }
            }
            self.integers.note(self.func, stmt);
            (self.span, self.section) = around;
            self.release_dying()?;
            self.release_unused(&stmt.vars)?;
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.enter_results(self.func, block.stmts.len(), &block.results);
        }
        let results: Result<Vec<Operand>> = block.results.iter().map(|&a| self.consume(a, false)).collect();
        self.release_dying()?;
        self.frames.pop();
        results
    }

    /// The value of an operand that is consumed: an array's reference is moved at its last use, and otherwise retained.
    /// Fails if it is a variable that is not bound.
    pub fn consume(&mut self, atom: Atom, shared: bool) -> Result<Operand> {
        let value = self.atom(atom)?;
        if let (Atom::Var(var), Operand::Local(local)) = (atom, value)
            && !self.func.ty(var).is_scalar()
        {
            let moved = self.frames.last_mut().is_some_and(|frame| frame.take(var, shared));
            if !moved {
                self.emit.push(Stmt::Retain(local));
            }
        }
        Ok(value)
    }

    /// Binds an array variable to a reference that the current block owns from now on, or a scalar to its value.
    pub fn bind_owned(&mut self, var: VarId, value: Operand) {
        self.bind(var, value);
        if self.func.ty(var).is_scalar() {
            return;
        }
        match self.frames.last_mut() {
            Some(frame) => frame.own(var),
            None => self.emit.func.broken((), NO_FRAME),
        }
    }

    /// Takes the references that die at this statement from the current block.
    pub fn take_dying(&mut self) -> Vec<VarId> {
        match self.frames.last_mut() {
            Some(frame) => frame.take_dying(),
            None => self.emit.func.broken(Vec::new(), NO_FRAME),
        }
    }

    fn release_dying(&mut self) -> Result<()> {
        let dying = self.take_dying();
        self.release(&dying)
    }

    fn release_unused(&mut self, vars: &[VarId]) -> Result<()> {
        let frame = self.frames.last_mut().ok_or_else(|| ill_formed(NO_FRAME))?;
        let unused = frame.take_unused(vars);
        self.release(&unused)
    }

    fn release(&mut self, vars: &[VarId]) -> Result<()> {
        for &v in vars {
            let buffer = self.buffer(v)?;
            self.emit.push(Stmt::Release(buffer));
        }
        Ok(())
    }

    /// The source position that a failure of the statement being lowered names.
    pub fn place(&mut self) -> SpanId {
        self.emit.span(self.span)
    }

    /// The section of the statement being lowered, in code that is to be profiled.
    pub fn section_place(&self) -> SpanId {
        self.section.unwrap_or(SpanId::from_index(0))
    }

    /// The place of a loop of the program: its section, in code that is to be profiled.
    pub fn loop_place(&mut self) -> SpanId {
        match self.section {
            Some(section) if self.emit.outside_kernels() => section,
            _ => self.place(),
        }
    }

    fn stmt(&mut self, stmt: &arr_ir::Stmt) -> Result<()> {
        if !self.stored.is_empty() && self.load_stored(stmt)? {
            return Ok(());
        }
        match &stmt.op {
            Op::Prim(prim, args) => self.prim(stmt, *prim, args),
            Op::Size(size) => {
                self.check_sizes(&[*size])?;
                let value = self.size(*size)?;
                self.bind(one(stmt)?, value);
                Ok(())
            }
            Op::Read { array, index, checked } => self.read(stmt, *array, index, *checked),
            Op::Check { kind, args } => self.check(*kind, args),
            Op::Trace { label, args } => self.trace(label, args),
            Op::Literal(literal) => self.literal(stmt, literal),
            Op::Reshape(array) => self.reshape(stmt, *array),
            Op::Barrier(args) => {
                let values = args.iter().map(|&a| self.consume(a, false)).collect::<Result<Vec<_>>>()?;
                stmt.vars.iter().zip(values).for_each(|(&var, value)| self.bind_owned(var, value));
                Ok(())
            }
            Op::StopGradient(atom) => match atom {
                Atom::Var(v) if !self.func.ty(*v).is_scalar() => self.reshape(stmt, *v),
                _ => {
                    let value = self.atom(*atom)?;
                    self.bind(one(stmt)?, value);
                    Ok(())
                }
            },
            Op::Build { axes, body } => {
                self.check_extents(axes)?;
                self.build(stmt, axes, body)
            }
            Op::Reduce { kind, axes, body } => {
                self.check_extents(axes)?;
                self.reduce(stmt, *kind, axes, body)
            }
            Op::Scatter { kind, dest, axes, body, checked } => {
                self.check_extents(axes)?;
                self.scatter(stmt, *kind, *dest, axes, body, *checked)
            }
            Op::Loop { axis, reverse, inits, body } => {
                self.check_extents(std::slice::from_ref(axis))?;
                self.sequential_loop(stmt, axis, *reverse, inits, body)
            }
            Op::If { cond, then_block, else_block } => self.branch(stmt, *cond, then_block, else_block),
            Op::While { inits, cond, body } => self.repeat(stmt, inits, cond, body),
            Op::Argsort(array) => self.argsort(stmt, *array),
            Op::Custom { .. } => Err(LowerError::NotEliminated("custom")),
            Op::Call { .. } => Err(LowerError::NotEliminated("call")),
            Op::Vjp { .. } => Err(LowerError::NotEliminated("vjp")),
            Op::Jvp { .. } => Err(LowerError::NotEliminated("jvp")),
        }
    }

    /// A snapshot of a mutable local, as an immutable one.
    pub fn snapshot(&mut self, hint: &str, local: LocalId) -> LocalId {
        let ty = self.emit.func.ty(local);
        self.emit.let_here(hint, ty, Expr::Copy(local.into()))
    }
}

/// The one variable a statement binds.
pub(crate) fn one(stmt: &arr_ir::Stmt) -> Result<VarId> {
    match stmt.vars.as_slice() {
        [v] => Ok(*v),
        vars => Err(ill_formed(format!("a statement binds {} variables instead of 1", vars.len()))),
    }
}

/// An impossible case: nothing would release the references of such a statement.
const NO_FRAME: &str = "a statement outside of all blocks";

pub(crate) fn ill_formed(what: impl Into<String>) -> LowerError {
    LowerError::IllFormed(what.into())
}

/// Fails unless two lists are equally long.
pub(crate) fn same_length(what: &str, a: usize, b: usize) -> Result<()> {
    if a == b { Ok(()) } else { Err(ill_formed(format!("{what}: {a} and {b}"))) }
}
