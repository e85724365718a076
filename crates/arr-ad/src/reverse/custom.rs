//! Reverse mode of computations with a declared derivative.
//!
//! The forward sweep runs the body; in the reverse sweep the declared rule takes the place of a sweep over it. From
//! then on the code of the rule is ordinary code, so that a second derivative differentiates the rule.
//!
//! A cotangent may be the exact zero of something not selected, which wins over an infinite partial derivative. A rule
//! does not know this and may multiply the two. Therefore, where all cotangents at a place are such zeros and the
//! rule's answer is NaN, zero replaces the answer. A place is a point of the leading axes that the answer and the
//! cotangents have in common. (Comparing the cotangents with zero alone would lose second derivatives.)

use crate::analysis::activity::Active;
use crate::code::{CodeBuilder, d_name, inlined};
use crate::reverse::cotangents::{Cotangents, Ct};
use arr_base::Span;
use arr_ir::{Atom, Block, Prim, Reduction, SizeId, VarId};

/// A computation with a declared derivative, on the tape.
pub(crate) struct Declared {
    vars: Vec<VarId>,
    inputs: Vec<Atom>,
    rule: Block,
    span: Option<Span>,
}

/// Writes the computation unchanged.
pub(crate) fn forward_custom(
    code: &mut CodeBuilder<'_>,
    (vars, span): (Vec<VarId>, Option<Span>),
    inputs: Vec<Atom>,
    body: Block,
    (rule, transposed): (Block, bool),
) -> Declared {
    code.custom((vars.clone(), span), inputs.clone(), (body, &rule), transposed);
    Declared { vars, inputs, rule, span }
}

/// Writes the rule, and adds its answers to the cotangents of the inputs.
pub(crate) fn reverse_custom(code: &mut CodeBuilder<'_>, declared: Declared, cots: &mut Cotangents, active: &Active) {
    let Declared { vars, inputs, rule, span } = declared;
    if !vars.iter().any(|&v| cots.has(v)) {
        return;
    }
    code.span = span;
    let mut args = inputs.clone();
    args.extend(vars.iter().copied().map(Atom::Var));
    let mut seeds = Vec::new();
    for &v in vars.iter().filter(|&&v| code.func.ty(v).elem.is_float()).collect::<Vec<_>>() {
        let ct = cots.take_or_zero(code, v);
        args.push(ct.atom);
        seeds.push(ct);
    }
    let (stmts, answers) = inlined(code.func, rule, &args);
    code.stmts.extend(stmts);
    let selective = seeds.iter().all(|ct| ct.selective);
    let floats: Vec<Atom> = inputs.into_iter().filter(|&a| code.func.is_float(a)).collect();
    for (input, answer) in floats.into_iter().zip(answers) {
        let Atom::Var(v) = input else { continue };
        if !active.contains(v) {
            continue;
        }
        let atom = if selective { without_nan(code, answer, &seeds, v) } else { answer };
        cots.add_dense(v, Ct { atom, selective });
    }
}

/// The answer, with zero in place of NaN where all seeds are zero.
fn without_nan(code: &mut CodeBuilder<'_>, answer: Atom, seeds: &[Ct], input: VarId) -> Atom {
    let dims = code.func.atom_ty(answer).dims;
    let mut common = dims.len();
    for seed in seeds {
        let own = code.func.atom_ty(seed.atom).dims;
        common = common.min(dims.iter().zip(&own).take_while(|(a, b)| a == b).count());
    }
    let zeros: Vec<Atom> = seeds.iter().filter_map(|seed| all_zero(code, seed.atom, common)).collect();
    let (axes, index) = code.axes(&dims);
    let name = d_name(code.func, input);
    let body = code.block(|code| {
        let element = code.element_as(answer, &index, &name);
        let mut drop = code.prim(Prim::IsNan, &[element], "drop");
        for &zero in &zeros {
            let place: Vec<Atom> = index.iter().take(common).copied().collect();
            let zero = code.element_as(zero, &place, "zero");
            drop = code.prim(Prim::And, &[drop, zero], "drop");
        }
        let zero = code.zero(code.func.atom_elem(element));
        vec![code.prim(Prim::Select, &[drop, zero, element], &name)]
    });
    code.build_one(axes, body, &name)
}

/// For each point of the `common` leading axes of a cotangent: whether it is zero at all points of the other axes.
/// `None` for a constant zero.
fn all_zero(code: &mut CodeBuilder<'_>, seed: Atom, common: usize) -> Option<Atom> {
    if seed.constant().is_some_and(|c| c.is_zero()) {
        return None;
    }
    let dims: Vec<SizeId> = code.func.atom_ty(seed).dims;
    let (front, back) = dims.split_at(common.min(dims.len()));
    let (outer, place) = code.axes(front);
    let (inner, rest) = code.axes(back);
    let body = code.block(|code| {
        let terms = code.block(|code| {
            let point: Vec<Atom> = place.iter().chain(&rest).copied().collect();
            let element = code.element_as(seed, &point, "d");
            let zero = code.zero(code.func.atom_elem(element));
            vec![code.prim(Prim::Eq, &[element, zero], "zero")]
        });
        if inner.is_empty() {
            code.stmts.extend(terms.stmts);
            return terms.results;
        }
        code.reduce(Reduction::All, inner, terms, "zero")
    });
    Some(code.build_one(outer, body, "zero"))
}
