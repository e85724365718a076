//! Places that are one of a few: slices of which each lane takes one, instead of a look-up for each lane.
//!
//! ```text
//! a[2 * i + t]      t is 0 or 1:      select t == 0, a[0:n:2], a[1:n:2]
//! ```
//!
//! The argument of a maximum over a short axis is such a place, and so is a digit of an index. XLA looks elements up, and
//! adds to them, one by one; slices are read and written in vectors, and fused.

use crate::error::Result;
use crate::read::{LONG_ENOUGH, Place};
use crate::scatter::Write;
use crate::space::Emitter;
use crate::values::{Affine, Arr, AxisId, Range, Scal, Val, union};
use arr_ir::{Const, Prim, ScatterKind};

/// At most so many slices stand for places that data decide.
pub(crate) const MOST_CHOICES: i64 = 8;

/// Whether integers are few enough to try each.
pub(crate) fn are_few(range: Range) -> bool {
    range.1.checked_sub(range.0).is_some_and(|width| (0..MOST_CHOICES).contains(&width))
}

/// One choice: the tensor that decides, and its value here.
type Choice<'v> = (&'v Val, i64);

impl Emitter<'_> {
    /// The components of an index that are one of a few lines each, with the tensors that decide which.
    fn decided(&self, index: &[Scal]) -> Vec<(usize, Val)> {
        let decides = |scal: &Scal| match scal {
            Scal::Tensor(v) => (!v.axes.is_empty() && are_few(v.range)).then(|| v.clone()),
            Scal::Affine(a) => a.decides().cloned(),
            _ => None,
        };
        index.iter().enumerate().filter_map(|(at, scal)| Some((at, decides(scal)?))).collect()
    }

    /// All choices together, and the index of each; none if there are too many of them for the lanes.
    fn combinations<'v>(
        &self,
        index: &[Scal],
        decided: &'v [(usize, Val)],
    ) -> Option<Vec<(Vec<Choice<'v>>, Vec<Scal>)>> {
        let lanes = self.dims(&union(&index.iter().map(Scal::axes).collect::<Vec<_>>()));
        if lanes.iter().fold(1.0, |n, &d| n * d as f64) < LONG_ENOUGH {
            return None;
        }
        let mut all = vec![(Vec::new(), index.to_vec())];
        for (at, tensor) in decided {
            let Range(least, most) = tensor.range;
            let longer = |(choices, index): &(Vec<Choice<'v>>, Vec<Scal>)| -> Vec<(Vec<Choice<'v>>, Vec<Scal>)> {
                (least..=most)
                    .map(|value| {
                        let (mut choices, mut index) = (choices.clone(), index.clone());
                        choices.push((tensor, value));
                        index[*at] = with_base(&index[*at], value);
                        (choices, index)
                    })
                    .collect()
            };
            all = all.iter().flat_map(longer).collect();
            if all.len() as i64 > MOST_CHOICES {
                return None;
            }
        }
        (!decided.is_empty()).then_some(all)
    }

    /// Where these choices are taken.
    fn taken_there(&mut self, choices: &[Choice<'_>]) -> Result<Scal> {
        let mut all = Scal::Const(Const::Bool(true));
        for (tensor, value) in choices {
            let args = [Scal::Tensor((*tensor).clone()), Scal::Const(Const::I64(*value))];
            let here = self.prim(Prim::Eq, &args, "here")?;
            all = self.and(&all, &here)?;
        }
        Ok(all)
    }

    /// Elements at places that are one of a few slices.
    pub(crate) fn chosen(&mut self, array: &Arr, index: &[Scal], hint: &str) -> Result<Option<Val>> {
        let decided = self.decided(index);
        let Some(all) = self.combinations(index, &decided) else { return Ok(None) };
        let places: Vec<Vec<Place>> = all.iter().map(|(_, index)| self.places(index, &array.dims)).collect();
        if places.iter().flatten().any(|place| matches!(place, Place::Any(_))) {
            return Ok(None);
        }
        let mut found: Option<Val> = None;
        for ((choices, _), places) in all.iter().zip(&places) {
            let view = self.view(array, places)?;
            found = Some(match found {
                None => view,
                Some(others) => {
                    let here = self.taken_there(choices)?;
                    self.select(hint, &here, &Scal::Tensor(view), &Scal::Tensor(others))?
                }
            });
        }
        Ok(found)
    }

    /// Adds at places that are one of a few boxes: to each what is chosen there, if they are boxes.
    pub(crate) fn choices_added(&mut self, dest: &Arr, ids: &[AxisId], write: &Write) -> Result<Option<String>> {
        let decided = self.decided(&write.index);
        let Some(all) = self.combinations(&write.index, &decided) else { return Ok(None) };
        let mut array = dest.clone();
        for (choices, index) in all {
            let here = self.taken_there(&choices)?;
            let writes = self.and(&write.writes, &here)?;
            match self.region(ScatterKind::Add, &array, ids, &Write { writes, index, value: write.value.clone() })? {
                Some(name) => array.name = name,
                None => return Ok(None),
            }
        }
        Ok(Some(array.name))
    }
}

/// A component of an index with this number in place of the tensor in it.
fn with_base(scal: &Scal, value: i64) -> Scal {
    match scal {
        Scal::Affine(Affine { constant, terms, .. }) if !terms.is_empty() => {
            Scal::Affine(Affine { base: None, constant: constant.saturating_add(value), terms: terms.clone() })
        }
        Scal::Affine(Affine { constant, .. }) => Scal::Const(Const::I64(constant.saturating_add(value))),
        _ => Scal::Const(Const::I64(value)),
    }
}
