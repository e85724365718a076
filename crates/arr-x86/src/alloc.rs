//! Registers for virtual registers: linear scan over live intervals without holes (Poletto and Sarkar, 1999), the least
//! used spilled first. Constants and inputs are in memory anyway, and cost less to spill.

use crate::Isa;
use crate::lir::{Class, Home, Inst, Opcode, Reg, Section};
use std::collections::{HashMap, HashSet};

/// Registers of each class available for values; the others are scratch registers of the emitter.
pub fn available(isa: Isa, class: Class) -> usize {
    match (class, isa) {
        (Class::Vector, Isa::Avx512) => 30,
        (Class::Vector, Isa::Avx2) => 13,
        (Class::Mask, Isa::Avx512) => 5,
        (Class::Mask, Isa::Avx2) => 0,
        (Class::General, _) => 11,
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Location {
    /// A register of its class.
    In(usize),
    /// Spilled: bytes from the start of the section's spill area. No other value is there.
    Frame(usize),
    /// The constants or the environment, where it already was.
    Home,
    Unused,
}

#[derive(Debug)]
pub struct Allocation {
    pub places: Vec<Location>,
    pub spill_bytes: usize,
    /// Values that are stored and loaded.
    pub spills: usize,
}

#[derive(Clone, Debug)]
struct Interval {
    reg: Reg,
    start: usize,
    end: usize,
    weight: f64,
    hints: Vec<Reg>,
}

pub fn allocate(section: &mut Section, isa: Isa) -> Allocation {
    coalesce(section);
    let mut intervals = intervals(section);
    intervals.sort_by_key(|i| (i.start, i.reg));
    let mut places = vec![Location::Unused; section.regs.len()];
    for class in [Class::Vector, Class::Mask, Class::General] {
        let of_class = |i: &&Interval| section.regs.get(i.reg.index()).is_some_and(|r| r.class == class);
        let own: Vec<&Interval> = intervals.iter().filter(of_class).collect();
        scan(&own, available(isa, class), &mut places);
    }
    let (mut spill_bytes, mut spills) = (0, 0);
    // Vectors first: they stay aligned.
    for vectors in [true, false] {
        for (place, info) in places.iter_mut().zip(&section.regs) {
            if *place == Location::Home && info.home == Home::Frame && vectors == (info.class == Class::Vector) {
                *place = Location::Frame(spill_bytes);
                spill_bytes += if vectors { isa.bytes() } else { 8 };
                spills += usize::from(info.class != Class::General);
            }
        }
    }
    Allocation { places, spill_bytes, spills }
}

fn scan(intervals: &[&Interval], count: usize, places: &mut [Location]) {
    let mut free: Vec<bool> = vec![true; count];
    let mut active: Vec<&Interval> = Vec::new();
    for current in intervals {
        active.retain(|i| {
            let over = i.end < current.start;
            if over && let Some(Location::In(r)) = places.get(i.reg.index()) {
                free.get_mut(*r).into_iter().for_each(|f| *f = true);
            }
            !over
        });
        let hinted = current.hints.iter().find_map(|hint| match places.get(hint.index()) {
            Some(&Location::In(r)) if free.get(r) == Some(&true) => Some(r),
            _ => None,
        });
        let mut register = hinted.or_else(|| free.iter().position(|&f| f));
        if register.is_none() {
            let least = active.iter().enumerate().min_by(|(_, a), (_, b)| a.weight.total_cmp(&b.weight));
            if let Some((k, victim)) = least.filter(|(_, victim)| victim.weight < current.weight) {
                if let Some(place) = places.get_mut(victim.reg.index()) {
                    register = if let Location::In(r) = *place { Some(r) } else { None };
                    *place = Location::Home;
                }
                active.remove(k);
            }
        }
        let place = match register {
            Some(r) => {
                free.get_mut(r).into_iter().for_each(|f| *f = false);
                active.push(current);
                Location::In(r)
            }
            None => Location::Home,
        };
        places.get_mut(current.reg.index()).into_iter().for_each(|p| *p = place);
    }
}

/// A value is read at twice its instruction's number, and written just after that.
fn intervals(section: &Section) -> Vec<Interval> {
    let mut found: HashMap<Reg, Interval> = HashMap::new();
    let mut depth = 0;
    let mut begins = Vec::new();
    let mut loops = Vec::new();
    for (k, inst) in section.insts.iter().enumerate() {
        match inst.code {
            Opcode::Begin => {
                begins.push(k);
                depth += 1;
            }
            Opcode::End => loops.extend(begins.pop().map(|begin| (begin, k))),
            _ => {}
        }
        let read = 2 * k + usize::from(inst.reads_late());
        for (reg, at) in inst.reads().map(|r| (r, read)).chain(inst.to.map(|r| (r, 2 * k + 1))) {
            let fresh = || Interval { reg, start: at, end: at, weight: 0.0, hints: Vec::new() };
            let interval = found.entry(reg).or_insert_with(fresh);
            interval.end = interval.end.max(at);
            interval.weight += 8f64.powi(depth);
        }
        if let Some(interval) = inst.to.and_then(|to| found.get_mut(&to)) {
            let order = if matches!(inst.code, Opcode::Fma(_)) { [2, 0, 1] } else { [0, 1, 2] };
            interval.hints.extend(order.iter().filter_map(|&k| inst.from.get(k)));
        }
        depth -= i32::from(inst.code == Opcode::End);
    }
    let mut list: Vec<Interval> = found.into_values().collect();
    // Inner loops end first, so that the intervals they extend are considered for the outer ones.
    let accesses = accesses(section);
    for interval in &mut list {
        for &(begin, end) in &loops {
            let inside = |&&at: &&usize| at >= begin && at <= end;
            let touched = accesses.get(&interval.reg).is_some_and(|all| all.iter().find(inside).is_some());
            if interval.start < 2 * begin && touched {
                interval.end = interval.end.max(2 * end + 1);
            }
        }
        if section.regs.get(interval.reg.index()).is_some_and(|r| r.home != Home::Frame) {
            interval.weight *= 0.25;
        }
    }
    list
}

/// The instructions that read or write each register.
fn accesses(section: &Section) -> HashMap<Reg, Vec<usize>> {
    let mut all: HashMap<Reg, Vec<usize>> = HashMap::new();
    for (k, inst) in section.insts.iter().enumerate() {
        for reg in inst.reads().chain(inst.to) {
            all.entry(reg).or_default().push(k);
        }
    }
    all
}

/// Computes a variable's next value in place, if nothing reads the variable between that and the assignment.
fn coalesce(section: &mut Section) {
    let accesses = accesses(section);
    let mut block = 0;
    let mut blocks = Vec::new();
    for inst in &section.insts {
        block += usize::from(matches!(inst.code, Opcode::Begin | Opcode::End));
        blocks.push(block);
    }
    let mut renamed: HashMap<Reg, Reg> = HashMap::new();
    let mut targets: HashSet<Reg> = HashSet::new();
    let mut gone = Vec::new();
    for (k, inst) in section.insts.iter().enumerate() {
        let (Opcode::Move, Some(variable), Some(&value)) = (inst.code, inst.to, inst.from.first()) else { continue };
        let Some(&[made, used]) = accesses.get(&value).map(Vec::as_slice) else { continue };
        let defined = section.insts.get(made).is_some_and(|i| i.to == Some(value) && !i.reads_late());
        let quiet = accesses.get(&variable).is_some_and(|all| !all.iter().any(|&at| at > made && at < k));
        let here = blocks.get(made) == blocks.get(k);
        let home = section.regs.get(value.index()).is_some_and(|r| r.home == Home::Frame);
        if used == k
            && made < k
            && defined
            && quiet
            && here
            && home
            && !renamed.contains_key(&variable)
            && !targets.contains(&value)
        {
            renamed.insert(value, variable);
            targets.insert(variable);
            gone.push(k);
        }
    }
    for inst in &mut section.insts {
        if let Some(to) = inst.to.as_mut()
            && let Some(&variable) = renamed.get(to)
        {
            *to = variable;
        }
    }
    let mut k = 0;
    section.insts.retain(|_: &Inst| {
        k += 1;
        gone.binary_search(&(k - 1)).is_err()
    });
}
