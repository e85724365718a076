//! Rows that a loop reads at its index for a function of the mathematical library: each is read in the iteration before, and
//! is part of the loop's state.
//!
//! A slice at a place that moves is fused by XLA into the element-wise code that uses it, which on processors then takes one
//! element at a time: `tanh` of a row and a bias takes three times as long. What a loop carries is not fused; for arithmetic
//! alone that would cost more than it gains.

use crate::error::{Result, internal};
use crate::space::Emitter;
use crate::text::{elem_name, is_before, list, tensor};
use crate::values::Scal;
use arr_ir::{Atom, Block, Const, Cost, Op, Prim, Scalar, Stmt, VarId};
use rustc_hash::FxHashSet;

/// A `while` that is being written, and what it reads ahead.
#[derive(Debug)]
pub(crate) struct Ahead {
    /// Values with smaller numbers are the same in every iteration.
    number: usize,
    counter: Option<Counter>,
    /// With the names in the body.
    rows: Vec<(String, Part)>,
}

/// The index of a counted loop.
#[derive(Debug)]
struct Counter {
    index: String,
    /// The count of the next iteration.
    next: Scal,
    /// That of a loop that runs downwards.
    extent: Option<Scal>,
    /// How many regions are open in the body.
    depth: usize,
    /// What reads elements for functions.
    reads: FxHashSet<VarId>,
}

/// A part of an array, at a place that moves.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Part {
    pub source: String,
    pub elem: Scalar,
    pub dims: Vec<i64>,
    /// Where it starts along each axis.
    pub starts: Vec<Start>,
    pub sizes: Vec<i64>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Start {
    At(i64),
    /// The index of the loop.
    Index,
    Value(String),
}

impl Emitter<'_> {
    /// Begins a `while`, before its state is named.
    pub(crate) fn begin_ahead(&mut self) {
        let ahead = Ahead { number: self.text.number(), counter: None, rows: Vec::new() };
        self.ahead.push(ahead);
    }

    /// Says in the body of a counted loop what its index is, and what the next count is; and the extent of a loop that runs
    /// downwards.
    pub(crate) fn count_ahead(&mut self, index: &Scal, next: Scal, extent: Option<Scal>, body: &Block) {
        let depth = self.text.depth();
        if let (Scal::Tensor(index), Some(ahead)) = (index, self.ahead.last_mut()) {
            let mut reads = Reads::default();
            reads.block(body);
            let reads = reads.found;
            ahead.counter = Some(Counter { index: index.name.clone(), next, extent, depth, reads });
        }
    }

    /// Ends the body of a `while`: adds what is read ahead to the next state. Returns what it is in the first iteration,
    /// written by [`Emitter::first_ahead`].
    pub(crate) fn end_ahead(&mut self, next: &mut Vec<String>) -> Result<Ahead> {
        let Some(ahead) = self.ahead.pop() else { return internal("a loop has not begun") };
        if let Some(counter) = &ahead.counter {
            let index = match &counter.extent {
                None => counter.next.clone(),
                Some(extent) => {
                    let last = self.last(extent)?;
                    self.prim(Prim::Sub, &[last, counter.next.clone()], "index")?
                }
            };
            for (_, part) in &ahead.rows {
                next.push(self.part(part, &index)?);
            }
        }
        Ok(ahead)
    }

    /// Writes the rows of the first iteration, before the loop. Returns their names in the body, these values and their
    /// types.
    pub(crate) fn first_ahead(&mut self, ahead: Ahead) -> Result<Vec<(String, String, String)>> {
        let index = match ahead.counter.and_then(|counter| counter.extent) {
            None => Scal::Const(Const::I64(0)),
            Some(extent) => self.last(&extent)?,
        };
        let mut made = Vec::new();
        for (name, part) in ahead.rows {
            let first = self.part(&part, &index)?;
            made.push((name, first, tensor(&part.sizes, elem_name(part.elem))));
        }
        Ok(made)
    }

    /// The part of an array: as a value of the loop's state where it can be, else a slice here.
    pub(crate) fn row(&mut self, part: Part) -> Result<String> {
        if let Some(part) = self.at_index(&part)
            && let Some(ahead) = self.ahead.last()
        {
            if let Some((name, _)) = ahead.rows.iter().find(|(_, other)| *other == part) {
                return Ok(name.clone());
            }
            let name = self.text.fresh("row");
            if let Some(ahead) = self.ahead.last_mut() {
                ahead.rows.push((name.clone(), part));
            }
            return Ok(name);
        }
        self.part(&part, &Scal::Const(Const::I64(0)))
    }

    /// The part as one that depends on the index of the innermost loop and on nothing else in it. `None` if it is another
    /// one, or is not read in every iteration.
    fn at_index(&self, part: &Part) -> Option<Part> {
        let ahead = self.ahead.last()?;
        let counter = ahead.counter.as_ref().filter(|counter| counter.depth == self.text.depth())?;
        self.reading.filter(|var| counter.reads.contains(var))?;
        let mut found = Part { starts: Vec::new(), ..part.clone() };
        for start in &part.starts {
            found.starts.push(match start {
                Start::Value(name) if *name == counter.index => Start::Index,
                Start::Value(name) if !is_before(name, ahead.number) => return None,
                other => other.clone(),
            });
        }
        (is_before(&part.source, ahead.number) && found.starts.contains(&Start::Index)).then_some(found)
    }

    fn part(&mut self, part: &Part, index: &Scal) -> Result<String> {
        let mut starts = Vec::new();
        for start in &part.starts {
            starts.push(match start {
                Start::At(at) => self.val(&Scal::Const(Const::I64(*at)))?.name,
                Start::Index => self.val(index)?.name,
                Start::Value(name) => name.clone(),
            });
        }
        let elem = elem_name(part.elem);
        let scalars = vec!["tensor<i64>"; starts.len()].join(", ");
        let op = format!(
            "stablehlo.dynamic_slice {}, {}, sizes = {} : ({}, {scalars}) -> {}",
            part.source,
            starts.join(", "),
            list(&part.sizes),
            tensor(&part.dims, elem),
            tensor(&part.sizes, elem)
        );
        Ok(self.text.value("row", op))
    }

    fn last(&mut self, extent: &Scal) -> Result<Scal> {
        self.prim(Prim::Sub, &[extent.clone(), Scal::Const(Const::I64(1))], "last")
    }
}

/// The reads of a body whose elements go, through arithmetic and through arrays that it makes, into a function.
#[derive(Default)]
struct Reads {
    /// What goes into a function.
    wanted: FxHashSet<VarId>,
    found: FxHashSet<VarId>,
}

impl Reads {
    /// Statements are looked at before what they use.
    fn block(&mut self, block: &Block) {
        block.stmts.iter().rev().for_each(|stmt| self.stmt(stmt));
    }

    fn want(&mut self, atoms: &[Atom]) {
        self.wanted.extend(atoms.iter().filter_map(|atom| atom.var()));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let first = stmt.vars.first().filter(|var| self.wanted.contains(var));
        match &stmt.op {
            Op::Prim(prim, args) if first.is_some() || prim.cost() == Cost::Function => self.want(args),
            Op::Read { array, .. } if let Some(&var) = first => {
                self.found.insert(var);
                self.wanted.insert(*array);
            }
            Op::Reshape(array) if first.is_some() => self.want(&[Atom::Var(*array)]),
            Op::StopGradient(atom) if first.is_some() => self.want(&[*atom]),
            Op::Barrier(atoms) => self.results(stmt, atoms),
            Op::Build { body, .. } | Op::Custom { body, .. } => {
                self.results(stmt, &body.results);
                self.block(body);
            }
            Op::If { then_block, else_block, .. } => {
                for block in [then_block, else_block] {
                    self.results(stmt, &block.results);
                    self.block(block);
                }
            }
            Op::Reduce { body, .. } | Op::Scatter { body, .. } => self.block(body),
            _ => {}
        }
    }

    /// What stands for a wanted result is wanted.
    fn results(&mut self, stmt: &Stmt, results: &[Atom]) {
        for (var, result) in stmt.vars.iter().zip(results) {
            if self.wanted.contains(var) {
                self.want(&[*result]);
            }
        }
    }
}
