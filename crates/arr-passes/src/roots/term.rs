//! Products as data: a constant, factors in the order in which the program multiplies them, and a power of one root.

use arr_ir::VarId;

/// `root ^ up * (1 / root) ^ down`: where both are positive it is NaN at a root of zero or infinity, as the program's own
/// product of the two is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Power {
    pub root: VarId,
    pub up: u8,
    pub down: u8,
}

impl Power {
    pub fn net(self) -> i32 {
        i32::from(self.up) - i32::from(self.down)
    }

    /// The product, in lowest terms: at least one factor of each sign stays, to preserve NaNs.
    fn times(self, other: Power) -> Option<Power> {
        let (up, down) = (self.up.checked_add(other.up)?, self.down.checked_add(other.down)?);
        let spare = up.min(down).saturating_sub(1);
        let (up, down) = (up - spare, down - spare);
        (self.root == other.root && up <= MOST && down <= MOST).then_some(Power { up, down, ..self })
    }
}

/// Exponents beyond which powers are left unchanged.
const MOST: u8 = 6;

/// The position of the power in a product, and the exponents that the program has reached at this position.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Slot {
    pub power: Power,
    /// The number of factors before it.
    pub at: usize,
    low: i32,
    high: i32,
}

/// `scale * factors[..at] * power * factors[at..]`, from the left.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Term {
    pub scale: f64,
    pub factors: Vec<VarId>,
    pub slot: Option<Slot>,
}

impl Term {
    pub fn var(v: VarId) -> Term {
        Term { scale: 1.0, factors: vec![v], slot: None }
    }

    pub fn power(power: Power) -> Term {
        let slot = Slot { power, at: 0, low: power.net().min(0), high: power.net().max(0) };
        Term { scale: 1.0, factors: Vec::new(), slot: Some(slot) }
    }

    /// A power alone.
    pub fn is_pure(&self) -> bool {
        self.factors.is_empty()
    }

    /// One variable, or its negation.
    pub fn is_factor(&self) -> bool {
        self.slot.is_none() && self.factors.len() == 1
    }

    /// The term a constant times as large. Constants that would cancel each other are not combined: an intermediate
    /// overflow has to stay.
    pub fn scaled(&self, by: f64) -> Option<Term> {
        let grows = self.scale.abs() >= 1.0 && by.abs() >= 1.0;
        let shrinks = self.scale.abs() <= 1.0 && by.abs() <= 1.0;
        let scale = self.scale * by;
        let modest = (1.0 / 16.0..=16.0).contains(&scale.abs());
        ((grows || shrinks) && modest).then(|| Term { scale, ..self.clone() })
    }

    /// The product, if one of the two is a power alone or a single factor.
    pub fn times(&self, other: &Term) -> Option<Term> {
        let product = match (&self.slot, &other.slot, self.factors.as_slice(), other.factors.as_slice()) {
            (_, Some(slot), _, []) => self.raised(slot.power),
            (Some(slot), _, [], _) => other.raised(slot.power),
            (_, None, _, &[factor]) => Some(self.and(factor)),
            (None, _, &[factor], _) => Some(other.and(factor)),
            _ => None,
        }?;
        Term { scale: self.scale, ..product }.scaled(other.scale)
    }

    fn and(&self, factor: VarId) -> Term {
        let mut term = self.clone();
        term.factors.push(factor);
        term
    }

    /// Times a power that comes after all factors: at the position of the existing power, if the exponent is between
    /// those that the program reaches there, so that no product is larger or smaller than the program's.
    fn raised(&self, power: Power) -> Option<Term> {
        let Some(slot) = self.slot else {
            let slot = Slot { at: self.factors.len(), ..Term::power(power).slot? };
            return Some(Term { slot: Some(slot), ..self.clone() });
        };
        let both = slot.power.times(power)?;
        let (low, high) = match self.is_pure() {
            true => (slot.low.min(both.net()), slot.high.max(both.net())),
            false => (slot.low, slot.high),
        };
        let reached = (low..=high).contains(&both.net());
        let factors = self.is_pure() || i32::from(both.up) <= high.max(1) && i32::from(both.down) <= (-low).max(1);
        (reached && factors).then(|| Term { slot: Some(Slot { power: both, low, high, ..slot }), ..self.clone() })
    }

    /// The sum, if they differ by a positive constant; with the power that is NaN where either is.
    pub fn plus(&self, other: &Term) -> Option<Term> {
        let place = |t: &Term| t.slot.map(|s| (s.power.root, s.power.net(), s.at));
        let alike = self.factors == other.factors && place(self) == place(other);
        let scale = self.scale + other.scale;
        let mixed = other.slot.is_some_and(|s| s.power.up > 0 && s.power.down > 0);
        let sum = Term { scale, ..if mixed { other.clone() } else { self.clone() } };
        (alike && self.scale * other.scale > 0.0 && scale.abs() <= 16.0).then_some(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arr_base::Id;

    fn power(up: u8, down: u8) -> Term {
        Term::power(Power { root: VarId::from_index(0), up, down })
    }

    fn net(t: &Term) -> Option<i32> {
        t.slot.map(|s| s.power.net())
    }

    #[test]
    fn exponents_stay_between_those_of_the_program() -> Result<(), &'static str> {
        let a = Term::var(VarId::from_index(1));
        let b = Term::var(VarId::from_index(2));
        let quotient = a.times(&power(0, 3)).ok_or("a / s^3")?.times(&b).ok_or("b a / s^3")?;
        let less = quotient.times(&power(1, 0)).ok_or("a / s^2")?;
        assert_eq!((net(&less), less.slot.map(|s| s.at)), (Some(-2), Some(1)));
        assert_eq!(quotient.times(&power(0, 1)), None, "an exponent that the program has only behind another factor");
        assert_eq!(quotient.times(&quotient), None, "in another order");
        Ok(())
    }

    #[test]
    fn a_power_of_both_signs_stays_one() -> Result<(), &'static str> {
        let one = power(2, 0).times(&power(0, 2)).ok_or("s^2 / s^2")?;
        assert_eq!(one.slot.map(|s| (s.power.up, s.power.down)), Some((1, 1)));
        Ok(())
    }

    #[test]
    fn a_sum_is_nan_where_a_term_is() -> Result<(), &'static str> {
        let a = Term::var(VarId::from_index(1));
        let (once, raised) = (a.times(&power(1, 0)), a.times(&power(2, 0)));
        let (once, mixed) = (once.ok_or("a s")?, raised.and_then(|t| t.times(&power(0, 1))).ok_or("a s^2 / s")?);
        for sum in [once.plus(&mixed), mixed.plus(&once)] {
            let sum = sum.ok_or("2 a s")?;
            assert_eq!((sum.scale, sum.slot.map(|s| (s.power.up, s.power.down))), (2.0, Some((2, 1))));
        }
        Ok(())
    }

    #[test]
    fn constants_do_not_take_each_other_back() -> Result<(), &'static str> {
        let a = Term::var(VarId::from_index(1));
        let twice = a.scaled(2.0).ok_or("2 a")?;
        assert_eq!(twice.scaled(0.5), None);
        assert_eq!(twice.scaled(-2.0).map(|t| t.scale), Some(-4.0));
        assert_eq!(twice.scaled(16.0), None);
        assert_eq!(twice.plus(&a).map(|t| t.scale), Some(3.0));
        assert_eq!(twice.plus(&a.scaled(-1.0).ok_or("-a")?), None, "infinities of both signs are NaN");
        Ok(())
    }
}
