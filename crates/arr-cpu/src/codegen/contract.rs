//! Contraction: products that are added without being rounded, `a * b + c` as one operation, `fma`.
//!
//! Only relaxed code does this, and only where the processor has the operation. The product must have no other use, and be
//! computed in the block of the sum from locals that do not change, so that its factors are still there. A difference of
//! two products is left alone: `x * y - y * x` is zero, and stays so.
//!
//! A sum that decides something (which of two numbers is larger, what a number is rounded to) is left alone too: other
//! code may compute it again, with a product that has another use there, and must decide alike. Otherwise a derivative
//! could follow both sides of a branch, or neither.

use arr_ir::Prim;
use arr_loops::{Expr, LocalId, LoopFunc, Operand, Stmt};
use std::collections::{HashMap, HashSet};

/// The negated part of `a * b + c`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sign {
    /// `a * b + c`
    Plus,
    /// `c - a * b`
    MinusProduct,
    /// `a * b - c`
    MinusAddend,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Contraction {
    pub a: Operand,
    pub b: Operand,
    pub c: Operand,
    pub sign: Sign,
}

/// The contractions of a function.
#[derive(Default, Debug)]
pub(super) struct Contractions {
    /// By the local that the sum is bound to.
    pub sums: HashMap<LocalId, Contraction>,
    /// The products that are part of a sum: they need no code.
    pub products: HashSet<LocalId>,
}

/// All contractions that are allowed in a function.
pub(super) fn contractions(loops: &LoopFunc) -> Contractions {
    let mut uses = HashMap::new();
    let mut count = |operand: Operand| {
        if let Operand::Local(local) = operand {
            *uses.entry(local).or_insert(0usize) += 1;
        }
    };
    visit(&loops.body, &mut count);
    for output in &loops.outputs {
        count(output.value);
        output.dims.iter().for_each(|&d| count(d));
    }
    let mut found = Contractions::default();
    let deciding = deciding(&loops.body);
    let known = Known { loops, uses, deciding };
    find(&known, &loops.body, &mut found);
    found
}

/// What is known of the locals of a function.
struct Known<'a> {
    loops: &'a LoopFunc,
    /// How often each is read.
    uses: HashMap<LocalId, usize>,
    /// Those that decide something.
    deciding: HashSet<LocalId>,
}

/// Whether a small change of an operand can change the value by much.
fn decides(prim: Prim) -> bool {
    use Prim::{Ceil, Eq, Floor, Ge, Gt, Le, Lt, Max, Min, Ne, Rem, Round, Sign, ToBool, ToI32, ToI64, ToU32};
    matches!(
        prim,
        Eq | Ne | Lt | Le | Gt | Ge | Min | Max | Floor | Ceil | Round | Sign | Rem | ToBool | ToI32 | ToI64 | ToU32
    )
}

/// The locals from which operands of deciding primitives are computed, as far as that is done in locals.
fn deciding(stmts: &[Stmt]) -> HashSet<LocalId> {
    let mut made: Vec<(LocalId, Prim, &[Operand])> = Vec::new();
    collect(stmts, &mut made);
    let mut found = HashSet::new();
    // A local is bound before it is read: from the end to the start one pass sees all.
    for (local, prim, args) in made.into_iter().rev() {
        if decides(prim) || found.contains(&local) {
            found.extend(args.iter().filter_map(|arg| if let Operand::Local(arg) = arg { Some(*arg) } else { None }));
        }
    }
    found
}

fn collect<'s>(stmts: &'s [Stmt], made: &mut Vec<(LocalId, Prim, &'s [Operand])>) {
    for stmt in stmts {
        if let Stmt::Let { local, expr: Expr::Prim(prim, args) } = stmt {
            made.push((*local, *prim, args));
        }
        blocks(stmt).into_iter().for_each(|block| collect(block, made));
    }
}

fn find(known: &Known<'_>, stmts: &[Stmt], found: &mut Contractions) {
    let Known { loops, uses, deciding } = known;
    let mut products: HashMap<LocalId, (Operand, Operand)> = HashMap::new();
    for stmt in stmts {
        match stmt {
            Stmt::Let { local, expr: Expr::Prim(prim, args) } if loops.ty(*local).elem().is_float() => {
                let &[a, b] = args.as_slice() else { continue };
                let lasting = |operand: Operand| match operand {
                    Operand::Local(local) => !loops.locals[local].mutable,
                    Operand::Const(_) => true,
                };
                if *prim == Prim::Mul && lasting(a) && lasting(b) && uses.get(local) == Some(&1) {
                    products.insert(*local, (a, b));
                }
                let factors = |operand: Operand| match operand {
                    Operand::Local(local) => products.get(&local).map(|&(a, b)| (local, a, b)),
                    Operand::Const(_) => None,
                };
                let pick = match (prim, factors(a), factors(b)) {
                    (Prim::Add, _, Some((product, x, y))) => Some((product, x, y, a, Sign::Plus)),
                    (Prim::Add, Some((product, x, y)), None) => Some((product, x, y, b, Sign::Plus)),
                    (Prim::Sub, None, Some((product, x, y))) => Some((product, x, y, a, Sign::MinusProduct)),
                    (Prim::Sub, Some((product, x, y)), None) => Some((product, x, y, b, Sign::MinusAddend)),
                    _ => None,
                };
                if let Some((product, a, b, c, sign)) = pick.filter(|_| !deciding.contains(local)) {
                    products.remove(&product);
                    found.products.insert(product);
                    found.sums.insert(*local, Contraction { a, b, c, sign });
                }
            }
            _ => blocks(stmt).into_iter().for_each(|block| find(known, block, found)),
        }
    }
}

/// The blocks in which contractions are looked for: a scan's own share locals with the body of the loop. Of these, the summary of
/// a chain computes what the body does, and shares it if it does it alike.
fn blocks(stmt: &Stmt) -> Vec<&[Stmt]> {
    match stmt {
        Stmt::For(l) => {
            let chained = l.scan.as_ref().filter(|scan| scan.chain.is_some());
            std::iter::once(&l.body[..]).chain(chained.map(|scan| &scan.summary[..])).collect()
        }
        _ => stmt.blocks(),
    }
}

/// Calls `f` with everything that the statements read.
fn visit(stmts: &[Stmt], f: &mut dyn FnMut(Operand)) {
    for stmt in stmts {
        stmt.reads().into_iter().for_each(&mut *f);
        if let Stmt::For(l) = stmt
            && let Some(chain) = l.scan.as_ref().and_then(|scan| scan.chain.as_ref())
        {
            chain.links.iter().flat_map(|link| [link.ratio, link.offset]).for_each(&mut *f);
        }
        blocks(stmt).into_iter().for_each(|block| visit(block, f));
    }
}
