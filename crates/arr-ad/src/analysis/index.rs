//! Index expressions of kernels as polynomials over their axes.

use arr_ir::integers::arithmetic;
use arr_ir::{Atom, Func, Op, Poly, Prim, Scalar, SizeId, Stmt, VarId};
use rustc_hash::FxHashMap;

/// The integer variables of a kernel's body, as polynomials.
pub(crate) struct Defs {
    map: FxHashMap<VarId, Option<Poly>>,
    divisions: FxHashMap<VarId, Division>,
}

/// The quotient or the remainder of two polynomials.
#[derive(Clone)]
struct Division {
    numerator: Poly,
    divisor: Poly,
    is_rest: bool,
}

impl Defs {
    /// Those of `stmts`, which are in order of execution. Variables that are bound in nested blocks have no polynomial.
    pub fn new(func: &Func, stmts: &[Stmt]) -> Defs {
        let mut defs = Defs { map: FxHashMap::default(), divisions: FxHashMap::default() };
        for stmt in stmts {
            let poly = defs.of_op(func, &stmt.op);
            if let (Op::Prim(prim @ (Prim::Div | Prim::Rem), args), [v]) = (&stmt.op, stmt.vars.as_slice())
                && let [Some(numerator), Some(divisor)] = [0, 1].map(|k| defs.of_atom(func, *args.get(k)?))
            {
                defs.divisions.insert(*v, Division { numerator, divisor, is_rest: *prim == Prim::Rem });
            }
            for &v in &stmt.vars {
                defs.map.insert(v, poly.clone());
            }
        }
        defs
    }

    fn of_op(&self, func: &Func, op: &Op) -> Option<Poly> {
        match op {
            Op::Size(size) => {
                let mut known = true;
                let poly = func.types.poly(*size).substitute(&mut |v| {
                    let p = self.of_atom(func, Atom::Var(v));
                    known &= p.is_some();
                    p
                });
                known.then_some(poly)
            }
            Op::Prim(prim, args) => arithmetic(*prim, args, |arg| self.of_atom(func, arg)),
            _ => None,
        }
    }

    /// The index of a read as equations over the axes; a quotient and its remainder are one equation.
    pub fn equations(&self, func: &Func, dims: &[SizeId], index: &[Atom]) -> Option<Equations> {
        let mut found = Equations { index: Vec::new(), rests: Vec::new(), turns: Vec::new() };
        let division = |i: Atom| i.var().and_then(|v| self.divisions.get(&v));
        for (d, &i) in index.iter().enumerate() {
            let Some(part) = division(i) else {
                found.index.push(self.of_atom(func, i)?);
                continue;
            };
            // There must be exactly one other index of the same division.
            let same = |other: &Division| other.numerator == part.numerator && other.divisor == part.divisor;
            let mut others = index.iter().enumerate().filter(|(e, j)| *e != d && division(**j).is_some_and(same));
            let Some((e, other)) = others.next().and_then(|(e, j)| Some((e, division(*j)?))) else {
                if !part.is_rest || *func.types.poly(*dims.get(d)?) != part.divisor {
                    return None;
                }
                found.index.push(part.numerator.clone());
                found.turns.push(d);
                continue;
            };
            let rest = if part.is_rest { d } else { e };
            if others.next().is_some() || part.is_rest == other.is_rest {
                return None;
            }
            // The remainders must be exactly the indices of a row.
            if *func.types.poly(*dims.get(rest)?) != part.divisor {
                return None;
            }
            if part.is_rest {
                found.index.push(Poly::constant(0));
            } else {
                found.index.push(part.numerator.clone());
                found.rests.push((d, e));
            }
        }
        Some(found)
    }

    /// The atom as a polynomial over axes and variables from outside the kernel.
    pub fn of_atom(&self, func: &Func, atom: Atom) -> Option<Poly> {
        if func.atom_elem(atom) != Scalar::I64 {
            return None;
        }
        match atom {
            Atom::Const(c) => Some(Poly::constant(c.as_i64()?)),
            Atom::Var(v) => self.map.get(&v).cloned().unwrap_or_else(|| Some(Poly::var(v))),
        }
    }
}

/// Which element is read: `element[d] = index[d]`, or `element[d] * dims[e] + element[e] = index[d]` for each `(d, e)`
/// of `rests`.
pub(crate) struct Equations {
    pub index: Vec<Poly>,
    pub rests: Vec<(usize, usize)>,
    /// The `d` for which `element[d]` is the remainder of `index[d]` by the array's extent.
    pub turns: Vec<usize>,
}
