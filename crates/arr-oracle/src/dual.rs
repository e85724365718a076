//! Scalar dual numbers, reverse and forward.
//!
//! Reverse: a number that a sweep watches carries the number of an entry on the sweep's tape, which names the earlier
//! entries that it was computed from, with the partial derivatives. Going backwards from the last entry to the first,
//! each propagates its cotangent; an entry without a cotangent is skipped. Forward: the number carries its tangent.

use crate::machine::{Env, Machine};
use crate::number::{Num, Sweep};
use crate::partial::Partial;
use crate::value::{Cot, Val};
use crate::{Method, Run, internal};
use arr_ir::walk::has_derivative;
use arr_ir::{Atom, Block, Prim};
use std::rc::Rc;

/// The record of a reverse sweep.
#[derive(Default)]
pub(crate) struct Tape<'f> {
    entries: Vec<Entry<'f>>,
}

enum Entry<'f> {
    /// An input, or a result of a declared derivative.
    Leaf,
    Made(Vec<(usize, Partial)>),
    Declared(Rc<Declared<'f>>),
}

/// A computation with a custom derivative. Its results are the entries after its own.
struct Declared<'f> {
    rule: &'f Block,
    inputs: Vec<Val>,
    /// The entries of the inputs' watched elements, one per element.
    sources: Vec<Vec<Option<usize>>>,
    results: Vec<Val>,
    /// The environment of the rule, which may have changed when the sweep returns.
    env: Env,
}

impl<'f> Tape<'f> {
    fn push(&mut self, entry: Entry<'f>) -> usize {
        self.entries.push(entry);
        self.entries.len() - 1
    }
}

fn taped(sweep: Sweep, below: Num, entry: usize) -> Num {
    Num::Taped { sweep, below: Rc::new(below), entry }
}

fn entry_of(num: &Num, sweep: Sweep) -> Option<usize> {
    match num {
        Num::Taped { sweep: s, entry, .. } if *s == sweep => Some(*entry),
        _ => None,
    }
}

impl<'f> Machine<'f> {
    fn tape(&mut self, sweep: Sweep) -> Run<&mut Tape<'f>> {
        let tape = self.tapes.get_mut(sweep.wrapping_sub(1)).and_then(Option::as_mut);
        tape.ok_or_else(|| internal("a number outlives its sweep"))
    }

    /// The result `y` of a primitive, seen by the sweep.
    pub fn watch(&mut self, sweep: Sweep, prim: Prim, args: &[Num], below: &[Num], y: Num) -> Run<Num> {
        let mut sources = Vec::new();
        let mut total: Option<Num> = None;
        for (k, arg) in args.iter().enumerate().filter(|(_, a)| a.sweep() == sweep) {
            let Some(partial) = self.partial(prim, below, &y, k)? else { continue };
            match arg {
                Num::Taped { entry, .. } => sources.push((*entry, partial)),
                Num::Dual { tangent, .. } => {
                    let part = self.forwards(&partial, tangent)?;
                    total = Some(self.plus(total, part)?);
                }
                Num::Plain(_) => {}
            }
        }
        if let Some(tangent) = total {
            return Ok(Num::Dual { sweep, below: Rc::new(y), tangent: Rc::new(tangent) });
        }
        if sources.is_empty() {
            return Ok(y);
        }
        let entry = self.tape(sweep)?.push(Entry::Made(sources));
        Ok(taped(sweep, y, entry))
    }

    pub fn plus(&mut self, a: Option<Num>, b: Num) -> Run<Num> {
        match a {
            Some(a) => self.prim(Prim::Add, &[a, b]),
            None => Ok(b),
        }
    }

    /// The results of the body, then the cotangents of the inputs.
    pub fn vjp(&mut self, inputs: &[Atom], seeds: &[Atom], body: &'f Block) -> Run<Vec<Val>> {
        let (inputs, seeds) = (self.atoms(inputs)?, self.atoms(seeds)?);
        // Rules for derivatives inside are not part of the method: what holds some is left to dual numbers.
        if self.method == Method::Chad && !body.stmts.iter().any(|s| has_derivative(&s.op)) {
            return self.vjp_by_chad(inputs, &seeds, body);
        }
        self.vjp_by_tape(inputs, &seeds, body)
    }

    fn vjp_by_tape(&mut self, inputs: Vec<Val>, seeds: &[Val], body: &'f Block) -> Run<Vec<Val>> {
        let sweep = self.start(Some(Tape::default()));
        let mut watched = Vec::new();
        for input in &inputs {
            let tape = self.tape(sweep)?;
            watched.push(input.map(|n| {
                if n.elem().is_float() { taped(sweep, n.clone(), tape.push(Entry::Leaf)) } else { n.clone() }
            }));
        }
        let results = self.call(body, watched.clone())?;
        let tape = self.tapes.get_mut(sweep - 1).and_then(Option::take).unwrap_or_default();
        let mut cots: Vec<Option<Num>> = vec![None; tape.entries.len()];
        let floats = results.iter().filter(|r| r.elem().is_float());
        for (result, seed) in floats.zip(seeds) {
            for (num, cot) in result.nums().iter().zip(Cot::of(seed).0) {
                if let (Some(entry), Some(cot)) = (entry_of(num, sweep), cot) {
                    cots[entry] = Some(self.plus(cots[entry].take(), cot)?);
                }
            }
        }
        self.sweep_back(tape, &mut cots)?;
        let mut all: Vec<Val> = results.iter().map(|r| r.map(|n| n.without(sweep))).collect();
        for (input, watched) in inputs.iter().zip(&watched) {
            let cot = watched.nums().iter().map(|n| entry_of(n, sweep).and_then(|e| cots[e].clone())).collect();
            all.push(Cot(cot).to_val(input));
        }
        Ok(all)
    }

    fn sweep_back(&mut self, tape: Tape<'f>, cots: &mut [Option<Num>]) -> Run<()> {
        for (at, entry) in tape.entries.iter().enumerate().rev() {
            match entry {
                Entry::Leaf => {}
                Entry::Made(sources) => {
                    self.step()?;
                    let Some(cot) = cots[at].take() else { continue };
                    for (source, partial) in sources {
                        let part = self.backwards(partial, &cot)?;
                        cots[*source] = Some(self.plus(cots[*source].take(), part)?);
                    }
                }
                Entry::Declared(declared) => self.declared_back(declared, at + 1, cots)?,
            }
        }
        Ok(())
    }

    /// Runs a declared derivative on the cotangents of its results, whose entries start at `first`.
    fn declared_back(&mut self, declared: &Declared<'f>, first: usize, cots: &mut [Option<Num>]) -> Run<()> {
        let mut at = first;
        let mut of_results = Vec::new();
        for result in declared.results.iter().filter(|r| r.elem().is_float()) {
            let next = at + result.nums().len();
            of_results.push(Cot(cots[at..next].to_vec()));
            at = next;
        }
        if of_results.iter().all(Cot::is_zero) {
            return Ok(());
        }
        let around = std::mem::replace(&mut self.env, declared.env.clone());
        let given = self.rule(declared.rule, &declared.inputs, &declared.results, &of_results);
        self.env = around;
        for (cot, sources) in given?.iter().zip(&declared.sources) {
            for (cot, source) in cot.0.iter().zip(sources) {
                if let (Some(cot), Some(source)) = (cot, source) {
                    cots[*source] = Some(self.plus(cots[*source].take(), cot.clone())?);
                }
            }
        }
        Ok(())
    }

    /// The results with their tangents: the inner product of the inputs' tangents and what a declared derivative gives for
    /// a cotangent that is 1 in one place of the results.
    fn declared_forwards(
        &mut self,
        sweep: Sweep,
        inputs: &[Val],
        below: &[Val],
        rule: &'f Block,
        results: Vec<Val>,
    ) -> Run<Vec<Val>> {
        let floats: Vec<&Val> = results.iter().filter(|r| r.elem().is_float()).collect();
        let mut moved = Vec::new();
        for (at, result) in results.iter().enumerate() {
            let own = results.iter().take(at).filter(|r| r.elem().is_float()).count();
            let mut nums = result.nums().to_vec();
            for (place, num) in nums.iter_mut().enumerate().filter(|(_, n)| n.elem().is_float()) {
                let mut cots: Vec<Cot> = floats.iter().map(|r| Cot::zero(r.nums().len())).collect();
                if let Some(cot) = cots.get_mut(own).and_then(|cot| cot.0.get_mut(place)) {
                    *cot = Some(num.like(1.0));
                }
                let given = self.rule(rule, below, &results, &cots)?;
                if let Some(tangent) = self.along(sweep, inputs, &given)? {
                    *num = Num::Dual { sweep, below: Rc::new(num.clone()), tangent: Rc::new(tangent) };
                }
            }
            moved.push(result.with(nums));
        }
        Ok(moved)
    }

    /// The inner product of the tangents that values have in a sweep and their cotangents; `None` for zero.
    fn along(&mut self, sweep: Sweep, values: &[Val], cots: &[Cot]) -> Run<Option<Num>> {
        let mut total = None;
        for (n, cot) in values.iter().flat_map(Val::nums).zip(cots.iter().flat_map(|cot| &cot.0)) {
            if let (Num::Dual { sweep: s, tangent, .. }, Some(cot)) = (n, cot)
                && *s == sweep
            {
                let part = self.prim(Prim::Mul, &[cot.clone(), (**tangent).clone()])?;
                total = Some(self.plus(total, part)?);
            }
        }
        Ok(total)
    }

    /// The cotangents of the inputs by a declared derivative; those that hold no floats are zero.
    pub fn rule(&mut self, rule: &'f Block, inputs: &[Val], results: &[Val], cots: &[Cot]) -> Run<Vec<Cot>> {
        let mut args: Vec<Val> = inputs.iter().chain(results).cloned().collect();
        let floats = results.iter().filter(|r| r.elem().is_float());
        args.extend(floats.zip(cots).map(|(result, cot)| cot.to_val(result)));
        let mut given = self.call(rule, args)?.into_iter();
        let cots = inputs.iter().map(|input| match input.elem().is_float().then(|| given.next()).flatten() {
            Some(cot) => Cot::of(&cot),
            None => Cot::zero(input.nums().len()),
        });
        Ok(cots.collect())
    }

    /// A computation with a custom derivative: reverse sweeps use that, and forward sweeps, if they are to use its
    /// transpose.
    pub fn custom(&mut self, inputs: Vec<Val>, body: &'f Block, rule: &'f Block, transposed: bool) -> Run<Vec<Val>> {
        let watched = inputs.iter().flat_map(Val::nums).max_by_key(|n| n.sweep()).cloned();
        let sweep = watched.as_ref().map_or(0, Num::sweep);
        if sweep == 0 {
            return self.call(body, inputs);
        }
        let is_forward = matches!(watched, Some(Num::Dual { .. }));
        if is_forward && !transposed {
            // The sweeps around this one see nothing else either.
            return self.call(body, inputs);
        }
        let below: Vec<Val> = inputs.iter().map(|v| v.map(|n| n.without(sweep))).collect();
        let results = self.custom(below.clone(), body, rule, transposed)?;
        if is_forward {
            return self.declared_forwards(sweep, &inputs, &below, rule, results);
        }
        let env = self.env.clone();
        let sources = inputs.iter().map(|v| v.nums().iter().map(|n| entry_of(n, sweep)).collect()).collect();
        let declared = Declared { rule, inputs: below, sources, results: results.clone(), env };
        let tape = self.tape(sweep)?;
        tape.push(Entry::Declared(Rc::new(declared)));
        let mut watch = |n: &Num| taped(sweep, n.clone(), tape.push(Entry::Leaf));
        Ok(results.iter().map(|r| if r.elem().is_float() { r.map(&mut watch) } else { r.clone() }).collect())
    }

    /// The results of the body, then the tangents of those that are floats.
    pub fn jvp(&mut self, inputs: &[Atom], tangents: &[Atom], body: &'f Block) -> Run<Vec<Val>> {
        let (inputs, tangents) = (self.atoms(inputs)?, self.atoms(tangents)?);
        let sweep = self.start(None);
        let mut watched = Vec::new();
        for (input, tangent) in inputs.iter().zip(&tangents) {
            let pairs = input.nums().iter().zip(tangent.nums());
            let dual = |(n, t): (&Num, &Num)| match t.is_zero() {
                true => n.clone(),
                false => Num::Dual { sweep, below: Rc::new(n.clone()), tangent: Rc::new(t.clone()) },
            };
            watched.push(input.with(pairs.map(dual).collect()));
        }
        let results = self.call(body, watched)?;
        let mut all: Vec<Val> = results.iter().map(|r| r.map(|n| n.without(sweep))).collect();
        for result in results.iter().filter(|r| r.elem().is_float()) {
            let cot = result.nums().iter().map(|n| match n {
                Num::Dual { sweep: s, tangent, .. } if *s == sweep => Some((**tangent).clone()),
                _ => None,
            });
            all.push(Cot(cot.collect()).to_val(result));
        }
        Ok(all)
    }
}
