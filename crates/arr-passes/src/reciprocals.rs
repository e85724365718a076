//! Divides once for several quotients, and takes divisions off the critical path of loops.
//!
//! ```text
//! q: f64 = div a, d                  r: f64 = div 1.0, d
//! p: f64 = div b, d           =>     q: f64 = mul a, r
//!                                    p: f64 = mul b, r
//!
//! s: f64 = sqrt x                    r: f64 = div 1.0, s
//! t: f64 = mul x, s                  r3: f64 = mul (mul r, r), r
//! q: f64 = div a, t           =>     q: f64 = mul a, r3
//! u: f64 = mul 2.0, s                h: f64 = mul r, 0.5
//! p: f64 = div b, u                  p: f64 = mul b, h
//! ```
//!
//! A division takes as long as several products, in vectors too, and on the critical path of a loop it takes three
//! times as long as a product. Divisors that are a root, its cube or a constant multiple of these share one reciprocal:
//! powers of `1 / s` neither overflow nor vanish where the quotients do not.
//!
//! Assumes:      a verified fused function.
//! Guarantees:   quotients are off by a few rounding errors, and are infinite (NaN, of a zero) where the divisor is so small
//!               that its reciprocal overflows, below 5.6e-309; the divisor `-0 * sqrt(-0)` counts as negative.
//! Leaves alone: quotients on which integers, rounding or comparisons of the same code depend, as `floor(6 * (1 / 3))`
//!               must not change; code outside of kernels and loops; quotients in different branches.
//! Cost:         O(statements).
//! Tests:        tests/reciprocals/, and the sizes of errors in tests/programs

use crate::analysis::yielded_for;
use arr_ir::walk::{Subst, for_each_use};
use arr_ir::{Atom, Block, Const, Func, Op, Prim, Scalar, Stmt, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Shares reciprocals, in place. Valid only for relaxed code, since rounding changes.
pub fn reciprocals(func: &mut Func) {
    let body = std::mem::take(&mut func.body);
    let mut pass = Pass { func, defs: FxHashMap::default() };
    let body = pass.block(body, &Around::Nothing);
    pass.func.body = body;
}

/// The operation whose body a block is.
pub(crate) enum Around {
    /// The function, or a branch of it.
    Nothing,
    Kernel,
    /// A loop whose state is in these scalars.
    Loop(Vec<VarId>),
}

struct Pass<'f> {
    func: &'f mut Func,
    /// Primitives in scope.
    defs: FxHashMap<VarId, (Prim, Vec<Atom>)>,
}

/// A divisor as `factor * base ^ power`.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Monomial {
    base: VarId,
    power: u8,
    factor: f64,
}

impl Pass<'_> {
    fn block(&mut self, block: Block, around: &Around) -> Block {
        self.note(&block);
        let rounded = rounded(self.func, &block, around);
        let waits = match around {
            Around::Loop(state) => followers(self.func, &block, state),
            _ => FxHashSet::default(),
        };
        let shared = match around {
            Around::Nothing => FxHashSet::default(),
            _ => self.shared(&block, &rounded, &waits),
        };
        let mut out = Block { params: block.params, stmts: Vec::new(), results: block.results };
        let (mut made, mut same) = (Made::default(), Subst::new());
        for mut stmt in block.stmts {
            let divisor = stmt.vars.first().filter(|v| !rounded.contains(v)).and_then(|_| self.divisor(&stmt));
            match divisor.filter(|(_, divisor)| shared.contains(&divisor.base)) {
                Some((dividend, divisor)) => {
                    let reciprocal = self.reciprocal(&stmt, divisor, &mut made, &mut out.stmts);
                    match (dividend, stmt.vars.as_slice()) {
                        (Atom::Const(c), &[var]) if c.as_f64() == Some(1.0) => same.insert(var, reciprocal),
                        _ => {
                            stmt.op = Op::Prim(Prim::Mul, vec![dividend, reciprocal]);
                            out.stmts.push(stmt);
                        }
                    }
                }
                None => {
                    let inside = self.inside(&stmt.op, around);
                    for inner in stmt.op.blocks_mut() {
                        *inner = self.block(std::mem::take(inner), &inside);
                    }
                    out.stmts.push(stmt);
                }
            }
        }
        if !same.map.is_empty() {
            same.apply_to_block(self.func, &mut out);
        }
        out
    }

    fn note(&mut self, block: &Block) {
        for stmt in &block.stmts {
            if let (Op::Prim(prim, args), &[var]) = (&stmt.op, stmt.vars.as_slice()) {
                self.defs.insert(var, (*prim, args.clone()));
            }
        }
    }

    /// The surroundings of an operation's blocks.
    fn inside(&self, op: &Op, around: &Around) -> Around {
        let scalars = |params: &[VarId]| params.iter().copied().filter(|&v| self.func.ty(v).is_scalar()).collect();
        match op {
            Op::Build { .. } | Op::Reduce { .. } | Op::Scatter { .. } => Around::Kernel,
            Op::Loop { body, .. } => Around::Loop(scalars(&body.params)),
            // The number of iterations may depend on anything.
            Op::While { .. } => Around::Nothing,
            _ if matches!(around, Around::Nothing) => Around::Nothing,
            _ => Around::Kernel,
        }
    }

    /// The bases of divisors that get a reciprocal: those of several quotients, and of one where the state of a loop
    /// depends on the quotient but not on the divisor.
    fn shared(&self, block: &Block, rounded: &FxHashSet<VarId>, waits: &FxHashSet<VarId>) -> FxHashSet<VarId> {
        let mut counts: FxHashMap<VarId, usize> = FxHashMap::default();
        let mut shared = FxHashSet::default();
        for stmt in &block.stmts {
            let Some((dividend, divisor)) = self.divisor(stmt) else { continue };
            if stmt.vars.iter().any(|v| rounded.contains(v)) {
                continue;
            }
            let count = counts.entry(divisor.base).or_insert(0);
            *count += 1;
            let waiting = dividend.var().is_some_and(|v| waits.contains(&v)) && !waits.contains(&divisor.base);
            if *count > 1 || waiting {
                shared.insert(divisor.base);
            }
        }
        shared
    }

    /// The operands of a quotient of floats, if its divisor is not constant.
    fn divisor(&self, stmt: &Stmt) -> Option<(Atom, Monomial)> {
        let Op::Prim(Prim::Div, args) = &stmt.op else { return None };
        let &[dividend, divisor] = args.as_slice() else { return None };
        self.func.is_float(divisor).then_some(())?;
        let monomial = self.monomial(divisor.var()?);
        // The reciprocal of the factor must be as accurate as the factor.
        let one = if self.func.atom_elem(divisor) == Scalar::F32 {
            f64::from((monomial.factor as f32).recip())
        } else {
            monomial.factor.recip()
        };
        let good = one.is_normal() && monomial.factor.is_normal();
        Some((dividend, if good { monomial } else { Monomial { base: divisor.var()?, power: 1, factor: 1.0 } }))
    }

    fn monomial(&self, v: VarId) -> Monomial {
        let alone = Monomial { base: v, power: 1, factor: 1.0 };
        let Some((Prim::Mul, args)) = self.defs.get(&v) else { return alone };
        match args.as_slice() {
            &[Atom::Const(c), Atom::Var(w)] | &[Atom::Var(w), Atom::Const(c)] => {
                let Some(factor) = c.as_f64() else { return alone };
                let inner = self.monomial(w);
                Monomial { factor: inner.factor * factor, ..inner }
            }
            &[Atom::Var(a), Atom::Var(b)] if self.is_root(a, b) => Monomial { base: a, power: 3, factor: 1.0 },
            &[Atom::Var(a), Atom::Var(b)] if self.is_root(b, a) => Monomial { base: b, power: 3, factor: 1.0 },
            _ => alone,
        }
    }

    /// Whether `s` is the root of `x`.
    fn is_root(&self, s: VarId, x: VarId) -> bool {
        matches!(self.defs.get(&s), Some((Prim::Sqrt, args)) if args.as_slice() == [Atom::Var(x)])
    }

    /// The reciprocal of a divisor; its computation goes to `out` unless it exists already.
    fn reciprocal(&mut self, stmt: &Stmt, divisor: Monomial, made: &mut Made, out: &mut Vec<Stmt>) -> Atom {
        let Monomial { base, power, factor } = divisor;
        let elem = self.func.ty(base).elem;
        let number = |x: f64| Atom::Const(if elem == Scalar::F32 { Const::F32(x as f32) } else { Const::F64(x) });
        let mut once = |key: (VarId, u8, u64), prim: Prim, args: Vec<Atom>| {
            *made.entry(key).or_insert_with(|| {
                let var = self.func.scalar_var("r", elem);
                out.push(Stmt { vars: vec![var], op: Op::Prim(prim, args), span: stmt.span });
                Atom::Var(var)
            })
        };
        let one = 1.0f64.to_bits();
        let first = once((base, 1, one), Prim::Div, vec![number(1.0), Atom::Var(base)]);
        let raised = (2..=power).fold(first, |r, power| once((base, power, one), Prim::Mul, vec![r, first]));
        if factor == 1.0 {
            return raised;
        }
        once((base, power, factor.to_bits()), Prim::Mul, vec![raised, number(factor.recip())])
    }
}

/// Reciprocals of powers, with the bits of the factor.
type Made = FxHashMap<(VarId, u8, u64), Atom>;

/// The scalars of a block on which integers, rounding or comparisons depend, in a later iteration too, or with which
/// inner loops begin.
pub(crate) fn rounded(func: &Func, block: &Block, around: &Around) -> FxHashSet<VarId> {
    let mut found = FxHashSet::default();
    loop {
        let before = found.len();
        add_rounded(func, block, &mut found);
        if matches!(around, Around::Loop(_)) {
            let state = block.params.iter().zip(&block.results).filter(|(param, _)| found.contains(param));
            let next: Vec<VarId> = state.filter_map(|(_, result)| result.var()).collect();
            found.extend(next);
        }
        if found.len() == before {
            return found;
        }
    }
}

fn add_rounded(func: &Func, block: &Block, found: &mut FxHashSet<VarId>) {
    for stmt in block.stmts.iter().rev() {
        match &stmt.op {
            Op::Prim(prim, args) => {
                let here = stmt.vars.iter().any(|v| found.contains(v) || !func.ty(*v).elem.is_float());
                let steps = matches!(prim, Prim::Floor | Prim::Ceil | Prim::Round | Prim::Sign | Prim::Rem);
                if here || steps {
                    found.extend(args.iter().filter_map(|a| a.var()));
                }
            }
            Op::Build { .. } | Op::Reduce { .. } | Op::Scatter { .. } | Op::If { .. } => {
                for inner in stmt.op.blocks() {
                    found.extend(yielded_for(stmt, inner, found));
                    add_rounded(func, inner, found);
                }
            }
            op => for_each_use(func, op, &mut |v| {
                found.insert(v);
            }),
        }
    }
}

/// The floats of a block that depend on its parameters.
fn followers(func: &Func, block: &Block, state: &[VarId]) -> FxHashSet<VarId> {
    let mut found: FxHashSet<VarId> = state.iter().copied().collect();
    for stmt in &block.stmts {
        let mut follows = false;
        for_each_use(func, &stmt.op, &mut |v| follows |= found.contains(&v));
        if follows {
            found.extend(stmt.vars.iter().copied().filter(|&v| func.ty(v).is_scalar()));
        }
    }
    found
}
