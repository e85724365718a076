//! The elaborator: symbolic evaluation of syntax trees into core IR.
//!
//! Checking and elaborating are one thing. In check mode every definition is evaluated once on symbolic arguments, and
//! calls of other definitions stop at their signatures; the IR made on the way is thrown away. In elaborate mode calls
//! are inlined and the IR is the result.

use crate::data::problem::Problem;
use crate::data::recorded::Types;
use crate::data::tables::Tables;
use crate::data::types::{FnId, Ty};
use crate::data::values::{Hint, Val};
use crate::declare::lowering::MAX_PARTS;
use crate::elaborate::env::{Env, TypeScope};
use crate::elaborate::function::FnVal;
use arr_base::{Diagnostic, IndexVec, Span};
use arr_ir::{Atom, Builder, Func, Literal, Poly, Prim, Scalar, SizeId, VarId};
use arr_syntax::ast::Expr;
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    Check,
    Elaborate,
}

/// Where a size variable comes from, for messages.
#[derive(Clone, Debug)]
pub(crate) struct SizeOrigin {
    pub name: String,
    pub span: Option<Span>,
    pub fact: &'static str,
}

/// An integer that is computed from others. Two are the same if their operands have equal polynomials.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Computed {
    Prim(Prim, Vec<Poly>),
    /// The number of steps in a span.
    Steps(Poly, Poly),
}

pub(crate) struct Elab<'a> {
    pub tables: &'a Tables,
    pub mode: Mode,
    pub b: Builder,
    pub env: Env<'a>,
    pub scope: TypeScope<'a>,
    pub fns: IndexVec<FnId, FnVal<'a>>,
    pub problems: Vec<Diagnostic>,
    /// The polynomial of every `i64` variable that is computed by `+ - *` from others.
    pub polys: FxHashMap<VarId, Poly>,
    /// Sizes that are not polynomials, and the block that binds each: computed once, equal ones are the same variable.
    pub computed: FxHashMap<Computed, (Atom, u64)>,
    /// The extents of the indices in scope.
    pub extents: FxHashMap<VarId, SizeId>,
    pub origins: FxHashMap<VarId, SizeOrigin>,
    /// Constants that are not scalars, evaluated once.
    pub constants: FxHashMap<usize, Val>,
    /// Size parameters: lengths of arrays, so never negative.
    pub lengths: FxHashSet<VarId>,
    /// Variables that have the name the user gave them.
    pub named: FxHashSet<VarId>,
    /// Array constants, so that literals of them are again literals.
    pub literals: FxHashMap<VarId, Literal>,
    /// The definitions whose declared derivatives are being evaluated, and whether they stop the gradients of all their
    /// parameters. There a call of one of them is an ordinary call, as evaluation would not end otherwise; one that stops
    /// gradients has its rule there too, up to [`DEEPEST`](super::calls::DEEPEST), as its derivative would be zero.
    pub in_rule: Vec<(usize, bool)>,
    /// Whether calls of definitions with declared derivatives stay calls, for readers.
    pub kept_calls: bool,
    /// How many bodies of functions and definitions are being evaluated in the place of calls.
    pub inlined: usize,
    /// How many `if`, `match`, `and` and `or` are around what is being evaluated.
    pub branches: usize,
    pub depth: u32,
    /// The outermost expression that is being evaluated, or was last.
    pub root: Option<&'a Expr>,
    /// Whether it was reported that the program is too deep or too large.
    pub too_large: bool,
    /// Whether something is shown, so that the value is not all that there is to know.
    pub shows: bool,
    /// The types found so far, if they were asked for.
    pub recorded: Option<Box<Types>>,
}

/// How deep expressions and inlined calls may nest. The elaborator's thread has stack for it.
const MAX_NESTING: u32 = 30_000;
/// How deep blocks may nest in the IR; later stages recurse over them.
pub(crate) const MAX_BLOCKS: usize = 1_000;
/// How many variables a program may have once everything is inlined.
pub(crate) const MAX_VARS: usize = 1_000_000;

impl<'a> Elab<'a> {
    pub fn new(tables: &'a Tables, mode: Mode, name: &str) -> Self {
        Elab {
            tables,
            mode,
            b: Builder::new(Func::new(name)),
            env: Env::default(),
            scope: TypeScope::default(),
            fns: IndexVec::new(),
            problems: Vec::new(),
            polys: FxHashMap::default(),
            computed: FxHashMap::default(),
            extents: FxHashMap::default(),
            origins: FxHashMap::default(),
            constants: FxHashMap::default(),
            lengths: FxHashSet::default(),
            named: FxHashSet::default(),
            literals: FxHashMap::default(),
            in_rule: Vec::new(),
            kept_calls: false,
            inlined: 0,
            branches: 0,
            depth: 0,
            root: None,
            too_large: false,
            shows: false,
            recorded: None,
        }
    }

    /// Reports a problem; the value to go on with fits everything.
    pub fn fail(&mut self, problem: Problem) -> Val {
        self.problems.push(problem.into());
        Val::error()
    }

    /// Reports that an invariant does not hold, unless an earlier problem may be the cause. The atom is never used: a
    /// program with problems is not compiled.
    pub fn broken(&mut self, what: &'static str) -> Atom {
        if self.problems.is_empty() {
            let span = self.span();
            self.fail(Problem::Broken { span, what });
        }
        Atom::bool(false)
    }

    pub fn function(&mut self, f: FnVal<'a>) -> Val {
        Val::function(self.fns.push(f))
    }

    pub fn expr(&mut self, expr: &'a Expr, hint: &Hint) -> Val {
        let outer = self.b.span.replace(expr.span);
        if self.depth == 0 {
            self.root = Some(expr);
        }
        self.depth += 1;
        let val = if self.depth > MAX_NESTING || self.b.depth() > MAX_BLOCKS {
            let said = std::mem::replace(&mut self.too_large, true);
            if said { Val::error() } else { self.fail(Problem::TooDeep { span: expr.span }) }
        } else if self.b.func.vars.len() > MAX_VARS {
            // Reported once: later reports would only repeat it.
            let said = std::mem::replace(&mut self.too_large, true);
            if said { Val::error() } else { self.fail(Problem::TooLarge { span: expr.span }) }
        } else {
            self.expr_kind(expr, hint)
        };
        let val = self.of_sensible_size(val, expr.span);
        self.record_expr(expr.span, &val);
        self.depth -= 1;
        self.b.span = outer;
        val
    }

    /// The value, unless its type has too many parts, which is reported once. A `let` can double a type per line.
    pub fn of_sensible_size(&mut self, val: Val, span: Span) -> Val {
        if val.ty.parts(MAX_PARTS) <= MAX_PARTS {
            return val;
        }
        let said = std::mem::replace(&mut self.too_large, true);
        let what = format!("a value of more than {MAX_PARTS} parts is");
        if said { Val::error() } else { self.fail(Problem::Unsupported { span, what }) }
    }

    /// The place that the next statements come from.
    pub fn span(&self) -> Span {
        let nowhere = Span { file: arr_base::Id::from_index(0), start: 0, end: 0 };
        self.b.span.unwrap_or(nowhere)
    }

    /// A value of a type about which nothing is known. Only in check mode, where the IR is thrown away.
    pub fn placeholder(&mut self, ty: &Ty, name: &str) -> Val {
        let leaves = ty.leaves();
        let leaves = leaves
            .into_iter()
            .map(|(path, ty)| {
                let ty = self.b.func.types.ty(ty);
                Atom::Var(self.b.func.var(format!("{name}{path}"), ty))
            })
            .collect();
        Val::new(ty.clone(), leaves)
    }

    /// Gives the variables that a value consists of the user's name for it, unless they have a name already.
    pub fn name_value(&mut self, val: &Val, name: &str) {
        for (atom, (path, _)) in val.leaves.iter().zip(val.ty.leaves()) {
            if let Atom::Var(v) = atom
                && self.named.insert(*v)
            {
                self.b.func.vars[*v].name = format!("{name}{path}");
            }
        }
        if let (Ty::Scalar(Scalar::I64), Some(Atom::Var(v))) = (&val.ty, val.atom()) {
            let span = self.b.span;
            let origin = SizeOrigin { name: name.to_string(), span, fact: "is bound here" };
            self.origins.entry(v).or_insert(origin);
        }
    }

    /// The number of variables so far: what is made from here on is bound inside.
    pub fn mark(&self) -> usize {
        self.b.func.vars.len()
    }
}
