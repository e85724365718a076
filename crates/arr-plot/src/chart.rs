//! What is drawn of a value.

use crate::series::{Drawable, drawables, is_finite, kinds};
use crate::{Mark, Matrix, Series, Words, figure, text};
use arr_base::{Code, Diagnostic};
use arr_data::{EdgeValue, field_name};
use arr_ir::Edge;

/// What the user chose to see.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Choice {
    /// The field along the horizontal axis; the index if there is none.
    pub x: Option<String>,
    /// The fields that are drawn; all that can be if there are none.
    pub y: Vec<String>,
    /// Whether vectors are bars instead of lines.
    pub bars: bool,
    /// Whether the horizontal and the vertical axis are logarithmic.
    pub log_x: bool,
    pub log_y: bool,
}

impl Choice {
    /// Checks, before there is a value, that one of this type has the fields. Errors: E0709 where one is none that can be
    /// drawn; E0707 where none can, or that of the horizontal axis is no vector.
    pub fn check(&self, edge: &Edge) -> Result<(), Diagnostic> {
        let kinds = kinds(edge);
        let all: Vec<&str> = kinds.iter().map(|kind| kind.path.as_str()).collect();
        let numbers = kinds.iter().filter(|kind| kind.is_numbers).map(|kind| kind.path.as_str()).collect::<Vec<&str>>();
        let choice = self.resolved(&all);
        if let Some(name) = choice.y.iter().find(|name| !numbers.contains(&name.as_str())) {
            return Err(no_field(name, &numbers));
        }
        match choice.x.as_ref().map(|name| (name, kinds.iter().find(|kind| kind.path == *name))) {
            Some((name, None)) => return Err(no_field(name, &all)),
            Some((name, Some(kind))) if kind.axes != 1 => return Err(no_vector(name)),
            _ => {}
        }
        if numbers.is_empty() {
            Err(not_drawn("a picture shows vectors, arrays `[n][2]` of points or a matrix"))
        } else {
            Ok(())
        }
    }

    /// The same choice by the paths that there are: a column `t [s]` is chosen by the name of its field, and the other way
    /// round.
    fn resolved(&self, paths: &[&str]) -> Choice {
        let resolve = |name: &String| {
            let mut alike = paths.iter().filter(|path| field_name(path) == field_name(name));
            match (paths.contains(&name.as_str()), alike.next(), alike.next()) {
                (false, Some(only), None) => only.to_string(),
                _ => name.clone(),
            }
        };
        Choice { x: self.x.as_ref().map(resolve), y: self.y.iter().map(resolve).collect(), ..*self }
    }
}

/// A picture before it is drawn.
#[derive(Clone, PartialEq, Debug)]
pub struct Chart {
    pub title: String,
    /// What is along the horizontal and the vertical axis; empty where the legend says it.
    pub x: String,
    pub y: String,
    /// Whether the axes are logarithmic: the numbers of series are their common logarithms then.
    pub log_x: bool,
    pub log_y: bool,
    /// What stands beside the horizontal axis at 0, 1 and so on instead of numbers, if anything.
    pub labels: Vec<String>,
    pub body: Body,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Body {
    Series(Vec<Series>),
    Matrix(Matrix),
}

/// What the index of an array is called.
const INDEX: &str = "index";

impl Chart {
    /// The picture of a value. Errors: E0709 where a chosen field is none, or none that can be drawn; E0707 where the value
    /// has nothing to draw, or fields beside each other have different lengths.
    pub fn of(value: &EdgeValue, choice: &Choice, words: &Words) -> Result<Chart, Diagnostic> {
        let all = drawables(value);
        let choice = &choice.resolved(&all.iter().map(|drawable| drawable.path.as_str()).collect::<Vec<&str>>());
        let chosen = chosen(value, &all, choice)?;
        if let [only] = chosen.as_slice()
            && !only.is_vector()
            && !only.is_points()
        {
            return Chart::of_matrix(only, choice, words);
        }
        let along = choice.x.as_ref().map(|name| vector(&all, name)).transpose()?;
        let series = chosen.iter().map(|drawable| {
            let errors = errors_of(drawable, &all);
            Ok(on_axes(series(drawable, along, errors, choice.bars, words)?, choice))
        });
        let series = series.collect::<Result<Vec<Series>, Diagnostic>>()?;
        if !series.iter().flat_map(|series| &series.points).any(is_finite) {
            let positive = "it has no positive numbers, which a logarithmic axis shows";
            return Err(not_drawn(if choice.log_x || choice.log_y { positive } else { "it has no finite numbers" }));
        }
        let (x, y) = names(&chosen, along, words);
        let labels = along.and_then(|along| along.labels.clone()).unwrap_or_default();
        let Choice { log_x, log_y, .. } = *choice;
        Ok(Chart { title: words.title.clone(), x, y, log_x, log_y, labels, body: Body::Series(series) })
    }

    fn of_matrix(drawable: &Drawable, choice: &Choice, words: &Words) -> Result<Chart, Diagnostic> {
        let [rows, columns] = drawable.dims.as_slice() else { return Err(not_drawn("it is no matrix")) };
        if choice.bars || choice.log_x || choice.log_y {
            return Err(not_drawn("a matrix has neither bars nor logarithmic axes"));
        }
        let matrix = Matrix::new(*rows, *columns, &drawable.numbers).map_err(not_drawn)?;
        let label = words.label(&drawable.path);
        let title = if label.is_empty() { words.title.clone() } else { label };
        let (x, y) = ("column".to_string(), "row".to_string());
        Ok(Chart { title, x, y, log_x: false, log_y: false, labels: Vec::new(), body: Body::Matrix(matrix) })
    }

    /// The picture as SVG. Errors: E0707 if it cannot be drawn.
    pub fn svg(&self) -> Result<String, Diagnostic> {
        figure::svg(self).map_err(|why| not_drawn(&why))
    }

    /// The picture as the bytes of a PNG file, of twice the size. Errors: E0707 if it cannot be drawn.
    pub fn png(&self) -> Result<Vec<u8>, Diagnostic> {
        figure::png(self).map_err(|why| not_drawn(&why))
    }

    /// The picture as lines of characters, so many in each; with `colors`, those of a terminal.
    pub fn text(&self, columns: usize, colors: bool) -> String {
        text::draw(self, columns, colors)
    }
}

fn not_drawn(why: &str) -> Diagnostic {
    Diagnostic::error(Code::FILE_NOT_WRITTEN, "the result cannot be drawn").note(why)
}

/// The arrays that are drawn: those that the user chose, or all vectors and points but the one along the axis, or the
/// only matrix.
fn chosen<'a>(value: &EdgeValue, all: &'a [Drawable], choice: &Choice) -> Result<Vec<&'a Drawable>, Diagnostic> {
    if !choice.y.is_empty() {
        let chosen = choice.y.iter().map(|name| named(all, name)).collect::<Result<Vec<_>, _>>()?;
        let lines = chosen.iter().all(|drawable| drawable.is_vector() || drawable.is_points());
        return match lines || chosen.len() == 1 {
            true => Ok(chosen),
            false => Err(not_drawn("a matrix is a picture of its own, without other fields")),
        };
    }
    let numbers: Vec<&Drawable> = all.iter().filter(|drawable| drawable.is_numbers()).collect();
    let is_error = |drawable: &Drawable| {
        let of = drawable.path.strip_suffix(ERROR);
        of.is_some_and(|of| {
            numbers
                .iter()
                .any(|other| other.path == of && errors_of(other, all).is_some_and(|own| own.path == drawable.path))
        })
    };
    let lines: Vec<&Drawable> = numbers
        .iter()
        .copied()
        .filter(|drawable| drawable.is_vector() || drawable.is_points())
        .filter(|drawable| Some(&drawable.path) != choice.x.as_ref() && !is_error(drawable))
        .collect();
    match (lines.is_empty(), numbers.as_slice()) {
        (false, _) => Ok(lines),
        (true, [only]) if choice.x.is_none() => Ok(vec![*only]),
        (true, []) => {
            let ty = arr_data::found_text(value);
            Err(not_drawn(&format!(
                "a picture shows vectors, arrays `[n][2]` of points or a matrix, and it is a `{ty}`"
            )))
        }
        _ => Err(not_drawn("it has several matrices, or nothing along the vertical axis").hint("`--y FIELD` chooses")),
    }
}

fn named<'a>(all: &'a [Drawable], name: &str) -> Result<&'a Drawable, Diagnostic> {
    let numbers = || all.iter().filter(|drawable| drawable.is_numbers());
    let names = || numbers().map(|drawable| drawable.path.as_str()).collect::<Vec<&str>>();
    numbers().find(|drawable| drawable.path == name).ok_or_else(|| no_field(name, &names()))
}

fn no_field(name: &str, names: &[&str]) -> Diagnostic {
    let title = format!("the result has no field `{name}` that can be drawn");
    let names: Vec<String> = names.iter().filter(|name| !name.is_empty()).map(|name| format!("`{name}`")).collect();
    let diagnostic = Diagnostic::error(Code::NO_PART, title);
    if names.is_empty() { diagnostic } else { diagnostic.note(format!("it has {}", names.join(", "))) }
}

fn no_vector(name: &str) -> Diagnostic {
    not_drawn(&format!("`{name}` is no vector, which the horizontal axis is"))
}

/// The vector along the horizontal axis, of numbers or of categories.
fn vector<'a>(all: &'a [Drawable], name: &str) -> Result<&'a Drawable, Diagnostic> {
    let names = || all.iter().map(|drawable| drawable.path.as_str()).collect::<Vec<&str>>();
    let found = all.iter().find(|drawable| drawable.path == name).ok_or_else(|| no_field(name, &names()))?;
    if found.is_vector() { Ok(found) } else { Err(no_vector(name)) }
}

/// What the name of a field ends in that has the errors of another.
const ERROR: &str = "_err";

/// The vector of the errors of another, by its name.
fn errors_of<'a>(drawable: &Drawable, all: &'a [Drawable]) -> Option<&'a Drawable> {
    let is_error = |other: &&Drawable| other.path.strip_suffix(ERROR) == Some(drawable.path.as_str());
    let found = all.iter().filter(|other| other.is_numbers() && other.dims == drawable.dims).find(is_error);
    found.filter(|_| drawable.is_vector() && !drawable.path.is_empty())
}

fn series(
    drawable: &Drawable,
    along: Option<&Drawable>,
    errors: Option<&Drawable>,
    bars: bool,
    words: &Words,
) -> Result<Series, Diagnostic> {
    let name = words.label(&drawable.path);
    if drawable.is_points() {
        let points = drawable.numbers.as_chunks::<2>().0.iter().map(|[x, y]| (*x, *y)).collect();
        return Ok(Series { name, mark: Mark::Points, points, errors: Vec::new() });
    }
    if !drawable.is_vector() {
        return Err(not_drawn("a matrix is a picture of its own, without an axis or other fields"));
    }
    let points = match along {
        None => drawable.numbers.iter().enumerate().map(|(at, y)| (at as f64, *y)).collect(),
        Some(along) if along.numbers.len() == drawable.numbers.len() => {
            along.numbers.iter().copied().zip(drawable.numbers.iter().copied()).collect()
        }
        Some(along) => {
            let (x, y) = (&along.path, &drawable.path);
            let (n, m) = (along.numbers.len(), drawable.numbers.len());
            return Err(not_drawn(&format!("`{x}` has {n} elements and `{y}` has {m}")));
        }
    };
    let ends = |(y, error): (&f64, &f64)| (y - error.abs(), y + error.abs());
    let errors = errors.map_or(Vec::new(), |errors| drawable.numbers.iter().zip(&errors.numbers).map(ends).collect());
    Ok(Series { name, mark: if bars { Mark::Bars } else { Mark::Line }, points, errors })
}

/// A series with the logarithms of its numbers along logarithmic axes. A number that has none is NaN, and the end of an
/// error bar below all that has one.
fn on_axes(series: Series, choice: &Choice) -> Series {
    let log = |log: bool, x: f64, none: f64| match (log, x > 0.0) {
        (false, _) => x,
        (true, true) => x.log10(),
        (true, false) => none,
    };
    let points = series.points.into_iter();
    let points = points.map(|(x, y)| (log(choice.log_x, x, f64::NAN), log(choice.log_y, y, f64::NAN))).collect();
    let end = |end: f64| if end.is_nan() { end } else { log(choice.log_y, end, f64::NEG_INFINITY) };
    let errors = series.errors.into_iter().map(|(low, high)| (end(low), end(high))).collect();
    Series { points, errors, ..series }
}

/// What the axes are called.
fn names(chosen: &[&Drawable], along: Option<&Drawable>, words: &Words) -> (String, String) {
    let points = chosen.iter().all(|drawable| drawable.is_points());
    let x = match along {
        Some(along) => words.label(&along.path),
        None if points => String::new(),
        None => INDEX.to_string(),
    };
    let y = match chosen {
        [only] if !points => words.label(&only.path),
        _ => String::new(),
    };
    (x, y)
}
