//! Polynomials with rational coefficients: numbers of operations and bytes.
//!
//! Sums over the points of an axis whose extent depends on outer indices, such as `sum i<n (sum j<i 1)`, have
//! denominators: `n^2/2 - n/2`. All coefficients of a polynomial share one.

use crate::VarId;
use std::collections::BTreeMap;

/// What a number may depend on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Symbol {
    /// A size, or another integer of the program.
    Var(VarId),
    /// An expression, by its number in [`super::Prediction::others`].
    Other(u32),
}

type Monomial = Vec<Symbol>;

/// A polynomial over symbols. Its coefficients saturate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Count {
    /// The numerators of the coefficients, none of which is zero; a monomial is sorted, with repetition.
    terms: BTreeMap<Monomial, i128>,
    /// Positive, and without a factor that all numerators have.
    denominator: i128,
}

impl Default for Count {
    fn default() -> Self {
        Count { terms: BTreeMap::new(), denominator: 1 }
    }
}

impl Count {
    pub fn of(value: i128) -> Count {
        Count::from_terms([(Vec::new(), value)], 1)
    }

    pub fn symbol(symbol: Symbol) -> Count {
        Count::from_terms([(vec![symbol], 1)], 1)
    }

    fn from_terms(terms: impl IntoIterator<Item = (Monomial, i128)>, denominator: i128) -> Count {
        let mut sums: BTreeMap<Monomial, i128> = BTreeMap::new();
        for (mut monomial, numerator) in terms {
            monomial.sort_unstable();
            let sum = sums.entry(monomial).or_default();
            *sum = sum.saturating_add(numerator);
        }
        sums.retain(|_, numerator| *numerator != 0);
        let common = sums.values().fold(denominator, |common, &numerator| gcd(common, numerator)).max(1);
        sums.values_mut().for_each(|numerator| *numerator /= common);
        Count { terms: sums, denominator: denominator / common }
    }

    /// The terms: monomial, numerator and denominator of the coefficient in lowest terms.
    pub fn terms(&self) -> impl Iterator<Item = (&[Symbol], i128, i128)> {
        self.terms.iter().map(|(monomial, &numerator)| {
            let common = gcd(numerator, self.denominator).max(1);
            (monomial.as_slice(), numerator / common, self.denominator / common)
        })
    }

    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    pub fn mentions(&self, symbol: Symbol) -> bool {
        self.terms.keys().any(|monomial| monomial.contains(&symbol))
    }

    /// Numerators over a denominator, which is a multiple of the polynomial's own.
    fn over(&self, denominator: i128) -> impl Iterator<Item = (Monomial, i128)> + '_ {
        let factor = denominator / self.denominator;
        self.terms.iter().map(move |(monomial, &numerator)| (monomial.clone(), numerator.saturating_mul(factor)))
    }

    pub fn add(&self, other: &Count) -> Count {
        let denominator = lcm(self.denominator, other.denominator);
        Count::from_terms(self.over(denominator).chain(other.over(denominator)), denominator)
    }

    pub fn sub(&self, other: &Count) -> Count {
        self.add(&other.scaled(-1, 1))
    }

    pub fn scaled(&self, numerator: i128, denominator: i128) -> Count {
        let scaled = self.terms.iter().map(|(monomial, n)| (monomial.clone(), n.saturating_mul(numerator)));
        Count::from_terms(scaled, self.denominator.saturating_mul(denominator))
    }

    pub fn mul(&self, other: &Count) -> Count {
        let products = self.terms.iter().flat_map(|(left, &a)| {
            other.terms.iter().map(move |(right, &b)| ([left.as_slice(), right].concat(), a.saturating_mul(b)))
        });
        Count::from_terms(products, self.denominator.saturating_mul(other.denominator))
    }

    fn power(&self, exponent: usize) -> Count {
        (0..exponent).fold(Count::of(1), |power, _| power.mul(self))
    }

    /// At least both: the larger coefficient of every monomial. Symbols are not negative.
    pub fn max(&self, other: &Count) -> Count {
        let denominator = lcm(self.denominator, other.denominator);
        let mine: BTreeMap<Monomial, i128> = self.over(denominator).collect();
        let others: BTreeMap<Monomial, i128> = other.over(denominator).collect();
        let coefficient = |of: &BTreeMap<Monomial, i128>, monomial| of.get(monomial).copied().unwrap_or(0);
        let monomials = mine.keys().chain(others.keys().filter(|m| !mine.contains_key(*m)));
        let largest = monomials.map(|m| (m.clone(), coefficient(&mine, m).max(coefficient(&others, m))));
        Count::from_terms(largest, denominator)
    }

    /// With other symbols.
    pub fn renamed(&self, rename: &dyn Fn(Symbol) -> Symbol) -> Count {
        let renamed = self.terms.iter().map(|(m, &n)| (m.iter().map(|&s| rename(s)).collect(), n));
        Count::from_terms(renamed, self.denominator)
    }

    /// Whether no coefficient is smaller than the other's, so that it is at least the other for all sizes.
    pub fn dominates(&self, other: &Count) -> bool {
        self.sub(other).terms.values().all(|&numerator| numerator > 0)
    }

    /// The coefficients of the powers of a symbol, lowest first.
    fn powers_of(&self, symbol: Symbol) -> Vec<Count> {
        let mut powers: Vec<Vec<(Monomial, i128)>> = Vec::new();
        for (monomial, &numerator) in &self.terms {
            let (of, rest): (Monomial, Monomial) = monomial.iter().partition(|s| **s == symbol);
            if powers.len() <= of.len() {
                powers.resize(of.len() + 1, Vec::new());
            }
            if let Some(power) = powers.get_mut(of.len()) {
                power.push((rest, numerator));
            }
        }
        powers.into_iter().map(|terms| Count::from_terms(terms, self.denominator)).collect()
    }

    /// With a value for a symbol.
    pub fn at(&self, symbol: Symbol, value: &Count) -> Count {
        let powers = self.powers_of(symbol);
        powers.iter().enumerate().fold(Count::default(), |sum, (k, power)| sum.add(&power.mul(&value.power(k))))
    }

    /// The sum over `index` from 0 to `extent - 1`, as a polynomial in `extent` (Faulhaber).
    pub fn sum(&self, index: Symbol, extent: &Count) -> Count {
        let powers = self.powers_of(index);
        let sums = power_sums(powers.len(), extent);
        powers.iter().zip(&sums).fold(Count::default(), |total, (power, sum)| total.add(&power.mul(sum)))
    }

    /// At least its value at every point of `0 .. extent`, and whether it is its value at one.
    pub fn bound(&self, index: Symbol, extent: &Count) -> (Count, bool) {
        if !self.mentions(index) {
            return (self.clone(), true);
        }
        let last = extent.sub(&Count::of(1));
        let (grows, falls): (Vec<_>, Vec<_>) =
            self.terms.iter().filter(|(m, _)| m.contains(&index)).partition(|(_, numerator)| **numerator > 0);
        let pick = |terms: Vec<(&Monomial, &i128)>| {
            Count::from_terms(terms.into_iter().map(|(m, &n)| (m.clone(), n)), self.denominator)
        };
        let exact = grows.is_empty() || falls.is_empty();
        let (grows, falls) = (pick(grows), pick(falls));
        let steady = self.sub(&grows).sub(&falls);
        (steady.add(&grows.at(index, &last)).add(&falls.at(index, &Count::default())), exact)
    }

    /// The value; `None` if a symbol has none, or it is no integer.
    pub fn eval(&self, value: &dyn Fn(Symbol) -> Option<i128>) -> Option<i128> {
        let mut sum = 0i128;
        for (monomial, &numerator) in &self.terms {
            let mut product = numerator;
            for &symbol in monomial {
                product = product.saturating_mul(value(symbol)?);
            }
            sum = sum.saturating_add(product);
        }
        (sum % self.denominator == 0).then_some(sum / self.denominator)
    }

    /// The symbols, each once, in order.
    pub fn symbols(&self) -> Vec<Symbol> {
        let mut symbols: Vec<Symbol> = self.terms.keys().flatten().copied().collect();
        symbols.sort_unstable();
        symbols.dedup();
        symbols
    }

    /// Whether it is nowhere negative, where it can be told, for symbols that are not negative and `least` at least.
    pub fn is_non_negative(&self, least: &dyn Fn(Symbol) -> i128) -> bool {
        let shift = |count: Count, s: Symbol| count.at(s, &Count::symbol(s).add(&Count::of(least(s))));
        let shifted = self.symbols().into_iter().fold(self.clone(), shift);
        shifted.terms.values().all(|&numerator| numerator > 0)
    }

    /// The least number `r` found with `self <= r * other` wherever all symbols are 1 or more.
    pub fn ratio(&self, other: &Count) -> Option<f64> {
        let mut symbols = self.symbols();
        symbols.extend(other.symbols());
        symbols.sort_unstable();
        symbols.dedup();
        let shifted = |count: &Count| {
            symbols.iter().fold(count.clone(), |count, &s| count.at(s, &Count::symbol(s).add(&Count::of(1))))
        };
        let (above, below) = (shifted(self), shifted(other));
        if below.terms.values().any(|&numerator| numerator < 0) {
            return None;
        }
        let mut ratio = 0f64;
        for (monomial, n, d) in above.terms().filter(|(_, n, _)| *n > 0) {
            let (_, bn, bd) = below.terms().find(|(m, ..)| *m == monomial)?;
            ratio = ratio.max(n as f64 / d as f64 / (bn as f64 / bd as f64));
        }
        Some(ratio)
    }
}

/// `sum i<extent i^k` for `k` from 0 to `count - 1`, from
/// `extent^(k+1) = sum i<extent ((i+1)^(k+1) - i^(k+1)) = sum j<=k (k+1 choose j) (sum i<extent i^j)`.
fn power_sums(count: usize, extent: &Count) -> Vec<Count> {
    let mut sums: Vec<Count> = Vec::with_capacity(count);
    for k in 0..count {
        let mut rest = extent.power(k + 1);
        let mut choose = 1i128;
        for (j, sum) in sums.iter().enumerate() {
            rest = rest.sub(&sum.scaled(choose, 1));
            choose = choose.saturating_mul((k + 1 - j) as i128) / (j as i128 + 1);
        }
        sums.push(rest.scaled(1, k as i128 + 1));
    }
    sums
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.saturating_abs(), b.saturating_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn lcm(a: i128, b: i128) -> i128 {
    (a / gcd(a, b).max(1)).saturating_mul(b)
}
