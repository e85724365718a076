//! Checks: the first that fails, with its values, is one more result of the module.
//!
//! A failure is four integers: the number of its place (from 1 on; 0 is none) and up to three values. Inside a kernel
//! every lane has its own; at its end the first lane that failed is the kernel's, in the order of iteration. Values that
//! are the same at every failure of a place, such as extents, are no lane's: they are looked up by the place at the end.

use crate::error::Result;
use crate::space::Emitter;
use crate::text::{elem_name, list, number, tensor};
use crate::values::{AxisId, Bound, Scal, Val};
use arr_base::Span;
use arr_ir::{Axis, Block, Const, Op, Reduction, Scalar, VarId};

/// What a check demands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SiteKind {
    /// Values: index, extent.
    Index,
    /// Values: low, high, extent.
    Slice,
    /// Values: found, expected.
    SizeEq,
    /// Value: size.
    SizeNonNeg,
    NonEmpty,
    /// Value: step.
    Step,
    DivisionByZero,
    /// A size that only a run knows is beyond the limit of the module.
    TooMany {
        limit: i64,
    },
}

/// A place that can fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Site {
    pub kind: SiteKind,
    pub span: Option<Span>,
    /// The values that are the same at every failure.
    pub(crate) known: [Option<i64>; WORDS - 1],
}

impl Site {
    /// A place whose failures all have values of their own.
    pub const fn new(kind: SiteKind, span: Option<Span>) -> Site {
        Site { kind, span, known: [None; WORDS - 1] }
    }
}

/// How many numbers a failure is.
pub(crate) const WORDS: usize = 4;

/// The failures of lanes: the number of the place, and values; a value that is a constant is that of no place.
#[derive(Clone, Debug)]
pub(crate) struct LaneTrap {
    pub words: [Scal; WORDS],
    /// The number of the first place that it can be.
    pub first: usize,
    /// Of a kernel with one check so far: the lanes that failed, and the words of a lane if it is one of them.
    sole: Option<(Scal, [Scal; WORDS])>,
}

fn i64s(dims: &[i64]) -> String {
    tensor(dims, "i64")
}

fn int(value: i64) -> Scal {
    Scal::Const(Const::I64(value))
}

impl Emitter<'_> {
    /// Demands a condition of all lanes that take part.
    pub(crate) fn check(&mut self, fine: &Scal, kind: SiteKind, values: &[Scal]) -> Result<()> {
        // Where there is no point, nothing fails.
        if fine.as_const() == Some(Const::Bool(true)) || self.dims(&self.space).contains(&0) {
            return Ok(());
        }
        let values: Vec<Scal> = values.iter().cloned().chain(std::iter::repeat(int(0))).take(WORDS - 1).collect();
        let known = |k: usize| values.get(k).and_then(Scal::as_const).and_then(Const::as_i64);
        self.sites.push(Site { known: std::array::from_fn(known), ..Site::new(kind, self.here) });
        let number = self.sites.len();
        let site = int(number as i64);
        let bad = self.not(fine)?;
        let part = self.taking_part()?;
        let mut bad = self.and(&bad, &part)?;
        if self.space.is_empty() {
            return self.check_once(&bad, &site, &values);
        }
        let old = self.lane.clone();
        if let Some(old) = &old {
            let none = Scal::Tensor(self.compare("none", "EQ", &old.words[0], &int(0))?);
            bad = self.and(&bad, &none)?;
        }
        let raw: Vec<Scal> = std::iter::once(site).chain(values).collect();
        let mut words = Vec::new();
        for (k, new) in raw.iter().cloned().enumerate() {
            let before = old.as_ref().map_or(int(0), |old| old.words[k].clone());
            words.push(match new.as_const() {
                Some(_) if k > 0 => before,
                _ => Scal::Tensor(self.select("trap", &bad, &new, &before)?),
            });
        }
        self.set_lane(words, old.as_ref().map_or(number, |old| old.first));
        if let (None, Some(lane), Ok(raw)) = (old, &mut self.lane, raw.try_into()) {
            lane.sole = Some((bad, raw));
        }
        Ok(())
    }

    pub(crate) fn set_lane(&mut self, words: Vec<Scal>, first: usize) {
        if let Ok(words) = <[Scal; WORDS]>::try_from(words) {
            self.lane = Some(LaneTrap { words, first, sole: None });
        }
    }

    /// The number of the first place at which the lanes of this kernel can fail.
    pub(crate) fn first_site(&self) -> usize {
        self.lane.as_ref().map_or(self.sites.len() + 1, |lane| lane.first)
    }

    /// The lanes among these that have not failed.
    pub(crate) fn unfailed(&mut self, lanes: &Scal) -> Result<Scal> {
        let Some(lane) = self.lane.clone() else { return Ok(lanes.clone()) };
        let none = Scal::Tensor(self.compare("none", "EQ", &lane.words[0], &int(0))?);
        self.and(lanes, &none)
    }

    /// A check of the function itself.
    fn check_once(&mut self, bad: &Scal, site: &Scal, values: &[Scal]) -> Result<()> {
        let new = self.packed(std::iter::once(site).chain(values))?;
        self.trap_if(bad, new)
    }

    /// A failure of the function: its words in one array.
    fn packed<'s>(&mut self, words: impl IntoIterator<Item = &'s Scal>) -> Result<String> {
        let mut names = Vec::new();
        for word in words {
            let name = self.val(word)?.name;
            names.push(self.reshaped(name, &[], &[1], Scalar::I64));
        }
        Ok(self.beside("trap", &names, &[1], 0, Scalar::I64))
    }

    /// The new failure, if there is one and there was none.
    fn trap_if(&mut self, bad: &Scal, new: String) -> Result<()> {
        let old = self.trap();
        let fine = self.fine();
        let fine = Scal::Tensor(Val::new(fine, Vec::new(), Scalar::Bool));
        let takes = self.and(bad, &fine)?;
        let takes = self.val(&takes)?.name;
        let ty = i64s(&[WORDS as i64]);
        self.trap = Some(self.text.value("trap", format!("stablehlo.select {takes}, {new}, {old} : tensor<i1>, {ty}")));
        Ok(())
    }

    /// The failure so far.
    pub(crate) fn trap(&mut self) -> String {
        match &self.trap {
            Some(trap) => trap.clone(),
            None => self.splat(Const::I64(0), &[WORDS as i64]),
        }
    }

    /// Whether nothing has failed so far.
    pub(crate) fn fine(&mut self) -> String {
        let trap = self.trap();
        let first = format!("stablehlo.slice {trap} [0:1] : ({}) -> {}", i64s(&[WORDS as i64]), i64s(&[1]));
        let first = self.text.value("site", first);
        let site = self.reshaped(first, &[1], &[], Scalar::I64);
        let zero = self.constant(Const::I64(0), &[]);
        self.text.value(
            "fine",
            format!("stablehlo.compare EQ, {site}, {zero}, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>"),
        )
    }

    /// Whether a condition holds anywhere, as a scalar.
    pub(crate) fn any(&mut self, mask: &Scal) -> Result<String> {
        Ok(self.folded("stablehlo.or", Const::Bool(false), mask, &mask.axes())?.name)
    }

    /// The failures of lanes as those of the points of fewer axes: the first along `inner`.
    fn first_along(&mut self, trap: &LaneTrap, inner: &[AxisId]) -> Result<LaneTrap> {
        let site = trap.words[0].clone();
        let own = site.axes();
        let inner: Vec<AxisId> = inner.iter().copied().filter(|a| own.contains(a)).collect();
        if inner.is_empty() {
            return Ok(trap.clone());
        }
        let bad = Scal::Tensor(self.compare("bad", "NE", &site, &int(0))?);
        let (_, words) = self.first_of(&bad, &trap.words, &inner)?;
        Ok(LaneTrap { words, first: trap.first, sole: None })
    }

    /// Whether any lane along `inner` is among the `bad` ones, and the words of the first that is; those that are no
    /// constants are zero if there is none.
    fn first_of(&mut self, bad: &Scal, words: &[Scal; WORDS], inner: &[AxisId]) -> Result<(Scal, [Scal; WORDS])> {
        let place = self.row_major(inner, "place")?;
        let ordered = Scal::Tensor(self.select("place", bad, &place, &int(i64::MAX))?);
        let first = Scal::Tensor(self.folded("stablehlo.minimum", Const::I64(i64::MAX), &ordered, inner)?);
        let here = Scal::Tensor(self.compare("first", "EQ", &ordered, &first)?);
        let here = self.and(&here, bad)?;
        let mut found = words.clone();
        for word in found.iter_mut().filter(|word| word.as_const().is_none()) {
            let own = Scal::Tensor(self.select("word", &here, word, &int(0))?);
            *word = Scal::Tensor(self.folded("stablehlo.add", Const::I64(0), &own, inner)?);
        }
        let any = self.compare("failed", "NE", &first, &int(i64::MAX))?;
        Ok((Scal::Tensor(any), found))
    }

    /// Ends a kernel over these axes. The failures of kernels around it are in every lane already.
    pub(crate) fn leave_lanes(&mut self, inner: &[AxisId]) -> Result<()> {
        let Some(trap) = self.lane.take() else { return Ok(()) };
        if self.space.is_empty() {
            return self.leave_kernel(&trap);
        }
        self.lane = Some(self.first_along(&trap, inner)?);
        Ok(())
    }

    /// Ends the outermost kernel: what its first lane that failed did is what the function did. This is no branch, for
    /// which XLA would make arrays of the failures of all lanes, and no slice, for which it would gather them from all
    /// devices: in sums it computes them where it needs them.
    fn leave_kernel(&mut self, trap: &LaneTrap) -> Result<()> {
        let (bad, words) = match &trap.sole {
            Some((bad, words)) => (bad.clone(), words.clone()),
            None => (Scal::Tensor(self.compare("bad", "NE", &trap.words[0], &int(0))?), trap.words.clone()),
        };
        let (failed, mut words) = self.first_of(&bad, &words, &bad.axes())?;
        if trap.sole.is_none() {
            self.look_up(&mut words, trap.first)?;
        }
        let new = self.packed(&words)?;
        self.trap_if(&failed, new)
    }

    /// Puts the values in place that are the same at every failure of the place.
    fn look_up(&mut self, words: &mut [Scal; WORDS], first: usize) -> Result<()> {
        let places: Vec<Site> = self.sites.get(first - 1..).unwrap_or_default().to_vec();
        let [site, values @ ..] = words;
        for (k, value) in values.iter_mut().enumerate() {
            let known: Vec<Option<i64>> = places.iter().map(|place| place.known[k]).collect();
            if known.iter().all(Option::is_none) {
                continue;
            }
            let numbers = known.iter().map(|known| Const::I64(known.unwrap_or(0)));
            let constant = Scal::Tensor(self.entry(numbers, site, first)?);
            *value = match known.iter().all(Option::is_some) {
                true => constant,
                false => {
                    let is_known = self.entry(known.iter().map(|known| Const::Bool(known.is_some())), site, first)?;
                    Scal::Tensor(self.select("word", &Scal::Tensor(is_known), &constant, value)?)
                }
            };
        }
        Ok(())
    }

    /// That of a table's entries which is the place's; it is no matter which if nothing has failed.
    fn entry(&mut self, table: impl Iterator<Item = Const>, site: &Scal, first: usize) -> Result<Val> {
        let table: Vec<Const> = table.collect();
        let elem = table.first().map_or(Scalar::I64, |c| c.scalar());
        if table.iter().all(|entry| Some(entry) == table.first()) {
            let name = self.constant(*table.first().unwrap_or(&Const::I64(0)), &[]);
            return Ok(Val::new(name, Vec::new(), elem));
        }
        let (from, to) = (tensor(&[table.len() as i64], elem_name(elem)), tensor(&[1], elem_name(elem)));
        let entries = list(table.iter().map(|&entry| number(entry)));
        let table = self.text.value("table", format!("stablehlo.constant dense<{entries}> : {from}"));
        let at = self.elementwise("at", "stablehlo.subtract", &[site.clone(), int(first as i64)])?.name;
        let slice = format!("stablehlo.dynamic_slice {table}, {at}, sizes = [1] : ({from}, tensor<i64>) -> {to}");
        let slice = self.text.value("entry", slice);
        Ok(Val::new(self.reshaped(slice, &[1], &[], elem), Vec::new(), elem))
    }
}

impl Emitter<'_> {
    /// Whether anything in a block can fail. A division whose divisor is a constant cannot; one by a size that is known
    /// later is taken for one that can.
    pub(crate) fn can_fail(&self, block: &Block) -> bool {
        block.stmts.iter().any(|stmt| {
            let own = match &stmt.op {
                Op::Check { .. } => true,
                Op::Read { checked, .. } => *checked,
                Op::Scatter { checked, axes, .. } => *checked || self.may_lack_room(axes),
                Op::Prim(prim, args) => {
                    let divisor = args.get(1).and_then(|a| a.constant());
                    prim.may_fail(args.first().map_or(Scalar::Bool, |&a| self.func.atom_elem(a)))
                        && divisor.is_none_or(Const::is_zero)
                }
                Op::Reduce { kind, axes, .. } => !Reduction::has_identity(*kind) || self.may_lack_room(axes),
                Op::Build { axes, .. } => self.may_lack_room(axes),
                _ => false,
            };
            own || stmt.op.blocks().iter().any(|block| self.can_fail(block))
        })
    }

    /// Whether an axis may be longer than the limit.
    fn may_lack_room(&self, axes: &[Axis]) -> bool {
        let known = |v: &VarId| matches!(self.env.get(v), Some((Bound::Scalar(Scal::Const(_)), _)));
        self.limit.is_some() && !axes.iter().all(|axis| self.func.types.poly(axis.extent).vars().iter().all(known))
    }
}
