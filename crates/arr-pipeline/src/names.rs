//! Names of steps and of their parts: lookup, suggestions for unknown ones, and sets.

use crate::table::{STEPS, Step};
use arr_base::{Code, Diagnostic};
use arr_passes::Part;

/// A step, or a part of one.
#[derive(Clone, Copy, Debug)]
pub struct Named {
    pub step: &'static Step,
    pub part: Option<&'static Part>,
}

impl Named {
    pub fn name(&self) -> &'static str {
        self.part.map_or(self.step.name, |part| part.name)
    }

    /// Whether programs are right without it.
    pub fn optional(&self) -> bool {
        self.part.map_or(self.step.optional, |part| part.optional)
    }
}

/// Every step, each followed by its parts, in the order of the table.
pub fn names() -> impl Iterator<Item = Named> {
    STEPS.iter().flat_map(|step| {
        let parts = step.parts.iter().map(move |part| Named { step, part: Some(part) });
        std::iter::once(Named { step, part: None }).chain(parts)
    })
}

/// The step or part with this name. Fails if there is none, with the diagnostic that lists them.
pub fn find(name: &str) -> Result<Named, Diagnostic> {
    if let Some(named) = names().find(|named| named.name() == name) {
        return Ok(named);
    }
    let diagnostic = Diagnostic::error(Code::NO_STEP, format!("the compiler has no step `{name}`"));
    let of_pass: Vec<&str> = STEPS.iter().filter(|step| step.pass == name).map(|step| step.name).collect();
    if !of_pass.is_empty() {
        return Err(diagnostic.hint(format!("the pass `{name}` runs as {}", list(&of_pass))));
    }
    let near = |n: &Named| strsim::damerau_levenshtein(name, n.name());
    let close = names().filter(|n| near(n) <= 1 + name.len() / 4).min_by_key(near);
    Err(match close {
        Some(named) => diagnostic.hint(format!("did you mean `{}`?", named.name())),
        None => {
            let all: Vec<&str> = names().map(|named| named.name()).collect();
            diagnostic.hint(format!("the steps are {}", list(&all)))
        }
    })
}

fn list(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<String>>().join(", ")
}

/// Steps and parts that are left out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Without {
    /// A bit for each of [`names`].
    bits: u128,
}

impl Without {
    /// The set of steps with these names. Fails if one is mandatory or unknown.
    pub fn of<'n>(wanted: impl IntoIterator<Item = &'n str>) -> Result<Without, Diagnostic> {
        let mut without = Without::default();
        for name in wanted {
            let named = find(name)?;
            if !named.optional() {
                let title = format!("the step `{name}` cannot be left out");
                let optional: Vec<&str> = names().filter(Named::optional).map(|named| named.name()).collect();
                return Err(Diagnostic::error(Code::NO_STEP, title)
                    .note(format!("programs are wrong, or cannot be run, without it: {}", named.step.why))
                    .hint(format!("those that can be left out are {}", list(&optional))));
            }
            without.bits |= bit(name);
        }
        Ok(without)
    }

    pub fn has(self, name: &str) -> bool {
        self.bits != 0 && self.bits & bit(name) != 0
    }

    pub fn is_empty(self) -> bool {
        self.bits == 0
    }
}

impl std::ops::BitOr for Without {
    type Output = Without;

    fn bitor(self, other: Without) -> Without {
        Without { bits: self.bits | other.bits }
    }
}

impl std::ops::BitOrAssign for Without {
    fn bitor_assign(&mut self, other: Without) {
        self.bits |= other.bits;
    }
}

/// The bit of a name; 0 for an unknown one.
fn bit(name: &str) -> u128 {
    names().position(|named| named.name() == name).map_or(0, |at| 1u128.checked_shl(at as u32).unwrap_or(0))
}
