//! Where arrays are kept, without allocation and without reference counts.
//!
//! Every statement that makes an array is a *site* with places in the caller's workspace, which are known before the
//! function begins. References live in names only, so that an array is in use exactly if a name that is still read
//! stands for it: `flow` says what a name can stand for, `live` which are still read. A site has one place more than
//! there are names that can stand for its arrays while it makes another, and takes one that none of them has, which
//! is found by comparing addresses. `unique` works in place if no other name that is still read can stand for the
//! array, and compares addresses otherwise.
//!
//! A variable that is changed in place never stands for an argument: what reaches it from there is copied first.

mod extent;
mod flow;
mod live;
mod share;

pub(crate) use extent::{Bound, Capacity, Known, Length};
pub(crate) use flow::for_each_body;
pub(crate) use live::Maker;

use crate::Error;
use arr_ir::Scalar;
use arr_loops::{LiteralId, LocalId, LoopFunc, Stmt};
use flow::{Flow, Reach};
use std::collections::{BTreeMap, BTreeSet};

/// The origin of arrays.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Site {
    Param(LocalId),
    Literal(LiteralId),
    /// An `alloc` of this name.
    Alloc(LocalId),
    /// The copy that a `unique` of this name makes.
    Unique(LocalId),
    /// The copy of the second that the first takes.
    Copy(LocalId, LocalId),
}

impl Site {
    /// Whether it may not be written.
    fn is_external(&self) -> bool {
        matches!(self, Site::Param(_) | Site::Literal(_))
    }
}

/// The memory of a site.
#[derive(Clone, Debug)]
pub(crate) struct Room {
    pub site: Site,
    pub elem: Scalar,
    pub capacity: Capacity,
    pub places: usize,
    /// The result that is built there.
    pub output: Option<usize>,
    /// The site whose memory it uses too, as their arrays are never needed at one time.
    pub shares: Option<Site>,
}

impl Room {
    /// Whether it is a part of the workspace that no earlier room is.
    pub fn is_owner(&self) -> bool {
        self.output.is_none() && self.shares.is_none()
    }
}

/// How a statement makes an array.
#[derive(Clone, Debug)]
pub(crate) struct Make {
    pub site: Site,
    /// The names whose places are taken.
    pub rivals: Vec<LocalId>,
}

/// How a `unique` makes its array.
#[derive(Clone, Debug)]
pub(crate) enum Unique {
    InPlace,
    Copy(Make),
    /// In place unless one of the names has the same array.
    Test(Vec<LocalId>, Make),
}

/// The memory of a function.
#[derive(Debug)]
pub(crate) struct Memory {
    pub rooms: Vec<Room>,
    /// For each `alloc`, and each `set` and `var` that copies.
    pub makes: BTreeMap<Maker, Make>,
    pub uniques: BTreeMap<LocalId, Unique>,
    /// How many elements the array of a name has, in the ways in which its sites say it.
    lengths: BTreeMap<LocalId, Vec<Length>>,
    /// The sizes of arrays that have the room which the caller gives.
    pub roomy: BTreeSet<LocalId>,
    /// Names that stand for arrays of one site, which has one place.
    pub fixed: BTreeMap<LocalId, Site>,
    /// Names that can stand for an argument or a constant.
    pub read_only: BTreeSet<LocalId>,
    pub known: Known,
}

impl Memory {
    /// Plans the memory of a function. Fails if the function is not well formed.
    pub fn of(func: &LoopFunc) -> Result<Memory, Error> {
        let flow = Flow::of(func)?;
        let live = live::live(func, &flow);
        let mut plan =
            Plan { func, flow, live, copied: BTreeSet::new(), copying: BTreeSet::new(), reach: Reach::new() };
        plan.settle();
        plan.memory()
    }

    /// How many elements the array has that a name stands for; of several answers all are right.
    pub fn lengths(&self, local: LocalId) -> &[Length] {
        self.lengths.get(&local).map_or(&[], Vec::as_slice)
    }

    /// Whether an array has the room that the caller gives.
    pub fn takes_room(&self) -> bool {
        !self.roomy.is_empty()
    }
}

struct Plan<'a> {
    func: &'a LoopFunc,
    flow: Flow,
    live: BTreeMap<Maker, BTreeSet<LocalId>>,
    /// Moves `(from, to)` that copy.
    copied: BTreeSet<(LocalId, LocalId)>,
    /// The results of `unique` that may be copies.
    copying: BTreeSet<LocalId>,
    reach: Reach,
}

impl Plan<'_> {
    /// Finds what is copied: first what the rule for arguments demands, then the fewest `unique`s.
    fn settle(&mut self) {
        let plain = self.flow.reach(&|_, _| None, &|_| (true, false));
        let owned = self.flow.owned(&plain);
        let external = |local: &LocalId| plain.get(local).is_some_and(|sites| sites.iter().all(Site::is_external));
        self.copied = self.flow.moves.iter().filter(|m| owned.contains(&m.1) && external(&m.0)).copied().collect();
        self.copying = self.flow.uniques.iter().map(|u| u.1).collect();
        loop {
            let copied = |from, to| self.copied.contains(&(from, to)).then_some(Site::Copy(to, from));
            let unique = |result: LocalId| (!self.is_read_on(result), self.copying.contains(&result));
            self.reach = self.flow.reach(&copied, &unique);
            let needed: BTreeSet<LocalId> = self
                .flow
                .uniques
                .iter()
                .filter(|u| self.is_external(u.0) || self.is_read_on(u.1) || !self.aliases(u.0, u.1).is_empty())
                .map(|u| u.1)
                .collect();
            let kept: BTreeSet<LocalId> = self.copying.intersection(&needed).copied().collect();
            if kept == self.copying {
                return;
            }
            self.copying = kept;
        }
    }

    /// Whether the name that a `unique` takes is still read behind it: then the result is a copy.
    fn is_read_on(&self, result: LocalId) -> bool {
        let buffer = self.flow.uniques.iter().find(|u| u.1 == result).map(|u| u.0);
        self.behind(Maker { local: result, from: None }).any(|local| Some(local) == buffer)
    }

    fn sites(&self, local: LocalId) -> BTreeSet<Site> {
        self.reach.get(&local).cloned().unwrap_or_default()
    }

    fn is_external(&self, local: LocalId) -> bool {
        self.reach.get(&local).is_some_and(|sites| sites.iter().all(Site::is_external))
    }

    fn behind(&self, maker: Maker) -> impl Iterator<Item = LocalId> + '_ {
        self.live.get(&maker).into_iter().flatten().copied().filter(move |&q| q != maker.local)
    }

    /// The other names that may still read the array that a `unique` takes.
    fn aliases(&self, buffer: LocalId, result: LocalId) -> Vec<LocalId> {
        let own = self.sites(buffer);
        let maker = Maker { local: result, from: None };
        self.behind(maker).filter(|&q| !self.sites(q).is_disjoint(&own)).collect()
    }

    /// The names that may have a place of a site while it makes another array; `source` is copied from.
    fn make(&self, maker: Maker, site: Site, source: Option<LocalId>) -> Make {
        let mut rivals: Vec<LocalId> = self.behind(maker).filter(|&q| self.sites(q).contains(&site)).collect();
        rivals.extend(source.filter(|&s| self.sites(s).contains(&site) && !rivals.contains(&s)));
        Make { site, rivals }
    }

    fn memory(self) -> Result<Memory, Error> {
        let mut known = Known::of(self.func);
        let mut makes = BTreeMap::new();
        for &(site, local) in &self.flow.sources {
            if !site.is_external() {
                let maker = Maker { local, from: None };
                makes.insert(maker, self.make(maker, site, None));
            }
        }
        for &(from, local) in &self.copied {
            let maker = Maker { local, from: Some(from) };
            makes.insert(maker, self.make(maker, Site::Copy(local, from), Some(from)));
        }
        let uniques: BTreeMap<LocalId, Unique> =
            self.flow.uniques.iter().map(|&(buffer, result)| (result, self.unique(buffer, result))).collect();
        let (made, capacities) = self.made(&mut known);
        let mut rooms: BTreeMap<Site, Room> = BTreeMap::new();
        let copies = uniques.values().filter_map(|u| match u {
            Unique::InPlace => None,
            Unique::Copy(make) | Unique::Test(_, make) => Some(make),
        });
        for make in makes.values().chain(copies) {
            let (Site::Alloc(local) | Site::Unique(local) | Site::Copy(local, _)) = make.site else { continue };
            let capacity = self.capacity_of(local, &capacities, &mut BTreeSet::new());
            let capacity = capacity.ok_or(Error::Internal("an array without a length"))?;
            let room = Room {
                site: make.site,
                elem: self.func.ty(local).elem(),
                capacity,
                places: 0,
                output: None,
                shares: None,
            };
            let room = rooms.entry(make.site).or_insert(room);
            room.places = room.places.max(make.rivals.len() + 1);
        }
        let read_only = self.reach.iter().filter(|(_, sites)| sites.iter().any(Site::is_external)).map(|r| *r.0);
        let mut rooms: Vec<Room> = rooms.into_values().collect();
        self.outputs(&mut rooms);
        share::share(&mut rooms, &self.overlaps(&makes, &uniques));
        let lengths = self.reach.keys().map(|&l| (l, self.lengths_of(l, &made, &mut BTreeSet::new()))).collect();
        let read_only = read_only.collect();
        let fixed = self.fixed(&rooms);
        let roomy = roomy(self.func, &mut known);
        Ok(Memory { rooms, makes, uniques, lengths, roomy, fixed, read_only, known })
    }

    fn unique(&self, buffer: LocalId, result: LocalId) -> Unique {
        if !self.copying.contains(&result) {
            return Unique::InPlace;
        }
        let make = self.make(Maker { local: result, from: None }, Site::Unique(result), Some(buffer));
        let aliases = self.aliases(buffer, result);
        if self.is_external(buffer) || self.is_read_on(result) {
            return Unique::Copy(make);
        }
        Unique::Test(aliases, make)
    }

    /// The pairs of sites that have arrays at one time: when the first makes one, the second's is still read.
    fn overlaps(&self, makes: &BTreeMap<Maker, Make>, uniques: &BTreeMap<LocalId, Unique>) -> BTreeSet<(Site, Site)> {
        let mut pairs = BTreeSet::new();
        let mut add = |maker: Maker, site: Site, source: Option<LocalId>| {
            for local in self.behind(maker).chain(source) {
                pairs.extend(self.sites(local).into_iter().filter(|&other| other != site).map(|other| (site, other)));
            }
        };
        for (&maker, make) in makes {
            add(maker, make.site, maker.from);
        }
        for &(buffer, result) in &self.flow.uniques {
            if let Some(Unique::Copy(make) | Unique::Test(_, make)) = uniques.get(&result) {
                add(Maker { local: result, from: None }, make.site, Some(buffer));
            }
        }
        pairs
    }

    /// The names that stand for arrays of one site, which has one place.
    fn fixed(&self, rooms: &[Room]) -> BTreeMap<LocalId, Site> {
        let single = |site: &Site| rooms.iter().any(|room| room.site == *site && room.places == 1);
        let one = |(local, sites): (&LocalId, &BTreeSet<Site>)| match sites.iter().collect::<Vec<_>>().as_slice() {
            [site] if single(site) => Some((*local, **site)),
            _ => None,
        };
        self.reach.iter().filter_map(one).collect()
    }

    /// Lets arrays that are results, and nothing else, be built where results are wanted.
    fn outputs(&self, rooms: &mut [Room]) {
        let results: Vec<(usize, BTreeSet<Site>)> = self
            .func
            .outputs
            .iter()
            .enumerate()
            .filter_map(|(at, o)| Some((at, self.sites(o.value.as_local()?))))
            .collect();
        for (at, sites) in &results {
            let others = results.iter().filter(|(other, s)| other != at && !s.is_disjoint(sites)).count();
            if sites.len() != 1 || others > 0 {
                continue;
            }
            let room = rooms.iter_mut().find(|room| sites.contains(&room.site) && room.places == 1);
            room.into_iter().for_each(|room| room.output = Some(*at));
        }
    }

    /// The lengths of all sites but copies, and their room.
    fn made(&self, known: &mut Known) -> (BTreeMap<Site, Length>, BTreeMap<Site, Capacity>) {
        let (mut lengths, mut capacities) = (BTreeMap::new(), BTreeMap::new());
        let mut add = |site: Site, length: Length, capacity: Option<Capacity>| {
            capacities.insert(site, capacity.unwrap_or_else(|| Capacity::Same(length.clone())));
            lengths.insert(site, length);
        };
        for param in &self.func.params {
            add(Site::Param(param.local), Length::Param(param.local), None);
        }
        for (id, literal) in self.func.literals.iter() {
            add(Site::Literal(id), Length::Constant(literal.data.len()), None);
        }
        for_each_body(&self.func.body, &mut |stmt| {
            if let Stmt::Alloc { local, dims, .. } = stmt {
                add(Site::Alloc(*local), Known::length(dims), Some(known.capacity(dims)));
            }
        });
        (lengths, capacities)
    }

    /// The room of a name's array. Copies need as much as what they are copies of.
    fn capacity_of(
        &self,
        local: LocalId,
        made: &BTreeMap<Site, Capacity>,
        seen: &mut BTreeSet<LocalId>,
    ) -> Option<Capacity> {
        if !seen.insert(local) {
            return None;
        }
        self.sites(local).iter().find_map(|site| match self.copied_from(*site) {
            Some(from) => self.capacity_of(from, made, seen),
            None => made.get(site).cloned(),
        })
    }

    fn lengths_of(&self, local: LocalId, made: &BTreeMap<Site, Length>, seen: &mut BTreeSet<LocalId>) -> Vec<Length> {
        if !seen.insert(local) {
            return Vec::new();
        }
        let of = |site: &Site| match self.copied_from(*site) {
            Some(from) => self.lengths_of(from, made, seen),
            None => made.get(site).cloned().into_iter().collect(),
        };
        let mut lengths: Vec<Length> = self.sites(local).iter().flat_map(of).collect();
        lengths.dedup();
        lengths
    }

    /// The name that a site copies.
    fn copied_from(&self, site: Site) -> Option<LocalId> {
        match site {
            Site::Copy(_, from) => Some(from),
            Site::Unique(result) => self.flow.uniques.iter().find(|u| u.1 == result).map(|u| u.0),
            Site::Param(_) | Site::Literal(_) | Site::Alloc(_) => None,
        }
    }
}

/// The sizes that have the room which the caller gives.
fn roomy(func: &LoopFunc, known: &mut Known) -> BTreeSet<LocalId> {
    let mut roomy = BTreeSet::new();
    for_each_body(&func.body, &mut |stmt| {
        if let Stmt::Alloc { dims, .. } = stmt
            && let Capacity::Product(bounds) = known.capacity(dims)
        {
            roomy.extend(
                dims.iter()
                    .zip(bounds)
                    .filter(|(_, bound)| *bound == Bound::Room)
                    .filter_map(|(dim, _)| dim.as_local()),
            );
        }
    });
    roomy
}
