//! The number of kernels that programs run, for given sizes.

use crate::common;
use arr_ir::{Const, Prim};
use arr_loops::{Expr, LocalId, Operand};
use arr_wgsl::program::Step;
use arr_wgsl::{Integers, Program};
use std::collections::HashMap;
use std::path::Path;

/// The host, without a device.
struct Host<'a> {
    program: &'a Program,
    values: HashMap<LocalId, Const>,
    kernels: Vec<String>,
}

impl Host<'_> {
    fn operand(&self, operand: Operand) -> Option<Const> {
        match operand {
            Operand::Const(c) => Some(c),
            Operand::Local(local) => self.values.get(&local).copied(),
        }
    }

    fn int(&self, operand: Operand) -> i64 {
        self.operand(operand).and_then(Const::as_i64).unwrap()
    }

    fn expr(&self, expr: &Expr) -> Option<Const> {
        match expr {
            Expr::Prim(prim, args) => {
                let args: Option<Vec<Const>> = args.iter().map(|&a| self.operand(a)).collect();
                prim.eval(&args?)
            }
            Expr::Copy(a) => self.operand(*a),
            _ => None,
        }
    }

    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Let { local, expr } => {
                    if let Some(value) = self.expr(expr) {
                        self.values.insert(*local, value);
                    }
                }
                Step::Var { local, init: Some(value) } | Step::Set { local, value } => {
                    if let Some(value) = self.operand(*value) {
                        self.values.insert(*local, value);
                    }
                }
                Step::Dispatch(kernel) => {
                    let kernel = &self.program.kernels[*kernel];
                    if kernel.groups.points.iter().all(|&p| self.int(p) > 0) {
                        self.kernels.push(kernel.name.clone());
                    }
                }
                Step::If { cond, then_steps, else_steps } => {
                    let cond = self.operand(*cond) == Some(Const::Bool(true));
                    self.steps(if cond { then_steps } else { else_steps });
                }
                Step::For(l) => {
                    for i in 0..self.int(l.extent) {
                        let i = if l.reverse { self.int(l.extent) - 1 - i } else { i };
                        self.values.insert(l.index, Const::I64(i));
                        for induction in &l.inductions {
                            let step = self.operand(induction.step).unwrap();
                            let value = Prim::Mul.eval(&[Const::I64(i), step]).unwrap();
                            self.values.insert(induction.local, value);
                        }
                        self.steps(&l.body);
                    }
                }
                // Of a scalar that the host knew before.
                Step::Fetch(locals) if locals.iter().all(|l| self.values.contains_key(l)) => {}
                Step::While(_) | Step::Fetch(_) => panic!("the host waits for the device"),
                _ => {}
            }
        }
    }
}

fn kernels(file: &str, entry: &str, sizes: &[(&str, i64)]) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let source = std::fs::read_to_string(path).unwrap();
    let program = common::compile(&source, entry, &common::options(Integers::Narrow)).unwrap();
    let mut host = Host { program: &program, values: HashMap::new(), kernels: Vec::new() };
    for (local, info) in program.func.locals.iter() {
        if let Some((_, size)) = sizes.iter().find(|(name, _)| *name == info.name) {
            host.values.insert(local, Const::I64(*size));
        }
    }
    host.steps(&program.steps);
    host.kernels
}

#[test]
fn a_gradient_of_the_mixture_is_twelve_kernels() {
    for n in [150, 1000, 10_000, 100_000] {
        let run = kernels("../../examples/mixture.arr", "gradient", &[("k", 25), ("d", 10), ("n", n)]);
        assert!(run.len() <= 12, "{n} points: {run:#?}");
    }
}

/// A file, its entry, sizes, the number of iterations, and the maximal number of kernels.
type Case = (&'static str, &'static str, &'static [(&'static str, i64)], &'static str, usize);

/// A loop with small nests runs equally many kernels for 10 iterations and for 1000.
#[test]
fn iterations_do_not_count() {
    let cases: [Case; 6] = [
        ("tests/golden/cholesky.arr", "main", &[], "n", 2),
        ("tests/golden/rotate.arr", "main", &[("n", 50)], "steps", 1),
        ("tests/golden/sweeps.arr", "main", &[("n", 50)], "steps", 2),
        ("tests/golden/iterate.arr", "main", &[("n", 200)], "steps", 1),
        ("tests/golden/chain.arr", "gradient", &[("d", 5)], "steps", 8),
        ("tests/golden/ragged.arr", "gradient", &[("m", 40)], "n", 6),
    ];
    for (file, entry, sizes, varies, most) in cases {
        let run = |n: i64| kernels(file, entry, &[sizes, &[(varies, n)]].concat());
        let (few, many) = (run(10), run(80));
        assert_eq!(few.len(), many.len(), "{file}: {few:#?} {many:#?}");
        assert!(many.len() <= most, "{file}: {many:#?}");
    }
}
