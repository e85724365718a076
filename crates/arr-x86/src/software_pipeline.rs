//! Software pipelining, in two stages: begins the quotients and roots of an iteration while the previous one finishes.
//!
//! ```text
//!                                 r0 = f(0); c = r0
//! for i < 100 {                   for i < 99 {
//!   r = f(i)                        r = f(i + 1)
//!   s = s + g(i, r)        =>       s = s + g(i, c)
//! }                                 c = r
//!                                 }
//!                                 s = s + g(99, c)
//! ```
//!
//! A processor holds some two hundred operations in flight. For a long body that is little more than one iteration, so
//! that everything behind a root and a quotient waits for them. The computation itself does not change: the bits are
//! the same. Loads and differences of them, which cause no wait, are repeated, as registers are few (software
//! pipelining in two stages; Lam, 1988).
//!
//! Leaves alone: loops of unknown extent or with stores, short bodies, and operands of quotients that depend on the
//!               iteration before.

use crate::program::{Binary, Bits, For, Op, Program, Stmt, Type, Unary, Value};
use std::collections::{HashMap, HashSet};

/// The minimal number of statements behind a quotient.
const FEWEST: usize = 24;

/// The program with inner loops in two stages, if there are suitable loops.
pub(crate) fn software_pipeline(program: &Program) -> Option<Program> {
    let mut known = HashMap::new();
    for stmt in program.prologue.iter().chain(&program.outer.body) {
        if let Stmt::Let(value, Op::Int(number)) = stmt {
            known.insert(*value, *number);
        }
    }
    let mut pipelined = Pipeliner { types: program.types.clone(), out: Vec::new() };
    let mut changed = false;
    for stmt in &program.outer.body {
        let split = match stmt {
            Stmt::For(l) => known.get(&l.extent).and_then(|&extent| Some((l, extent, split(l)?))),
            _ => None,
        };
        match split.filter(|&(_, extent, _)| extent >= 2) {
            Some((l, extent, stages)) => {
                pipelined.stages(l, extent, &stages);
                changed = true;
            }
            None => pipelined.out.push(stmt.clone()),
        }
    }
    let outer = For { body: pipelined.out, ..program.outer.clone() };
    changed.then(|| Program { types: pipelined.types, outer, ..program.clone() })
}

/// A body in two parts.
struct Stages {
    early: Vec<Stmt>,
    /// Including the values that it recomputes.
    late: Vec<Stmt>,
    carried: Vec<Value>,
}

fn split(l: &For) -> Option<Stages> {
    let mut ops = HashMap::new();
    let mut variables = HashSet::new();
    let mut wanted = Vec::new();
    for stmt in &l.body {
        match stmt {
            Stmt::Let(value, op) => {
                ops.insert(*value, *op);
                if matches!(op, Op::Binary(Binary::Div, ..) | Op::Unary(Unary::Sqrt, _)) {
                    wanted.push(*value);
                }
            }
            Stmt::Set(variable, _) => drop(variables.insert(*variable)),
            _ => return None,
        }
    }
    let early = closure(&ops, wanted);
    let waits = early.iter().any(|v| operands(&ops, *v).iter().any(|used| variables.contains(used)));
    let late = l.body.len() - early.len();
    if early.is_empty() || waits || late < FEWEST.max(early.len()) {
        return None;
    }
    let is_early = |stmt: &Stmt| matches!(stmt, Stmt::Let(value, _) if early.contains(value));
    let mut used = HashSet::new();
    for stmt in l.body.iter().filter(|stmt| !is_early(stmt)) {
        match stmt {
            Stmt::Let(value, _) => used.extend(operands(&ops, *value)),
            Stmt::Set(_, value) => drop(used.insert(*value)),
            _ => {}
        }
    }
    let (again, carried): (Vec<Value>, Vec<Value>) =
        used.into_iter().filter(|v| early.contains(v)).partition(|&v| is_light(&ops, &early, v));
    let again = closure(&ops, again);
    let late = |stmt: &&Stmt| !is_early(stmt) || matches!(stmt, Stmt::Let(value, _) if again.contains(value));
    let mut carried = carried;
    carried.sort();
    Some(Stages {
        early: l.body.iter().filter(|stmt| is_early(stmt)).cloned().collect(),
        late: l.body.iter().filter(late).cloned().collect(),
        carried,
    })
}

/// Values of the body with all their operands in it.
fn closure(ops: &HashMap<Value, Op>, mut left: Vec<Value>) -> HashSet<Value> {
    let mut found = HashSet::new();
    while let Some(value) = left.pop() {
        if ops.contains_key(&value) && found.insert(value) {
            left.extend(operands(ops, value));
        }
    }
    found
}

fn operands(ops: &HashMap<Value, Op>, value: Value) -> Vec<Value> {
    let mut found = Vec::new();
    if let Some(op) = ops.get(&value) {
        op.map(|v| {
            found.push(v);
            v
        });
    }
    found
}

/// Whether a value is loaded, or a sum or difference of loaded or known values.
fn is_light(ops: &HashMap<Value, Op>, early: &HashSet<Value>, value: Value) -> bool {
    match ops.get(&value) {
        Some(Op::Load(..)) => operands(ops, value).iter().all(|v| !early.contains(v)),
        Some(Op::Binary(Binary::Add | Binary::Sub, a, b)) => {
            [a, b].into_iter().all(|v| !early.contains(v) || matches!(ops.get(v), Some(Op::Load(..))))
        }
        _ => false,
    }
}

struct Pipeliner {
    types: Vec<Type>,
    out: Vec<Stmt>,
}

impl Pipeliner {
    fn fresh(&mut self, ty: Type) -> Value {
        self.types.push(ty);
        Value(self.types.len() as u32 - 1)
    }

    fn int(&mut self, op: Op, out: &mut Vec<Stmt>) -> Value {
        let value = self.fresh(Type::Int);
        out.push(Stmt::Let(value, op));
        value
    }

    /// Statements with some values replaced, and new names for their own.
    fn copy(&mut self, stmts: &[Stmt], mut now: HashMap<Value, Value>, out: &mut Vec<Stmt>) -> HashMap<Value, Value> {
        for stmt in stmts {
            let at = |v: Value| now.get(&v).copied().unwrap_or(v);
            match stmt {
                Stmt::Let(value, op) => {
                    let op = op.map(at);
                    let ty = self.types.get(value.index()).copied().unwrap_or(Type::Int);
                    let copy = self.fresh(ty);
                    out.push(Stmt::Let(copy, op));
                    now.insert(*value, copy);
                }
                Stmt::Set(variable, value) => out.push(Stmt::Set(*variable, at(*value))),
                other => out.push(other.clone()),
            }
        }
        now
    }

    fn stages(&mut self, l: &For, extent: i64, stages: &Stages) {
        let mut out = std::mem::take(&mut self.out);
        let zero = self.int(Op::Int(0), &mut out);
        let begin = std::iter::once(l.index).chain(l.inductions.iter().map(|&(local, _)| local));
        let first = self.copy(&stages.early, begin.map(|local| (local, zero)).collect(), &mut out);
        let mut carriers = HashMap::new();
        for value in &stages.carried {
            let ty = self.types.get(value.index()).copied().unwrap_or(Type::Int);
            let carrier = self.fresh(ty);
            out.push(Stmt::Var(carrier, first.get(value).copied()));
            carriers.insert(*value, carrier);
        }
        let one = self.int(Op::Int(1), &mut out);
        let last = self.int(Op::Int(extent - 1), &mut out);
        let mut body = Vec::new();
        let mut next = HashMap::from([(l.index, self.int(Op::IntBinary(Bits::Add, l.index, one), &mut body))]);
        for &(local, step) in &l.inductions {
            next.insert(local, self.int(Op::IntBinary(Bits::Add, local, step), &mut body));
        }
        let ahead = self.copy(&stages.early, next, &mut body);
        self.copy(&stages.late, carriers.clone(), &mut body);
        for value in &stages.carried {
            if let (Some(&carrier), Some(&made)) = (carriers.get(value), ahead.get(value)) {
                body.push(Stmt::Set(carrier, made));
            }
        }
        let pipelined = For { index: l.index, extent: last, inductions: l.inductions.clone(), body };
        out.push(Stmt::For(Box::new(pipelined)));
        let mut end = carriers;
        end.insert(l.index, last);
        for &(local, step) in &l.inductions {
            end.insert(local, self.int(Op::IntBinary(Bits::Mul, last, step), &mut out));
        }
        self.copy(&stages.late, end, &mut out);
        self.out = out;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Access, Elem, MemOperand};
    use crate::{Builder, Error, print};

    /// A sum over `extent` elements of products of `1 / sqrt(x - y[j])`, with this many factors.
    fn program(extent: Option<i64>, products: usize) -> Result<Program, Error> {
        let mut b = Builder::new();
        let [n, x, y, out] = [0, 1, 2, 3].map(|slot| b.env_int(slot));
        let m = match extent {
            Some(extent) => b.int(extent),
            None => b.env_int(4),
        };
        let one = b.number(Elem::F64, 1.0);
        let (i, _) = b.begin(n, &[]);
        let place = b.row(x, i, Elem::F64);
        let here = b.op(Op::Load(Elem::F64, place));
        let sum = b.variable(Type::Float(Elem::F64), Some(here));
        let (j, _) = b.begin(m, &[]);
        let there =
            b.op(Op::Load(Elem::F64, MemOperand { base: y, index: Some((j, 8)), disp: 0, access: Access::Same }));
        let apart = b.binary(Binary::Sub, here, there);
        let root = b.unary(Unary::Sqrt, apart);
        let near = b.binary(Binary::Div, one, root);
        let mut product = apart;
        for _ in 0..products {
            product = b.binary(Binary::Mul, product, near);
        }
        let next = b.binary(Binary::Add, sum, product);
        b.set(sum, next);
        b.end()?;
        let place = b.row(out, i, Elem::F64);
        b.store(place, sum);
        b.end()?;
        b.finish()
    }

    #[test]
    fn quotients_of_the_next_iteration_come_first() -> Result<(), Error> {
        let before = program(Some(100), 22)?;
        let after = software_pipeline(&before).ok_or(Error::Malformed(print(&before)))?;
        let text = print(&after);
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let count = |what: &str| lines.iter().filter(|line| line.contains(what)).count();
        // The first iteration's, and those in the loop; products in the loop and of the last iteration.
        assert_eq!((count("= sqrt"), count("= div"), count("= mul")), (2, 2, 44), "{text}");
        // Loads and subtractions are repeated, as only the quotient is kept for the next iteration.
        assert_eq!((count("= load same"), count("= sub"), count("var ")), (4, 4, 2), "{text}");
        let at = |what: &str| lines.iter().position(|line| line.contains(what));
        assert!(text.contains(": int = 99") && at("= div") < at("= mul"), "{text}");
        Ok(())
    }

    #[test]
    fn what_is_left_alone() -> Result<(), Error> {
        for (extent, products) in [(None, 22), (Some(1), 22), (Some(0), 22), (Some(100), 4)] {
            assert!(software_pipeline(&program(extent, products)?).is_none(), "{extent:?} {products}");
        }
        Ok(())
    }
}
