//! Common-subexpression and dead-code elimination: every operation once, and no unused ones.
//!
//! ```text
//! v3: f64 = mul v1, v2          v3: f64 = mul v1, v2
//! v4: f64 = mul v1, v2          v5: f64 = add v3, v3
//! v5: f64 = add v3, v4
//! v6: f64 = sub v3, v1
//! store row [v0], v5            store row [v0], v5
//! ```
//!
//! Functions are recorded whole, one by one: sine and cosine of one angle have nearly everything in common. Reads of
//! memory or variables do not change, nor does code in different loops.

use crate::program::{For, MemOperand, Op, Program, Stmt, Value};
use std::collections::{HashMap, HashSet};

pub fn cse_dce(program: &mut Program) {
    let mut unique = Unique { known: HashMap::new(), renamed: HashMap::new(), variables: HashSet::new() };
    unique.variables.extend(program.accumulators.iter().map(|acc| acc.variable));
    unique.block(&mut program.prologue);
    unique.for_loop(&mut program.outer);
    let mut needed = Needed::default();
    needed.block(&program.prologue);
    needed.for_loop(&program.outer);
    needed.close();
    retain(&mut program.prologue, &needed.values);
    retain(&mut program.outer.body, &needed.values);
}

struct Unique {
    /// The values computed so far in the surrounding blocks.
    known: HashMap<Op, Value>,
    renamed: HashMap<Value, Value>,
    variables: HashSet<Value>,
}

impl Unique {
    fn now(&self, value: Value) -> Value {
        self.renamed.get(&value).copied().unwrap_or(value)
    }

    fn block(&mut self, stmts: &mut Vec<Stmt>) {
        stmts.retain_mut(|stmt| match stmt {
            Stmt::Let(value, op) => {
                *op = op.map(|v| self.now(v));
                match self.same(*op) {
                    Some(known) => drop(self.renamed.insert(*value, known)),
                    None if self.is_pure(*op) => drop(self.known.insert(*op, *value)),
                    None => {}
                }
                !self.renamed.contains_key(value)
            }
            Stmt::Var(variable, init) => {
                self.variables.insert(*variable);
                *init = init.map(|v| self.now(v));
                true
            }
            Stmt::Set(_, value) | Stmt::Leave(value) => {
                *value = self.now(*value);
                true
            }
            Stmt::Store(place, value) => {
                (*place, *value) = (place.map(&mut |v| self.now(v)), self.now(*value));
                true
            }
            Stmt::Stop(place) => {
                *place = place.map(&mut |v| self.now(v));
                true
            }
            Stmt::For(l) => {
                let around = self.known.clone();
                self.for_loop(l);
                self.known = around;
                true
            }
        });
    }

    fn for_loop(&mut self, l: &mut For) {
        l.extent = self.now(l.extent);
        for (_, step) in &mut l.inductions {
            *step = self.now(*step);
        }
        self.block(&mut l.body);
    }

    /// The existing value of an operation.
    fn same(&self, op: Op) -> Option<Value> {
        match op {
            Op::Copy(a) if !self.variables.contains(&a) => Some(a),
            _ => self.known.get(&op).copied(),
        }
    }

    /// Whether an operation gives the same result wherever it runs.
    fn is_pure(&self, op: Op) -> bool {
        let mut pure = !matches!(op, Op::IntLoad(..) | Op::Load(..) | Op::LanesLoad(..));
        op.map(|v| {
            pure &= !self.variables.contains(&v);
            v
        });
        pure
    }
}

/// Operations with an effect, and all their operands.
#[derive(Default)]
struct Needed {
    ops: HashMap<Value, Op>,
    values: HashSet<Value>,
    left: Vec<Value>,
}

impl Needed {
    fn need(&mut self, value: Value) {
        if self.values.insert(value) {
            self.left.push(value);
        }
    }

    fn block(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            match stmt {
                Stmt::Let(value, op) => drop(self.ops.insert(*value, *op)),
                Stmt::Var(_, init) => init.iter().for_each(|&v| self.need(v)),
                Stmt::Set(_, value) | Stmt::Leave(value) => self.need(*value),
                Stmt::Store(place, _) | Stmt::Stop(place) => {
                    if let Stmt::Store(_, value) = stmt {
                        self.need(*value);
                    }
                    place.map(&mut |v| {
                        self.need(v);
                        v
                    });
                }
                Stmt::For(l) => self.for_loop(l),
            }
        }
    }

    fn for_loop(&mut self, l: &For) {
        self.need(l.extent);
        l.inductions.iter().for_each(|&(_, step)| self.need(step));
        self.block(&l.body);
    }

    fn close(&mut self) {
        while let Some(value) = self.left.pop() {
            let Some(op) = self.ops.get(&value).copied() else { continue };
            op.map(|v| {
                self.need(v);
                v
            });
        }
    }
}

fn retain(stmts: &mut Vec<Stmt>, needed: &HashSet<Value>) {
    stmts.retain_mut(|stmt| match stmt {
        Stmt::Let(value, _) => needed.contains(value),
        Stmt::For(l) => {
            retain(&mut l.body, needed);
            true
        }
        _ => true,
    });
}

impl MemOperand {
    pub(crate) fn map(self, f: &mut impl FnMut(Value) -> Value) -> MemOperand {
        use crate::program::Access::{Each, Strided};
        let access = match self.access {
            Strided(step) => Strided(f(step)),
            Each(offsets) => Each(f(offsets)),
            same => same,
        };
        MemOperand { base: f(self.base), index: self.index.map(|(index, scale)| (f(index), scale)), access, ..self }
    }
}

impl Op {
    /// The operation on other values.
    pub(crate) fn map(self, mut f: impl FnMut(Value) -> Value) -> Op {
        let mut f = |value: Value| f(value);
        match self {
            Op::Int(_) | Op::EnvInt(_) | Op::Const(..) | Op::EnvFloat(..) | Op::LanesConst(_) => self,
            Op::IntBinary(op, a, b) => Op::IntBinary(op, f(a), f(b)),
            Op::IntLoad(width, place) => Op::IntLoad(width, place.map(&mut f)),
            Op::Copy(a) => Op::Copy(f(a)),
            Op::Load(elem, place) => Op::Load(elem, place.map(&mut f)),
            Op::Unary(op, a) => Op::Unary(op, f(a)),
            Op::Binary(op, a, b) => Op::Binary(op, f(a), f(b)),
            Op::Fma(a, b, c) => Op::Fma(f(a), f(b), f(c)),
            Op::Scale(a, power) => Op::Scale(f(a), f(power)),
            Op::Compare(op, a, b) => Op::Compare(op, f(a), f(b)),
            Op::Select(m, a, b) => Op::Select(f(m), f(a), f(b)),
            Op::And(a, b) => Op::And(f(a), f(b)),
            Op::Or(a, b) => Op::Or(f(a), f(b)),
            Op::Not(a) => Op::Not(f(a)),
            Op::Splat(a) => Op::Splat(f(a)),
            Op::Linear(first, step) => Op::Linear(f(first), f(step)),
            Op::LanesLoad(width, place) => Op::LanesLoad(width, place.map(&mut f)),
            Op::LanesBinary(op, a, b) => Op::LanesBinary(op, f(a), f(b)),
            Op::Shift(a, by) => Op::Shift(f(a), by),
            Op::ToBits(a) => Op::ToBits(f(a)),
            Op::FromBits(a) => Op::FromBits(f(a)),
            Op::TestBits(a, bits) => Op::TestBits(f(a), bits),
            Op::ToFloat(elem, a) => Op::ToFloat(elem, f(a)),
            Op::Widen(a) => Op::Widen(f(a)),
            Op::Narrow(a) => Op::Narrow(f(a)),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::program::{Binary, Elem, Type};
    use crate::{Builder, Error, Function, call};

    /// The lines of a program's loop body with the values that `make` computes from a loaded one.
    fn body(make: impl FnOnce(&mut Builder, crate::Value) -> Vec<crate::Value>) -> Result<Vec<String>, Error> {
        let mut b = Builder::new();
        let (extent, data) = (b.env_int(0), b.env_int(1));
        let (index, _) = b.begin(extent, &[]);
        let place = b.row(data, index, Elem::F64);
        let x = b.op(crate::Op::Load(Elem::F64, place));
        for value in make(&mut b, x) {
            b.store(place, value);
        }
        b.end()?;
        let text = crate::print(&b.finish()?);
        Ok(text.lines().filter(|line| line.starts_with("  ")).map(|line| line.trim().to_string()).collect())
    }

    #[test]
    fn once_and_only_what_is_needed() -> Result<(), Error> {
        let lines = body(|b, x| {
            let product = b.binary(Binary::Mul, x, x);
            let again = b.binary(Binary::Mul, x, x);
            let _unused = b.binary(Binary::Sub, product, x);
            vec![b.binary(Binary::Add, product, again)]
        })?;
        let [_, product, sum, _] = lines.as_slice() else { return Err(Error::Malformed(format!("{lines:?}"))) };
        assert!(product.contains("mul v3, v3") && sum.ends_with("add v4, v4"), "{lines:?}");
        Ok(())
    }

    #[test]
    fn a_variable_is_read_again() -> Result<(), Error> {
        let lines = body(|b, x| {
            let v = b.variable(Type::Float(Elem::F64), Some(x));
            let first = b.binary(Binary::Mul, v, x);
            b.set(v, first);
            let second = b.binary(Binary::Mul, v, x);
            vec![first, second]
        })?;
        assert_eq!(lines.iter().filter(|line| line.contains("= mul")).count(), 2, "{lines:?}");
        Ok(())
    }

    #[test]
    fn loads_are_not_merged_across_stores() -> Result<(), Error> {
        let lines = body(|b, x| {
            let two = b.binary(Binary::Add, x, x);
            vec![two, x]
        })?;
        assert_eq!(lines.iter().filter(|line| line.contains("= load")).count(), 1, "{lines:?}");
        Ok(())
    }

    /// Operations per vector, in the order of [`Function::ALL`], and of sine and cosine of one angle.
    #[test]
    fn costs() -> Result<(), Error> {
        let count = |functions: &[Function]| -> Result<usize, Error> {
            Ok(body(|b, x| functions.iter().map(|&f| call(b, f, x)).collect())?.len() - 1 - functions.len())
        };
        let each = Function::ALL.map(|f| count(&[f]));
        let expected = [27, 31, 41, 55, 35, 33, 87, 51, 50, 59, 35, 36, 37, 39, 33, 68];
        assert_eq!(each.into_iter().collect::<Result<Vec<usize>, Error>>()?, expected);
        assert_eq!(count(&[Function::Sin, Function::Cos])?, 59);
        Ok(())
    }
}
