//! Arrays: the number of their elements, and the range of these.

use super::Walk;
use crate::{Expr, LiteralId, LocalId, LoopFunc, Operand, Stmt, Ty, for_each_stmt};
use arr_ir::bounds::Elements;
use arr_ir::{Atom, Op, Poly, Scalar, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Facts about the stored elements.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Contents {
    /// Nothing was stored.
    Nothing,
    Within(Elements),
    Unknown,
}

#[derive(Clone)]
pub(super) struct Array {
    /// `None` if it is not known.
    pub count: Option<Poly>,
    pub elem: Scalar,
    /// The elements as they are now.
    pub version: VarId,
    pub contents: Contents,
}

/// Whether the elements of arrays are followed: integers can be places, and truth values conditions of these.
fn has_contents(elem: Scalar) -> bool {
    matches!(elem, Scalar::I64 | Scalar::Bool)
}

/// The sources of addresses and arrays that are bound once.
pub(super) fn sources(loops: &LoopFunc) -> FxHashMap<LocalId, LocalId> {
    let mut sources = FxHashMap::default();
    for_each_stmt(&loops.body, &mut |stmt| {
        let (local, from) = match stmt {
            Stmt::Let { local, expr: Expr::BaseAddr(from) | Expr::Offset(from, _) } => (*local, *from),
            Stmt::Let { local, expr: Expr::Copy(Operand::Local(from)) } => (*local, *from),
            Stmt::MakeUnique { local, buffer, .. } => (*local, *buffer),
            _ => return,
        };
        sources.insert(local, from);
    });
    sources
}

/// Records what an array holds now. An array without a change stays shared with copies of the walk.
fn hold(array: &mut Rc<Array>, version: VarId, contents: &Contents) {
    if array.version != version || array.contents != *contents {
        let array = Rc::make_mut(array);
        array.version = version;
        array.contents = contents.clone();
    }
}

/// Drops facts about elements, where there are some to be dropped; the other arrays stay shared.
pub(super) fn forget(arrays: &mut [Rc<Array>], some: impl Fn(&Elements) -> bool, drop: impl Fn(&mut Elements)) {
    for array in arrays {
        if matches!(&array.contents, Contents::Within(elements) if some(elements))
            && let Contents::Within(elements) = &mut Rc::make_mut(array).contents
        {
            drop(elements);
        }
    }
}

impl Walk<'_> {
    pub(super) fn new_array(&mut self, local: LocalId, count: Option<Poly>, contents: Contents) {
        let elem = self.loops.ty(local).elem();
        let version = self.version(local, elem);
        self.names.buffers.insert(local, self.arrays.len());
        self.arrays.push(Rc::new(Array { count, elem, version, contents }));
    }

    fn version(&mut self, local: LocalId, elem: Scalar) -> VarId {
        let extent = self.func.types.size_const(0);
        let ty = self.func.types.array(vec![extent], elem);
        let version = self.func.var(self.loops.locals[local].name.clone(), ty);
        self.bounds.note_variable(version);
        version
    }

    /// Gives the elements of an array a new version.
    pub(super) fn changed(&mut self, array: usize, contents: Contents) {
        let Array { elem, version, .. } = *self.arrays[array];
        if !has_contents(elem) {
            return;
        }
        let ty = self.func.vars[version].ty;
        let name = self.func.vars[version].name.clone();
        let version = self.func.var(name, ty);
        self.bounds.note_variable(version);
        if let Contents::Within(elements) = &contents {
            self.bounds.set_elements(version, elements.clone());
        }
        hold(&mut self.arrays[array], version, &contents);
    }

    pub(super) fn either(&self, a: &Contents, b: &Contents) -> Contents {
        match (a, b) {
            (Contents::Nothing, other) | (other, Contents::Nothing) => other.clone(),
            (Contents::Within(a), Contents::Within(b)) => Contents::Within(self.bounds.either(a, b)),
            _ => Contents::Unknown,
        }
    }

    pub(super) fn stored(&mut self, array: usize, value: Operand) {
        if self.arrays[array].elem != Scalar::I64 {
            return;
        }
        let value = self.atom(value);
        let within = Contents::Within(self.bounds.bounds_of_value(&self.func, value));
        let contents = self.either(&self.arrays[array].contents.clone(), &within);
        self.changed(array, contents);
    }

    pub(super) fn loaded(&mut self, local: LocalId, place: Option<super::ElementOffset>) {
        let var = self.fresh(local);
        let Some(super::ElementOffset { array, at, .. }) = place else { return };
        let Array { elem, version, .. } = *self.arrays[array];
        if has_contents(elem) {
            let index = self.func.scalar_var("at", Scalar::I64);
            self.bounds.define(index, at);
            self.pass(vec![var], Op::Read { array: version, index: vec![Atom::Var(index)], checked: false });
        }
        if let Some(value) = self.bounds.poly(&self.func, Atom::Var(var)) {
            self.bounds.recall(&value);
        }
    }

    pub(super) fn literal(&mut self, local: LocalId, id: LiteralId) {
        let Some(literal) = self.loops.literals.get(id).cloned() else { return };
        let count = i64::try_from(literal.data.len()).ok().map(Poly::constant);
        self.new_array(local, count, Contents::Unknown);
        if let Some(&array) = self.names.buffers.get(&local) {
            let version = self.arrays[array].version;
            self.pass(vec![version], Op::Literal(literal));
        }
    }

    pub(super) fn made_unique(&mut self, local: LocalId, buffer: LocalId) {
        match self.names.buffers.get(&buffer) {
            Some(&array) => {
                let array = self.arrays[array].clone();
                self.names.buffers.insert(local, self.arrays.len());
                self.arrays.push(array);
            }
            None => drop(self.names.buffers.remove(&local)),
        }
    }

    /// A local is the number of an array's elements.
    pub(super) fn length(&mut self, local: LocalId, buffer: LocalId) {
        let var = self.fresh(local);
        let Some(&array) = self.names.buffers.get(&buffer) else { return };
        match self.arrays[array].count.clone() {
            Some(count) => self.bounds.define(var, count),
            None => {
                self.bounds.add_fact(Poly::var(var));
                Rc::make_mut(&mut self.arrays[array]).count = Some(Poly::var(var));
            }
        }
    }

    /// Records that a position is inside an array of this length.
    pub(super) fn place_checked(&mut self, args: &[Operand]) {
        if let &[place, length] = args
            && let (Some(place), Some(length)) = (self.computed(place), self.computed(length))
        {
            self.places.push((place, length));
        }
    }

    pub(super) fn shape_checked(&mut self, buffer: LocalId, dims: &[Operand]) {
        let Some(&array) = self.names.buffers.get(&buffer) else { return };
        if let (Some(count), Some(known)) = (self.count(dims), &self.arrays[array].count) {
            let difference = known.sub(&count);
            self.bounds.add_fact(difference.clone());
            self.bounds.add_fact(difference.neg());
        }
    }

    pub(super) fn argsort(&mut self, into: LocalId, keys: LocalId, length: Operand) {
        let (Some(&into_array), Some(&keys_array)) = (self.names.buffers.get(&into), self.names.buffers.get(&keys))
        else {
            return;
        };
        let (a, b) = (&self.arrays[into_array].count, &self.arrays[keys_array].count);
        if a.is_none() || a != b {
            self.faults.push(format!("nothing proves that `{}` has room for an order", self.name(into)));
        }
        let length = self.atom(length);
        let Some(last) = self.bounds.poly(&self.func, length).map(|n| n.sub(&Poly::constant(1))) else { return };
        self.bounds.enter();
        let place = self.func.scalar_var("order", Scalar::I64);
        self.bounds.add_fact(Poly::var(place));
        self.bounds.add_fact(last.sub(&Poly::var(place)));
        let elements = self.bounds.bounds_of_value(&self.func, Atom::Var(place));
        self.bounds.leave();
        self.changed(into_array, Contents::Within(elements));
    }

    /// After a branch, the array of one side or the other.
    pub(super) fn either_array(&mut self, local: LocalId, a: Option<usize>, b: Option<usize>) {
        let (Some(a), Some(b)) = (a, b) else {
            self.names.buffers.remove(&local);
            return;
        };
        if a == b {
            self.names.buffers.insert(local, a);
            return;
        }
        let count = self.arrays[a].count.clone().filter(|count| self.arrays[b].count.as_ref() == Some(count));
        let contents = self.either(&self.arrays[a].contents, &self.arrays[b].contents);
        self.new_array(local, count, Contents::Nothing);
        self.changed(self.arrays.len() - 1, contents);
    }

    pub(super) fn enter(&mut self) {
        self.scopes.push([self.branches.len(), self.sums.len(), self.allocated.len(), self.places.len()]);
        self.bounds.enter();
    }

    /// Leaves a scope, and keeps the facts about elements that are meaningful outside.
    pub(super) fn leave(&mut self) {
        let bounds = &self.bounds;
        forget(
            &mut self.arrays,
            |elements| !bounds.is_seen_from_outside(elements),
            |elements| bounds.seen_from_outside(elements),
        );
        let [branches, sums, allocated, places] = self.scopes.pop().unwrap_or_default();
        self.branches.truncate(branches);
        self.sums.truncate(sums);
        self.allocated.truncate(allocated);
        self.places.truncate(places);
        self.bounds.leave();
    }

    pub(super) fn contents(&self) -> Vec<(VarId, Contents)> {
        self.arrays.iter().map(|array| (array.version, array.contents.clone())).collect()
    }

    pub(super) fn restore_contents(&mut self, contents: &[(VarId, Contents)]) {
        for (array, (version, contents)) in self.arrays.iter_mut().zip(contents) {
            hold(array, *version, contents);
        }
    }

    /// Joins the contents that the two sides of a branch leave in arrays.
    pub(super) fn join_contents(&mut self, a: &[(VarId, Contents)], b: &[(VarId, Contents)]) {
        for (array, (a, b)) in a.iter().zip(b).enumerate() {
            if a == b {
                hold(&mut self.arrays[array], a.0, &a.1);
            } else {
                let contents = self.either(&a.1, &b.1);
                self.changed(array, contents);
            }
        }
    }

    /// The existing arrays that statements store integers or truth values to.
    pub(super) fn stored_in(&self, blocks: &[&[Stmt]]) -> Vec<usize> {
        let (mut targets, mut bound) = (Vec::new(), FxHashSet::default());
        for block in blocks {
            for_each_stmt(block, &mut |stmt| {
                bound.extend(stmt.binds());
                match stmt {
                    Stmt::Store { address, .. } => targets.push(*address),
                    Stmt::Argsort { into, .. } => targets.push(*into),
                    _ => {}
                }
            });
        }
        let mut arrays: Vec<usize> = targets.into_iter().filter_map(|target| self.root(target, &bound)).collect();
        arrays.retain(|&array| has_contents(self.arrays[array].elem));
        arrays.sort_unstable();
        arrays.dedup();
        arrays
    }

    /// The array that exists before the statements that bind these locals.
    fn root(&self, mut local: LocalId, bound: &FxHashSet<LocalId>) -> Option<usize> {
        while bound.contains(&local) {
            local = *self.sources.get(&local)?;
        }
        match self.loops.ty(local) {
            Ty::Buffer(_) => self.names.buffers.get(&local).copied(),
            _ => self.names.addresses.get(&local).map(|place| place.array),
        }
    }
}
