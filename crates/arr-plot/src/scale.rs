//! The range of an axis, and the numbers written beside it.

/// An axis' range, which is finite and not empty.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Range {
    pub low: f64,
    pub high: f64,
}

/// A number beside an axis.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Tick {
    pub at: f64,
    pub text: String,
}

/// The largest number whose distances to others are finite.
const LARGEST: f64 = f64::MAX / 8.0;

impl Range {
    /// The range of the finite numbers; of none, 0 to 1.
    pub(crate) fn of(numbers: impl Iterator<Item = f64>) -> Range {
        let finite = numbers.filter(|x| x.is_finite()).map(|x| x.clamp(-LARGEST, LARGEST));
        let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        if low > high {
            return Range { low: 0.0, high: 1.0 };
        }
        // Numbers of one size differ by more than their rounding.
        let least = (low.abs().max(high.abs()) * 1e-9).max(1e-290);
        if high - low >= least {
            return Range { low, high };
        }
        let (middle, half) = (low + (high - low) / 2.0, if low == 0.0 { 0.5 } else { low.abs() / 2.0 });
        let half = half.max(least);
        Range { low: middle - half, high: middle + half }
    }

    /// The same with some space at both ends, a part of it.
    pub(crate) fn widened(self, part: f64) -> Range {
        let space = (self.high - self.low) * part;
        Range { low: self.low - space, high: self.high + space }
    }

    /// As [`Range::widened`], except at an end that is zero.
    pub(crate) fn widened_from_zero(self, part: f64) -> Range {
        let wide = self.widened(part);
        Range {
            low: if self.low == 0.0 { 0.0 } else { wide.low },
            high: if self.high == 0.0 { 0.0 } else { wide.high },
        }
    }

    /// The place of a number, 0.0 at the low end and 1.0 at the high end.
    pub(crate) fn place(self, x: f64) -> f64 {
        ((x - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    /// The numbers beside an axis: of one of common logarithms with `log`, else as [`Range::ticks`].
    pub(crate) fn ticks_on(self, log: bool, wanted: usize, least: f64) -> Vec<Tick> {
        if log { self.log_ticks(wanted) } else { self.ticks(wanted, least) }
    }

    /// Powers of ten inside the range of their logarithms; where it has few, other round numbers too.
    fn log_ticks(self, wanted: usize) -> Vec<Tick> {
        let decades = self.high - self.low;
        if decades < 1.0 {
            let numbers = Range { low: 10f64.powf(self.low), high: 10f64.powf(self.high) };
            let ticks = numbers.ticks(wanted, 0.0).into_iter().map(|tick| Tick { at: tick.at.log10(), ..tick });
            return ticks.filter(|tick| tick.at.is_finite()).collect();
        }
        let step = (decades / wanted.max(1) as f64).ceil().max(1.0) as i32;
        let digits: &[i32] = if decades < 2.5 { &[1, 2, 5] } else { &[1] };
        let (first, last) = (self.low.floor() as i32, self.high.ceil() as i32);
        (first..=last)
            .filter(|power| power.rem_euclid(step) == 0)
            .flat_map(|power| digits.iter().map(move |digit| (*digit, power)))
            .map(|(digit, power)| Tick { at: f64::from(power) + f64::from(digit).log10(), text: scaled(digit, power) })
            .filter(|tick| tick.at >= self.low && tick.at <= self.high)
            .collect()
    }

    /// Round numbers inside the range, about as many as wanted, with a distance of at least `least`.
    pub(crate) fn ticks(self, wanted: usize, least: f64) -> Vec<Tick> {
        let rough = (self.high - self.low) / wanted.max(1) as f64;
        let power = 10f64.powi(rough.log10().floor() as i32);
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|k| k * power).find(|step| *step >= rough).unwrap_or(rough);
        let step = step.max(least);
        if !step.is_finite() || step <= 0.0 {
            return Vec::new();
        }
        let first = (self.low / step).ceil();
        // More would not fit, whatever rounding does to the step.
        let places: Vec<f64> =
            (0..=2 * wanted).map(|k| (first + k as f64) * step).take_while(|at| *at <= self.high).collect();
        // One large number beside an axis is written as all of them.
        let powers = places.iter().any(|at| has_power(*at, step));
        places.into_iter().map(|at| Tick { at, text: written(at, step, powers) }).collect()
    }
}

/// A number as it stands beside an axis with this step.
pub(crate) fn text(x: f64, step: f64) -> String {
    written(x, step, has_power(x, step))
}

/// The number of decimals that a step has.
fn decimals(step: f64) -> f64 {
    -step.log10().floor()
}

/// Whether a number is too long without a power of ten.
fn has_power(x: f64, step: f64) -> bool {
    x.abs() >= 1e6 || decimals(step) > 5.0
}

fn written(x: f64, step: f64, powers: bool) -> String {
    let x = if x.abs() < step * 1e-6 { 0.0 } else { x };
    let digits = decimals(step);
    match (powers, x == 0.0) {
        (true, true) => "0".to_string(),
        (true, false) => {
            let decimals = (x.abs().log10().floor() + digits).clamp(0.0, 15.0) as usize;
            format!("{x:.decimals$e}")
        }
        (false, _) => format!("{x:.0$}", digits.clamp(0.0, 15.0) as usize),
    }
}

/// A digit times a power of ten.
fn scaled(digit: i32, power: i32) -> String {
    match power {
        0..=5 => format!("{digit}{}", "0".repeat(power.unsigned_abs() as usize)),
        -4..0 => format!("0.{}{digit}", "0".repeat(power.unsigned_abs() as usize - 1)),
        _ => format!("{digit}e{power}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(low: f64, high: f64, log: bool) -> String {
        let ticks = Range { low, high }.ticks_on(log, 6, 0.0);
        ticks.iter().map(|tick| tick.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn numbers_beside_an_axis_are_written_alike() {
        assert_eq!(texts(0.0, 1.6e-8, false), "0 5e-9 1.0e-8 1.5e-8");
        assert_eq!(texts(0.0, 2e6, false), "0 5e5 1.0e6 1.5e6 2.0e6");
        assert_eq!(texts(-0.5, 1.0, false), "-0.5 0.0 0.5 1.0");
    }

    #[test]
    fn powers_of_ten_beside_a_logarithmic_axis() {
        assert_eq!(texts(-3.2, 2.1, true), "0.001 0.01 0.1 1 10 100");
        assert_eq!(texts(-12.0, 12.0, true), "1e-12 1e-8 0.0001 1 10000 1e8 1e12");
        assert_eq!(texts(0.0, 2.0, true), "1 2 5 10 20 50 100");
        assert_eq!(texts(0.0, 0.5, true), "1.0 1.5 2.0 2.5 3.0");
    }
}
