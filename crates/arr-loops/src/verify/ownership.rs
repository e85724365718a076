//! References to arrays: their owners, and that each is released exactly once on every path.
//!
//! A name stands for an array; several may stand for one. The walk counts the references that the function owns of each
//! array. Where paths meet, and from one iteration to the next, a variable stands for an array that is one of several;
//! it takes over one reference to the array that it stood for on each path, and all other ownership must agree.

use crate::{Expr, For, LocalId, LoopFunc, Operand, Stmt, Ty, While, for_each_stmt};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn check(func: &LoopFunc) -> Vec<String> {
    let mut walk = Walk { func, faults: Vec::new(), arrays: Vec::new() };
    let mut state = State::default();
    for param in &func.params {
        if matches!(func.ty(param.local), Ty::Buffer(_)) {
            walk.made(&mut state, param.local, Origin::Caller, 0);
        }
    }
    walk.block(&mut state, &func.body);
    for output in &func.outputs {
        if let Operand::Local(local) = output.value
            && matches!(func.ty(local), Ty::Buffer(_))
        {
            walk.give(&mut state, local, "returned");
        }
    }
    walk.nothing_left(&state, &BTreeMap::new(), "at the end");
    walk.faults
}

/// The origin of an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Origin {
    /// An argument.
    Caller,
    /// A constant, to which the program has a reference.
    Literal,
    /// Made here: all references to it are known.
    Fresh,
    /// One of several.
    Joined,
}

/// An array, by its row.
type Array = usize;

#[derive(Clone, Default)]
struct State {
    /// The arrays that names and addresses stand for.
    arrays: BTreeMap<LocalId, Array>,
    /// The references that the function owns.
    owned: BTreeMap<Array, i64>,
}

impl State {
    fn owned(&self, array: Array) -> i64 {
        self.owned.get(&array).copied().unwrap_or(0)
    }

    fn add(&mut self, array: Array, by: i64) {
        *self.owned.entry(array).or_insert(0) += by;
    }
}

struct Walk<'a> {
    func: &'a LoopFunc,
    faults: Vec<String>,
    /// The origin of each, and its first name.
    arrays: Vec<(Origin, LocalId)>,
}

impl Walk<'_> {
    fn name(&self, local: LocalId) -> &str {
        &self.func.locals[local].name
    }

    fn made(&mut self, state: &mut State, local: LocalId, origin: Origin, owned: i64) {
        let array = self.arrays.len();
        self.arrays.push((origin, local));
        state.arrays.insert(local, array);
        state.owned.insert(array, owned);
    }

    fn origin(&self, array: Array) -> Origin {
        self.arrays.get(array).map_or(Origin::Joined, |a| a.0)
    }

    /// The array of a name or an address, which must be alive.
    fn used(&mut self, state: &State, local: LocalId) -> Option<Array> {
        let Some(&array) = state.arrays.get(&local) else {
            self.faults.push(format!("`{}` stands for no array", self.name(local)));
            return None;
        };
        if state.owned(array) < 1 && self.origin(array) != Origin::Caller {
            self.faults.push(format!("`{}` is used after its array was given up", self.name(local)));
        }
        Some(array)
    }

    /// Releases one reference.
    fn give(&mut self, state: &mut State, local: LocalId, how: &str) {
        let Some(&array) = state.arrays.get(&local) else {
            self.faults.push(format!("`{}` stands for no array", self.name(local)));
            return;
        };
        if state.owned(array) < 1 {
            self.faults.push(format!("`{}` is {how}, and the function owns no reference to it", self.name(local)));
            return;
        }
        state.add(array, -1);
    }

    /// Checks that the owned references are the `expected` ones.
    fn nothing_left(&mut self, state: &State, expected: &BTreeMap<Array, i64>, wher: &str) {
        let all: BTreeSet<Array> = state.owned.keys().chain(expected.keys()).copied().collect();
        for array in all {
            let (found, wanted) = (state.owned(array), expected.get(&array).copied().unwrap_or(0));
            if found != wanted {
                let name = self.arrays.get(array).map_or("?", |a| self.name(a.1)).to_string();
                let what = if found > wanted { "never given up" } else { "given up too often" };
                self.faults.push(format!("the array `{name}` is {what}: {found} references {wher} and not {wanted}"));
            }
        }
    }

    fn block(&mut self, state: &mut State, stmts: &[Stmt]) {
        stmts.iter().for_each(|stmt| self.stmt(state, stmt));
    }

    /// Makes a name stand for the same as another.
    fn stand(&mut self, state: &mut State, local: LocalId, value: Operand) {
        if let (Ty::Buffer(_) | Ty::Address(_), Operand::Local(of)) = (self.func.ty(local), value)
            && let Some(array) = self.used(state, of)
        {
            state.arrays.insert(local, array);
        }
    }

    fn stmt(&mut self, state: &mut State, stmt: &Stmt) {
        match stmt {
            Stmt::Let { local, expr } => match expr {
                Expr::Literal(_) => self.made(state, *local, Origin::Literal, 1),
                Expr::Copy(of) => self.stand(state, *local, *of),
                Expr::BaseAddr(of) | Expr::Offset(of, _) => self.stand(state, *local, (*of).into()),
                Expr::Load(of, _) | Expr::Len(of) => {
                    self.used(state, *of);
                }
                Expr::Prim(..) => {}
            },
            Stmt::Var { local, init: Some(value) } | Stmt::Set { local, value } => self.stand(state, *local, *value),
            Stmt::Store { address, .. } => self.store(state, *address),
            Stmt::Alloc { local, .. } => self.made(state, *local, Origin::Fresh, 1),
            Stmt::MakeUnique { local, buffer, .. } => {
                self.give(state, *buffer, "made unique");
                self.made(state, *local, Origin::Fresh, 1);
            }
            Stmt::Retain(buffer) => {
                if let Some(array) = self.used(state, *buffer) {
                    state.add(array, 1);
                }
            }
            Stmt::Release(buffer) => self.give(state, *buffer, "released"),
            Stmt::CheckShape { buffer, .. } => {
                self.used(state, *buffer);
            }
            Stmt::Argsort { into, keys, .. } => {
                self.used(state, *keys);
                self.store(state, *into);
            }
            Stmt::MatMul(product) => {
                self.used(state, product.left);
                self.used(state, product.right);
                self.store(state, product.into);
            }
            Stmt::If { then_body, else_body, .. } => {
                let mut other = state.clone();
                self.block(state, then_body);
                self.block(&mut other, else_body);
                *state = self.joined(state.clone(), other);
            }
            Stmt::For(l) => self.for_loop(state, l),
            Stmt::While(l) => self.while_loop(state, l),
            Stmt::Trace { value, .. } => {
                if let Some(buffer) = value.as_local().filter(|&l| matches!(self.func.ty(l), Ty::Buffer(_))) {
                    self.used(state, buffer);
                }
            }
            Stmt::Var { init: None, .. } | Stmt::Check { .. } => {}
        }
    }

    /// A store to an array by one of its names or addresses.
    fn store(&mut self, state: &State, local: LocalId) {
        let Some(array) = self.used(state, local) else { return };
        let what = match self.origin(array) {
            Origin::Caller => "an argument",
            Origin::Literal => "a constant",
            Origin::Fresh if state.owned(array) > 1 => "an array with two references",
            Origin::Fresh | Origin::Joined => return,
        };
        self.faults.push(format!("`{}` is stored to, and is {what}", self.name(local)));
    }

    /// Joins the states of two paths.
    fn joined(&mut self, mut one: State, mut other: State) -> State {
        let mut arrays = BTreeMap::new();
        let mut joined = Vec::new();
        for (&local, &a) in &one.arrays {
            let Some(&b) = other.arrays.get(&local) else { continue };
            if a == b {
                arrays.insert(local, a);
            } else {
                joined.push((local, a, b));
            }
        }
        let mut made = Vec::new();
        for (local, a, b) in joined {
            let taken = one.owned(a).min(other.owned(b)).clamp(0, 1);
            one.add(a, -taken);
            other.add(b, -taken);
            let fresh = self.origin(a) == Origin::Fresh && self.origin(b) == Origin::Fresh;
            made.push((local, if fresh { Origin::Fresh } else { Origin::Joined }, taken));
        }
        self.nothing_left(&one, &other.owned, "behind a branch, as on its other side,");
        let mut state = State { arrays, owned: one.owned };
        for (local, origin, owned) in made {
            self.made(&mut state, local, origin, owned);
        }
        state
    }

    /// Makes the variables that a loop sets stand for arrays of their own and returns how often each is owned.
    fn carried(&mut self, state: &mut State, sets: &BTreeSet<LocalId>) -> Vec<(LocalId, i64)> {
        let mut carried = Vec::new();
        for &local in sets {
            let Some(&before) = state.arrays.get(&local) else { continue };
            let taken = state.owned(before).clamp(0, 1);
            state.add(before, -taken);
            self.made(state, local, Origin::Joined, taken);
            carried.push((local, taken));
        }
        carried
    }

    /// Checks that an iteration restores the ownership that it began with.
    fn iterated(&mut self, entry: &State, mut end: State, carried: &[(LocalId, i64)]) {
        let mut expected = entry.owned.clone();
        for &(local, taken) in carried {
            if let Some(&array) = entry.arrays.get(&local) {
                *expected.entry(array).or_insert(0) -= taken;
            }
            for _ in 0..taken {
                self.give(&mut end, local, "carried to the next iteration");
            }
        }
        self.nothing_left(&end, &expected, "at the end of an iteration");
    }

    fn for_loop(&mut self, state: &mut State, l: &For) {
        let start = state.clone();
        self.iterations(state, &l.body);
        let Some(scan) = &l.scan else { return };
        let mut other = start;
        self.block(&mut other, &scan.before);
        self.iterations(&mut other, &scan.body);
        self.block(&mut other, &scan.after);
        *state = self.joined(state.clone(), other);
    }

    fn iterations(&mut self, state: &mut State, body: &[Stmt]) {
        let carried = self.carried(state, &set_in(self.func, &[body]));
        let entry = state.clone();
        let mut end = entry.clone();
        self.block(&mut end, body);
        self.iterated(&entry, end, &carried);
        // Behind the loop a variable may stand for its earlier array, or for one that an iteration made.
        *state = entry;
    }

    fn while_loop(&mut self, state: &mut State, l: &While) {
        let carried = self.carried(state, &set_in(self.func, &[&l.head, &l.body]));
        let entry = state.clone();
        self.block(state, &l.head);
        let mut end = state.clone();
        self.block(&mut end, &l.body);
        self.iterated(&entry, end, &carried);
    }
}

/// The variables that hold arrays and that statements set.
fn set_in(func: &LoopFunc, blocks: &[&[Stmt]]) -> BTreeSet<LocalId> {
    let mut sets = BTreeSet::new();
    for block in blocks {
        for_each_stmt(block, &mut |stmt| {
            sets.extend(stmt.sets().filter(|&local| matches!(func.ty(local), Ty::Buffer(_))));
        });
    }
    sets
}
