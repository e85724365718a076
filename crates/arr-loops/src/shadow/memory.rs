//! Shadow memory: arrays with facts about each element.

use super::{Address, ShadowFault};
use crate::{LiteralId, LocalId, LoopFunc};
use arr_ir::{Const, Data, Scalar};
use rustc_hash::FxHashMap;

/// An array, by its row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Block(usize);

struct Held {
    data: Data,
    written: Vec<bool>,
    references: i64,
    /// The name under which it was made.
    name: LocalId,
    /// Whether it is the caller's, or a constant.
    foreign: bool,
}

/// An element of an array.
type Element = (Block, usize);

/// The iterations of a parallel loop that have touched an element.
#[derive(Clone, Copy, Default)]
struct Touched {
    writer: Option<i64>,
    reader: Option<i64>,
    /// A second one that read it.
    other: Option<i64>,
}

/// A parallel loop being executed.
pub(super) struct Frame {
    index: LocalId,
    iteration: i64,
    /// The addresses of arrays that chunks have copies of.
    added: Vec<LocalId>,
    touched: FxHashMap<Element, Touched>,
}

impl Frame {
    pub fn new(index: LocalId, added: Vec<LocalId>) -> Frame {
        Frame { index, iteration: 0, added, touched: FxHashMap::default() }
    }

    /// Moves to an iteration, if the loop is this one.
    pub fn enter(&mut self, index: LocalId, iteration: i64) {
        if self.index == index {
            self.iteration = iteration;
        }
    }

    /// Records a touch and returns another iteration that it conflicts with.
    fn touch(&mut self, address: Address, element: Element, stored: bool) -> Option<i64> {
        if self.added.contains(&address.data) {
            return None;
        }
        let now = self.iteration;
        let touched = self.touched.entry(element).or_default();
        let other = |of: Option<i64>| of.filter(|&k| k != now);
        if stored {
            let met = other(touched.writer).or(other(touched.reader)).or(other(touched.other));
            touched.writer = Some(now);
            met
        } else {
            let met = other(touched.writer);
            match touched.reader {
                Some(first) if first != now => touched.other = Some(now),
                _ => touched.reader = Some(now),
            }
            met
        }
    }
}

/// The names under which an element was stored and loaded in a kernel.
#[derive(Clone, Copy, Default)]
pub(super) struct Named {
    stored: Option<LocalId>,
    loaded: Option<LocalId>,
}

/// The maximal number of faults kept.
const MOST: usize = 50;

#[derive(Default)]
pub(super) struct Memory {
    blocks: Vec<Held>,
    pub frames: Vec<Frame>,
    pub names: FxHashMap<Element, Named>,
    pub in_kernel: bool,
    /// The elements of all live arrays.
    pub held: usize,
    pub faults: Vec<ShadowFault>,
}

impl Memory {
    /// Records a fault, unless there is one like it already.
    pub fn fault(&mut self, fault: ShadowFault) {
        use ShadowFault::{Outside, Race, TwoNames, Unwritten, Wrapped};
        let alike = |known: &ShadowFault| match (known, &fault) {
            (Outside { name: a, stored: s, .. }, Outside { name: b, stored: t, .. }) => a == b && s == t,
            (Unwritten { name: a, .. }, Unwritten { name: b, .. }) | (Race { name: a, .. }, Race { name: b, .. }) => {
                a == b
            }
            (TwoNames { names: a, .. }, TwoNames { names: b, .. }) => a == b,
            (Wrapped { .. }, Wrapped { .. }) => true,
            (known, fault) => known == fault,
        };
        if self.faults.len() < MOST && !self.faults.iter().any(alike) {
            self.faults.push(fault);
        }
    }

    fn add(&mut self, held: Held) -> Block {
        self.held += held.data.len();
        self.blocks.push(held);
        Block(self.blocks.len() - 1)
    }

    pub fn empty(&mut self, elem: Scalar, count: usize, name: LocalId) -> Block {
        let (data, written) = (Data::zeros(elem, count), vec![false; count]);
        self.add(Held { data, written, references: 1, name, foreign: false })
    }

    /// An array of the caller's.
    pub fn whole(&mut self, data: Data, name: LocalId) -> Block {
        let written = vec![true; data.len()];
        self.add(Held { data, written, references: 1, name, foreign: true })
    }

    /// An array of the program's.
    pub fn literal(&mut self, func: &LoopFunc, id: LiteralId, name: LocalId) -> Block {
        let literal = &func.literals[id];
        let mut data = Data::zeros(literal.elem, literal.data.len());
        for (k, &c) in literal.data.iter().enumerate() {
            let _ = data.set(k, c);
        }
        self.whole(data, name)
    }

    /// Zeros, which chunks add to.
    pub fn zeros_like(&mut self, block: Block, name: LocalId) -> Block {
        let (elem, count) = self.get(block).map_or((Scalar::F64, 0), |held| (held.data.elem(), held.data.len()));
        let copy = self.empty(elem, count, name);
        self.get_mut(copy).into_iter().for_each(|held| held.written.fill(true));
        copy
    }

    fn get(&self, block: Block) -> Option<&Held> {
        self.blocks.get(block.0)
    }

    fn get_mut(&mut self, block: Block) -> Option<&mut Held> {
        self.blocks.get_mut(block.0)
    }

    pub fn length(&self, block: Block) -> usize {
        self.get(block).map_or(0, |held| held.data.len())
    }

    pub fn data(&self, block: Block) -> Option<&Data> {
        self.get(block).map(|held| &held.data)
    }

    fn name_of(func: &LoopFunc, local: LocalId) -> String {
        func.locals[local].name.clone()
    }

    // References.

    /// Records that an array is used.
    pub fn alive(&mut self, func: &LoopFunc, block: Block, name: LocalId) {
        if self.get(block).is_none_or(|held| held.references < 1) {
            self.fault(ShadowFault::Released { name: Self::name_of(func, name) });
        }
    }

    pub fn retain(&mut self, block: Block) {
        self.get_mut(block).into_iter().for_each(|held| held.references += 1);
    }

    pub fn release(&mut self, func: &LoopFunc, block: Block) {
        let Some(held) = self.get_mut(block) else { return };
        held.references -= 1;
        let (left, name, length) = (held.references, held.name, held.data.len());
        if left == 0 {
            self.held = self.held.saturating_sub(length);
        }
        if left < 0 {
            self.fault(ShadowFault::ReleasedTwice { name: Self::name_of(func, name) });
        }
    }

    /// The array itself, if there is one reference, or a copy of it that replaces one.
    pub fn unique(&mut self, func: &LoopFunc, block: Block, name: LocalId) -> Block {
        let Some(held) = self.get(block).filter(|held| held.references != 1) else { return block };
        let (data, written) = (held.data.clone(), held.written.clone());
        self.release(func, block);
        self.add(Held { data, written, references: 1, name, foreign: false })
    }

    /// The elements of a result, whose reference is given away.
    pub fn given(&mut self, func: &LoopFunc, block: Block) -> Data {
        let Some(held) = self.get(block) else { return Data::F64(Vec::new()) };
        let (data, name) = (held.data.clone(), held.name);
        let unwritten = held.written.iter().position(|written| !written);
        self.alive(func, block, name);
        if let Some(place) = unwritten {
            let name = Self::name_of(func, name);
            self.fault(ShadowFault::Unwritten { name, place: place as i64 });
        }
        self.release(func, block);
        data
    }

    /// Reports the arrays that are still held.
    pub fn leaks(&mut self, func: &LoopFunc) {
        let left: Vec<(LocalId, i64)> = self.blocks.iter().map(|held| (held.name, held.references)).collect();
        for (name, references) in left.into_iter().filter(|(_, references)| *references > 0) {
            self.fault(ShadowFault::Leaked { name: Self::name_of(func, name), references });
        }
    }

    // Elements.

    /// The element at an address, if there is one.
    fn reach(&mut self, func: &LoopFunc, address: Address, stored: bool) -> Option<Element> {
        self.alive(func, address.block, address.name);
        let length = self.length(address.block);
        let place = usize::try_from(address.at).ok().filter(|&place| place < length);
        let Some(place) = place else {
            let name = Self::name_of(func, address.name);
            self.fault(ShadowFault::Outside { name, place: address.at, length, stored });
            return None;
        };
        let element = (address.block, place);
        let mut races = Vec::new();
        for frame in &mut self.frames {
            let met = frame.touch(address, element, stored);
            races.extend(met.map(|other| [other, frame.iteration]));
        }
        for iterations in races {
            let name = Self::name_of(func, address.name);
            self.fault(ShadowFault::Race { name, place: place as i64, iterations });
        }
        if self.in_kernel {
            self.named(func, address, element, stored);
        }
        Some(element)
    }

    /// Records the name under which an element is touched.
    fn named(&mut self, func: &LoopFunc, address: Address, element: Element, stored: bool) {
        let named = self.names.entry(element).or_default();
        let other = |of: Option<LocalId>| of.filter(|&name| name != address.name);
        let met = if stored { other(named.stored).or(other(named.loaded)) } else { other(named.stored) };
        *(if stored { &mut named.stored } else { &mut named.loaded }) = Some(address.name);
        if let Some(met) = met {
            let (this, met) = (Self::name_of(func, address.name), Self::name_of(func, met));
            let names = if stored { [this, met] } else { [met, this] };
            self.fault(ShadowFault::TwoNames { names, place: element.1 as i64 });
        }
    }

    pub fn load(&mut self, func: &LoopFunc, address: Address) -> Option<Const> {
        let (block, place) = self.reach(func, address, false)?;
        let held = self.get(block)?;
        let (value, written) = (held.data.get(place), held.written.get(place) == Some(&true));
        if !written {
            let name = Self::name_of(func, address.name);
            self.fault(ShadowFault::Unwritten { name, place: address.at });
        }
        value
    }

    pub fn store(&mut self, func: &LoopFunc, address: Address, value: Const) {
        let Some((block, place)) = self.reach(func, address, true) else { return };
        let Some(held) = self.get_mut(block) else { return };
        let shared = held.references > 1 || held.foreign;
        let _ = held.data.set(place, value);
        held.written.get_mut(place).into_iter().for_each(|written| *written = true);
        if shared {
            self.fault(ShadowFault::Shared { name: Self::name_of(func, address.name) });
        }
    }
}
