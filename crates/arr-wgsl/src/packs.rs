//! Kernels with more buffers than the device binds: some of the buffers are bound as one, into which the host copies
//! them before the kernel runs, and from which it copies the changed ones back.
//!
//! Elements of a pack have one type in the shader. If packing buffers of one type is not enough, those of all types of
//! four bytes are words of a pack of `u32`. As few buffers as possible are packed, read-only ones first.

use crate::builder::Builder;
use crate::program::{Access, Binding, Integers, Kernel, KernelId, Part, Step};
use arr_base::IndexVec;
use arr_ir::Scalar;
use arr_loops::{LocalId, SpanId, Ty};
use std::collections::HashMap;

/// A buffer that combines several.
#[derive(Clone, Debug)]
pub(crate) struct Pack {
    local: LocalId,
    parts: Vec<Part>,
    /// Those that the kernel writes.
    changed: Vec<Part>,
    span: SpanId,
}

/// The position of a packed buffer for a kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packed {
    pub pack: LocalId,
    pub start: LocalId,
    /// Of the buffer, and of the pack.
    pub elem: Scalar,
    pub words: Scalar,
}

/// The packs of a module.
#[derive(Clone, Default, Debug)]
pub(crate) struct Packs {
    /// By kernel.
    packs: HashMap<String, Vec<Pack>>,
    packed: HashMap<(String, LocalId), Packed>,
}

impl Packs {
    pub fn find(&self, kernel: &Kernel, buffer: LocalId) -> Option<Packed> {
        if self.packed.is_empty() {
            return None;
        }
        self.packed.get(&(kernel.name.clone(), buffer)).copied()
    }

    /// Puts the copies around the kernels that need them.
    pub fn insert(&self, kernels: &IndexVec<KernelId, Kernel>, steps: Vec<Step>) -> Vec<Step> {
        if self.packs.is_empty() {
            return steps;
        }
        let inner = |steps: Vec<Step>| self.insert(kernels, steps);
        let mut all = Vec::with_capacity(steps.len());
        for step in steps {
            match step {
                Step::Dispatch(id) => {
                    let name = kernels[id].name.as_str();
                    let packs = self.packs.get(name).map(Vec::as_slice).unwrap_or_default();
                    for Pack { local, parts, span, .. } in packs {
                        all.push(Step::Pack { local: *local, parts: parts.clone(), span: *span });
                    }
                    all.push(Step::Dispatch(id));
                    for Pack { local, changed, .. } in packs {
                        if !changed.is_empty() {
                            all.push(Step::Unpack { local: *local, parts: changed.clone() });
                        }
                        all.push(Step::Release(*local));
                    }
                }
                Step::For(mut l) => {
                    l.body = inner(l.body);
                    all.push(Step::For(l));
                }
                Step::While(mut l) => {
                    (l.head, l.body) = (inner(l.head), inner(l.body));
                    all.push(Step::While(l));
                }
                Step::If { cond, then_steps, else_steps } => {
                    all.push(Step::If { cond, then_steps: inner(then_steps), else_steps: inner(else_steps) });
                }
                step => all.push(step),
            }
        }
        all
    }
}

impl Builder<'_> {
    /// The kernel with packs instead of buffers, if it binds more than the device does.
    pub(crate) fn pack(&mut self, mut kernel: Kernel) -> Kernel {
        // A kernel with loops reports their truncation; whether it has some is not known yet.
        let faults = kernel.faults || self.options.ends_loops.is_some();
        let own = usize::from(kernel.slots) + usize::from(faults);
        let room = (self.options.storage_buffers as usize).saturating_sub(own);
        let chosen = choose(&kernel.buffers, room, self.options.integers);
        let packs: Vec<Pack> = chosen.iter().map(|bindings| self.pack_of(&mut kernel, bindings)).collect();
        if !packs.is_empty() {
            self.packs.packs.insert(kernel.name.clone(), packs);
        }
        kernel
    }

    fn pack_of(&mut self, kernel: &mut Kernel, bindings: &[Binding]) -> Pack {
        let words = common(bindings.iter().map(|b| self.stored(b.elem)));
        let local = self.local("packed", Ty::Buffer(words));
        let (mut parts, mut changed) = (Vec::new(), Vec::new());
        for binding in bindings {
            let hint = format!("{}.start", self.func.locals[binding.buffer].name);
            let start = self.local(&hint, Ty::Scalar(Scalar::I64));
            let part = Part { buffer: binding.buffer, start };
            parts.push(part);
            if binding.access == Access::ReadWrite {
                changed.push(part);
            }
            kernel.params.push(start);
            let packed = Packed { pack: local, start, elem: binding.elem, words };
            self.packs.packed.insert((kernel.name.clone(), binding.buffer), packed);
        }
        kernel.buffers.retain(|b| !bindings.contains(b));
        let access = if changed.is_empty() { Access::Read } else { Access::ReadWrite };
        kernel.buffers.push(Binding { buffer: local, elem: words, access });
        Pack { local, parts, changed, span: kernel.span }
    }

    /// The type of elements in a shader: a scalar that is stored as itself.
    fn stored(&self, elem: Scalar) -> Scalar {
        stored(elem, self.options.integers)
    }
}

fn stored(elem: Scalar, integers: Integers) -> Scalar {
    match elem {
        Scalar::Bool => Scalar::U32,
        Scalar::I64 if integers == Integers::Narrow => Scalar::I32,
        _ => elem,
    }
}

/// The type of all, or words.
fn common(mut elems: impl Iterator<Item = Scalar>) -> Scalar {
    let first = elems.next().unwrap_or(Scalar::U32);
    if elems.all(|elem| elem == first) { first } else { Scalar::U32 }
}

/// The buffers of each pack, so that there are no more than `room`; none if that is impossible.
fn choose(buffers: &[Binding], room: usize, integers: Integers) -> Vec<Vec<Binding>> {
    if buffers.len() <= room {
        return Vec::new();
    }
    let excess = buffers.len() - room;
    let all = |of: &dyn Fn(&Binding) -> bool| -> Vec<Binding> { buffers.iter().filter(|b| of(b)).copied().collect() };
    let read = |b: &Binding| b.access == Access::Read;
    let types = [Scalar::F32, Scalar::I32, Scalar::U32, Scalar::I64, Scalar::F64];
    let mut alike = types.map(|elem| all(&|b| read(b) && stored(b.elem, integers) == elem)).to_vec();
    alike.sort_by_key(|group| std::cmp::Reverse(group.len()));
    let wide = |b: &Binding| matches!(stored(b.elem, integers), Scalar::I64 | Scalar::F64);
    let words = |of: &dyn Fn(&Binding) -> bool| {
        let eight = [Scalar::I64, Scalar::F64].map(|elem| all(&|b| of(b) && stored(b.elem, integers) == elem));
        let four = all(&|b| of(b) && !wide(b));
        std::iter::once(four).chain(eight).collect::<Vec<_>>()
    };
    for groups in [alike, words(&read), words(&|_| true)] {
        let (mut chosen, mut excess) = (Vec::new(), excess);
        for mut group in groups {
            group.truncate(excess + 1);
            if excess == 0 || group.len() < 2 {
                continue;
            }
            excess -= group.len() - 1;
            chosen.push(group);
        }
        if excess == 0 {
            return chosen;
        }
    }
    Vec::new()
}
