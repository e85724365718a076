//! Maps from ids that are copied often.

use crate::Id;
use std::marker::PhantomData;
use std::rc::Rc;

/// The number of neighbouring ids that are copied together.
const BLOCK: usize = 16;

type Block<T> = [Option<T>; BLOCK];

/// A map from dense ids, with the methods of the standard maps. Copies share the values of neighbouring ids until one of
/// the two changes them, so a copy takes time and memory for a sixteenth of the ids.
#[derive(Clone, Debug)]
pub struct IdMap<I, T> {
    blocks: Vec<Option<Rc<Block<T>>>>,
    id: PhantomData<fn() -> I>,
}

impl<I, T> Default for IdMap<I, T> {
    fn default() -> Self {
        IdMap { blocks: Vec::new(), id: PhantomData }
    }
}

impl<I: Id, T> IdMap<I, T> {
    pub fn get(&self, id: &I) -> Option<&T> {
        let block = self.blocks.get(id.index() / BLOCK)?.as_ref()?;
        block[id.index() % BLOCK].as_ref()
    }

    pub fn contains_key(&self, id: &I) -> bool {
        self.get(id).is_some()
    }

    /// The ids that have a value, with it, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = (I, &T)> {
        let filled = self.blocks.iter().enumerate().filter_map(|(k, block)| Some((k, block.as_ref()?)));
        filled.flat_map(|(k, block)| {
            let place = move |(j, value)| (I::from_index(k * BLOCK + j), value);
            block.iter().enumerate().map(place).filter_map(|(id, value): (I, &Option<T>)| Some((id, value.as_ref()?)))
        })
    }
}

impl<I: Id, T: Clone> IdMap<I, T> {
    /// The value of an id, to be changed.
    pub fn get_mut(&mut self, id: &I) -> Option<&mut T> {
        if !self.contains_key(id) {
            return None;
        }
        let block = self.blocks.get_mut(id.index() / BLOCK)?.as_mut()?;
        Rc::make_mut(block)[id.index() % BLOCK].as_mut()
    }

    /// The place of an id's value.
    fn place(&mut self, id: I) -> &mut Option<T> {
        let at = id.index() / BLOCK;
        if at >= self.blocks.len() {
            self.blocks.resize_with(at + 1, || None);
        }
        let block = self.blocks[at].get_or_insert_with(|| Rc::new([const { None }; BLOCK]));
        &mut Rc::make_mut(block)[id.index() % BLOCK]
    }

    /// Gives an id a value, and returns the one that it had.
    pub fn insert(&mut self, id: I, value: T) -> Option<T> {
        self.place(id).replace(value)
    }

    /// Takes the value of an id away.
    pub fn remove(&mut self, id: &I) -> Option<T> {
        if !self.contains_key(id) {
            return None;
        }
        self.place(*id).take()
    }
}

impl<I: Id, T: Clone + Default> IdMap<I, T> {
    /// The value of an id, after the default was inserted where there was none.
    pub fn or_default(&mut self, id: I) -> &mut T {
        self.place(id).get_or_insert_default()
    }
}

impl<I: Id, T: Clone> FromIterator<(I, T)> for IdMap<I, T> {
    fn from_iter<L: IntoIterator<Item = (I, T)>>(list: L) -> Self {
        let mut map = IdMap::default();
        list.into_iter().for_each(|(id, value)| drop(map.insert(id, value)));
        map
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    crate::define_id!(
        /// A row.
        Row,
        "r"
    );

    fn pairs(map: &IdMap<Row, u64>) -> BTreeMap<Row, u64> {
        map.iter().map(|(id, value)| (id, *value)).collect()
    }

    #[test]
    fn it_is_a_map_and_copies_are_apart() {
        let (mut state, mut map, mut meant) = (7u64, IdMap::default(), BTreeMap::new());
        let mut copies = Vec::new();
        for turn in 0..2000u64 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let id = Row::from_index((state >> 33) as usize % 90);
            match (state >> 20) % 5 {
                0 | 1 => assert_eq!(map.insert(id, turn), meant.insert(id, turn)),
                2 => assert_eq!(map.remove(&id), meant.remove(&id)),
                3 => assert_eq!(map.get_mut(&id).map(|v| *v += 1), meant.get_mut(&id).map(|v| *v += 1)),
                _ => {
                    *map.or_default(id) += 1;
                    *meant.entry(id).or_default() += 1;
                }
            }
            assert_eq!(map.get(&id), meant.get(&id));
            assert_eq!(map.contains_key(&id), meant.contains_key(&id));
            if turn % 100 == 0 {
                copies.push((map.clone(), meant.clone()));
            }
        }
        copies.push((map, meant));
        copies.into_iter().for_each(|(map, meant)| assert_eq!(pairs(&map), meant));
    }
}
