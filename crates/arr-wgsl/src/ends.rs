//! Devices that silently truncate loops: Mesa's software device leaves every loop once an invocation has executed a
//! number of iterations, counted over all loops; from then on any loop runs once.
//!
//! A kernel with loops therefore ends in a sentinel loop, which must run more than once: if that loop is truncated,
//! others may have been, and the program stops. This one check covers all of them, in loops of the program and of its
//! helper functions, whether or not their lengths are known before; nothing is counted while the kernel runs.
//!
//! **Invariant** an entry point does not return between a loop and its end, unless a fault has been reported.

use crate::builder::Builder;
use crate::program::{Fault, Kernel};

/// Whether the device has truncated a loop of this invocation. No compiler can know the length of this loop: it depends
/// on data written by the host.
pub(crate) const LOOPS_WERE_CUT: &str = "\
fn arr_loops_were_cut() -> bool {
  let most = 2u + (atomicLoad(&fault[1]) & 1u);
  var turns = 0u;
  while turns < most { turns += 1u; }
  return turns != most;
}

";

/// The call of the function.
pub(crate) const CALL: &str = "arr_loops_were_cut()";

impl Builder<'_> {
    /// A kernel's text, with the check at its end if the device may have truncated one of its loops.
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

    /// The maximal number of iterations of a reduction in one invocation: half of the device's limit, as the loop may
    /// contain others. Longer ones are divided among invocations.
    pub(crate) fn longest_loop(&self) -> Option<i64> {
        self.options.ends_loops.map(|most| i64::from(most / 2))
    }
}

/// The lines that are not comments.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.trim_start().starts_with("//"))
}
