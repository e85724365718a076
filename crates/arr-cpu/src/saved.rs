//! Compiled code that is kept for another process.

use crate::Compiled;
use crate::codegen::Result;
use crate::image::Image;
use crate::target::{Processor, target};
use arr_loops::LoopFunc;
use serde::{Deserialize, Serialize};

/// Compiled code, independent of the memory it runs in. It is valid only for the compiler that made it and for machines
/// of the same [`target_name`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Saved {
    pub(crate) image: Image,
    /// The interface of the code; the body is left out.
    pub(crate) loops: LoopFunc,
    pub(crate) counts_steps: bool,
    pub(crate) regions: usize,
    pub(crate) products: bool,
    pub(crate) steady: bool,
}

impl Compiled {
    /// The code for keeping. `None` if it was compiled without `CompileOptions::record`, or cannot be moved.
    pub fn save(&self) -> Option<Saved> {
        Some(Saved {
            image: self.image.clone()?,
            loops: LoopFunc { body: Vec::new(), ..self.loops.clone() },
            counts_steps: self.counts_steps,
            regions: self.regions,
            products: self.products,
            steady: self.steady,
        })
    }
}

/// Loads kept code. `threads` as in `CompileOptions`. Fails if no code can be made for this machine, the saved code
/// lacks its entry or has an address that cannot be restored, or the code generator refuses it.
pub fn restore(saved: Saved, threads: Option<usize>) -> Result<Compiled> {
    crate::jit::load(saved, threads)
}

/// The machine that code is made for: processors with the same name have the same instructions.
pub fn target_name() -> String {
    match target(Processor::Native, false, false, 0) {
        Ok(isa) => {
            let flags: Vec<String> = isa.isa_flags().iter().map(|flag| flag.to_string()).collect();
            format!("{} {}", isa.triple(), flags.join(" "))
        }
        Err(why) => why.to_string(),
    }
}
