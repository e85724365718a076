//! A compilation session: files in, stages run, results out.
//!
//! A [`Session`] owns the sources it has read and takes a program through the stages that a question needs. It prints
//! nothing and reads no file except through its [`World`], so that tests run in memory. Errors are returned as
//! diagnostics; only a fault of the compiler itself is a [`Failure::Bug`].

// A failure occurs once per run; its size does not matter.
#![allow(clippy::result_large_err)]

mod bisect;
mod c99;
mod cache;
mod check_grad;
mod cost;
mod data;
mod derived;
mod documentation;
mod execution;
mod export;
mod failure;
mod gpu;
mod import_error;
mod inspect;
mod load;
mod memory;
mod outline;
mod profile;
mod program;
mod session;
mod signature;
mod snapshot;
mod source_line;
mod stablehlo;
mod stdlib;
mod survey;
mod temporary;
mod timing;
mod walk;
mod wgsl;
mod world;

pub use arr_base::{Crashed, with_stack};
pub use arr_c99::{
    Failure as CFailure, FailureKind as CFailureKind, Function as CFunction, Interface as CInterface, Location,
    Parameter as CParameter, Places, module as c_module,
};
pub use arr_cpu::{Block, Cpu, Dims, Lent, LentArray, Owned};
pub use arr_header::c_type;
pub use arr_ir::interp::Trap;
pub use arr_pipeline::Stage as IrStage;
pub use arr_pipeline::{Report as PassReport, STEPS, Step, Without};
pub use arr_stablehlo::{Function as StableHloFunction, Site, SiteKind, module as stablehlo_module};
pub use bisect::{Bisection, Finding};
pub use c99::CModule;
pub use cache::{ENTRY_MAGIC, Question, Store};
pub use check_grad::{GradientCheck, GradientRow, Gradients, OffElement};
pub use cost::{Costs, Formula, LineCost, Measure, SizeNames, Term};
pub use data::unreadable;
pub use derived::{Derivation, derivation};
pub use execution::{Backend, Execution, Floats, Stop};
pub use export::{Export, Exported};
pub use failure::Failure;
pub use gpu::{DeviceReport, devices, find_device, how_to_get_a_device, quiet_devices};
pub use inspect::Stage;
pub use outline::{Declaration, Definition, declarations, definitions};
pub use profile::{Profile, SectionTime};
pub use program::{Executable, Outcome, Program, Statistics};
pub use session::{Derive, Mode, Session};
pub use signature::{signature, signatures};
pub use snapshot::Snapshot;
pub use source_line::SourceLine;
pub use stablehlo::{StableHlo, stablehlo_failure};
pub use stdlib::{STANDARD_MODULES, StandardModule, standard_module};
pub use survey::{Survey, Surveyed, clean_path, imported_path, standard_path};
pub use temporary::{NoTemporaries, Temporary, remove_temporaries};
pub use timing::{Repeat, Timing};
pub use wgsl::Shaders;
pub use world::{Listed, MemoryWorld, OsWorld, World};
