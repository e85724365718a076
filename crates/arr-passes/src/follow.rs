//! Passes that are made of parts: which parts are left out, and who receives the function after each.
//!
//! A pass such as `fuse` does a dozen things in rounds. So that each of them can be left out, verified, printed and
//! compared with the function before it like a pass of its own, the pass runs its parts through [`Parts`], which
//! consults and informs a [`Follow`].

use arr_ir::Func;

/// A part of a pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// The name of the pass, a dot, and the action of the part: `fuse.inline`.
    pub name: &'static str,
    /// One verb-first sentence.
    pub description: &'static str,
    /// Whether the program is right without it.
    pub optional: bool,
    /// The paper or book behind it; `-` if it is this compiler's own.
    pub source: &'static str,
}

/// An observer of a pass and its parts.
pub trait Follow {
    /// Whether this part is to be left out.
    fn leaves_out(&self, part: &str) -> bool;

    /// A part has run, and has changed the function or not.
    fn ran(&mut self, part: &'static str, func: &Func, changed: bool);
}

/// No observer: every part runs.
pub struct Nobody;

impl Follow for Nobody {
    fn leaves_out(&self, _: &str) -> bool {
        false
    }

    fn ran(&mut self, _: &'static str, _: &Func, _: bool) {}
}

/// The function that a pass works on, and its observer.
pub(crate) struct Parts<'a> {
    pub func: &'a mut Func,
    follow: &'a mut dyn Follow,
}

impl<'a> Parts<'a> {
    pub fn new(func: &'a mut Func, follow: &'a mut dyn Follow) -> Parts<'a> {
        Parts { func, follow }
    }

    /// Runs a part, unless it is left out. Returns whether that changed the function.
    pub fn run(&mut self, part: &Part, work: impl FnOnce(&mut Func) -> bool) -> bool {
        self.run_proved(part, |func| {
            let changed = work(func);
            if changed {
                // Before the next part takes an access for proved: a check that it relied on may have moved to a reader,
                // be behind it now, or no longer run at all points.
                arr_ir::bounds::check_unproved(func);
            }
            changed
        })
    }

    /// Runs a part that leaves no access unchecked without a proof, unless it is left out.
    pub fn run_proved(&mut self, part: &Part, work: impl FnOnce(&mut Func) -> bool) -> bool {
        if self.follow.leaves_out(part.name) {
            return false;
        }
        let changed = work(self.func);
        self.follow.ran(part.name, self.func, changed);
        changed
    }
}
