//! Strip-mining and interchange: loops of the program over arrays without dependences between points run for one block
//! of points after another, each block through all iterations.
//!
//! ```text
//! var state = x                                 let s = alloc [n]
//! for t < steps {                               for b < blocks with lo step size parallel {
//!   let u = state                                 for i < count { store s[lo + i] = load x[lo + i] }
//!   let v = alloc [n]                             for t < steps {
//!   for i < n parallel {                   ==>      for i < count {
//!     .. load u.data[i] ..                            .. load s[lo + i] ..
//!     store v.data[i] = y                             store s[lo + i] = y
//!   }                                               }
//!   release u                                     }
//!   set state = v                               }
//! }                                             set state = s
//! ```
//!
//! The state of a block stays in the nearest cache, there is one divided loop instead of one per iteration, and nothing
//! is allocated in it. Where the state needs no memory the pass `interchange` turns such loops into one kernel; this
//! pass handles the others, those that keep a tape, or read one.
//!
//! - **Where.** The body makes arrays of one axis, in loops without branches and checks over the same extent. The
//!   carried state is such an array, or one that is updated in place (a tape). Sums over the points are added to
//!   elements of an array (see `reductions`).
//! - **Sound** if each point reads and writes of the modified arrays only its own elements, in any iteration: the
//!   element at its index, in rows whose distance is the number of points. Other arrays do not change, and are read
//!   anywhere.
//! - **The same bits** on any number of threads: blocks follow from the extent alone.
//! - **Left alone.** Loops of few iterations. Iterations would count once per block, so this is not done where they are
//!   counted.
//! - **Cost.** One walk over each loop of the program.
//!
//! Source: Wolf and Lam, "A Data Locality Optimizing Algorithm" (loops strip-mined and exchanged).

mod make;
mod reductions;
mod survey;

use crate::analysis::alias::AliasInfo;
use crate::{LoopFunc, Stmt, rewrite_stmts};

/// Applies this wherever possible and returns whether anything changed.
pub(crate) fn strip_mine(func: &mut LoopFunc) -> bool {
    let mut body = std::mem::take(&mut func.body);
    let facts = AliasInfo::of(func, &body);
    let mut changed = false;
    rewrite_stmts(&mut body, Stmt::bodies_mut, &mut |stmt, out| {
        let found = match &stmt {
            Stmt::For(l) => survey::BlockedLoop::of(func, &facts, l),
            _ => None,
        };
        match found {
            Some(shape) => {
                out.extend(make::in_blocks(func, &shape));
                changed = true;
            }
            None => out.push(stmt),
        }
    });
    func.body = body;
    if changed {
        crate::dead::remove(func);
    }
    changed
}
