//! `trace` and `trace_grad`. The first is an operation without results beside its value; the second is a computation with
//! a derivative of its own, which passes the cotangent on and shows it.

use crate::data::builtins::Traced;
use crate::data::problem::Problem;
use crate::data::values::{Arg, Hint, Val};
use crate::elaborate::Elab;
use arr_ir::{Atom, VarId};
use arr_syntax::ast::{Expr, ExprKind};

impl<'a> Elab<'a> {
    /// A call of `trace` or `trace_grad`, whose label is no value.
    pub fn trace_call(&mut self, name: &'static str, what: Traced, args: &'a [Expr], hint: &Hint) -> Val {
        let [label, value] = args else {
            args.iter()
                .filter(|e| !matches!(&*e.kind, ExprKind::Text(_)))
                .for_each(|e| drop(self.expr(e, &Hint::None)));
            let hint = (what == Traced::Value).then_some("the sum of a matrix's diagonal is `linalg.trace`");
            return self.wrong_count(format!("`{name}`"), 2, args.len(), None, hint);
        };
        let val = self.expr(value, hint);
        let ExprKind::Text(text) = &*label.kind else {
            return self.fail(Problem::Label { name, span: label.span });
        };
        if val.is_error() {
            return val;
        }
        if val.ty.has_fn() || val.ty.has_sum() {
            let ty = self.show(&val.ty);
            return self.fail(Problem::Untraceable { name, span: value.span, ty });
        }
        self.shows = true;
        let labels: Vec<String> = val.ty.leaves().into_iter().map(|(path, _)| format!("{text}{path}")).collect();
        match what {
            Traced::Value => {
                self.show_leaves(&labels, &val.leaves);
                val
            }
            Traced::Cotangent => self.trace_cotangent(&labels, Arg { val, span: value.span }),
        }
    }

    fn show_leaves(&mut self, labels: &[String], leaves: &[Atom]) {
        for (label, &leaf) in labels.iter().zip(leaves) {
            self.b.trace(label.as_str().into(), leaf);
        }
    }

    /// The value, computed as a whole, so that its leaves are shown together and in their order.
    fn trace_cotangent(&mut self, labels: &[String], arg: Arg) -> Val {
        let is_float: Vec<bool> = arg.val.leaves.iter().map(|&leaf| self.b.func.is_float(leaf)).collect();
        let labels: Vec<String> =
            labels.iter().zip(&is_float).filter(|(_, float)| **float).map(|(label, _)| label.clone()).collect();
        let (mut inputs, mut params) = (Vec::new(), Vec::new());
        let _inside = self.copy_floats(&arg, &mut inputs, &mut params);
        if inputs.is_empty() {
            return arg.val;
        }
        self.b.open_with(params.clone());
        let body = self.b.close(params.iter().copied().map(Atom::Var).collect());
        let mut copies = || -> Vec<VarId> { inputs.iter().map(|&a| self.copy_of(a)).collect() };
        let [arguments, results, cotangents] = [copies(), copies(), copies()];
        let answers: Vec<Atom> = cotangents.iter().copied().map(Atom::Var).collect();
        self.b.open_with([arguments, results, cotangents].concat());
        self.show_leaves(&labels, &answers);
        let rule = self.b.close(answers);
        let mut shown = self.b.custom(inputs, (body, rule), false, "traced").into_iter().map(Atom::Var);
        let leaves = arg
            .val
            .leaves
            .iter()
            .zip(is_float)
            .map(|(&leaf, float)| if float { shown.next().unwrap_or(leaf) } else { leaf });
        let leaves = leaves.collect();
        Val::new(arg.val.ty, leaves)
    }
}
