//! Statistics of times.

/// The times of many calls of one function, in seconds.
#[derive(Clone, Debug, Default)]
pub struct Times {
    pub seconds: Vec<f64>,
}

impl Times {
    pub fn median(&self) -> f64 {
        let mut sorted = self.seconds.clone();
        sorted.sort_by(f64::total_cmp);
        match sorted.len() {
            0 => f64::NAN,
            n if n % 2 == 1 => sorted[n / 2],
            n => 0.5 * (sorted[n / 2 - 1] + sorted[n / 2]),
        }
    }

    pub fn min(&self) -> f64 {
        self.seconds.iter().copied().fold(f64::NAN, f64::min)
    }
}

/// The geometric mean; none for an empty list.
pub fn geometric_mean(numbers: &[f64]) -> Option<f64> {
    if numbers.is_empty() {
        return None;
    }
    Some((numbers.iter().map(|x| x.ln()).sum::<f64>() / numbers.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_means() {
        let times = Times { seconds: vec![3.0, 1.0, 2.0, 10.0] };
        assert_eq!((times.median(), times.min()), (2.5, 1.0));
        assert!((geometric_mean(&[1.0, 4.0]).unwrap_or(0.0) - 2.0).abs() < 1e-15);
        assert_eq!(geometric_mean(&[]), None);
    }
}
