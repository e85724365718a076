//! Removes user code from under `build`: the bulk-operation transform (bot).
//!
//! ```text
//! y: [n]f64 = build i<n {                      s: [n]f64 = build i<n {
//!   r: [d]f64 = build l<d {                      t: f64 = reduce sum l<d {
//!     a: f64 = read! x[i, l]                       a: f64 = read! r[i, l] ...
//!     b: f64 = sin a                      =>       yield ..
//!     yield b                                    }
//!   }                                            yield t
//!   s: f64 = reduce sum l<d { read! r[l] }     }
//!   q: f64 = sqrt s                            y: [n]f64 = build i<n { read! s[i]; sqrt; yield }
//!   yield q                                    (and r: [n][d]f64 = build i<n, l<d { .. } in front)
//! }
//! ```
//!
//! Assumes:      a verified core function.
//! Guarantees:   the function is bulk (see `arr_ir::func`): every array is made by a statement of the function, a `loop`
//!               or an `if`, never inside a kernel. Values are unchanged, and so is the work, up to a constant factor.
//! Leaves alone: kernels that hold a `vjp` or `jvp`; the pass runs on them again after differentiation.
//! Cost:         O(statements x nesting depth). Paper: Smeding et al., "Dual-Numbers Reverse AD for Functional Array
//!               Languages", section 5. Tests: tests/bot/.
//!
//! # How it relates to the paper
//!
//! The paper's array language has one operation each for elementwise code, gather, replicate, transpose, reshape and
//! sum, and its rules push `build1` through them. Here one kernel form with index expressions covers all of these, so
//! that most rules become a way of reading or indexing:
//!
//! | rule | here |
//! |---|---|
//! | B1 `build i. i` | a kernel that yields its index |
//! | B2, X2 body or `let` without `i` | each value is stored over the axes it depends on, and no others |
//! | B3 `let` | a value that another kernel needs is stored; its uses read it at the current index |
//! | B4 `cond` | scalar code keeps a lazy `if`; otherwise both branches are lifted under a guard, and merged by an `if` |
//! | B5, B6 elementwise | scalar code of one kernel |
//! | B7 `sumOuter` | a `reduce` under the outer axes |
//! | parts of a pair that depend on fewer axes | a `build`, `reduce`, `if` or loop of their own, or state stored over fewer axes (`split`, `depend`) |
//! | B8, X1, B11, B12, K1, K2 gather, replicate, transpose, index | reads: an axis that a read does not mention is broadcast, never copied |
//! | B9 scatter | the axes go in front of the scatter's, their indices in front of its indices |
//! | B10 stack, K3, K4, X3 | reads of the stored array |
//! | B13 reshape | the axes go in front of the new shape; one that a check makes possible is read by elements (`reshape`) |
//! | I1 to I13, X4, beta | index functions are scalar code with shared `let`s; reads of a kernel's result are removed by `simplify` (views) and `fuse` |
//!
//! `loop` and `while` over scalar code with scalar state stay in their kernel, with the state in registers. Other loops
//! make arrays: their state is stored over the axes and the loop is outermost, a `while` running until all points are
//! finished. Reverse mode sees no loop in a kernel, so in the body of a `vjp` all are lifted, except those that would
//! run longer at some points than at others: their kernel becomes a loop over its points (`variable_trip`). A size that
//! differs from point to point is replaced by its maximum and a guard if it is a polynomial of indices; code with other
//! such sizes becomes a loop over the points as well (`irregular`, `order`).
//!
//! `argsort`: the axes go in front of the sorted ones. A `trace` has a kernel of its own (`trace`). `custom` is its body, except in the body of a `vjp`, where
//! reverse mode looks for the rule; there both blocks are lifted.

mod axes;
mod control;
mod custom;
mod depend;
mod irregular;
mod kernel;
mod lift;
mod order;
mod repeat;
mod reshape;
mod split;
mod trace;
mod variable_trip;

use arr_base::{Code, Diagnostic, Span};
use arr_ir::rewrite::{for_each_block_mut, for_each_op};
use arr_ir::walk::{for_each_use_in_block, has_derivative};
use arr_ir::{Atom, Axis, Block, Func, Op, SizeId, Stmt, VarId};
use rustc_hash::FxHashMap;

/// Reasons why a function could not be brought into bulk form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BotError {
    /// An array whose size differs from point to point is read where its bounds must be checked, or reshaped.
    Irregular(Option<Span>),
    /// More than 64 axes are nested.
    TooManyAxes(Option<Span>),
}

impl BotError {
    pub fn to_diagnostic(&self) -> Diagnostic {
        let (title, span) = match self {
            BotError::Irregular(span) => (
                "an array whose size differs from one iteration to the next is stored, which is not supported yet",
                span,
            ),
            BotError::TooManyAxes(span) => ("more than 63 nested axes are not supported", span),
        };
        let diagnostic = Diagnostic::error(Code::UNSUPPORTED_IRREGULAR, title);
        match span {
            Some(span) => diagnostic.at(*span, "here"),
            None => diagnostic,
        }
    }
}

/// Brings a core function into bulk form. Errors: E0902 where an array of varying size would be stored, or axes nest
/// too deeply; the body is then unchanged.
pub fn bot(func: &mut Func) -> Result<(), BotError> {
    let body = std::mem::take(&mut func.body);
    let expanded = custom::expand(func, &body);
    let source = expanded.as_ref().unwrap_or(&body);
    let by_elements = reshape::by_elements(func, source);
    let source = by_elements.as_ref().unwrap_or(source);
    let mut bot = Bot::new(func, source);
    let result = bot.bulk_block(source);
    match result {
        Ok(block) => {
            func.body = block;
            // A check has a kernel of its own here, and the access that it guards may be in another.
            arr_ir::bounds::check_unproved(func);
            Ok(())
        }
        Err(error) => {
            func.body = body;
            Err(error)
        }
    }
}

/// Brings the body of a `vjp` into the bulk form that reverse mode takes: no kernel holds a loop. Its free variables do
/// not change. Errors: as of [`bot`].
pub fn bot_block(func: &mut Func, block: &Block) -> Result<Block, BotError> {
    let by_elements = reshape::by_elements(func, block);
    let block = by_elements.as_ref().unwrap_or(block);
    let mut bot = Bot::new(func, block);
    bot.in_vjp = true;
    bot.bulk_block(block)
}

/// A set of enclosing axes, by position from the outermost.
type AxisSet = u64;

/// Where the bulk program has a variable of the source. A variable without a location is unchanged.
#[derive(Clone, Copy, Debug)]
enum Location {
    /// The index of the enclosing axis at this position.
    Axis(usize),
    /// Scalar code not yet put into a kernel.
    Pending(usize),
    /// In an array whose leading axes are these enclosing axes, followed by the variable's own.
    Stored { array: VarId, axes: AxisSet },
}

/// A scalar statement that waits until a kernel needs it.
#[derive(Clone, Debug)]
struct Pending {
    stmt: Stmt,
    deps: AxisSet,
    /// The guard under which it was written.
    guard: Option<VarId>,
    /// The cost of recomputing it, in statements; large if one of them is expensive.
    weight: u32,
    /// Whether it can stop the program.
    fails: bool,
    /// Whether some kernel over exactly its axes executes it.
    run: bool,
}

fn indices_in(block: &Block, out: &mut FxHashMap<VarId, SizeId>) {
    block.stmts.iter().for_each(|stmt| indices_of(&stmt.op, out));
}

fn indices_of(op: &Op, out: &mut FxHashMap<VarId, SizeId>) {
    for_each_op(op, &mut |op| out.extend(op.axes().iter().map(|a| (a.index, a.extent))));
}

/// The extent to which arrays of a size are padded.
#[derive(Clone, Copy, Debug)]
struct Padded {
    /// The size in the source, which differs from point to point.
    size: SizeId,
    /// The guard under which the extent is the largest size at any point.
    guard: Option<VarId>,
    extent: SizeId,
}

/// Scalar code of at most this weight is recomputed rather than stored.
const CHEAP: u32 = 4;

struct Bot<'f> {
    func: &'f mut Func,
    /// Statements of the open output blocks, innermost last.
    out: Vec<Vec<Stmt>>,
    /// The enclosing axes, with extents that are the same at every point.
    axes: Vec<Axis>,
    /// The condition under which the current code runs, a boolean variable.
    guard: Option<VarId>,
    places: FxHashMap<VarId, Location>,
    /// For each open output block, the locations to restore when it closes.
    undo: Vec<Vec<(VarId, Option<Location>)>>,
    pending: Vec<Pending>,
    /// How many of them there were when each open output block was opened. The block may never run, or run under other
    /// axes: what can stop the program runs outside of it.
    pending_outside: Vec<usize>,
    /// How often each variable is used in the source.
    uses: FxHashMap<VarId, u32>,
    /// The indices of all axes of the source, and their extents.
    indices: FxHashMap<VarId, SizeId>,
    /// The extents of padded arrays, oldest first.
    padded: Vec<Padded>,
    /// How many of them there were when each open output block was opened.
    padded_outside: Vec<usize>,
    /// The guards that guards narrow.
    wider: FxHashMap<VarId, VarId>,
    /// Variables holding arrays padded to a common size.
    ragged: rustc_hash::FxHashSet<VarId>,
    /// Variables that have one value at all points, though they may be stored over axes.
    steady: rustc_hash::FxHashSet<VarId>,
    /// Scalars that a part of an `if` passes to larger parts.
    exports: rustc_hash::FxHashSet<VarId>,
    /// Whether the code is differentiated in reverse mode, so that no kernel may hold a loop.
    in_vjp: bool,
}

impl<'f> Bot<'f> {
    fn new(func: &'f mut Func, source: &Block) -> Self {
        let mut uses = FxHashMap::default();
        for_each_use_in_block(func, source, &mut |v| *uses.entry(v).or_insert(0) += 1);
        let mut indices = FxHashMap::default();
        indices_in(source, &mut indices);
        Bot {
            func,
            out: Vec::new(),
            axes: Vec::new(),
            guard: None,
            places: FxHashMap::default(),
            undo: Vec::new(),
            pending: Vec::new(),
            pending_outside: Vec::new(),
            uses,
            indices,
            padded: Vec::new(),
            padded_outside: Vec::new(),
            wider: FxHashMap::default(),
            ragged: rustc_hash::FxHashSet::default(),
            steady: rustc_hash::FxHashSet::default(),
            exports: rustc_hash::FxHashSet::default(),
            in_vjp: false,
        }
    }

    /// Brings a block that runs once (not per point of an axis) into bulk form.
    fn bulk_block(&mut self, block: &Block) -> Result<Block, BotError> {
        self.open();
        let result = block.stmts.iter().try_for_each(|stmt| self.bulk_stmt(stmt));
        let results = block.results.iter().map(|&a| self.resolve(a)).collect();
        let stmts = self.close();
        result?;
        Ok(Block { params: block.params.clone(), stmts, results })
    }

    fn bulk_stmt(&mut self, stmt: &Stmt) -> Result<(), BotError> {
        match &stmt.op {
            Op::Build { .. } | Op::Reduce { .. } | Op::Scatter { .. } if !has_derivative(&stmt.op) => {
                match self.point_by_point(stmt) {
                    Some(stmts) => stmts.iter().try_for_each(|s| self.bulk_stmt(s)),
                    None => self.lift_stmt(stmt),
                }
            }
            _ => {
                let mut stmt = stmt.clone();
                stmt.op.map_operands(&mut |a| self.resolve(a));
                let waits = stmt.op.is_kernel();
                let mut failed = None;
                let outer = self.in_vjp;
                self.in_vjp |= matches!(stmt.op, Op::Vjp { .. });
                for block in stmt.op.blocks_mut() {
                    if waits {
                        self.resolve_block(block);
                        continue;
                    }
                    match self.bulk_block(block) {
                        Ok(bulk) => *block = bulk,
                        Err(error) => failed = Some(error),
                    }
                }
                self.in_vjp = outer;
                self.push(stmt);
                failed.map_or(Ok(()), Err)
            }
        }
    }

    /// The operand in the bulk program, where it is the same at every point.
    fn resolve(&self, atom: Atom) -> Atom {
        match atom.var().and_then(|v| self.places.get(&v)) {
            Some(Location::Stored { array, axes: 0 }) => Atom::Var(*array),
            _ => atom,
        }
    }

    fn resolve_block(&self, block: &mut Block) {
        for_each_block_mut(block, &mut |block| {
            block.stmts.iter_mut().for_each(|stmt| stmt.op.map_operands(&mut |a| self.resolve(a)));
            block.results.iter_mut().for_each(|a| *a = self.resolve(*a));
        });
    }

    fn open(&mut self) {
        self.out.push(Vec::new());
        self.undo.push(Vec::new());
        self.padded_outside.push(self.padded.len());
        self.pending_outside.push(self.pending.len());
    }

    /// Closes the innermost output block. Its variables are forgotten, because they are out of scope from here.
    fn close(&mut self) -> Vec<Stmt> {
        self.padded.truncate(self.padded_outside.pop().unwrap_or_default());
        self.pending_outside.pop();
        for (var, place) in self.undo.pop().unwrap_or_default().into_iter().rev() {
            match place {
                Some(place) => self.places.insert(var, place),
                None => self.places.remove(&var),
            };
        }
        match self.out.pop() {
            Some(stmts) => stmts,
            None => self.func.broken(Vec::new(), "a block is closed that is not open"),
        }
    }

    fn push(&mut self, stmt: Stmt) {
        if let Some(block) = self.out.last_mut() {
            block.push(stmt);
        }
    }

    fn place(&mut self, var: VarId, place: Location) {
        let old = self.places.insert(var, place);
        if let Some(log) = self.undo.last_mut() {
            log.push((var, old));
        }
    }
}
