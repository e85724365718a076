//! Scalar code: laws, constant folding, sharing.

use super::laws::rules_for;
use super::term::{Term, admits, is_minus_zero, minus_zero};
use super::{Def, Simplifier};
use crate::analysis::encode_op;
use arr_base::Span;
use arr_ir::{Atom, Const, Op, Prim, Scalar, Stmt, VarId};

/// The maximal number of successive rewrites of one operation. A chain of laws is short; the bound guards against a
/// cyclic table.
const MAX_REWRITES: usize = 16;

/// The bindings of a law's names.
#[derive(Default)]
struct Bindings {
    names: Vec<(char, Atom)>,
    /// Matched operations inside the left side that nothing else uses.
    freed: usize,
}

impl Bindings {
    fn get(&self, name: char) -> Option<Atom> {
        self.names.iter().find(|(n, _)| *n == name).map(|(_, a)| *a)
    }
}

/// The outcome for an operation.
pub(super) enum Step {
    Known(Atom),
    Prim(Prim, Vec<Atom>),
    Stuck,
}

impl Simplifier<'_> {
    pub(super) fn prim_stmt(&mut self, vars: Vec<VarId>, prim: Prim, args: Vec<Atom>, span: Option<Span>) {
        let Some(var) = self.result_of(&vars) else { return };
        let atom = self.prim_into(Some(var), prim, args, span);
        if atom != Atom::Var(var) {
            self.alias(var, atom);
        }
    }

    /// The value of a primitive, simplified; a statement is made where one is needed.
    pub(super) fn prim(&mut self, prim: Prim, args: Vec<Atom>, span: Option<Span>) -> Atom {
        self.prim_into(None, prim, args, span)
    }

    fn prim_into(&mut self, var: Option<VarId>, mut prim: Prim, mut args: Vec<Atom>, span: Option<Span>) -> Atom {
        for _ in 0..MAX_REWRITES {
            match self.step(prim, &args, span) {
                Step::Known(atom) => return atom,
                Step::Prim(p, a) => {
                    self.changed = true;
                    (prim, args) = (p, a);
                }
                Step::Stuck => break,
            }
        }
        let op = Op::Prim(prim, args.clone());
        let key = encode_op(self.func, &op);
        if let Some(&holds) = key.as_ref().and_then(|k| self.truths.get(k)) {
            return Atom::bool(holds);
        }
        if let Some([known]) = key.as_ref().and_then(|k| self.table.get(k)).map(Vec::as_slice) {
            return Atom::Var(*known);
        }
        let Some(var) = var.or_else(|| self.fresh(prim, &args)) else {
            return self.func.broken(Atom::bool(false), "a primitive is not defined on its operands");
        };
        if let Some(key) = key {
            self.remember(key, vec![var]);
        }
        self.push(Stmt { vars: vec![var], op, span });
        self.note_poly(var, prim, &args);
        self.defs.insert(var, Def::Prim(prim, args));
        Atom::Var(var)
    }

    fn fresh(&mut self, prim: Prim, args: &[Atom]) -> Option<VarId> {
        let elems: Vec<Scalar> = args.iter().map(|a| self.func.atom_elem(*a)).collect();
        let elem = prim.result(&elems)?;
        Some(self.func.scalar_var(prim.name(), elem))
    }

    fn step(&mut self, prim: Prim, args: &[Atom], span: Option<Span>) -> Step {
        let constants: Option<Vec<Const>> = args.iter().map(|a| a.constant()).collect();
        if let Some(folded) = constants.and_then(|c| prim.fold(&c)) {
            return Step::Known(Atom::Const(folded));
        }
        for rule in rules_for(prim) {
            let mut bindings = Bindings::default();
            if !rule.args.iter().zip(args).all(|(term, &atom)| self.matches(term, atom, &mut bindings)) {
                continue;
            }
            let elem = bindings.get('x').or(args.first().copied()).map(|a| self.func.atom_elem(a));
            let Some(elem) = elem else { continue };
            let holds = rule.class.contains(elem) && (rule.exact || !self.func.signed_zeros);
            if !holds || rule.right.cost() > 1 + bindings.freed {
                continue;
            }
            return match &rule.right {
                Term::App(prim, terms) => {
                    let args = terms.iter().map(|t| self.instantiate(t, elem, &bindings, span)).collect();
                    Step::Prim(*prim, args)
                }
                term => Step::Known(self.instantiate(term, elem, &bindings, span)),
            };
        }
        self.affine_step(prim, args, span)
    }

    fn matches(&self, term: &Term, atom: Atom, bindings: &mut Bindings) -> bool {
        match term {
            Term::Num(n) => match atom.constant() {
                Some(c) if c.scalar().is_float() => c.as_f64().is_some_and(|x| x.to_bits() == (*n as f64).to_bits()),
                Some(c) => c.scalar() != Scalar::Bool && c == Const::of_int(c.scalar(), *n),
                None => false,
            },
            Term::MinusZero => atom.constant().is_some_and(is_minus_zero),
            Term::Bool(b) => atom == Atom::bool(*b),
            Term::Var(name) | Term::Const(name) => {
                if matches!(term, Term::Const(_)) && !atom.constant().is_some_and(|c| admits(*name, c)) {
                    return false;
                }
                if matches!(name, 'p' | 'q') && self.func.atom_elem(atom) != Scalar::Bool {
                    return false;
                }
                match bindings.get(*name) {
                    Some(known) => known == atom,
                    None => {
                        bindings.names.push((*name, atom));
                        true
                    }
                }
            }
            Term::App(prim, terms) => {
                let Some(v) = atom.var() else { return false };
                let Some(Def::Prim(p, args)) = self.defs.get(&v) else { return false };
                if p != prim {
                    return false;
                }
                if self.uses.get(&v) == Some(&1) {
                    bindings.freed += 1;
                }
                terms.iter().zip(args).all(|(t, &a)| self.matches(t, self.resolve(a), bindings))
            }
        }
    }

    fn instantiate(&mut self, term: &Term, elem: Scalar, bindings: &Bindings, span: Option<Span>) -> Atom {
        match term {
            Term::Var(name) | Term::Const(name) => match bindings.get(*name) {
                Some(atom) => atom,
                None => self.func.broken(Atom::bool(false), "a law uses what it does not match"),
            },
            Term::Num(n) => Atom::Const(Const::of_int(elem, *n)),
            Term::MinusZero => Atom::Const(minus_zero(elem)),
            Term::Bool(b) => Atom::bool(*b),
            Term::App(prim, terms) => {
                let args = terms.iter().map(|t| self.instantiate(t, elem, bindings, span)).collect();
                self.prim(*prim, args, span)
            }
        }
    }

    pub(super) fn stop_gradient(&mut self, vars: Vec<VarId>, atom: Atom, span: Option<Span>) {
        let Some(var) = self.result_of(&vars) else { return };
        let stopped = atom.var().is_some_and(|v| matches!(self.defs.get(&v), Some(Def::Stop)));
        if stopped || !self.func.is_float(atom) || atom.constant().is_some() {
            return self.alias(var, atom);
        }
        if let Atom::Var(array) = atom
            && !self.func.ty(array).is_scalar()
        {
            self.stop_view(var, array);
            return self.push(Stmt { vars, op: Op::StopGradient(atom), span });
        }
        self.defs.insert(var, Def::Stop);
        self.share(Stmt { vars, op: Op::StopGradient(atom), span });
    }
}
