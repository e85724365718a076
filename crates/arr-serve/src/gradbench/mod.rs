//! The protocol of the GradBench suite: an evaluation sends `start`, `define`, `evaluate` and `analysis`, a tool answers
//! each. See CONTRIBUTING.md of <https://github.com/gradbench/gradbench>.

mod evaluate;
mod message;

pub use message::{Message, Reply, Timing, read};

use crate::id;
use crate::library::Library;
use crate::{Answer, Options};
use arr_driver::World;

/// The tool's side of the protocol.
pub struct Gradbench {
    library: Library,
}

impl Gradbench {
    pub fn new(world: impl World + 'static, options: Options) -> Gradbench {
        Gradbench { library: Library::new(world, options) }
    }

    /// The reply to a message.
    pub fn reply(&mut self, message: &Message<'_>) -> Reply {
        let id = message.id();
        match (message.kind.as_deref(), &message.module, &message.function) {
            (Some("start"), ..) => Reply { tool: Some("arr"), ..Reply::to(id) },
            (Some("define"), Some(module), _) => self.define(id, module),
            (Some("define"), None, _) => Reply::refused(id, "`define` needs a `module`"),
            (Some("evaluate"), Some(module), Some(function)) => self
                .evaluate(module, function, message.input)
                .unwrap_or_else(|r| Reply::refused("", &r.text()))
                .with(id),
            (Some("evaluate"), ..) => Reply::refused(id, "`evaluate` needs a `module` and a `function`"),
            // The protocol demands nothing else in reply to any other kind, including future ones.
            (Some(_), ..) => Reply::to(id),
            (None, ..) => Reply::refused(id, "the message has no `kind`"),
        }
    }

    fn define(&mut self, id: &str, module: &str) -> Reply {
        match self.library.require(module) {
            Ok(time) => {
                let timings = time.iter().map(|time| Timing::prepare(*time)).collect();
                Reply { success: Some(true), timings, ..Reply::to(id) }
            }
            Err(refusal) => Reply::refused(id, &refusal.text()),
        }
    }
}

impl Answer for Gradbench {
    fn answer(&mut self, line: &str) -> String {
        match read(line) {
            Ok(message) => self.reply(&message),
            Err(why) => Reply::refused(id::of_line(line), &format!("the message cannot be read: {why}")),
        }
        .line()
    }

    fn refuse(&mut self, line: &str, why: &str) -> String {
        Reply::refused(id::of_line(line), why).line()
    }
}
