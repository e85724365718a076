//! Forward mode of computations with a declared derivative that it is to use.
//!
//! A rule is a linear map, from the cotangents of the results to those of the inputs. Its transpose takes the tangents of the
//! inputs to those of the results, and reverse mode is what transposes linear code: the tangents are the cotangents of the
//! rule's own parameters.

use super::Forward;
use crate::analysis::structural_zeros::Zeros;
use crate::code::{CodeBuilder, d_name, inlined};
use crate::error::AdError;
use crate::reverse::{self, Settings};
use crate::simplified_bulk;
use arr_base::Span;
use arr_ir::{Atom, Block, VarId};

impl Forward {
    /// Writes the computation unchanged, and then the transposed rule.
    pub(super) fn custom(
        &mut self,
        code: &mut CodeBuilder<'_>,
        (vars, span): (Vec<VarId>, Option<Span>),
        inputs: Vec<Atom>,
        body: Block,
        rule: Block,
    ) -> Result<(), AdError> {
        code.custom((vars.clone(), span), inputs.clone(), (body, &rule), true);
        let floats: Vec<Atom> = inputs.iter().copied().filter(|&a| code.func.is_float(a)).collect();
        let tangents: Vec<Option<Atom>> = floats.iter().map(|&a| self.tangent(a)).collect();
        if tangents.iter().all(Option::is_none) {
            return Ok(());
        }
        let results: Vec<VarId> = vars.iter().copied().filter(|&v| code.func.ty(v).elem.is_float()).collect();
        let mut transposed = cotangent_block(code, (&inputs, &vars, &results), rule);
        let moving = transposed.results.iter().zip(&tangents);
        transposed.results = moving.filter(|(_, d)| d.is_some()).map(|(&answer, _)| answer).collect();
        let zeros: Vec<Atom> = results
            .iter()
            .map(|&v| {
                let ty = code.func.ty(v).clone();
                code.zeros(&ty, "zero")
            })
            .collect();
        let seeds: Vec<(Atom, Zeros)> = tangents
            .iter()
            .flatten()
            .map(|&d| (d, if self.is_selective(Some(d)) { Zeros::Some } else { Zeros::Unknown }))
            .collect();
        let transposed = simplified_bulk(code.func, transposed)?;
        let answers = transposed.results.len();
        let (stmts, found) = reverse::vjp(code.func, &zeros, &seeds, transposed, Settings::default())?;
        code.stmts.extend(stmts);
        let selective = tangents.iter().all(|&d| self.is_selective(d));
        for (&v, &d) in results.iter().zip(found.iter().skip(answers)) {
            self.tangents.insert(v, d);
            self.mark(d, selective);
        }
        Ok(())
    }
}

/// The rule at these inputs and results, as a block over the cotangents of the float results.
fn cotangent_block(
    code: &mut CodeBuilder<'_>,
    (inputs, vars, results): (&[Atom], &[VarId], &[VarId]),
    rule: Block,
) -> Block {
    let mut params = Vec::new();
    for &v in results {
        let name = d_name(code.func, v);
        params.push(code.func.var(name, code.func.type_id(v)));
    }
    let all = vars.iter().chain(&params).copied().map(Atom::Var);
    let args: Vec<Atom> = inputs.iter().copied().chain(all).collect();
    let (stmts, results) = inlined(code.func, rule, &args);
    Block { params, stmts, results }
}
