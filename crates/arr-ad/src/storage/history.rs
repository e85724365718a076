//! Where the states of a loop at the start of its iterations come from on the way back.

use crate::analysis::update_chains::{Link, chains};
use crate::code::CodeBuilder;
use crate::storage::nested::Nested;
use crate::storage::states::{Stores, load_state, store};
use crate::storage::versions::InPlace;
use crate::storage::write_log::LogEntry;
use arr_ir::walk::Subst;
use arr_ir::{Atom, Axis, Block, Func, Stmt, VarId};

/// Where the states of one param come from.
enum States {
    /// All are in this array.
    Kept(VarId),
    /// The updates of each iteration are undone.
    Undone(InPlace),
    /// Nothing reads them.
    Unread,
}

/// Where the states of all params come from.
pub(crate) struct History {
    states: Vec<States>,
    /// The write logs that inner loops have as states: in an iteration, and after the loop.
    logs: Vec<(VarId, VarId)>,
}

/// The chains of the states that a loop updates in place. Code for the room that they take goes to `outside`.
pub(crate) fn chains_of(
    code: &mut CodeBuilder<'_>,
    outside: &mut Vec<Stmt>,
    (axis, body): (Axis, &Block),
    nested: &mut Nested,
) -> Vec<Option<Vec<Link>>> {
    let mut chains = chains(code.func, axis, body);
    for (&param, chain) in body.params.iter().zip(&mut chains) {
        if nested.is_log(param) {
            *chain = None;
        }
    }
    let (stmts, ()) = code.nested(|code| chains.iter().flatten().for_each(|links| nested.reserve(code, links)));
    outside.extend(stmts);
    chains
}

impl History {
    /// Writes code at the start of an iteration that stores the states over `axis`, but for those that have chains.
    pub fn keep(
        code: &mut CodeBuilder<'_>,
        outside: &mut Vec<Stmt>,
        (axis, params): (Axis, &[VarId]),
        chains: &[Option<Vec<Link>>],
        (nested, stores): (&Nested, &mut Stores),
    ) -> History {
        let mut states = Vec::new();
        for (&param, chain) in params.iter().zip(chains) {
            states.push(match chain {
                Some(links) => States::Undone(InPlace::new(param, links)),
                None if nested.is_log(param) => States::Unread,
                None => States::Kept(store(code, outside, axis, param, stores)),
            });
        }
        History { states, logs: Vec::new() }
    }

    /// Adds what the states overwrite that are updated in place, given for each param.
    pub fn add_logs(&mut self, logs: Vec<Vec<LogEntry>>, stores: &Stores, nested: &Nested) {
        for (state, log) in self.states.iter_mut().zip(logs) {
            if let States::Undone(array) = state {
                array.log = log;
            }
        }
        let handed_on = stores.params.iter().zip(&stores.ends).filter(|(param, _)| nested.is_log(**param));
        self.logs.extend(handed_on.map(|(&param, &end)| (param, end)));
    }

    /// The states that are updated in place.
    pub fn arrays(&self) -> Vec<&InPlace> {
        let mut arrays = Vec::new();
        for state in &self.states {
            if let States::Undone(array) = state {
                arrays.push(array);
            }
        }
        arrays
    }

    /// For each of [`Self::arrays`], a param for the loop that runs backwards, and what the array is after the loop.
    pub fn undone(&self, func: &mut Func, body: &Block, ends: &[VarId]) -> Vec<(VarId, VarId)> {
        let all = body.params.iter().zip(ends).zip(&self.states);
        let undone = all.filter(|(_, state)| matches!(state, States::Undone(_)));
        undone.map(|((&param, &end), _)| (func.copy_var(param), end)).collect()
    }

    /// Writes the states at the start of iteration `t` that are kept. Returns them for the params of the body, and what
    /// stands for logs where inner loops are run again: nothing reads it.
    pub fn names(&self, code: &mut CodeBuilder<'_>, body: &Block, t: VarId) -> Subst {
        let mut names = Subst::new();
        for (&param, state) in body.params.iter().zip(&self.states) {
            match state {
                States::Kept(array) => {
                    let state = load_state(code, param, *array, Atom::Var(t));
                    names.insert(param, state);
                }
                States::Unread => {
                    let ty = code.func.ty(param).clone();
                    let none = code.zeros(&ty, "none");
                    names.insert(param, none);
                }
                States::Undone(_) => {}
            }
        }
        names.map.extend(self.logs.iter().map(|&(param, end)| (param, Atom::Var(end))));
        names
    }
}
