//! Memory that several sites use one after the other.
//!
//! Arrays of one type and length share it where none is still read when another is made; the first site that fits is
//! taken.

use super::{Room, Site};
use std::collections::BTreeSet;

/// Decides which rooms share; `overlaps` are the pairs of sites that do not.
pub(super) fn share(rooms: &mut [Room], overlaps: &BTreeSet<(Site, Site)>) {
    let apart = |a: Site, b: Site| overlaps.contains(&(a, b)) || overlaps.contains(&(b, a));
    // The owners so far, by their rows, and the sites in their memory.
    let mut owners: Vec<(usize, Vec<Site>)> = Vec::new();
    for row in 0..rooms.len() {
        let Some(room) = rooms.get(row).filter(|room| room.output.is_none()).cloned() else { continue };
        let fits = |(owner, sites): &(usize, Vec<Site>)| {
            let same = rooms.get(*owner).is_some_and(|o| o.elem == room.elem && o.capacity == room.capacity);
            same && sites.iter().all(|&site| !apart(site, room.site))
        };
        let found = owners.iter().position(fits);
        let Some((owner, sites)) = found.and_then(|at| owners.get_mut(at)) else {
            owners.push((row, vec![room.site]));
            continue;
        };
        sites.push(room.site);
        let owner = *owner;
        let site = rooms.get(owner).map(|o| o.site);
        if let Some(owner) = rooms.get_mut(owner) {
            owner.places = owner.places.max(room.places);
        }
        if let Some(room) = rooms.get_mut(row) {
            room.shares = site;
        }
    }
}
