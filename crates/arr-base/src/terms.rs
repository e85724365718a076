//! The terms of a polynomial: a sorted list, in place where it is short, as nearly every one is.

use smallvec::SmallVec;

/// A sorted list of variables, with repetition.
pub type Monomial<V> = SmallVec<[V; 2]>;

/// The number of terms that need no memory of their own.
const SHORT: usize = 2;

/// By monomial, ascending, a coefficient.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Terms<V> {
    sorted: SmallVec<[(Monomial<V>, i64); SHORT]>,
}

impl<V> Default for Terms<V> {
    fn default() -> Self {
        Terms::new()
    }
}

impl<V> Terms<V> {
    /// No terms.
    pub const fn new() -> Self {
        Terms { sorted: SmallVec::new_const() }
    }

    pub fn len(&self) -> usize {
        self.sorted.len()
    }

    pub fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }

    pub fn iter(&self) -> Iter<'_, V> {
        self.sorted.iter().map(pair as Pair<V>)
    }

    pub fn keys(&self) -> impl Iterator<Item = &Monomial<V>> + Clone {
        self.sorted.iter().map(|(m, _)| m)
    }

    pub fn values(&self) -> impl Iterator<Item = &i64> {
        self.sorted.iter().map(|(_, c)| c)
    }

    /// The coefficients, of which none becomes zero.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut i64> {
        self.sorted.iter_mut().map(|(_, c)| c)
    }

    /// Keeps the terms for which `keep` holds.
    pub fn retain(&mut self, mut keep: impl FnMut(&Monomial<V>, &mut i64) -> bool) {
        self.sorted.retain(|(m, c)| keep(m, c));
    }
}

impl<V: Ord> Terms<V> {
    fn place(&self, monomial: &[V]) -> Result<usize, usize> {
        // Most lists have one to three terms.
        for (at, (m, _)) in self.sorted.iter().enumerate() {
            match m.as_slice().cmp(monomial) {
                std::cmp::Ordering::Less => {}
                std::cmp::Ordering::Equal => return Ok(at),
                std::cmp::Ordering::Greater => return Err(at),
            }
        }
        Err(self.sorted.len())
    }

    /// The coefficient of a sorted monomial.
    pub fn get(&self, monomial: &[V]) -> Option<&i64> {
        let at = self.place(monomial).ok()?;
        self.sorted.get(at).map(|(_, c)| c)
    }

    /// Takes a term out.
    pub fn remove(&mut self, monomial: &[V]) -> Option<i64> {
        let at = self.place(monomial).ok()?;
        Some(self.sorted.remove(at).1)
    }

    /// Adds to the coefficient of a monomial, whose variables are in any order, wrapping.
    pub fn add(&mut self, variables: impl IntoIterator<Item = V>, coefficient: i64) {
        let mut monomial: Monomial<V> = variables.into_iter().collect();
        monomial.sort_unstable();
        match self.place(&monomial) {
            Err(at) if coefficient != 0 => self.sorted.insert(at, (monomial, coefficient)),
            Err(_) => {}
            Ok(at) => {
                let Some((_, c)) = self.sorted.get_mut(at) else { return };
                *c = c.wrapping_add(coefficient);
                if *c == 0 {
                    self.sorted.remove(at);
                }
            }
        }
    }
}

impl<V: Ord> Terms<V> {
    /// Whether a condition holds for each term of `scale` times these and `times` the others, wrapping; in their order, up to the
    /// first for which it does not.
    pub fn all_of_sum(
        &self,
        scale: i64,
        others: &Self,
        times: i64,
        mut holds: impl FnMut(&Monomial<V>, i64) -> bool,
    ) -> bool {
        let (mut mine, mut theirs) = (self.sorted.iter().peekable(), others.sorted.iter().peekable());
        loop {
            let order = match (mine.peek(), theirs.peek()) {
                (Some((m, _)), Some((n, _))) => m.cmp(n),
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => std::cmp::Ordering::Greater,
                (None, None) => return true,
            };
            let own = if order.is_le() { mine.next() } else { None };
            let other = if order.is_ge() { theirs.next() } else { None };
            let part = |term: Option<&(Monomial<V>, i64)>, times: i64| term.map_or(0, |(_, c)| c.wrapping_mul(times));
            let coefficient = part(own, scale).wrapping_add(part(other, times));
            if let Some((m, _)) = own.or(other)
                && coefficient != 0
                && !holds(m, coefficient)
            {
                return false;
            }
        }
    }
}

impl<V: Ord + Clone> Terms<V> {
    /// The sum of `scale` times these terms and `times` the others, wrapping.
    pub fn sum(&self, scale: i64, others: &Self, times: i64) -> Self {
        let mut sum = Terms { sorted: SmallVec::with_capacity(self.len() + others.len()) };
        self.all_of_sum(scale, others, times, |m, c| {
            sum.sorted.push((m.clone(), c));
            true
        });
        sum
    }
}

fn pair<V>((m, c): &(Monomial<V>, i64)) -> (&Monomial<V>, &i64) {
    (m, c)
}

/// The terms by reference, as those of a map.
pub type Iter<'a, V> = std::iter::Map<std::slice::Iter<'a, (Monomial<V>, i64)>, Pair<V>>;
type Pair<V> = fn(&(Monomial<V>, i64)) -> (&Monomial<V>, &i64);

impl<'a, V> IntoIterator for &'a Terms<V> {
    type Item = (&'a Monomial<V>, &'a i64);
    type IntoIter = Iter<'a, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<V> IntoIterator for Terms<V> {
    type Item = (Monomial<V>, i64);
    type IntoIter = smallvec::IntoIter<[(Monomial<V>, i64); SHORT]>;

    fn into_iter(self) -> Self::IntoIter {
        self.sorted.into_iter()
    }
}

impl<V: Ord, M: IntoIterator<Item = V>> FromIterator<(M, i64)> for Terms<V> {
    fn from_iter<I: IntoIterator<Item = (M, i64)>>(terms: I) -> Self {
        let mut sum = Terms::default();
        terms.into_iter().for_each(|(variables, coefficient)| sum.add(variables, coefficient));
        sum
    }
}

impl<V: serde::Serialize> serde::Serialize for Terms<V> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.sorted.iter().map(|(m, c)| (m.as_slice(), c)))
    }
}

impl<'de, V: serde::Deserialize<'de> + Ord> serde::Deserialize<'de> for Terms<V> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let terms: Vec<(Vec<V>, i64)> = serde::Deserialize::deserialize(deserializer)?;
        Ok(terms.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Numbers without a pattern, of which each seed has its own.
    fn next(state: &mut u64) -> u64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *state >> 33
    }

    fn monomial(state: &mut u64) -> Monomial<u8> {
        let mut monomial: Monomial<u8> = (0..next(state) % 4).map(|_| (next(state) % 3) as u8).collect();
        monomial.sort_unstable();
        monomial
    }

    fn as_map(terms: &Terms<u8>) -> BTreeMap<Vec<u8>, i64> {
        terms.iter().map(|(m, &c)| (m.to_vec(), c)).collect()
    }

    fn added(map: &mut BTreeMap<Vec<u8>, i64>, monomial: &[u8], coefficient: i64) {
        let sum = map.entry(monomial.to_vec()).or_insert(0);
        *sum = sum.wrapping_add(coefficient);
        map.retain(|_, c| *c != 0);
    }

    #[test]
    fn they_are_an_ordered_map() {
        let mut state = 1;
        for _ in 0..200 {
            let (mut terms, mut map) = (Terms::default(), BTreeMap::new());
            let (mut others, mut other_map) = (Terms::default(), BTreeMap::new());
            for _ in 0..next(&mut state) % 12 {
                let coefficients = [0, 1, -1, 2, i64::MAX, i64::MIN];
                let (m, c) = (monomial(&mut state), coefficients[next(&mut state) as usize % 6]);
                added(&mut map, &m, c);
                terms.add(m, c);
                let (m, c) = (monomial(&mut state), coefficients[next(&mut state) as usize % 6]);
                added(&mut other_map, &m, c);
                others.add(m, c);
            }
            assert_eq!(as_map(&terms), map);
            assert!(terms.keys().is_sorted());
            for (scale, times) in [(1, 1), (1, -1), (3, -2), (i64::MIN, 2)] {
                let mut sum = BTreeMap::new();
                map.iter().for_each(|(m, c)| added(&mut sum, m, c.wrapping_mul(scale)));
                other_map.iter().for_each(|(m, c)| added(&mut sum, m, c.wrapping_mul(times)));
                assert_eq!(as_map(&terms.sum(scale, &others, times)), sum);
                let negative = sum.values().any(|&c| c < 0);
                assert_eq!(terms.all_of_sum(scale, &others, times, |_, c| c >= 0), !negative);
            }
            let m = monomial(&mut state);
            assert_eq!(terms.get(&m), map.get(m.as_slice()));
            assert_eq!(terms.cmp(&others), map.iter().cmp(other_map.iter()));
            assert_eq!(terms.remove(&m), map.remove(m.as_slice()));
            assert_eq!(as_map(&terms), map);
        }
    }
}
