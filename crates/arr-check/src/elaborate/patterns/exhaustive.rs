//! Which values no pattern matches, and which patterns match none that earlier ones leave.
//!
//! What:      the usefulness of a row of patterns under the rows before it, and a witness of what all rows leave out.
//! Example:   `(Circle(_), true)` and `(Rect(_, _), _)` leave out `(Circle(_), false)`.
//! Assumes:   patterns fit the type; a column's patterns have heads of its shape.
//! Cost:      exponential in the worst case, as the problem is; `Fuel` bounds it, and running out is reported.
//! Source:    Maranget, "Warnings for pattern matching", Journal of Functional Programming 17 (2007).

use arr_base::tuple_end;

/// What patterns can tell apart in the values of a type.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum ValueSpace {
    /// Nothing: floats, arrays, functions.
    Opaque,
    Bool,
    Int,
    Tuple(Vec<ValueSpace>),
    Record(Vec<(String, ValueSpace)>),
    /// Constructors and what they carry.
    Sum(Vec<(String, Vec<ValueSpace>)>),
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Head {
    Bool(bool),
    Int(i64),
    /// The only one of a tuple or a record.
    Product,
    /// The constructor at this place of the sum.
    Variant(usize),
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Pat {
    Any,
    Is(Head, Vec<Pat>),
}

static ANY: Pat = Pat::Any;

impl Pat {
    /// Whether it names a constructor or a boolean, so that a reader learns something from it.
    pub fn says_something(&self) -> bool {
        match self {
            Pat::Any => false,
            Pat::Is(Head::Product | Head::Int(_), parts) => parts.iter().any(Pat::says_something),
            Pat::Is(Head::Bool(_) | Head::Variant(_), _) => true,
        }
    }
}

/// The question takes too many steps to answer.
#[derive(PartialEq, Debug)]
pub(crate) struct TooHard;

/// How many steps a question may take.
const FUEL: u32 = 200_000;

type Row<'p> = Vec<&'p Pat>;

impl ValueSpace {
    /// Every head that values of this shape have, with what is below it; `None` where there is no list of them.
    fn heads(&self) -> Option<Vec<(Head, Vec<&ValueSpace>)>> {
        Some(match self {
            ValueSpace::Opaque | ValueSpace::Int => return None,
            ValueSpace::Bool => vec![(Head::Bool(false), Vec::new()), (Head::Bool(true), Vec::new())],
            ValueSpace::Tuple(items) => vec![(Head::Product, items.iter().collect())],
            ValueSpace::Record(fields) => vec![(Head::Product, fields.iter().map(|(_, s)| s).collect())],
            ValueSpace::Sum(constructors) => constructors
                .iter()
                .enumerate()
                .map(|(k, (_, fields))| (Head::Variant(k), fields.iter().collect()))
                .collect(),
        })
    }
}

/// The patterns of the first column that test something.
fn tested(rows: &[Row<'_>]) -> Vec<Head> {
    let heads = rows.iter().filter_map(|row| match row.first() {
        Some(Pat::Is(head, _)) => Some(*head),
        _ => None,
    });
    heads.collect()
}

/// What a row says of values whose first component has this head: its parts in front; `None` if it matches none.
fn specialize<'p>(row: &Row<'p>, head: Head, arity: usize) -> Option<Row<'p>> {
    let (first, rest) = row.split_first()?;
    match first {
        Pat::Any => Some(std::iter::repeat_n(&ANY, arity).chain(rest.iter().copied()).collect()),
        Pat::Is(own, parts) => (*own == head).then(|| parts.iter().chain(rest.iter().copied()).collect()),
    }
}

/// What is left of the rows that ask nothing of the first component.
fn default_rows<'p>(rows: &[Row<'p>]) -> Vec<Row<'p>> {
    let asks_nothing = rows.iter().filter(|row| matches!(row.first(), Some(Pat::Any)));
    asks_nothing.map(|row| row.iter().skip(1).copied().collect()).collect()
}

struct Fuel(u32);

impl Fuel {
    fn burn(&mut self) -> Result<(), TooHard> {
        self.0 = self.0.checked_sub(1).ok_or(TooHard)?;
        Ok(())
    }

    /// Patterns for values that no row matches, one per column.
    fn missing(&mut self, rows: &[Row<'_>], shapes: &[&ValueSpace]) -> Result<Option<Vec<Pat>>, TooHard> {
        self.burn()?;
        let Some((shape, rest)) = shapes.split_first() else {
            return Ok(rows.is_empty().then(Vec::new));
        };
        let present = tested(rows);
        let heads = shape.heads().unwrap_or_default();
        let absent = heads.iter().find(|(head, _)| !present.contains(head));
        if heads.is_empty() || absent.is_some() {
            let below = self.missing(&default_rows(rows), rest)?;
            let first = match absent {
                Some((head, parts)) if !present.is_empty() => Pat::Is(*head, vec![Pat::Any; parts.len()]),
                _ => Pat::Any,
            };
            return Ok(below.map(|below| std::iter::once(first).chain(below).collect()));
        }
        for (head, parts) in heads {
            let arity = parts.len();
            let rows: Vec<Row<'_>> = rows.iter().filter_map(|row| specialize(row, head, arity)).collect();
            let shapes: Vec<&ValueSpace> = parts.into_iter().chain(rest.iter().copied()).collect();
            if let Some(mut found) = self.missing(&rows, &shapes)? {
                let after = found.split_off(arity.min(found.len()));
                return Ok(Some(std::iter::once(Pat::Is(head, found)).chain(after).collect()));
            }
        }
        Ok(None)
    }

    /// Whether some value is matched by `row` and by none of `rows`.
    fn useful(&mut self, rows: &[Row<'_>], row: &Row<'_>, shapes: &[&ValueSpace]) -> Result<bool, TooHard> {
        self.burn()?;
        let (Some((first, after)), Some((shape, rest))) = (row.split_first(), shapes.split_first()) else {
            return Ok(rows.is_empty());
        };
        let heads = shape.heads().unwrap_or_default();
        let present = tested(rows);
        let asked: Vec<(Head, Vec<&ValueSpace>)> = match first {
            Pat::Is(head, _) => match heads.into_iter().find(|(h, _)| h == head) {
                Some(known) => vec![known],
                None => vec![(*head, Vec::new())],
            },
            Pat::Any if !heads.is_empty() && heads.iter().all(|(head, _)| present.contains(head)) => heads,
            Pat::Any => return self.useful(&default_rows(rows), &after.to_vec(), rest),
        };
        for (head, parts) in asked {
            let arity = parts.len();
            let rows: Vec<Row<'_>> = rows.iter().filter_map(|row| specialize(row, head, arity)).collect();
            let Some(row) = specialize(row, head, arity) else { continue };
            let shapes: Vec<&ValueSpace> = parts.into_iter().chain(rest.iter().copied()).collect();
            if self.useful(&rows, &row, &shapes)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// A pattern for values that none of the patterns matches.
pub(crate) fn missing(patterns: &[Pat], shape: &ValueSpace) -> Result<Option<Pat>, TooHard> {
    let rows: Vec<Row<'_>> = patterns.iter().map(|p| vec![p]).collect();
    Ok(Fuel(FUEL).missing(&rows, &[shape])?.and_then(|found| found.into_iter().next()))
}

/// The places of the patterns that match nothing that the patterns before them leave over.
pub(crate) fn unreachable(patterns: &[Pat], shape: &ValueSpace) -> Result<Vec<usize>, TooHard> {
    let mut fuel = Fuel(FUEL);
    let mut rows: Vec<Row<'_>> = Vec::new();
    let mut found = Vec::new();
    for (at, pattern) in patterns.iter().enumerate() {
        if fuel.useful(&rows, &vec![pattern], &[shape])? {
            rows.push(vec![pattern]);
        } else {
            found.push(at);
        }
    }
    Ok(found)
}

/// A pattern as a person would write it.
pub(crate) fn text(pattern: &Pat, shape: &ValueSpace) -> String {
    let Pat::Is(head, parts) = pattern else { return "_".to_string() };
    let list = |parts: &[Pat], shapes: &[ValueSpace]| -> String {
        parts.iter().zip(shapes).map(|(p, s)| text(p, s)).collect::<Vec<_>>().join(", ")
    };
    match (head, shape) {
        (Head::Bool(b), _) => b.to_string(),
        (Head::Int(i), _) => i.to_string(),
        (Head::Product, ValueSpace::Tuple(shapes)) => format!("({}{})", list(parts, shapes), tuple_end(shapes.len())),
        (Head::Product, ValueSpace::Record(fields)) => {
            let asked = parts.iter().zip(fields).filter(|(p, _)| **p != Pat::Any);
            let asked: Vec<String> = asked.map(|(p, (name, s))| format!("{name} = {}", text(p, s))).collect();
            if asked.is_empty() { "_".to_string() } else { format!("{{ {} }}", asked.join(", ")) }
        }
        (Head::Variant(k), ValueSpace::Sum(constructors)) => match constructors.get(*k) {
            Some((name, fields)) if fields.is_empty() => name.clone(),
            Some((name, fields)) => format!("{name}({})", list(parts, fields)),
            None => "_".to_string(),
        },
        _ => "_".to_string(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    fn shape() -> ValueSpace {
        let f = || ValueSpace::Opaque;
        ValueSpace::Sum(vec![("Circle".into(), vec![f()]), ("Rect".into(), vec![f(), f()]), ("Empty".into(), vec![])])
    }

    fn is(k: usize, parts: Vec<Pat>) -> Pat {
        Pat::Is(Head::Variant(k), parts)
    }

    fn pair(a: Pat, b: Pat) -> Pat {
        Pat::Is(Head::Product, vec![a, b])
    }

    fn bool(b: bool) -> Pat {
        Pat::Is(Head::Bool(b), vec![])
    }

    fn int(i: i64) -> Pat {
        Pat::Is(Head::Int(i), vec![])
    }

    fn lacks(patterns: &[Pat], shape: &ValueSpace) -> Option<String> {
        missing(patterns, shape).unwrap().map(|p| text(&p, shape))
    }

    #[test]
    fn constructors() {
        let (circle, rect, empty) = (is(0, vec![Pat::Any]), is(1, vec![Pat::Any, Pat::Any]), is(2, vec![]));
        assert_eq!(lacks(&[], &shape()), Some("_".into()));
        assert_eq!(lacks(&[circle.clone(), empty.clone()], &shape()), Some("Rect(_, _)".into()));
        assert_eq!(lacks(&[circle.clone(), rect.clone()], &shape()), Some("Empty".into()));
        assert_eq!(lacks(&[circle.clone(), rect.clone(), empty.clone()], &shape()), None);
        assert_eq!(lacks(&[circle.clone(), Pat::Any], &shape()), None);
        assert_eq!(unreachable(&[circle.clone(), Pat::Any, rect], &shape()), Ok(vec![2]));
        assert_eq!(unreachable(&[circle.clone(), circle, empty, Pat::Any], &shape()), Ok(vec![1]));
    }

    #[test]
    fn pairs() {
        let both = ValueSpace::Tuple(vec![shape(), ValueSpace::Bool]);
        let circle = || is(0, vec![Pat::Any]);
        let rows = [pair(circle(), bool(true)), pair(is(1, vec![Pat::Any, Pat::Any]), Pat::Any)];
        assert_eq!(lacks(&rows, &both), Some("(Empty, _)".into()));
        let more = [rows[0].clone(), rows[1].clone(), pair(is(2, vec![]), Pat::Any)];
        assert_eq!(lacks(&more, &both), Some("(Circle(_), false)".into()));
        let all = [rows[0].clone(), pair(Pat::Any, bool(true)), pair(circle(), Pat::Any), Pat::Any];
        assert_eq!(unreachable(&all, &both), Ok(vec![]));
        let none = [rows[0].clone(), pair(Pat::Any, Pat::Any), pair(circle(), bool(false))];
        assert_eq!(unreachable(&none, &both), Ok(vec![2]));
    }

    #[test]
    fn integers_and_booleans() {
        assert_eq!(lacks(&[int(0), int(1)], &ValueSpace::Int), Some("_".into()));
        assert_eq!(lacks(&[int(0), Pat::Any], &ValueSpace::Int), None);
        assert_eq!(unreachable(&[int(0), int(1), int(0), Pat::Any], &ValueSpace::Int), Ok(vec![2]));
        assert_eq!(lacks(&[bool(true)], &ValueSpace::Bool), Some("false".into()));
        assert_eq!(lacks(&[bool(true), bool(false)], &ValueSpace::Bool), None);
        assert_eq!(unreachable(&[bool(true), bool(false), Pat::Any], &ValueSpace::Bool), Ok(vec![2]));
    }

    #[test]
    fn records_show_the_fields_that_matter() {
        let record = ValueSpace::Record(vec![("kind".into(), shape()), ("on".into(), ValueSpace::Bool)]);
        let rows = [pair(is(0, vec![Pat::Any]), Pat::Any), pair(is(2, vec![]), bool(true))];
        assert_eq!(lacks(&rows, &record), Some("{ kind = Rect(_, _) }".into()));
        let rows = [rows[0].clone(), rows[1].clone(), pair(is(1, vec![Pat::Any, Pat::Any]), Pat::Any)];
        assert_eq!(lacks(&rows, &record), Some("{ kind = Empty, on = false }".into()));
    }

    #[test]
    fn nested_sums() {
        let tree = ValueSpace::Sum(vec![("Some".into(), vec![shape()]), ("None".into(), vec![])]);
        let rows = [is(0, vec![is(0, vec![Pat::Any])]), is(0, vec![is(2, vec![])]), is(1, vec![])];
        assert_eq!(lacks(&rows, &tree), Some("Some(Rect(_, _))".into()));
        let unit = ValueSpace::Sum(vec![("Only".into(), vec![ValueSpace::Int])]);
        assert_eq!(lacks(&[is(0, vec![Pat::Any])], &unit), None);
        assert_eq!(lacks(&[is(0, vec![int(3)])], &unit), Some("Only(_)".into()));
    }

    /// `n` booleans, the patterns `(true, _, ..)`, `(_, true, ..)`: every way to be false is tried.
    #[test]
    fn what_is_too_hard_is_said() {
        let wide = ValueSpace::Tuple(vec![ValueSpace::Bool; 40]);
        let row = |k: usize, value: bool| {
            let part = |i: usize| if i / 2 == k { bool(value) } else { Pat::Any };
            Pat::Is(Head::Product, (0..40).map(part).collect())
        };
        let rows: Vec<Pat> = (0..20).flat_map(|k| [row(k, true)]).collect();
        let outcome = missing(&rows, &wide);
        assert!(matches!(outcome, Err(TooHard) | Ok(Some(_))), "{outcome:?}");
    }
}
