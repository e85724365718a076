//! What is drawn of a value.

use crate::series::{Drawable, drawable_names, drawables};
use crate::{Mark, Matrix, Series, Words, figure, text};
use arr_base::{Code, Diagnostic};
use arr_data::EdgeValue;
use arr_ir::Edge;

/// The fields that the user chose.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Choice {
    /// The field along the horizontal axis; the index if there is none.
    pub x: Option<String>,
    /// The fields that are drawn; all that can be if there are none.
    pub y: Vec<String>,
}

impl Choice {
    /// Checks, before there is a value, that one of this type has the fields. Errors: E0709 where one is none that can be
    /// drawn; E0707 where none can.
    pub fn check(&self, edge: &Edge) -> Result<(), Diagnostic> {
        let names = drawable_names(edge);
        for name in self.x.iter().chain(&self.y) {
            if !names.contains(name) {
                return Err(no_field(name, &names));
            }
        }
        if names.is_empty() {
            Err(not_drawn("a picture shows vectors, arrays `[n][2]` of points or a matrix"))
        } else {
            Ok(())
        }
    }
}

/// A picture before it is drawn.
#[derive(Clone, PartialEq, Debug)]
pub struct Chart {
    pub title: String,
    /// What is along the horizontal and the vertical axis; empty where the legend says it.
    pub x: String,
    pub y: String,
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
        let chosen = chosen(value, &all, choice)?;
        if let [only] = chosen.as_slice()
            && !only.is_vector()
            && !only.is_points()
        {
            return Chart::of_matrix(only, words);
        }
        let along = choice.x.as_ref().map(|name| vector(&all, name)).transpose()?;
        let series = chosen.iter().map(|drawable| series(drawable, along, words)).collect::<Result<Vec<_>, _>>()?;
        if !series.iter().flat_map(|series| &series.points).any(|(x, y)| x.is_finite() && y.is_finite()) {
            return Err(not_drawn("it has no finite numbers"));
        }
        let (x, y) = names(&chosen, along, words);
        Ok(Chart { title: words.title.clone(), x, y, body: Body::Series(series) })
    }

    fn of_matrix(drawable: &Drawable, words: &Words) -> Result<Chart, Diagnostic> {
        let [rows, columns] = drawable.dims.as_slice() else { return Err(not_drawn("it is no matrix")) };
        let matrix = Matrix::new(*rows, *columns, &drawable.numbers).map_err(not_drawn)?;
        let label = words.label(&drawable.path);
        let title = if label.is_empty() { words.title.clone() } else { label };
        Ok(Chart { title, x: "column".to_string(), y: "row".to_string(), body: Body::Matrix(matrix) })
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
    let lines: Vec<&Drawable> = all
        .iter()
        .filter(|drawable| drawable.is_vector() || drawable.is_points())
        .filter(|drawable| Some(&drawable.path) != choice.x.as_ref())
        .collect();
    match (lines.is_empty(), all) {
        (false, _) => Ok(lines),
        (true, [only]) if choice.x.is_none() => Ok(vec![only]),
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
    let names = || all.iter().map(|drawable| drawable.path.clone()).collect::<Vec<_>>();
    all.iter().find(|drawable| drawable.path == name).ok_or_else(|| no_field(name, &names()))
}

fn no_field(name: &str, names: &[String]) -> Diagnostic {
    let title = format!("the result has no field `{name}` that can be drawn");
    let names: Vec<String> = names.iter().filter(|name| !name.is_empty()).map(|name| format!("`{name}`")).collect();
    let diagnostic = Diagnostic::error(Code::NO_PART, title);
    if names.is_empty() { diagnostic } else { diagnostic.note(format!("it has {}", names.join(", "))) }
}

fn vector<'a>(all: &'a [Drawable], name: &str) -> Result<&'a Drawable, Diagnostic> {
    let found = named(all, name)?;
    match found.is_vector() {
        true => Ok(found),
        false => Err(not_drawn(&format!("`{name}` is no vector, which the horizontal axis is"))),
    }
}

fn series(drawable: &Drawable, along: Option<&Drawable>, words: &Words) -> Result<Series, Diagnostic> {
    let name = words.label(&drawable.path);
    if drawable.is_points() {
        let points = drawable.numbers.as_chunks::<2>().0.iter().map(|[x, y]| (*x, *y)).collect();
        return Ok(Series { name, mark: Mark::Points, points });
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
    Ok(Series { name, mark: Mark::Line, points })
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
