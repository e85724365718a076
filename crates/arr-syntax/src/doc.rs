//! A small document algebra for laying out text, after Wadler and Lindig.
//!
//! Documents live in one arena and know their width on one line, so a group is decided without reading it again,
//! nothing is freed recursively, and rendering takes linear time.
//!
//! Comments are not documents. They are kept beside the line breaks ([`Slot`]): a break with comments is always broken,
//! and the comments stand before it, at the end of the line or on lines of their own.

use std::borrow::Cow;
use std::collections::HashMap;

/// A document of a [`Docs`] arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Doc(u32);

/// A place where a line may end.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// The text at this position when the line does not end.
    pub flat: &'static str,
    /// Always broken: a group around it is never on one line.
    pub hard: bool,
    /// Before a closing bracket: comments belong to what is inside and are indented with it.
    pub closing: bool,
    /// Between two equals, where an empty line of the source is kept.
    pub spaced: bool,
}

/// A space, or a line break.
pub const LINE: Line = Line { flat: " ", hard: false, closing: false, spaced: false };

#[derive(Debug)]
enum Node {
    Text(Cow<'static, str>),
    /// Text that appears only if the group around it is broken.
    Broken(&'static str),
    /// Text that appears only if the group around it is on one line.
    Unbroken(&'static str),
    Line(Line),
    Concat(Vec<Doc>),
    Nest(u32, Doc),
    /// On one line if it fits, otherwise with its own line breaks broken.
    Group(Doc),
    /// A break and what follows it: on this line as a whole if it fits, else on the next as a whole if it fits, else
    /// begun on this line. A hard break lets the next line go first. Parentheses, if there are any, appear only if all
    /// of it is on this line: on lines of its own it needs none.
    Begun(Doc, Doc, Option<Parens>),
    /// On one line, however long, unless a comment forbids it.
    Solid(Doc),
    /// Parts of which the one at the index may run over several lines while the others stay on one. If there is no room
    /// for them, all are broken, those up to the index indented.
    Hanging(Vec<Doc>, usize),
}

/// Two texts around a document.
#[derive(Clone, Copy, Debug)]
pub struct Parens {
    pub open: Doc,
    pub close: Doc,
}

/// A comment in the layout.
#[derive(Clone, Debug)]
pub struct Placed {
    pub text: String,
    pub own_line: bool,
    /// An empty line stands before it.
    pub blank: bool,
}

/// The contents of a line break besides the break.
#[derive(Clone, Debug, Default)]
pub struct Slot {
    pub comments: Vec<Placed>,
    /// An empty line stands before the next text.
    pub blank: bool,
}

/// A piece of a document in reading order.
#[derive(Clone, Copy, Debug)]
pub enum Leaf<'d> {
    Text(&'d str),
    Line(Doc, Line),
}

/// Wider than any line.
const ENDLESS: u32 = u32::MAX;

/// Deeper lines are not indented further, so that text nested a thousand times does not grow quadratically.
const MAX_INDENT: u32 = 60;

/// The arena.
#[derive(Debug, Default)]
pub struct Docs {
    nodes: Vec<(Node, u32)>,
    slots: HashMap<Doc, Slot>,
}

impl Docs {
    /// Parts are made before the whole, so an index is greater than those of its parts.
    fn add(&mut self, node: Node) -> Doc {
        let doc = Doc(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        let width = self.measure(doc, &node);
        self.nodes.push((node, width));
        doc
    }

    fn measure(&self, doc: Doc, node: &Node) -> u32 {
        let sum =
            |parts: &[Doc]| parts.iter().fold(0u32, |w, &part| w.saturating_add(self.width(part).unwrap_or(ENDLESS)));
        match node {
            Node::Text(text) => u32::try_from(text.chars().count()).unwrap_or(ENDLESS),
            Node::Broken(_) => 0,
            Node::Unbroken(text) => u32::try_from(text.len()).unwrap_or(ENDLESS),
            Node::Line(line) if line.hard || self.has_comments(doc) => ENDLESS,
            Node::Line(line) => u32::try_from(line.flat.len()).unwrap_or(ENDLESS),
            Node::Concat(parts) | Node::Hanging(parts, _) => sum(parts),
            Node::Nest(_, inner) | Node::Group(inner) | Node::Solid(inner) => sum(&[*inner]),
            Node::Begun(line, inner, None) => sum(&[*line, *inner]),
            Node::Begun(line, inner, Some(Parens { open, close })) => sum(&[*line, *open, *inner, *close]),
        }
    }

    fn has_comments(&self, line: Doc) -> bool {
        self.slots.get(&line).is_some_and(|slot| !slot.comments.is_empty())
    }

    /// Attaches comments and empty lines to line breaks, and measures everything again.
    pub fn set_slots(&mut self, slots: HashMap<Doc, Slot>) {
        self.slots = slots;
        for index in 0..self.nodes.len() {
            let doc = Doc(u32::try_from(index).unwrap_or(u32::MAX));
            let width = self.nodes.get(index).map_or(0, |(node, _)| self.measure(doc, node));
            if let Some(node) = self.nodes.get_mut(index) {
                node.1 = width;
            }
        }
    }

    fn node(&self, doc: Doc) -> Option<&Node> {
        self.nodes.get(doc.0 as usize).map(|n| &n.0)
    }

    /// The document's width on one line; `None` if it does not fit on one.
    pub fn width(&self, doc: Doc) -> Option<u32> {
        self.nodes.get(doc.0 as usize).map(|n| n.1).filter(|&w| w != ENDLESS)
    }

    pub fn text(&mut self, text: impl Into<Cow<'static, str>>) -> Doc {
        self.add(Node::Text(text.into()))
    }

    pub fn broken(&mut self, text: &'static str) -> Doc {
        self.add(Node::Broken(text))
    }

    pub fn unbroken(&mut self, text: &'static str) -> Doc {
        self.add(Node::Unbroken(text))
    }

    pub fn solid(&mut self, doc: Doc) -> Doc {
        self.add(Node::Solid(doc))
    }

    /// A possible line end. Each needs a document of its own, since comments are attached to it.
    pub fn line(&mut self, line: Line) -> Doc {
        self.add(Node::Line(line))
    }

    pub fn concat(&mut self, parts: Vec<Doc>) -> Doc {
        self.add(Node::Concat(parts))
    }

    /// Line breaks inside are indented by `by` more.
    pub fn nest(&mut self, by: u32, doc: Doc) -> Doc {
        self.add(Node::Nest(by, doc))
    }

    pub fn group(&mut self, doc: Doc) -> Doc {
        self.add(Node::Group(doc))
    }

    pub fn begun(&mut self, line: Doc, doc: Doc, parens: Option<Parens>) -> Doc {
        self.add(Node::Begun(line, doc, parens))
    }

    pub fn hanging(&mut self, parts: Vec<Doc>, last: usize) -> Doc {
        self.add(Node::Hanging(parts, last))
    }

    /// The texts and line breaks of a document in order.
    pub fn leaves(&self, doc: Doc) -> Vec<Leaf<'_>> {
        let mut leaves = Vec::new();
        let mut todo = vec![doc];
        while let Some(doc) = todo.pop() {
            match self.node(doc) {
                Some(Node::Text(text)) => leaves.push(Leaf::Text(text)),
                Some(Node::Line(line)) => leaves.push(Leaf::Line(doc, *line)),
                Some(Node::Concat(parts) | Node::Hanging(parts, _)) => todo.extend(parts.iter().rev()),
                Some(Node::Nest(_, inner) | Node::Group(inner) | Node::Solid(inner)) => todo.push(*inner),
                Some(Node::Begun(line, inner, _)) => todo.extend([*inner, *line]),
                Some(Node::Broken(_) | Node::Unbroken(_)) | None => {}
            }
        }
        leaves
    }

    /// The text of a document whose lines are `limit` wide where possible.
    pub fn render(&self, doc: Doc, limit: u32) -> String {
        let start = Task { indent: 0, flat: false, doc };
        Renderer { docs: self, limit, out: String::new(), column: 0, todo: vec![start] }.run()
    }
}

#[derive(Clone, Copy)]
struct Task {
    indent: u32,
    flat: bool,
    doc: Doc,
}

struct Renderer<'d> {
    docs: &'d Docs,
    limit: u32,
    out: String,
    column: u32,
    todo: Vec<Task>,
}

impl Renderer<'_> {
    fn run(mut self) -> String {
        while let Some(task) = self.todo.pop() {
            self.step(task);
        }
        self.out
    }

    fn push(&mut self, indent: u32, flat: bool, doc: Doc) {
        self.todo.push(Task { indent, flat, doc });
    }

    fn write(&mut self, text: &str, width: u32) {
        self.out.push_str(text);
        self.column = self.column.saturating_add(width);
    }

    fn step(&mut self, Task { indent, flat, doc }: Task) {
        let Some((node, width)) = self.docs.nodes.get(doc.0 as usize) else { return };
        match node {
            Node::Text(text) => self.write(text, *width),
            Node::Broken(_) if flat => {}
            Node::Unbroken(_) if !flat => {}
            Node::Unbroken(text) => self.write(text, *width),
            Node::Broken(text) => self.write(text, u32::try_from(text.len()).unwrap_or(0)),
            // Not the measured width: a break that the source demands may be taken back, and is endless.
            Node::Line(line) if flat => self.write(line.flat, u32::try_from(line.flat.len()).unwrap_or(0)),
            Node::Line(line) => self.new_line(doc, *line, indent.min(MAX_INDENT)),
            Node::Concat(parts) => self.todo.extend(parts.iter().rev().map(|&doc| Task { indent, flat, doc })),
            Node::Nest(by, inner) => self.push(indent.saturating_add(*by), flat, *inner),
            Node::Solid(inner) => self.push(indent, self.docs.width(*inner).is_some(), *inner),
            Node::Group(inner) => {
                let flat = flat || self.fits(self.column, *width);
                self.push(indent, flat, *inner);
            }
            Node::Begun(line, inner, parens) => {
                let flat = flat || self.fits(self.column, *width);
                let parens = parens.filter(|_| flat);
                parens.iter().for_each(|parens| self.push(indent, true, parens.close));
                self.begin(indent, flat, (*line, parens), *inner);
            }
            Node::Hanging(parts, last) => {
                let flat = flat || self.fits(self.column, *width);
                self.hang(indent, flat, parts, *last);
            }
        }
    }

    fn begin(&mut self, indent: u32, flat: bool, (line, parens): (Doc, Option<Parens>), inner: Doc) {
        let below = indent.saturating_add(2);
        let alone = self.docs.width(inner).is_some_and(|w| self.fits(below.min(MAX_INDENT), w));
        let head = self.docs.head_width(inner, self.limit).saturating_add(1);
        if flat {
            self.push(indent, true, inner);
            parens.iter().for_each(|parens| self.push(indent, true, parens.open));
            self.push(indent, true, line);
        } else if self.docs.has_comments(line) || alone || self.column.saturating_add(head) > self.limit {
            self.push(below, alone, inner);
            self.push(below, false, line);
        } else {
            self.push(indent, false, inner);
            self.push(indent, true, line);
        }
    }

    fn hang(&mut self, indent: u32, flat: bool, parts: &[Doc], last: usize) {
        let before = parts.iter().take(last).try_fold(0u32, |w, &part| Some(w + self.docs.width(part)?));
        let after = parts.iter().skip(last + 1).all(|&part| self.docs.width(part).is_some());
        let head = parts.get(last).map_or(0, |&part| self.docs.head_width(part, self.limit));
        let room = before.is_some_and(|w| self.column.saturating_add(w).saturating_add(head) <= self.limit);
        for (index, &part) in parts.iter().enumerate().rev() {
            if flat || room && after {
                self.push(indent, flat || index != last, part);
            } else {
                self.push(if index <= last { indent.saturating_add(2) } else { indent }, false, part);
            }
        }
    }

    /// Whether `width` and what follows it up to the next possible line break fit from `column` on.
    fn fits(&self, column: u32, width: u32) -> bool {
        let Some(mut room) = self.limit.checked_sub(column).and_then(|room| room.checked_sub(width)) else {
            return false;
        };
        for task in self.todo.iter().rev() {
            match self.docs.head(task.doc, task.flat, room) {
                (_, true) => return true,
                (width, false) => match room.checked_sub(width) {
                    Some(left) => room = left,
                    None => return false,
                },
            }
        }
        true
    }

    /// Ends a line, without trailing blanks, after its comments.
    fn new_line(&mut self, doc: Doc, line: Line, indent: u32) {
        self.out.truncate(self.out.trim_end_matches(' ').len());
        let slot = self.docs.slots.get(&doc);
        let beside = if line.closing { indent + 2 } else { indent };
        for (index, comment) in slot.iter().flat_map(|slot| &slot.comments).enumerate() {
            if index == 0 && !comment.own_line {
                self.out.push_str("  ");
            } else {
                self.out.push_str(if comment.blank { "\n\n" } else { "\n" });
                self.out.extend(std::iter::repeat_n(' ', beside as usize));
            }
            self.out.push_str(&comment.text);
        }
        self.out.push_str(if slot.is_some_and(|slot| slot.blank) { "\n\n" } else { "\n" });
        self.out.extend(std::iter::repeat_n(' ', indent as usize));
        self.column = indent;
    }
}

impl Docs {
    /// The width of a document up to its first possible line break, as far as that is less than `limit`.
    fn head_width(&self, doc: Doc, limit: u32) -> u32 {
        self.head(doc, false, limit).0
    }

    /// The same, and whether there is such a line break. On one line there is none.
    fn head(&self, doc: Doc, flat: bool, limit: u32) -> (u32, bool) {
        if flat {
            return (self.width(doc).unwrap_or(ENDLESS), false);
        }
        let mut width = 0u32;
        let mut open = vec![std::slice::from_ref(&doc).iter()];
        while let Some(parts) = open.last_mut() {
            let Some(&part) = parts.next() else {
                open.pop();
                continue;
            };
            match self.nodes.get(part.0 as usize) {
                Some((Node::Text(_), own)) => width = width.saturating_add(*own),
                Some((Node::Line(_) | Node::Begun(..), _)) => return (width, true),
                Some((Node::Concat(parts) | Node::Hanging(parts, _), _)) => open.push(parts.iter()),
                Some((Node::Nest(_, inner) | Node::Group(inner), _)) => {
                    open.push(std::slice::from_ref(inner).iter());
                }
                Some((Node::Solid(_), own)) if *own != ENDLESS => width = width.saturating_add(*own),
                Some((Node::Solid(inner), _)) => open.push(std::slice::from_ref(inner).iter()),
                Some((Node::Broken(_) | Node::Unbroken(_), _)) | None => {}
            }
            if width > limit {
                break;
            }
        }
        (width, false)
    }
}
