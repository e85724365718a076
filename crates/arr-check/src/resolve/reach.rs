//! What definitions use, and in which order they are checked. Both are found when they are needed: of a module of the
//! standard library only the definitions that the rest of the program uses are checked.

use crate::data::problem::Problem;
use crate::data::tables::{DefInfo, LookedAt, Tables};
use crate::resolve::cycles::CycleFinder;
use crate::resolve::names;
use crate::resolve::written_names::constants_of_type;
use arr_base::{Diagnostic, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::atomic::Ordering;
use std::sync::{MutexGuard, PoisonError};

impl Tables {
    /// The definitions that were looked at so far.
    pub fn looked_at(&self) -> MutexGuard<'_, LookedAt> {
        self.looked_at.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Resolves the names of a definition and of its declared derivative, and enters what they use.
    pub fn resolve_names(&self, info: &DefInfo) {
        let Some(syntax) = self.syntax(info.id) else { return };
        let mut report = names::resolve_def(self, info.module, syntax);
        // A constant that a named type mentions is used too.
        let types = syntax.params.iter().flatten().filter_map(|p| p.ty.as_ref()).chain(&syntax.result);
        for ty in types {
            let constants = constants_of_type(self, info.module, ty);
            report.uses.extend(constants.into_iter().map(|at| (at, ty.span)));
        }
        let mut seen = FxHashSet::default();
        report.uses.retain(|(at, _)| seen.insert(*at));
        let _ = info.uses.set(report.uses);
        report.problems.extend(self.resolve_rule(info));
        let _ = info.name_problems.set(report.problems);
    }

    /// Resolves the names of the derivative that a definition declares.
    pub fn resolve_rule(&self, info: &DefInfo) -> Vec<Diagnostic> {
        let (Some(syntax), Some(rule)) = (self.syntax(info.id), self.rule_syntax(info.id)) else { return Vec::new() };
        let report = names::resolve_rule(self, info.module, syntax, rule);
        if let Some(rule) = &info.rule {
            let _ = rule.uses.set(report.uses);
        }
        report.problems
    }

    /// Definitions and all they use, each once, users last.
    pub fn reachable(&self, roots: &[usize]) -> Vec<usize> {
        let mut seen = FxHashSet::default();
        let mut todo = roots.to_vec();
        while let Some(at) = todo.pop() {
            if seen.insert(at) {
                todo.extend(self.info(at).into_iter().flat_map(DefInfo::all_uses));
            }
        }
        let mut all: Vec<usize> = self.looked_at().order.iter().copied().filter(|d| seen.contains(d)).collect();
        let mut rest: Vec<usize> =
            seen.into_iter().filter(|d| self.info(*d).is_some_and(DefInfo::is_recursive)).collect();
        rest.sort_unstable();
        all.extend(rest);
        all
    }

    /// Orders definitions by use and reports every cycle once, at its first definition.
    pub fn sort_out_cycles(&self, new: &[usize]) -> Vec<usize> {
        // Numbered from 0: what was looked at before uses none of them, and is in no cycle with them.
        let number: FxHashMap<usize, usize> = new.iter().enumerate().map(|(i, at)| (*at, i)).collect();
        let used = |at: &usize| -> Vec<usize> {
            let uses = self.info(*at).map_or(&[][..], DefInfo::uses);
            uses.iter().filter_map(|(u, _)| number.get(u).copied()).collect()
        };
        let (order, cycles) = CycleFinder::run(new.iter().map(used).collect());
        let back = |at: usize| new.get(at).copied();
        for cycle in cycles {
            let mut cycle: Vec<usize> = cycle.into_iter().filter_map(back).collect();
            cycle.sort_unstable();
            for info in cycle.iter().filter_map(|at| self.info(*at)) {
                info.recursive.store(true, Ordering::Relaxed);
            }
            self.report_cycle(&cycle);
        }
        order.into_iter().filter_map(back).collect()
    }

    fn report_cycle(&self, cycle: &[usize]) {
        let Some(info) = cycle.first().and_then(|at| self.info(*at)) else { return };
        let members: FxHashSet<usize> = cycle.iter().copied().collect();
        let Some(&(next, span)) = info.uses().iter().find(|(u, _)| members.contains(u)) else { return };
        let path = self.path_back(info.id, next, &members);
        let names = path.iter().filter_map(|i| self.info(*i)).map(|d| d.name.clone()).collect();
        let problem = Problem::Recursion { name: info.name.clone(), span, cycle: names };
        let _ = info.cycle.set(problem.into());
    }

    /// The way from `first` over `next` back to `first`, inside the cycle.
    fn path_back(&self, first: usize, next: usize, cycle: &FxHashSet<usize>) -> Vec<usize> {
        let uses = |at: usize| -> &[(usize, Span)] { self.info(at).map_or(&[], DefInfo::uses) };
        let mut from: FxHashMap<usize, usize> = FxHashMap::default();
        let mut queue = std::collections::VecDeque::from([next]);
        while let Some(at) = queue.pop_front() {
            if at == first {
                break;
            }
            for (to, _) in uses(at) {
                if cycle.contains(to) && *to != next && !from.contains_key(to) {
                    from.insert(*to, at);
                    queue.push_back(*to);
                }
            }
        }
        let mut path = vec![first];
        let mut at = first;
        while at != next {
            let Some(&before) = from.get(&at) else { break };
            path.push(before);
            at = before;
        }
        path.push(first);
        path.reverse();
        path
    }
}
