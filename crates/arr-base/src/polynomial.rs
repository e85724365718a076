//! Polynomials with integer coefficients: what sizes are, over whatever names them.
//!
//! The array IR has them over its variables, the loop IR over its locals, the checker over the names of a program, and
//! the objects of `arr build` over rows of a table. Construction normalises, so that two polynomials are equal as values
//! exactly when they are equal as data.

use crate::terms::{Monomial, Terms};

/// A polynomial: coefficient of each monomial, a monomial being a sorted list of variables (with repetition).
/// No coefficient is zero; the constant term is the empty monomial. Coefficients wrap, as the integers of programs do.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(bound(serialize = "V: serde::Serialize", deserialize = "V: serde::Deserialize<'de> + Ord"))]
pub struct Polynomial<V> {
    pub terms: Terms<V>,
}

impl<V> Default for Polynomial<V> {
    fn default() -> Self {
        Polynomial { terms: Terms::default() }
    }
}

impl<V: Ord + Clone> Polynomial<V> {
    pub fn constant(value: i64) -> Self {
        let mut poly = Self::default();
        poly.add_term([], value);
        poly
    }

    pub fn var(var: V) -> Self {
        let mut poly = Self::default();
        poly.add_term([var], 1);
        poly
    }

    /// Adds a term; the variables of its monomial are in any order.
    pub fn add_term(&mut self, monomial: impl IntoIterator<Item = V>, coefficient: i64) {
        self.terms.add(monomial, coefficient);
    }

    pub fn add(&self, other: &Self) -> Self {
        Polynomial { terms: self.terms.sum(1, &other.terms, 1) }
    }

    pub fn neg(&self) -> Self {
        let mut negated = self.clone();
        negated.terms.values_mut().for_each(|c| *c = c.wrapping_neg());
        negated
    }

    pub fn sub(&self, other: &Self) -> Self {
        Polynomial { terms: self.terms.sum(1, &other.terms, -1) }
    }

    pub fn mul(&self, other: &Self) -> Self {
        let mut product = Self::default();
        for (m1, &c1) in &self.terms {
            for (m2, &c2) in &other.terms {
                product.add_term(m1.iter().chain(m2).cloned(), c1.wrapping_mul(c2));
            }
        }
        product
    }

    pub fn as_constant(&self) -> Option<i64> {
        match self.terms.len() {
            0 => Some(0),
            1 => self.terms.get(&[]).copied(),
            _ => None,
        }
    }

    /// The variable, if the polynomial is just one variable.
    pub fn as_name(&self) -> Option<&V> {
        let mut terms = self.terms.iter();
        match (terms.next(), terms.next()) {
            (Some((m, 1)), None) => match m.as_slice() {
                [v] => Some(v),
                _ => None,
            },
            _ => None,
        }
    }

    /// The variables it mentions, each once, in order.
    pub fn names(&self) -> Vec<&V> {
        let mut names: Vec<&V> = self.terms.keys().flatten().collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The same polynomial over other variables. Fails where `rename` does.
    pub fn renamed<W: Ord + Clone, E>(&self, mut rename: impl FnMut(&V) -> Result<W, E>) -> Result<Polynomial<W>, E> {
        let mut renamed = Polynomial::default();
        for (monomial, &c) in &self.terms {
            renamed.add_term(monomial.iter().map(&mut rename).collect::<Result<Monomial<W>, E>>()?, c);
        }
        Ok(renamed)
    }
}

impl<V: Ord + Copy> Polynomial<V> {
    /// The variable, if the polynomial is just one variable.
    pub fn as_var(&self) -> Option<V> {
        self.as_name().copied()
    }

    /// The variables it mentions, each once, in order.
    pub fn vars(&self) -> Vec<V> {
        self.names().into_iter().copied().collect()
    }

    /// Replaces variables by polynomials.
    pub fn substitute(&self, map: &mut dyn FnMut(V) -> Option<Self>) -> Self {
        let mut sum = Self::default();
        for (monomial, &c) in &self.terms {
            let mut product = Self::constant(c);
            for &v in monomial {
                let factor = map(v).unwrap_or_else(|| Self::var(v));
                product = product.mul(&factor);
            }
            sum = sum.add(&product);
        }
        sum
    }

    /// The value, with wrapping arithmetic; `None` if a variable has none.
    pub fn eval(&self, value: &mut dyn FnMut(V) -> Option<i64>) -> Option<i64> {
        let mut sum = 0i64;
        for (monomial, &c) in &self.terms {
            let mut product = c;
            for &v in monomial {
                product = product.wrapping_mul(value(v)?);
            }
            sum = sum.wrapping_add(product);
        }
        Some(sum)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn equal_polynomials_are_equal_data() {
        let (x, y) = (Polynomial::var("x"), Polynomial::var("y"));
        let square = x.add(&y).mul(&x.sub(&y));
        assert_eq!(square, x.mul(&x).sub(&y.mul(&y)));
        assert_eq!(square.sub(&square), Polynomial::default());
        let mut backwards = Polynomial::default();
        backwards.add_term(vec!["y", "x"], 3);
        assert_eq!(backwards, y.mul(&x).mul(&Polynomial::constant(3)));
        assert_eq!(square.names(), [&"x", &"y"]);
    }

    #[test]
    fn renaming_sorts_again() {
        let text = Polynomial::var("a").mul(&Polynomial::var("b")).add(&Polynomial::constant(2));
        let rows = text.renamed(|&name| if name == "a" { Ok(7) } else { Ok::<_, ()>(1) }).unwrap();
        let terms: Vec<_> = rows.terms.iter().map(|(m, &c)| (m.to_vec(), c)).collect();
        assert_eq!(terms, [(vec![], 2), (vec![1, 7], 1)]);
        assert_eq!(text.renamed(|_| Err::<usize, _>("no row")), Err("no row"));
    }
}
