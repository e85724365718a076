//! A small document algebra for laying out text, after Wadler and Lindig.
//!
//! Documents live in one arena and know how wide they are on one line, so a group is decided without reading it
//! again, nothing is freed recursively, and rendering takes linear time.

use std::borrow::Cow;

/// A document of a [`Docs`] arena.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Doc(u32);

#[derive(Debug)]
enum Node {
    Text(Cow<'static, str>),
    /// A line break, or this text when its group is on one line.
    Line(&'static str),
    /// A line break always: a group around it is never on one line.
    Hard,
    Concat(Vec<Doc>),
    Nest(u32, Doc),
    /// On one line if it fits, otherwise with its own line breaks broken.
    Group(Doc),
}

/// Wider than any line.
const ENDLESS: u32 = u32::MAX;

/// The arena.
#[derive(Debug, Default)]
pub struct Docs {
    nodes: Vec<(Node, u32)>,
}

impl Docs {
    fn add(&mut self, node: Node, width: u32) -> Doc {
        self.nodes.push((node, width));
        Doc(u32::try_from(self.nodes.len() - 1).unwrap_or(u32::MAX))
    }

    /// The document's width on one line; `None` if it cannot stand on one.
    pub fn width(&self, doc: Doc) -> Option<u32> {
        self.nodes.get(doc.0 as usize).map(|n| n.1).filter(|&w| w != ENDLESS)
    }

    pub fn text(&mut self, text: impl Into<Cow<'static, str>>) -> Doc {
        let text = text.into();
        let width = u32::try_from(text.chars().count()).unwrap_or(ENDLESS);
        self.add(Node::Text(text), width)
    }

    /// A space, or a line break.
    pub fn line(&mut self) -> Doc {
        self.add(Node::Line(" "), 1)
    }

    /// Nothing, or a line break.
    pub fn soft(&mut self) -> Doc {
        self.add(Node::Line(""), 0)
    }

    pub fn hard(&mut self) -> Doc {
        self.add(Node::Hard, ENDLESS)
    }

    pub fn concat(&mut self, parts: Vec<Doc>) -> Doc {
        let width = parts.iter().fold(0u32, |w, &part| w.saturating_add(self.width(part).unwrap_or(ENDLESS)));
        self.add(Node::Concat(parts), width)
    }

    /// Line breaks inside are indented by `by` more.
    pub fn nest(&mut self, by: u32, doc: Doc) -> Doc {
        let width = self.width(doc).unwrap_or(ENDLESS);
        self.add(Node::Nest(by, doc), width)
    }

    pub fn group(&mut self, doc: Doc) -> Doc {
        let width = self.width(doc).unwrap_or(ENDLESS);
        self.add(Node::Group(doc), width)
    }

    /// The text of a document whose lines are `limit` wide where that is possible.
    pub fn render(&self, doc: Doc, limit: u32) -> String {
        let mut out = String::new();
        let mut column = 0u32;
        let mut todo: Vec<(u32, bool, Doc)> = vec![(0, false, doc)];
        while let Some((indent, flat, doc)) = todo.pop() {
            let Some((node, width)) = self.nodes.get(doc.0 as usize) else { continue };
            match node {
                Node::Text(text) => {
                    out.push_str(text);
                    column = column.saturating_add(*width);
                }
                Node::Line(text) if flat => {
                    out.push_str(text);
                    column += *width;
                }
                Node::Line(_) | Node::Hard => {
                    new_line(&mut out, indent);
                    column = indent;
                }
                Node::Concat(parts) => todo.extend(parts.iter().rev().map(|&part| (indent, flat, part))),
                Node::Nest(by, inner) => todo.push((indent.saturating_add(*by), flat, *inner)),
                Node::Group(inner) => {
                    let room = limit.checked_sub(column).and_then(|room| room.checked_sub(*width));
                    let fits = room.is_some_and(|room| self.rest_fits(&todo, room));
                    todo.push((indent, flat || fits, *inner));
                }
            }
        }
        out
    }

    /// Whether what follows fits into `room` up to its first possible line break.
    fn rest_fits(&self, todo: &[(u32, bool, Doc)], mut room: u32) -> bool {
        for &(_, _, doc) in todo.iter().rev() {
            let mut open = vec![std::slice::from_ref(&doc).iter()];
            while let Some(parts) = open.last_mut() {
                let Some(part) = parts.next() else {
                    open.pop();
                    continue;
                };
                match self.nodes.get(part.0 as usize) {
                    Some((Node::Text(_), width)) => match room.checked_sub(*width) {
                        Some(left) => room = left,
                        None => return false,
                    },
                    Some((Node::Line(_) | Node::Hard, _)) => return true,
                    Some((Node::Concat(parts), _)) => open.push(parts.iter()),
                    Some((Node::Nest(_, inner) | Node::Group(inner), _)) => {
                        open.push(std::slice::from_ref(inner).iter());
                    }
                    None => {}
                }
            }
        }
        true
    }
}

/// Ends a line without leaving blanks at its end.
fn new_line(out: &mut String, indent: u32) {
    out.truncate(out.trim_end_matches(' ').len());
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', indent as usize));
}
