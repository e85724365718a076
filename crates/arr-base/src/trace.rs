//! Traces: values that a running program shows under labels, and who listens to them.
//!
//! A place of the program that is reached often shows its first values, then a few in a second; the number of those in
//! between is reported. The places, and what was shown of each, are the state of one run ([`Traces`]), so that every back
//! end tells the same.

mod kept;

use crate::Span;
use kept::Kept;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How many values of a place are shown however fast they come.
const ALWAYS: u64 = 3;

/// The time between two values of a place after these.
const PAUSE: Duration = Duration::from_millis(250);

/// Elements of a traced value, row-major.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Traced<'a> {
    Bool(&'a [bool]),
    I32(&'a [i32]),
    I64(&'a [i64]),
    U32(&'a [u32]),
    F32(&'a [f32]),
    F64(&'a [f64]),
}

/// A value that the program shows.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Trace<'a> {
    pub label: &'a str,
    /// The sizes of its axes; none for a scalar.
    pub dims: &'a [i64],
    pub data: Traced<'a>,
    /// The number of values of this place that were not shown since the last one that was.
    pub missed: u64,
}

/// Shows traces.
pub trait Listener: Send + Sync {
    /// Whether every value is shown, rather than a few in a second at each place of the program.
    fn every(&self) -> bool;

    fn show(&self, trace: &Trace<'_>);

    /// Called at the end of a run for a place with values that were not shown since the last one that was, if the last of
    /// them is too large to be kept.
    fn missed(&self, label: &str, count: u64);
}

/// A listener that outlives all runs.
#[derive(Clone, Copy)]
pub struct Listening(pub &'static dyn Listener);

impl PartialEq for Listening {
    fn eq(&self, other: &Listening) -> bool {
        std::ptr::addr_eq(self.0, other.0) && self.0.every() == other.0.every()
    }
}

impl Eq for Listening {}

impl std::fmt::Debug for Listening {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Listening").field("every", &self.0.every()).finish()
    }
}

/// A place of the program that shows values: its label, and where it stands.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct TracePlace {
    pub label: Arc<str>,
    pub span: Option<Span>,
}

/// What was shown of a place in this run.
#[derive(Clone, Debug, Default)]
struct Shown {
    count: u64,
    missed: u64,
    last: Option<Instant>,
    /// The last value, if it was not shown.
    kept: Kept,
}

/// The traces of one run.
#[derive(Debug)]
pub struct Traces {
    listening: Listening,
    places: Vec<(TracePlace, Shown)>,
}

impl Traces {
    /// For a program with these places, which are known by their numbers.
    pub fn new(listening: Listening, places: &[TracePlace]) -> Traces {
        let places = places.iter().map(|place| (place.clone(), Shown::default())).collect();
        Traces { listening, places }
    }

    /// The number of a place, which is added if it is new.
    pub fn place(&mut self, label: &Arc<str>, span: Option<Span>) -> usize {
        let known = self.places.iter().position(|(place, _)| place.span == span && place.label == *label);
        known.unwrap_or_else(|| {
            self.places.push((TracePlace { label: label.clone(), span }, Shown::default()));
            self.places.len() - 1
        })
    }

    /// Shows a value of the place with this number, unless the last one was shown too short a time ago: it is kept then,
    /// as the last value of a run is shown in any case. `data` gives the sizes of axes and the elements.
    pub fn show<'d>(&mut self, place: usize, data: impl FnOnce() -> (&'d [i64], Traced<'d>)) {
        self.show_at(place, Instant::now, data);
    }

    fn show_at<'d>(
        &mut self,
        place: usize,
        now: impl FnOnce() -> Instant,
        data: impl FnOnce() -> (&'d [i64], Traced<'d>),
    ) {
        let Some((place, shown)) = self.places.get_mut(place) else { return };
        shown.count += 1;
        if shown.count >= ALWAYS && !self.listening.0.every() {
            let now = now();
            let early = shown.last.is_some_and(|last| now.saturating_duration_since(last) < PAUSE);
            if shown.count > ALWAYS && early {
                shown.missed += 1;
                let (dims, data) = data();
                shown.kept.keep(dims, data);
                return;
            }
            shown.last = Some(now);
        }
        let (dims, data) = data();
        let missed = std::mem::take(&mut shown.missed);
        self.listening.0.show(&Trace { label: &place.label, dims, data, missed });
    }
}

impl Drop for Traces {
    fn drop(&mut self) {
        for (place, shown) in &self.places {
            match shown.kept.value() {
                _ if shown.missed == 0 => {}
                Some((dims, data)) => {
                    let (label, missed) = (&*place.label, shown.missed - 1);
                    self.listening.0.show(&Trace { label, dims, data, missed });
                }
                None => self.listening.0.missed(&place.label, shown.missed),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    struct Lines {
        every: bool,
        lines: Mutex<Vec<String>>,
    }

    impl Lines {
        fn push(&self, line: String) {
            if let Ok(mut lines) = self.lines.lock() {
                lines.push(line);
            }
        }
    }

    impl Listener for Lines {
        fn every(&self) -> bool {
            self.every
        }

        fn show(&self, trace: &Trace<'_>) {
            self.push(format!("{}: {:?} +{}", trace.label, trace.data, trace.missed));
        }

        fn missed(&self, label: &str, count: u64) {
            self.push(format!("{label}: {count} more"));
        }
    }

    fn lines(every: bool, times: &[u64]) -> Vec<String> {
        let sink: &'static Lines = Box::leak(Box::new(Lines { every, lines: Mutex::default() }));
        let start = Instant::now();
        let mut traces = Traces::new(Listening(sink), &[]);
        let place = traces.place(&"x".into(), None);
        for (i, &time) in times.iter().enumerate() {
            let value = [i as i64];
            traces.show_at(place, || start + Duration::from_millis(time), || (&[], Traced::I64(&value)));
        }
        drop(traces);
        sink.lines.lock().map(|lines| lines.clone()).unwrap_or_default()
    }

    #[test]
    fn the_first_values_of_a_place_are_shown_then_a_few_in_a_second() {
        let shown = lines(false, &[0, 1, 2, 3, 4, 300, 301]);
        assert_eq!(
            shown,
            ["x: I64([0]) +0", "x: I64([1]) +0", "x: I64([2]) +0", "x: I64([5]) +2", "x: I64([6]) +0"]
                .map(String::from)
        );
        assert_eq!(lines(false, &[0, 1, 2, 3, 4, 5, 6]).last().map(String::as_str), Some("x: I64([6]) +3"));
        assert_eq!(lines(true, &[0, 1, 2, 3, 4, 300, 301]).len(), 7);
    }

    #[test]
    fn a_label_at_two_places_is_counted_at_each() {
        let sink: &'static Lines = Box::leak(Box::new(Lines { every: false, lines: Mutex::default() }));
        let mut traces = Traces::new(Listening(sink), &[]);
        let file = crate::SourceMap::new().add("a.arr", "x + y");
        let first = traces.place(&"x".into(), Some(Span { file, start: 0, end: 1 }));
        let second = traces.place(&"x".into(), Some(Span { file, start: 4, end: 5 }));
        assert_ne!(first, second);
        assert_eq!(traces.place(&"x".into(), Some(Span { file, start: 0, end: 1 })), first);
    }
}
