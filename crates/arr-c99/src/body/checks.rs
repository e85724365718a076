//! Checks: a failure ends the function with the number of its place.

use super::{Body, Result};
use crate::FailureKind;
use crate::library::helper;
use crate::scalar::compare;
use crate::text::{Binds, Text, binary};
use arr_ir::Scalar;
use arr_loops::{Demand, LocalId, Operand, SpanId};

impl Body<'_, '_> {
    pub(super) fn check(&mut self, demand: Demand, args: &[Operand], span: SpanId) -> Result<()> {
        let index: Vec<bool> = args.iter().map(|arg| matches!(arg, Operand::Const(_))).collect();
        if index.iter().all(|&constant| constant) && holds(demand, args) {
            return Ok(());
        }
        let mut texts = Vec::new();
        for &arg in args {
            texts.push(self.stable(arg));
        }
        let zero = Text::primary("0");
        let compare = |a: &Text, op: &str, b: &Text| compare(a, op, b, Scalar::I64).text;
        let terms = match (demand, texts.as_slice()) {
            (Demand::Index | Demand::Element | Demand::Place, [i, n]) => {
                vec![compare(i, "<", &zero), compare(i, ">=", n)]
            }
            (Demand::Slice, [lo, hi, n]) => vec![compare(lo, "<", &zero), compare(lo, ">", hi), compare(hi, ">", n)],
            (Demand::NonZero, [d]) => vec![compare(d, "==", &zero)],
            (Demand::SizeEq, [a, b]) => vec![compare(a, "!=", b)],
            (Demand::SizeNonNeg, [n]) => vec![compare(n, "<", &zero)],
            (Demand::NonEmpty | Demand::Step, [n]) => vec![compare(n, "<=", &zero)],
            (Demand::SizeSum, [a, b]) => vec![format!("!{}({}, {})", helper("sum_fits", Scalar::I64), a.text, b.text)],
            (Demand::SizeProduct, sizes) => {
                let (helper, name) = (helper("product_fits", Scalar::I64), self.names.fresh("sizes"));
                let count = sizes.len();
                let sizes: Vec<&str> = sizes.iter().map(|s| s.text.as_str()).collect();
                self.push(format!("const int64_t {name}[{count}] = {{{}}};", sizes.join(", ")));
                vec![format!("!{helper}({name}, {count})")]
            }
            _ => return Err(crate::Error::Internal("a check of other values")),
        };
        let failed = match terms.iter().any(|term| term == "true") {
            true => "true".to_string(),
            false => terms.into_iter().filter(|term| term != "false").collect::<Vec<_>>().join(" || "),
        };
        self.fail_if(&failed, FailureKind::of(demand), span);
        Ok(())
    }

    pub(super) fn check_shape(&mut self, buffer: LocalId, dims: &[Operand], span: SpanId) -> Result<()> {
        let found = self.length_of(buffer)?;
        let expected = self.length(&crate::memory::Length::Product(dims.to_vec()))?;
        if found != expected {
            let failed = binary(&found, "!=", &expected, Binds::Compare).text;
            self.fail_if(&failed, FailureKind::Size, span);
        }
        Ok(())
    }

    pub(super) fn fail_if(&mut self, failed: &str, kind: FailureKind, span: SpanId) {
        let span = self.func.spans.get(span).copied().flatten();
        if failed.is_empty() {
            return;
        }
        let (number, place) = self.places.number(kind, span);
        if failed == "true" {
            return self.push(format!("return {number}; /* {}{place} */", kind.code()));
        }
        self.push(format!("if ({failed}) {{"));
        self.push(format!("    return {number}; /* {}{place} */", kind.code()));
        self.push("}");
    }
}

/// Whether a check of constants holds.
fn holds(demand: Demand, args: &[Operand]) -> bool {
    let values: Option<Vec<i64>> = args.iter().map(|arg| arg.as_int()).collect();
    match (demand, values.as_deref()) {
        (Demand::Index | Demand::Element | Demand::Place, Some([i, n])) => (0..*n).contains(i),
        (Demand::Slice, Some([lo, hi, n])) => 0 <= *lo && lo <= hi && hi <= n,
        (Demand::NonZero, Some([d])) => *d != 0,
        (Demand::SizeEq, Some([a, b])) => a == b,
        (Demand::SizeNonNeg, Some([n])) => *n >= 0,
        (Demand::NonEmpty | Demand::Step, Some([n])) => *n > 0,
        _ => false,
    }
}
