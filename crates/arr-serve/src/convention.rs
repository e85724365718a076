//! Companion functions in a module that adapt a host's data: `f_input`, or `input` for all functions of the module,
//! makes the arguments of `f` from the host's; `f_output`, or `output`, makes the host's reply from the result. Neither
//! counts towards the time of `f`.

use crate::Refusal;
use crate::library::{Function, Library};
use arr_driver::Derive;
use std::rc::Rc;
use std::time::Duration;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    Input,
    Output,
}

/// A companion function, and its compilation time if it was compiled now.
pub(crate) type Beside = Option<(Rc<Function>, Option<Duration>)>;

impl Library {
    /// The companion function of `entry` on one side, if there is one.
    pub(crate) fn beside(&mut self, module: &str, entry: &str, side: Side) -> Result<Beside, Refusal> {
        let suffix = if side == Side::Input { "input" } else { "output" };
        let definitions = self.definitions(module);
        let own = format!("{entry}_{suffix}");
        let found = [own.as_str(), suffix].into_iter().find(|name| definitions.iter().any(|d| d == name));
        match found {
            Some(name) if name != entry => self.function(module, name, &Derive::Nothing).map(Some),
            _ => Ok(None),
        }
    }
}
