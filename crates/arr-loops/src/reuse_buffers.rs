//! Buffer reuse, also known as storage coalescing: a buffer that dies in a loop serves as the one that the loop fills.
//!
//! ```text
//! let b = alloc [n]                             let b = a
//! for i < n {                                   for i < n {
//!   let x = load a.data[i]                        let x = load a.data[i]
//!   ..                                  ==>       ..
//!   store b.data[i] = y                           store a.data[i] = y
//! }                                             }
//! release a
//! ```
//!
//! One array less goes through the cache, and memory is halved. An array that is only written, because every reader is
//! part of the loop that writes it, is not allocated at all.
//!
//! - **Where.** A buffer made before a loop of the same block, and another of the same sizes and type, made in the
//!   block too, that is released after the loop and has no other reference.
//! - **Sound** if each iteration touches only its own place of both (see `accesses`), and no element of the old buffer
//!   is read after the new one's was written.
//! - **Cost.** One walk over the loop for each buffer that dies after it.

use crate::analysis::accesses::Accesses;
use crate::analysis::alias::AliasInfo;
use crate::{Expr, LocalId, LoopFunc, Operand, Stmt, captures, for_each_stmt};
use std::collections::{HashMap, HashSet};

/// Reuses buffers wherever possible.
pub(crate) fn reuse_buffers(func: &mut LoopFunc) {
    let mut body = std::mem::take(&mut func.body);
    let facts = AliasInfo::of(func, &body);
    let mut unread: HashSet<LocalId> = facts.made.iter().copied().filter(|&b| facts.is_alone(b)).collect();
    for output in &func.outputs {
        unread.retain(|&b| output.value != Operand::Local(b));
    }
    keep_read(&facts, &body, &mut unread);
    remove(&facts, &mut body, &unread);
    block(func, &facts, &mut body);
    func.body = body;
    crate::dead::remove(func);
}

fn block(func: &LoopFunc, facts: &AliasInfo, stmts: &mut Vec<Stmt>) {
    let mut at = 0;
    while at < stmts.len() {
        if let Some(found) = pair(func, facts, stmts, at) {
            found.apply(stmts);
        }
        stmts.get_mut(at).into_iter().flat_map(Stmt::bodies_mut).for_each(|body| block(func, facts, body));
        at += 1;
    }
}

/// Keeps in `unread` the buffers that are never read.
fn keep_read(facts: &AliasInfo, stmts: &[Stmt], unread: &mut HashSet<LocalId>) {
    for_each_stmt(stmts, &mut |stmt| {
        let used: Vec<Operand> = match stmt {
            Stmt::Let { expr: Expr::Load(address, _), .. } => vec![(*address).into()],
            Stmt::CheckShape { buffer, .. } => vec![(*buffer).into()],
            Stmt::Argsort { into, keys, .. } => vec![(*into).into(), (*keys).into()],
            Stmt::Trace { value, .. } => vec![*value],
            Stmt::MatMul(product) => product.operands(),
            _ => Vec::new(),
        };
        for operand in used {
            let Operand::Local(local) = operand else { continue };
            unread.remove(&local);
            facts.place(local).map(|(buffer, _)| unread.remove(&buffer));
        }
    });
}

/// Removes buffers, and the stores to them.
fn remove(facts: &AliasInfo, stmts: &mut Vec<Stmt>, unread: &HashSet<LocalId>) {
    stmts.retain_mut(|stmt| match stmt {
        Stmt::Alloc { local, .. } | Stmt::Release(local) => !unread.contains(local),
        Stmt::Store { address, .. } => facts.place(*address).is_none_or(|(buffer, _)| !unread.contains(&buffer)),
        _ => {
            stmt.bodies_mut().into_iter().for_each(|body| remove(facts, body, unread));
            true
        }
    });
}

/// Two buffers that can be one.
struct Pair {
    old: LocalId,
    new: LocalId,
    /// The addresses of their first elements.
    data: (LocalId, LocalId),
    /// The positions of the new one's allocation, the loop, and the old one's release.
    made: usize,
    filled: usize,
    released: usize,
}

impl Pair {
    fn apply(self, stmts: &mut Vec<Stmt>) {
        let mut readdress = Readdress { names: HashMap::from([(self.data.1, self.data.0)]), ..Readdress::default() };
        if let Some(Stmt::For(l)) = stmts.get_mut(self.filled) {
            readdress.block(&mut l.body);
        }
        if let Some(stmt) = stmts.get_mut(self.made) {
            *stmt = Stmt::Let { local: self.new, expr: Expr::Copy(self.old.into()) };
        }
        stmts.remove(self.released);
    }
}

/// The buffer that is allocated at a position, with one that dies in the loop that fills it.
fn pair(func: &LoopFunc, facts: &AliasInfo, stmts: &[Stmt], made: usize) -> Option<Pair> {
    let Stmt::Alloc { local: new, dims, .. } = stmts.get(made)? else { return None };
    let filled = made + 1 + stmts.get(made + 1..)?.iter().position(|s| !is_quiet(s))?;
    let Stmt::For(l) = stmts.get(filled)? else { return None };
    let uses = Accesses::of_nest(func, facts, l)?;
    let own = uses.own(*new)?;
    let after = stmts.get(filled + 1..)?;
    let quiet = after.iter().take_while(|s| matches!(s, Stmt::Release(_)) || is_quiet(s));
    for (k, stmt) in quiet.enumerate() {
        let Stmt::Release(old) = stmt else { continue };
        let same = |s: &Stmt| matches!(s, Stmt::Alloc { local, dims: sizes, .. } if local == old && sizes == dims);
        let fits = func.ty(*old) == func.ty(*new) && stmts.get(..made)?.iter().any(same);
        if !fits || !facts.is_alone(*old) || uses.own(*old).as_ref() != Some(&own) {
            continue;
        }
        let outside = captures(l);
        let data = |buffer: LocalId| {
            let rooted = |l: &&LocalId| facts.place(**l).is_some_and(|(b, _)| b == buffer);
            let mut addresses = outside.iter().filter(rooted);
            let only = addresses.next().filter(|_| addresses.next().is_none())?;
            (facts.place(*only)?.1.is_empty()).then_some(*only)
        };
        let Some(data) = data(*old).zip(data(*new)) else { continue };
        let mut order = Order { facts, old: *old, new: *new, written: false, depth: 0, read: Vec::new() };
        if order.block(&l.body).is_some() && order.written {
            return Some(Pair { old: *old, new: *new, data, made, filled, released: filled + 1 + k });
        }
    }
    None
}

/// Whether a statement has no effect on a buffer's lifetime.
fn is_quiet(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Let { expr, .. } => !matches!(expr, Expr::Load(..) | Expr::Literal(_)),
        Stmt::Var { .. } | Stmt::Alloc { .. } => true,
        _ => false,
    }
}

/// Whether the old buffer's elements are read before the new one's are written.
struct Order<'a> {
    facts: &'a AliasInfo,
    old: LocalId,
    new: LocalId,
    /// Whether the new one was written.
    written: bool,
    /// The number of loops around.
    depth: usize,
    /// The places read in the outermost open loop.
    read: Vec<Place>,
}

/// The summands on top of the address of the first element.
type Place = Vec<Operand>;

impl Order<'_> {
    fn block(&mut self, stmts: &[Stmt]) -> Option<()> {
        for stmt in stmts {
            match stmt {
                Stmt::Let { expr: Expr::Load(address, offset), .. } if self.is(*address, self.old) => {
                    (!self.written).then_some(())?;
                    self.read.push(self.place(*address, *offset)?);
                }
                Stmt::Let { expr: Expr::Load(address, _), .. } if self.is(*address, self.new) => return None,
                Stmt::Store { address, .. } if self.is(*address, self.old) => (!self.written).then_some(())?,
                Stmt::Store { address, offset, .. } if self.is(*address, self.new) => {
                    let here = self.place(*address, *offset)?;
                    (!self.written && self.read.iter().all(|place| *place == here)).then_some(())?;
                    self.written = true;
                }
                Stmt::For(l) => {
                    // Elements read before an inner loop, or in an earlier inner loop, are not read again. Within an
                    // inner loop, everything is read again.
                    let around = (self.depth == 0).then(|| std::mem::take(&mut self.read));
                    self.depth += 1;
                    self.block(&l.body)?;
                    self.depth -= 1;
                    if let Some(around) = around {
                        self.read = around;
                    }
                }
                _ => {}
            }
        }
        Some(())
    }

    fn is(&self, address: LocalId, buffer: LocalId) -> bool {
        self.facts.place(address).is_none_or(|(b, _)| b == buffer)
    }

    /// The whole place of an element: where axes have one element, the last summand does not tell it from others.
    fn place(&self, address: LocalId, offset: Operand) -> Option<Place> {
        let (_, mut place) = self.facts.place(address)?;
        place.push(offset);
        place.retain(|o| o.as_int() != Some(0));
        place.sort_unstable_by_key(|o| match o {
            Operand::Local(l) => (arr_base::Id::index(*l), 0),
            Operand::Const(_) => (usize::MAX, o.as_int().unwrap_or(0)),
        });
        Some(place)
    }
}

/// Renames the addresses in a block.
pub(crate) fn readdress(stmts: &mut [Stmt], names: HashMap<LocalId, LocalId>) {
    Readdress { names, ..Readdress::default() }.block(stmts);
}

/// Gives addresses other bases. If several become equal, the first serves for all.
#[derive(Default)]
struct Readdress {
    names: HashMap<LocalId, LocalId>,
    rows: Vec<((LocalId, Operand), LocalId)>,
}

impl Readdress {
    fn block(&mut self, stmts: &mut [Stmt]) {
        let open = self.rows.len();
        for stmt in stmts {
            match stmt {
                Stmt::Let { local, expr: Expr::Offset(address, offset) } => {
                    *address = self.now(*address);
                    let row = (*address, *offset);
                    match self.rows.iter().find(|(known, _)| *known == row) {
                        Some(&(_, same)) => drop(self.names.insert(*local, same)),
                        None => self.rows.push((row, *local)),
                    }
                }
                Stmt::Let { expr: Expr::Load(address, _), .. } | Stmt::Store { address, .. } => {
                    *address = self.now(*address);
                }
                Stmt::For(l) => self.block(&mut l.body),
                _ => {}
            }
        }
        self.rows.truncate(open);
    }

    fn now(&self, address: LocalId) -> LocalId {
        self.names.get(&address).copied().unwrap_or(address)
    }
}
