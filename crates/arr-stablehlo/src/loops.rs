//! Loops: of the function, and of all lanes of a kernel at once.

use crate::control::{returned, with_name};
use crate::error::{Result, internal};
use crate::space::Emitter;
use crate::traps::{LaneTrap, Site, WORDS};
use crate::values::{Affine, AxisId, Bound, Range, Scal, Val, union};
use arr_ir::{Atom, Axis, Block, Const, Prim, Scalar, Stmt};

/// What a test that has failed leaves to be undone: a trial run of a loop's body.
struct Before {
    sites: Vec<Site>,
    trap: Option<String>,
    lane: Option<LaneTrap>,
}

/// The body of a loop: from the names of the state to those of the next.
type Region<'b, E> = dyn FnMut(&mut E, &[String]) -> Result<Vec<String>> + 'b;

/// Words of the failures of lanes, with their places among the words.
type Lanes = Vec<(usize, Scal)>;

/// The state of a loop in text: names and types.
type Carried = Vec<(String, String)>;

impl Emitter<'_> {
    /// A `while` over values in text. The condition and the body are regions.
    pub(crate) fn repeat(
        &mut self,
        hint: &str,
        inits: &[(String, String)],
        cond: &mut dyn FnMut(&mut Self, &[String]) -> Result<String>,
        body: &mut Region<'_, Self>,
    ) -> Result<Vec<String>> {
        self.begin_ahead();
        let mut names: Vec<String> = inits.iter().map(|_| self.text.fresh("s")).collect();
        let (mut firsts, mut types): (Vec<String>, Vec<String>) = inits.iter().cloned().unzip();
        self.text.open();
        let goes_on = cond(self, &names)?;
        self.text.line(format!("stablehlo.return {goes_on} : tensor<i1>"));
        let head = self.text.close().indented();
        self.text.open();
        let mut next = body(self, &names)?;
        let ahead = self.end_ahead(&mut next)?;
        let mut tail = self.text.close();
        for (name, first, ty) in self.first_ahead(ahead)? {
            names.push(name);
            firsts.push(first);
            types.push(ty);
        }
        tail.lines.push(returned(&next, &types));
        let tail = tail.indented();
        let state: Vec<String> = names.iter().zip(firsts).map(|(name, first)| format!("{name} = {first}")).collect();
        let operation =
            format!("stablehlo.while({}) : {}\ncond {{\n{head}}} do {{\n{tail}}}", state.join(", "), types.join(", "));
        let mut ends = self.text.results(hint, types.len(), &operation);
        ends.truncate(inits.len());
        Ok(ends)
    }

    fn before(&self) -> Before {
        Before { sites: self.sites.clone(), trap: self.trap.clone(), lane: self.lane.clone() }
    }

    fn restore(&mut self, before: Before) {
        (self.sites, self.trap, self.lane) = (before.sites, before.trap, before.lane);
    }

    pub(crate) fn counted(
        &mut self,
        stmt: &Stmt,
        axis: Axis,
        reverse: bool,
        inits: &[Atom],
        body: &Block,
    ) -> Result<()> {
        let extent = self.size(axis.extent)?;
        let mut looping = Looping::new(self, stmt, inits, body)?;
        looping.extent = Some((axis, extent, reverse));
        self.looped(looping, None, body)
    }

    pub(crate) fn conditional(&mut self, stmt: &Stmt, inits: &[Atom], cond: &Block, body: &Block) -> Result<()> {
        let looping = Looping::new(self, stmt, inits, body)?;
        self.looped(looping, Some(cond), body)
    }

    /// A loop: the state is what the program's loop has, whether lanes go on, the count, and failures.
    fn looped(&mut self, mut looping: Looping<'_>, cond: Option<&Block>, body: &Block) -> Result<()> {
        looping.fails = self.can_fail(body) || cond.is_some_and(|cond| self.can_fail(cond));
        looping.words[0] = true;
        self.words_of(&mut looping);
        // In lanes the state may come to depend on more axes than at first: find out which.
        while !self.space.is_empty() {
            let before = self.before();
            let depends = self.trial(&mut looping, cond, body);
            self.restore(before);
            if !depends? {
                break;
            }
        }
        let (inits, kinds) = self.loop_inits(&looping, cond)?;
        let outer = (self.trap.clone(), self.lane.clone());
        let ends = self.repeat(
            "loop",
            &inits,
            &mut |emitter, names| emitter.goes_on(&looping, &kinds, names),
            &mut |emitter, names| Ok(emitter.loop_body(&looping, &kinds, names, cond, body)?.0),
        )?;
        (self.trap, self.lane) = outer;
        self.take_state(&looping, &kinds, &ends)
    }

    /// Runs the body once and drops its text. Returns whether the state was found to depend on more axes.
    fn trial(&mut self, looping: &mut Looping<'_>, cond: Option<&Block>, body: &Block) -> Result<bool> {
        self.text.open();
        self.begin_ahead();
        let made = self.loop_inits(looping, cond).and_then(|(inits, kinds)| {
            let names: Vec<String> = inits.iter().map(|_| self.text.fresh("s")).collect();
            self.loop_body(looping, &kinds, &names, cond, body)
        });
        self.text.close();
        self.ahead.pop();
        let (_, found) = made?;
        let mut more = self.words_of(looping);
        for (slot, axes) in looping.axes.iter_mut().zip(found) {
            let all = union(&[slot.clone(), axes]);
            more |= all != *slot;
            *slot = all;
        }
        Ok(more)
    }
}

impl Emitter<'_> {
    /// Has the loop carry the values of failures that are some lane's. Whether they are more than before.
    fn words_of(&self, looping: &mut Looping<'_>) -> bool {
        let Some(lane) = &self.lane else { return false };
        let before = looping.words;
        for (carried, word) in looping.words.iter_mut().zip(&lane.words) {
            *carried |= word.as_const().is_none();
        }
        looping.words != before
    }
}

/// A loop while it is written.
struct Looping<'s> {
    stmt: &'s Stmt,
    inits: Vec<Bound>,
    /// The axes that each value of the state depends on; the last are those of the condition.
    axes: Vec<Vec<AxisId>>,
    extent: Option<(Axis, Scal, bool)>,
    fails: bool,
    /// Which words of its lanes' failures it carries, and the first place that they can have.
    words: [bool; WORDS],
    first_site: usize,
}

impl<'s> Looping<'s> {
    fn new(emitter: &mut Emitter<'_>, stmt: &'s Stmt, inits: &[Atom], body: &Block) -> Result<Looping<'s>> {
        if inits.len() != body.params.len() {
            return internal("a loop has another state");
        }
        let inits = inits.iter().map(|&a| emitter.bound(a)).collect::<Result<Vec<Bound>>>()?;
        let axes = inits.iter().map(|init| if let Bound::Scalar(s) = init { s.axes() } else { Vec::new() });
        let mut axes: Vec<Vec<AxisId>> = axes.collect();
        axes.push(Vec::new());
        let (words, first_site) = ([false; WORDS], emitter.first_site());
        Ok(Looping { stmt, inits, axes, extent: None, fails: false, words, first_site })
    }
}

/// An iteration that has begun.
struct Iteration {
    /// What the program's loop carries.
    state: Vec<Bound>,
    /// Whether a lane takes part, if not every one does in each iteration.
    running: Option<Scal>,
    next_count: Option<String>,
    /// How many conditions of lanes it adds.
    conditions: usize,
}

/// The kinds of the values that a loop carries, in order.
enum CarriedKind {
    Value(Bound),
    /// Whether a lane goes on.
    Running(Val),
    Count,
    Trap,
    /// A word of the failures of lanes.
    Lane(usize, Val),
}

impl Emitter<'_> {
    /// The first state of a loop, and what it consists of.
    fn loop_inits(&mut self, looping: &Looping<'_>, cond: Option<&Block>) -> Result<(Carried, Vec<CarriedKind>)> {
        let (mut carried, mut kinds) = (Vec::new(), Vec::new());
        let after = self.after.take();
        for (init, axes) in looping.inits.iter().zip(&looping.axes) {
            match init {
                Bound::Array(array) => {
                    carried.push((array.name.clone(), array.ty()));
                    kinds.push(CarriedKind::Value(init.clone()));
                }
                Bound::Scalar(scal) => {
                    let elem = scal.elem();
                    let name = self.widened(scal, axes)?;
                    carried.push((name.clone(), self.ty(axes, elem)));
                    let v = Val::new(name, axes.clone(), elem);
                    kinds.push(CarriedKind::Value(Bound::Scalar(Scal::Tensor(v))));
                }
            }
        }
        if looping.extent.is_some() {
            let zero = after.clone().unwrap_or_else(|| self.constant(Const::I64(0), &[]));
            carried.push((zero, "tensor<i64>".to_string()));
            kinds.push(CarriedKind::Count);
        }
        if let Some(cond) = cond {
            let part = self.taking_part()?;
            let goes_on = self.test(cond, &looping.inits)?;
            let mut goes_on = self.and(&part, &goes_on)?;
            if let Some(zero) = after {
                let zero = Scal::Tensor(int_val(zero, Range::ANY));
                let always = self.compare("always", "EQ", &zero, &Scal::Const(Const::I64(0)))?;
                goes_on = self.and(&goes_on, &Scal::Tensor(always))?;
            }
            let axes = union(&[goes_on.axes(), looping.axes.last().cloned().unwrap_or_default()]);
            let name = self.widened(&goes_on, &axes)?;
            carried.push((name.clone(), self.ty(&axes, Scalar::Bool)));
            kinds.push(CarriedKind::Running(Val::new(name, axes, Scalar::Bool)));
        }
        if looping.fails && self.space.is_empty() {
            carried.push((self.trap(), "tensor<4xi64>".to_string()));
            kinds.push(CarriedKind::Trap);
        }
        if looping.fails && !self.space.is_empty() {
            let space = self.space.clone();
            for k in (0..WORDS).filter(|&k| looping.words[k]) {
                let old = self.lane.as_ref().and_then(|lane| lane.words.get(k)).cloned();
                let old = old.unwrap_or(Scal::Const(Const::I64(0)));
                let name = self.widened(&old, &space)?;
                carried.push((name.clone(), self.ty(&space, Scalar::I64)));
                kinds.push(CarriedKind::Lane(k, Val::new(name, space.clone(), Scalar::I64)));
            }
        }
        Ok((carried, kinds))
    }

    /// The condition of a `while` for a state.
    fn test(&mut self, cond: &Block, state: &[Bound]) -> Result<Scal> {
        for (&param, value) in cond.params.iter().zip(state) {
            self.bind(param, value.clone());
        }
        self.block(cond)?;
        match cond.results.first() {
            Some(&result) => self.operand(result),
            None => internal("a condition has no result"),
        }
    }

    /// Whether the loop goes on, from its state.
    fn goes_on(&mut self, looping: &Looping<'_>, kinds: &[CarriedKind], names: &[String]) -> Result<String> {
        let mut all = Scal::Const(Const::Bool(true));
        let flag = |name: String| Scal::Tensor(Val::new(name, Vec::new(), Scalar::Bool));
        for (kind, name) in kinds.iter().zip(names) {
            let one = match kind {
                CarriedKind::Running(v) => {
                    let running = Scal::Tensor(v.named(name.clone()));
                    flag(self.any(&running)?)
                }
                CarriedKind::Count => {
                    let count = Scal::Tensor(int_val(name.clone(), Range::ANY));
                    let Some((_, extent, _)) = &looping.extent else { return internal("a count has no extent") };
                    let more = self.prim(Prim::Lt, &[count, extent.clone()], "more")?;
                    let part = if more.axes().is_empty() {
                        more
                    } else {
                        let p = self.taking_part()?;
                        self.and(&more, &p)?
                    };
                    flag(self.any(&part)?)
                }
                CarriedKind::Trap => {
                    let old = self.trap.replace(name.clone());
                    let fine = self.fine();
                    self.trap = old;
                    flag(fine)
                }
                CarriedKind::Value(_) | CarriedKind::Lane(..) => continue,
            };
            all = self.and(&all, &one)?;
        }
        Ok(self.val(&all)?.name)
    }

    /// One iteration: the names of the next state, and the axes that its values depend on.
    fn loop_body(
        &mut self,
        looping: &Looping<'_>,
        kinds: &[CarriedKind],
        names: &[String],
        cond: Option<&Block>,
        body: &Block,
    ) -> Result<(Vec<String>, Vec<Vec<AxisId>>)> {
        let Iteration { state, running, next_count, conditions } = self.iteration(looping, kinds, names, body)?;
        for (&param, value) in body.params.iter().zip(&state) {
            self.bind(param, value.clone());
        }
        if self.space.is_empty() {
            self.ordered_block(body)?;
        } else {
            self.block(body)?;
        }
        let mut results = self.results(body)?;
        // The state of a lane that has stopped does not change. The function itself runs where its loop's body does.
        let running = running.filter(|_| !self.space.is_empty());
        if let Some(running) = &running {
            for (result, old) in results.iter_mut().zip(&state) {
                if let (Bound::Scalar(new), Bound::Scalar(old)) = (&*result, old) {
                    *result = Bound::Scalar(Scal::Tensor(self.select("s", running, new, old)?));
                }
            }
        }
        let axes = |result: &Bound| if let Bound::Scalar(s) = result { s.axes() } else { Vec::new() };
        let mut found: Vec<Vec<AxisId>> = results.iter().map(axes).collect();
        let mut goes_on = None;
        if let Some(cond) = cond {
            let mut again = self.test(cond, &results)?;
            if let Some(running) = &running {
                again = self.and(running, &again)?;
            }
            goes_on = Some(if looping.fails { self.unfailed(&again)? } else { again });
        }
        self.active.truncate(self.active.len() - conditions);
        found.push(goes_on.as_ref().map_or(Vec::new(), Scal::axes));
        let next = self.next_state(kinds, results, goes_on.as_ref(), next_count)?;
        Ok((next, found))
    }

    /// Begins an iteration from the names of the state.
    fn iteration(
        &mut self,
        looping: &Looping<'_>,
        kinds: &[CarriedKind],
        names: &[String],
        body: &Block,
    ) -> Result<Iteration> {
        let (mut state, mut lanes) = (Vec::new(), Lanes::default());
        let (mut count, mut running) = (None, None);
        for (kind, name) in kinds.iter().zip(names) {
            match kind {
                CarriedKind::Value(bound) => state.push(with_name(bound, name.clone())),
                CarriedKind::Running(v) => running = Some(Scal::Tensor(v.named(name.clone()))),
                CarriedKind::Count => count = Some(name.clone()),
                CarriedKind::Trap => self.trap = Some(name.clone()),
                CarriedKind::Lane(k, v) => lanes.push((*k, Scal::Tensor(v.named(name.clone())))),
            }
        }
        self.carried_lanes(lanes, looping);
        let mut next_count = None;
        let mut condition = running.clone().filter(|_| !self.space.is_empty());
        if let (Some(name), Some((axis, extent, reverse))) = (count, &looping.extent) {
            let (index, inside) = self.loop_index(&name, extent, *reverse)?;
            self.bind(axis.index, Bound::Scalar(index.clone()));
            running = inside.clone().or(running);
            condition = inside;
            let count = Scal::Tensor(int_val(name, Range::ANY));
            let next = self.elementwise("next", "stablehlo.add", &[count, Scal::Const(Const::I64(1))])?;
            self.count_ahead(&index, Scal::Tensor(next.clone()), reverse.then(|| extent.clone()), body);
            next_count = Some(next.name);
        }
        let conditions = usize::from(condition.is_some());
        self.active.extend(condition);
        Ok(Iteration { state, running, next_count, conditions })
    }

    /// The names of the next state.
    fn next_state(
        &mut self,
        kinds: &[CarriedKind],
        results: Vec<Bound>,
        goes_on: Option<&Scal>,
        next_count: Option<String>,
    ) -> Result<Vec<String>> {
        let mut next = Vec::new();
        let mut results = results.into_iter();
        let words = self.lane.clone().map(|lane| lane.words);
        for kind in kinds {
            next.push(match kind {
                CarriedKind::Value(bound) => {
                    let Some(result) = results.next() else { return internal("a loop has another state") };
                    self.next_value(bound, &result)?
                }
                CarriedKind::Running(v) => match goes_on {
                    Some(goes_on) => self.widened_or_short(goes_on, &v.axes)?,
                    None => return internal("a loop has lost its condition"),
                },
                CarriedKind::Count => next_count.clone().unwrap_or_default(),
                CarriedKind::Trap => self.trap(),
                CarriedKind::Lane(k, v) => match words.as_ref().and_then(|words| words.get(*k)) {
                    Some(new) => self.widened(new, &v.axes)?,
                    None => return internal("lanes have lost their failures"),
                },
            });
        }
        Ok(next)
    }

    fn next_value(&mut self, like: &Bound, result: &Bound) -> Result<String> {
        match (like, result) {
            (Bound::Array(like), Bound::Array(new)) if like.dims == new.dims => Ok(new.name.clone()),
            (Bound::Array(_), Bound::Array(_)) => {
                self.unsupported("an array in a loop has another size in every iteration")
            }
            (Bound::Scalar(like), Bound::Scalar(new)) => self.widened_or_short(new, &like.axes()),
            _ => internal("a loop has another state"),
        }
    }

    /// The value over these axes. In a trial it may depend on more, which are found then.
    fn widened_or_short(&mut self, scal: &Scal, axes: &[AxisId]) -> Result<String> {
        if scal.axes().iter().all(|a| axes.contains(a)) { self.widened(scal, axes) } else { Ok(String::new()) }
    }

    /// The index of an iteration, and whether a lane takes part in it where they do not all.
    fn loop_index(&mut self, count: &str, extent: &Scal, reverse: bool) -> Result<(Scal, Option<Scal>)> {
        let Range(_, most) = self.range(extent);
        let range = Range(0, most.saturating_sub(1).max(0));
        let count = Scal::Tensor(int_val(count.to_string(), range));
        let inside = match extent.axes().is_empty() {
            true => None,
            false => Some(self.prim(Prim::Lt, &[count.clone(), extent.clone()], "inside")?),
        };
        if !reverse {
            return Ok((count, inside));
        }
        let last = self.prim(Prim::Sub, &[extent.clone(), Scal::Const(Const::I64(1))], "last")?;
        let index = self.prim(Prim::Sub, &[last, count], "index")?;
        let index = match index {
            Scal::Affine(Affine { .. }) => Scal::Tensor(self.val(&index)?.within(range)),
            Scal::Tensor(v) => Scal::Tensor(v.within(range)),
            other => other,
        };
        Ok((index, inside))
    }

    /// The failures of lanes that a loop carries, if it does.
    fn carried_lanes(&mut self, lanes: Lanes, looping: &Looping<'_>) {
        if lanes.is_empty() {
            return;
        }
        let mut words = vec![Scal::Const(Const::I64(0)); WORDS];
        for (k, word) in lanes {
            if let Some(slot) = words.get_mut(k) {
                *slot = word;
            }
        }
        self.set_lane(words, looping.first_site);
    }

    fn take_state(&mut self, looping: &Looping<'_>, kinds: &[CarriedKind], ends: &[String]) -> Result<()> {
        let (mut values, mut lanes) = (Vec::new(), Lanes::default());
        for (kind, name) in kinds.iter().zip(ends) {
            match kind {
                CarriedKind::Value(bound) => values.push(with_name(bound, name.clone())),
                CarriedKind::Trap => self.trap = Some(name.clone()),
                CarriedKind::Lane(k, v) => lanes.push((*k, Scal::Tensor(v.named(name.clone())))),
                CarriedKind::Running(_) | CarriedKind::Count => {}
            }
        }
        self.carried_lanes(lanes, looping);
        self.bind_all(&looping.stmt.vars, values)
    }
}

fn int_val(name: String, range: Range) -> Val {
    Val::new(name, Vec::new(), Scalar::I64).within(range)
}
