//! A reduction in a kernel of one workgroup: each invocation has a sum of its own, and these are combined in a tree.

use super::Writer;
use crate::kernel::reduce::Reduction;
use crate::kernel::text::{Result, Text};

impl Writer<'_, '_, '_> {
    pub(super) fn reduce(&mut self, reduction: &Reduction<'_>) -> Result<()> {
        let partials = &reduction.parallel.partials;
        let mut params = Vec::new();
        for partial in partials {
            let ty = self.text.b.type_name(self.text.b.func.elem(partial.other.into()));
            params.push(format!("{}: {ty}", self.text.b.word(partial.other)));
        }
        let combine = &reduction.parallel.combine;
        let join = self.function("join", &params, &mut |text| text.block(combine))?;
        let mut before = Vec::new();
        for (partial, known) in partials.iter().zip(&reduction.before) {
            let word = self.text.b.word(partial.local);
            let init = self.text.literal(partial.init);
            if *known != Some(partial.init.into()) {
                let name = self.text.b.name(&format!("{word}_before"));
                self.text.line(&format!("let {name} = {word};"));
                before.push((word.clone(), name));
            }
            self.text.line(&format!("{word} = {init};"));
        }
        self.points(&reduction.nest, !reduction.commutes())?;
        self.wait_for_readers();
        let all = self.tree(reduction, &join);
        self.waiting.shared = true;
        let firsts: Vec<String> = all.iter().map(|(_, all)| format!("{all}[0]")).collect();
        if before.is_empty() {
            for ((word, _), first) in all.iter().zip(&firsts) {
                self.text.line(&format!("{word} = {first};"));
            }
            return Ok(());
        }
        // The value before the nest comes first.
        for (partial, (word, _)) in partials.iter().zip(&all) {
            match before.iter().find(|(w, _)| w == word) {
                Some((_, name)) => self.text.line(&format!("{word} = {name};")),
                None => {
                    let init = self.text.literal(partial.init);
                    self.text.line(&format!("{word} = {init};"));
                }
            }
        }
        self.text.line(&format!("{join}({});", firsts.join(", ")));
        Ok(())
    }

    /// Combines the invocations' accumulators. Returns the accumulators and the arrays whose first element has the
    /// total.
    fn tree(&mut self, reduction: &Reduction<'_>, join: &str) -> Vec<(String, String)> {
        let workgroup = self.workgroup;
        let mut all = Vec::new();
        for (k, partial) in reduction.parallel.partials.iter().enumerate() {
            let word = self.text.b.word(partial.local);
            let ty = self.text.b.type_name(self.text.b.func.elem(partial.local.into()));
            let name = self.text.own_name(&format!("{ty}_{k}"));
            let declared = (name.clone(), format!("array<{ty}, {workgroup}>"));
            if !self.shared.contains(&declared) {
                self.shared.push(declared);
            }
            all.push((word, name));
        }
        let put = |text: &mut Text<'_, '_>| {
            for (word, name) in &all {
                text.line(&format!("{name}[lane] = {word};"));
            }
        };
        put(&mut self.text);
        self.text.line("workgroupBarrier();");
        let condition = if reduction.commutes() {
            self.text.open(&format!("for (var width = {}u; width > 0u; width /= 2u) {{", workgroup / 2));
            "lane < width"
        } else {
            self.text.open(&format!("for (var width = 1u; width < {workgroup}u; width *= 2u) {{"));
            "lane % (2u * width) == 0u"
        };
        self.text.open(&format!("if {condition} {{"));
        let others: Vec<String> = all.iter().map(|(_, name)| format!("{name}[lane + width]")).collect();
        self.text.line(&format!("{join}({});", others.join(", ")));
        put(&mut self.text);
        self.text.close();
        self.text.line("workgroupBarrier();");
        self.text.close();
        all
    }
}
