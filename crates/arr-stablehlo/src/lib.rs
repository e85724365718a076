//! Functions of the array IR as StableHLO, the language of XLA's front door.
//!
//! [`function`] takes a function after differentiation and the step `contract`, and the sizes of a call, and writes it for
//! these sizes; [`module`] puts functions into a module:
//!
//! ```text
//! control.rs    statements, kernels, branches                              (`if`)
//! loops.rs      loops, of the function and of lanes                        (`while`)
//! arrays.rs     constants, other axes, orders                              (`sort`)
//! space.rs      scalar code at every point of a space at once               (element-wise operations)
//! read.rs       elements at affine places, and at any                       (`slice`, `transpose`, `pad`; `gather`)
//! reduce.rs     sums, extremes, products of matrices                        (`reduce`, `dot_general`)
//! convolution.rs  sums of products of windows                               (`convolution`)
//! choices.rs    places that are one of a few slices                         (`select`)
//! scatter.rs    updates of arrays                                           (`dynamic_update_slice`, `scatter`)
//! in_place.rs   reads before updates, so that nothing is copied in a loop    (`sort`)
//! prims.rs      a row for every primitive;  functions.rs what is expanded
//! traps.rs      checks: the first that fails is one more result
//! text.rs       the text of operations
//! ```
//!
//! **Scalar code over a space.** The axes of a kernel are a space. A scalar of its body is one tensor over those axes
//! that it depends on, never over all: `exp(x[i])` in a kernel over `i` and `j` is computed once for every `i`. Constants,
//! indices and products stay symbolic as long as they can (`space::Scal`): an index that is affine becomes a
//! slice, a sum of a product becomes `dot_general`.
//!
//! **Invariants.** What no lane of a space may do it does not do: lanes that a branch, a finished loop or the extent of a
//! ragged axis excludes compute values that nobody uses, read at places that are clamped, write nothing and fail never.
//! After a failure every loop ends.

mod ahead;
mod arrays;
mod choices;
mod control;
mod convolution;
mod error;
mod functions;
mod in_place;
mod last_written;
mod loops;
mod module;
mod numbers;
mod pieces;
mod prims;
mod read;
mod reduce;
mod scatter;
mod space;
mod text;
mod traps;
mod values;

pub use error::{Error, UnknownSize};
pub use module::{Call, Function, Site, SiteKind, function, module, symbol};
