//! Checking: every requested definition is checked once, after all that it uses.
//!
//! This is a small query system, and it is circular by nature. To check a definition is to elaborate it, which needs
//! the results of the definitions that it uses; which these are is known once its names are resolved; and its own
//! result goes into the same tables, where its users find it. The circle is one of data, not of modules: definitions in
//! [`Tables`] have cells that are empty at first (`uses`, `name_problems`, `cycle`, `inferred`, `found`). They are
//! filled by [`Tables::look_at`] alone, used definitions before their users, and all other code only reads them.
//!
//! Depends on `data`, `resolve` and `elaborate`.

mod definition;
mod instances;
mod rule;

use crate::check::definition::check_def;
use crate::check::rule::check_rule;
use crate::data::tables::{DefInfo, Tables};

impl Tables {
    /// Checks definitions and all that they use, unless that was done before.
    pub fn look_at(&self, roots: impl IntoIterator<Item = usize>) {
        let mut looked_at = self.looked_at();
        let mut new = Vec::new();
        let mut todo: Vec<usize> = roots.into_iter().collect();
        while let Some(at) = todo.pop() {
            let Some(info) = self.info(at).filter(|_| looked_at.all.insert(at)) else { continue };
            self.resolve_names(info);
            new.push(at);
            todo.extend(info.all_uses());
        }
        new.sort_unstable();
        let order = self.sort_out_cycles(&new);
        let found: Vec<_> = order.iter().map(|at| self.info(*at).map(|info| check_def(self, *at, info))).collect();
        // A declared derivative may use what uses its function, so it is checked when all results are known.
        for (at, found) in order.into_iter().zip(found) {
            if let (Some(info), Some(mut found)) = (self.info(at), found) {
                found.extend(check_rule(self, at, info));
                let _ = info.found.set(found);
            }
            looked_at.order.push(at);
        }
    }

    /// Checks the definitions of all modules, except for modules of which only used definitions are checked.
    pub fn look_at_all(&self) {
        let checked = |d: &&DefInfo| self.modules.get(d.module).is_some_and(|m| !m.standard);
        self.look_at(self.defs.iter().filter(checked).map(|d| d.id));
    }
}
