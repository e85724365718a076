//! Devices that end loops: Mesa's software device leaves every loop, without a word, once an invocation has gone around loops
//! a number of times, counted over all of them; from then on it goes around any loop once.
//!
//! A kernel with loops therefore ends in one of its own, which must go around more than once: if that loop is cut, others may have
//! been, and the program stops. One check finds all of them, in loops of the program and of what it calls, whether or not
//! their lengths are known before; nothing is counted while the kernel runs.
//!
//! **Invariant** an entry point does not return between a loop and its end, unless a fault has been reported.

use crate::builder::Builder;
use crate::program::{Fault, Kernel};

/// Whether the device has ended a loop of this invocation. How often the loop here goes around, no compiler knows: it follows from
/// what the host has written.
pub(crate) const LOOPS_WERE_CUT: &str = "\
fn arr_loops_were_cut() -> bool {
  let most = 2u + (atomicLoad(&fault[1]) & 1u);
  var turns = 0u;
  while turns < most { turns += 1u; }
  return turns != most;
}

";

/// What the function is called by.
pub(crate) const CALL: &str = "arr_loops_were_cut()";

impl Builder<'_> {
    /// A kernel's text, with the check at its end where the device may have ended one of its loops.
    pub(crate) fn with_end(&mut self, kernel: &mut Kernel, text: String) -> String {
        let has_loop = ["for (", "loop {", "while "].iter().any(|head| code(&text).any(|line| line.contains(head)));
        let (Some(_), true, Some((body, _))) = (self.options.ends_loops, has_loop, text.rsplit_once('}')) else {
            return text;
        };
        kernel.faults = true;
        let place = self.place_of(Fault::Loops, kernel.span);
        let report = self.report(place, &[]);
        format!("{body}  if {CALL} {{ {report} }}\n}}\n")
    }

    /// Iterations that a reduction may have in one invocation: half of what the device does before it ends loops, as there may be
    /// loops in the loop. Longer ones are divided among invocations.
    pub(crate) fn longest_loop(&self) -> Option<i64> {
        self.options.ends_loops.map(|most| i64::from(most / 2))
    }
}

/// The lines that are not comments.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.trim_start().starts_with("//"))
}
