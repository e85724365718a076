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

    /// The place of a number, 0.0 at the low end and 1.0 at the high end.
    pub(crate) fn place(self, x: f64) -> f64 {
        ((x - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
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
        (0..=2 * wanted)
            .map(|k| (first + k as f64) * step)
            .take_while(|at| *at <= self.high)
            .map(|at| Tick { at, text: text(at, step) })
            .collect()
    }
}

/// A number as it stands beside an axis with this step.
pub(crate) fn text(x: f64, step: f64) -> String {
    let x = if x.abs() < step * 1e-6 { 0.0 } else { x };
    let digits = -step.log10().floor();
    if x != 0.0 && (x.abs() >= 1e6 || digits > 5.0) {
        let decimals = (x.abs().log10().floor() + digits).clamp(0.0, 15.0) as usize;
        return format!("{x:.decimals$e}");
    }
    format!("{x:.0$}", digits.clamp(0.0, 15.0) as usize)
}
