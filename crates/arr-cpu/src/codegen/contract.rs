//! Contraction: products that are added without being rounded, `a * b + c` as one operation, `fma`.
//!
//! Only relaxed code does this, and only where the processor has the operation. The product must have no other use, and be
//! computed in the block of the sum from locals that do not change, so that its factors are still there. A difference of
//! two products is left alone: `x * y - y * x` is zero, and stays so.

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
    find(loops, &loops.body, &uses, &mut found);
    found
}

fn find(loops: &LoopFunc, stmts: &[Stmt], uses: &HashMap<LocalId, usize>, found: &mut Contractions) {
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
                if let Some((product, a, b, c, sign)) = pick {
                    products.remove(&product);
                    found.products.insert(product);
                    found.sums.insert(*local, Contraction { a, b, c, sign });
                }
            }
            Stmt::For(l) => {
                find(loops, &l.body, uses, found);
                // A chain repeats computations of the body, and shares a contraction if it is the same.
                if let Some(scan) = l.scan.as_ref().filter(|scan| scan.chain.is_some()) {
                    find(loops, &scan.summary, uses, found);
                }
            }
            Stmt::While(l) => {
                find(loops, &l.head, uses, found);
                find(loops, &l.body, uses, found);
            }
            Stmt::If { then_body, else_body, .. } => {
                find(loops, then_body, uses, found);
                find(loops, else_body, uses, found);
            }
            _ => {}
        }
    }
}

/// Calls `f` with every operand that the statements read.
fn visit(stmts: &[Stmt], f: &mut dyn FnMut(Operand)) {
    for stmt in stmts {
        match stmt {
            Stmt::Let { expr, .. } => match expr {
                Expr::Prim(_, args) => args.iter().for_each(|&a| f(a)),
                Expr::Copy(a) => f(*a),
                Expr::BaseAddr(buffer) | Expr::Len(buffer) => f((*buffer).into()),
                Expr::Offset(address, offset) | Expr::Load(address, offset) => {
                    f((*address).into());
                    f(*offset);
                }
                Expr::Literal(_) => {}
            },
            Stmt::Var { init, .. } => init.iter().for_each(|&i| f(i)),
            Stmt::Set { value, .. } => f(*value),
            Stmt::Store { address, offset, value } => {
                f((*address).into());
                f(*offset);
                f(*value);
            }
            Stmt::Alloc { dims, .. } => dims.iter().for_each(|&d| f(d)),
            Stmt::MakeUnique { buffer, .. } | Stmt::Retain(buffer) | Stmt::Release(buffer) => f((*buffer).into()),
            Stmt::Check { args, .. } => args.iter().for_each(|&a| f(a)),
            Stmt::CheckShape { buffer, dims, .. } => {
                f((*buffer).into());
                dims.iter().for_each(|&d| f(d));
            }
            Stmt::MatMul(product) => product.operands().into_iter().for_each(&mut *f),
            Stmt::For(l) => {
                f(l.extent);
                l.inductions.iter().for_each(|i| f(i.step));
                visit(&l.body, f);
                if let Some((scan, chain)) = l.scan.as_ref().and_then(|scan| Some((scan, scan.chain.as_ref()?))) {
                    visit(&scan.summary, f);
                    chain.links.iter().for_each(|link| [link.ratio, link.offset].into_iter().for_each(&mut *f));
                }
            }
            Stmt::While(l) => {
                visit(&l.head, f);
                f(l.cond);
                visit(&l.body, f);
            }
            Stmt::Argsort { into, keys, length } => {
                f((*into).into());
                f((*keys).into());
                f(*length);
            }
            Stmt::If { cond, then_body, else_body } => {
                f(*cond);
                visit(then_body, f);
                visit(else_body, f);
            }
        }
    }
}
