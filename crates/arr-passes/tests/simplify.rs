//! Golden tests of `simplify`, and its cost on long programs.

use crate::common;
use arr_ir::{Builder, Func, Prim, Scalar};
use std::time::{Duration, Instant};

#[test]
fn golden() {
    common::golden("simplify", "simplify");
}

/// A chain of 20,000 dependent statements settles in time linear in its length.
#[test]
fn long_chains_take_linear_time() {
    let chain = |length: usize| {
        let mut func = Func::new("f");
        let x = func.scalar_var("x", Scalar::F64);
        let i = func.scalar_var("i", Scalar::I64);
        func.params = vec![x, i];
        let mut b = Builder::new(func);
        let (mut y, mut k) = (x.into(), i.into());
        for _ in 0..length {
            y = b.prim(Prim::Mul, vec![y, x.into()]).unwrap();
            k = b.prim(Prim::Add, vec![k, i.into()]).unwrap();
            let z = b.prim(Prim::ToF64, vec![k]).unwrap();
            y = b.prim(Prim::Sub, vec![z, y]).unwrap();
        }
        let mut func = b.finish(vec![y]);
        func.edge_result = arr_ir::Edge::Scalar(Scalar::F64);
        let start = Instant::now();
        arr_passes::simplify(&mut func);
        (start.elapsed(), func.body.stmts.len())
    };
    let (short, _) = chain(1_000);
    let (long, left) = chain(16_000);
    assert!(left > 16_000, "the chain is still there: {left}");
    assert!(long < short * 64 + Duration::from_millis(200), "{short:?} became {long:?}");
}
