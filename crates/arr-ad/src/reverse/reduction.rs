//! Reverse mode of reductions. A sum hands its cotangent to every term, an extremum to the element that it is taken
//! from, and a product to every factor, times the product of the others.

use crate::code::{CodeBuilder, copy_block};
use crate::error::AdError;
use crate::extremum::{arg_of, element_at};
use crate::reverse::cotangents::{Cotangents, Ct, read_seeds};
use crate::reverse::kernel::Kernel;
use arr_ir::walk::Subst;
use arr_ir::{Atom, Axis, Block, Op, Prim, Reduction, ScatterKind, Stmt, VarId};
use rustc_hash::FxHashMap;

/// Adds the contributions of `build outer { reduce }`, or of a `reduce` alone if `outer` is empty, where `chosen` is
/// the index that an extremum is taken from, if the forward sweep has it. Fails with [`AdError::NoRule`] for an
/// extremum or product over several axes, and where something in the body has no derivative rule.
pub(crate) fn reverse_reduce(
    code: &mut CodeBuilder<'_>,
    outer: &[Axis],
    (reduce, chosen): (&Stmt, Option<Atom>),
    cts: &[Option<Ct>],
    cots: &mut Cotangents,
    active: &dyn Fn(VarId) -> bool,
) -> Result<(), AdError> {
    let Op::Reduce { kind, axes: inner, body } = &reduce.op else { return code.broken("a reduction is none") };
    let saved = FxHashMap::default();
    match kind {
        Reduction::Sum => {
            let seed = |code: &mut CodeBuilder<'_>, g: &[Atom], _: &[Atom], results: &[Atom]| {
                read_seeds(code, cts, g, results)
            };
            Kernel { outer, inner, body, saved: &saved, place: None, seed: &seed, store: false }
                .reverse(code, cots, active)
        }
        Reduction::Max | Reduction::Min => {
            let [axis] = inner.as_slice() else {
                return Err(AdError::NoRule { what: "a maximum over several axes at once", span: reduce.span });
            };
            let chosen = match chosen {
                Some(chosen) => vec![chosen],
                None => arg_of(code, outer, axis, *kind, body),
            };
            for (k, (&chosen, ct)) in chosen.iter().zip(cts).enumerate() {
                let Some(ct) = ct else { continue };
                let body = element_at(code, outer, axis, body, chosen, k);
                let seed = |code: &mut CodeBuilder<'_>, g: &[Atom], _: &[Atom], results: &[Atom]| {
                    // The cotangent is zero at all other elements.
                    let ct = Some(Ct { selective: true, ..*ct });
                    read_seeds(code, &[ct], g, results)
                };
                let body = &body;
                Kernel { outer, inner: &[], body, saved: &saved, place: None, seed: &seed, store: false }
                    .reverse(code, cots, active)?;
            }
            Ok(())
        }
        Reduction::Product => {
            let [axis] = inner.as_slice() else {
                return Err(AdError::NoRule { what: "a product over several axes at once", span: reduce.span });
            };
            let others = other_factors(code, outer, axis, body);
            let seed = |code: &mut CodeBuilder<'_>, g: &[Atom], s: &[Atom], results: &[Atom]| {
                let mut seeds = Vec::new();
                let point: Vec<Atom> = g.iter().chain(s).copied().collect();
                for ((ct, &result), &(left, right)) in cts.iter().zip(results).zip(&others) {
                    let Some(ct) = ct else { continue };
                    let d = code.element(ct.atom, g);
                    let left = code.element(left, &point);
                    let right = code.element(right, &point);
                    let rest = code.prim(Prim::Mul, &[left, right], "rest");
                    let prim = if ct.selective { Prim::MulZero } else { Prim::Mul };
                    let atom = code.prim(prim, &[d, rest], "d");
                    seeds.push((result, Ct { atom, ..*ct }));
                }
                seeds
            };
            Kernel { outer, inner, body, saved: &saved, place: None, seed: &seed, store: false }
                .reverse(code, cots, active)
        }
        // Their results are not floats.
        Reduction::ArgMax | Reduction::ArgMin | Reduction::Any | Reduction::All => Ok(()),
    }
}

/// For each result of a product over `axis`: the product of the factors before each factor, and of those after it, as
/// arrays over the outer axes and `axis`. Nothing is divided, so that zeros among the factors and second derivatives
/// come out right.
fn other_factors(code: &mut CodeBuilder<'_>, outer: &[Axis], axis: &Axis, body: &Block) -> Vec<(Atom, Atom)> {
    (0..body.results.len())
        .map(|k| {
            let one_way =
                |code: &mut CodeBuilder<'_>, reverse: bool| running_product(code, outer, axis, body, k, reverse);
            (one_way(code, false), one_way(code, true))
        })
        .collect()
}

/// `loop s (acc, out): out[.., s] = acc; acc = acc * x[.., s]`
fn running_product(
    code: &mut CodeBuilder<'_>,
    outer: &[Axis],
    axis: &Axis,
    body: &Block,
    k: usize,
    reverse: bool,
) -> Atom {
    let Some(&factor) = body.results.get(k) else {
        return code.func.broken(Atom::bool(false), "a product has fewer results than were differentiated");
    };
    let one = code.number(factor, 1.0);
    let elem = code.func.atom_elem(factor);
    let dims: Vec<_> = outer.iter().map(|a| a.extent).collect();
    let (init_axes, _) = code.axes(&dims);
    let ones = Block { params: Vec::new(), stmts: Vec::new(), results: vec![one] };
    let acc0 = code.build_one(init_axes, ones, "acc");
    let all = dims.iter().copied().chain([axis.extent]).collect();
    let out0 = code.zeros(&arr_ir::Type { elem, dims: all }, "others");
    let acc_ty = code.func.atom_ty(acc0);
    let acc_ty = code.func.types.ty(acc_ty);
    let out_ty = code.func.atom_ty(out0);
    let out_ty = code.func.types.ty(out_ty);
    let acc = code.func.var("acc", acc_ty);
    let out = code.func.var("others", out_ty);
    let mut subst = Subst::new();
    let step = subst.fresh_axes(code.func, std::slice::from_ref(axis));
    let Some(&step) = step.first() else { return code.func.broken(one, "a product has no axis") };
    let mut block = code.block(|code| {
        let (axes, g) = code.axes(&dims);
        let write = code.block(|code| {
            let value = code.read(acc, g.clone(), "acc");
            std::iter::once(Atom::bool(true)).chain(g.iter().copied()).chain([Atom::Var(step.index), value]).collect()
        });
        let next_out = code.func.copy_var(out);
        let op = Op::Scatter { kind: ScatterKind::Set, dest: out, axes, body: write, checked: false };
        code.push(vec![next_out], op);
        let (axes, g) = code.axes(&dims);
        let product = code.block(|code| {
            for (a, &i) in outer.iter().zip(&g) {
                subst.insert(a.index, i);
            }
            let copy = copy_block(code.func, &mut subst, body);
            code.stmts.extend(copy.stmts);
            let value = code.read(acc, g.clone(), "acc");
            let factor = match copy.results.get(k) {
                Some(&factor) => factor,
                None => code.func.broken(one, "a copied product has fewer results"),
            };
            vec![code.prim(Prim::Mul, &[value, factor], "acc")]
        });
        let next_acc = code.build(axes, product, "acc");
        next_acc.into_iter().chain([Atom::Var(next_out)]).collect()
    });
    block.params = vec![acc, out];
    let [last, others] = [acc, out].map(|v| code.func.copy_var(v));
    let op = Op::Loop { axis: step, reverse, inits: vec![acc0, out0], body: block };
    code.push(vec![last, others], op);
    Atom::Var(others)
}
