//! Images beside a program, as addresses that hold their contents: a page needs no other file.

use arr_base::{Code, Diagnostic, SourceId, Span};
use arr_driver::{Session, imported_path, unreadable};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use percent_encoding::percent_decode_str;
use std::io::ErrorKind;
use std::ops::Range;
use std::sync::Arc;

/// The largest image, in bytes.
const LARGEST: u64 = 5_000_000;
/// The size of all images of a page together, in bytes. A text may name one image many times.
const ALL: u64 = 50_000_000;

/// The formats by the extension of the file. A browser runs no scripts of an SVG that is an image.
const FORMATS: &[(&str, &str)] = &[
    ("gif", "image/gif"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("png", "image/png"),
    ("svg", "image/svg+xml"),
    ("webp", "image/webp"),
];

/// The images of one page.
#[derive(Debug)]
pub(crate) struct Images {
    /// The path of the program, relative to which those of images are.
    path: String,
    file: SourceId,
    text: Arc<str>,
    /// How many bytes of images the page may still have.
    left: u64,
    /// What could not be read.
    pub warnings: Vec<Diagnostic>,
}

impl Images {
    pub fn new(session: &Session, path: &str, file: SourceId) -> Images {
        Images { path: path.to_string(), file, text: session.text(file), left: ALL, warnings: Vec::new() }
    }

    /// The contents of a local image as an address. `comment` is the part of the program with the text that names it.
    /// `None` for images of other hosts, and for those that cannot be read, with a warning.
    pub fn embedded(&mut self, session: &Session, address: &str, comment: &Range<usize>) -> Option<String> {
        if !is_relative(address) {
            return None;
        }
        match self.read(session, address) {
            Ok(uri) => Some(uri),
            Err(warning) => {
                let warning = warning.at(self.place(address, comment), "this image");
                if !self.warnings.contains(&warning) {
                    self.warnings.push(warning);
                }
                None
            }
        }
    }

    fn read(&mut self, session: &Session, address: &str) -> Result<String, Diagnostic> {
        let path = imported_path(&self.path, &percent_decode_str(address).decode_utf8_lossy());
        let extension = path.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
        let format = FORMATS.iter().find(|(name, _)| Some(*name) == extension.as_deref());
        let Some((_, media)) = format else {
            let title = format!("`{path}` has no extension of an image that pages can have");
            let names: Vec<String> = FORMATS.iter().map(|(name, _)| format!("`.{name}`")).collect();
            let note = format!("those are {}", names.join(", "));
            return Err(Diagnostic::warning(Code::BAD_FILE, title).note(note));
        };
        let bytes = session.named_file(&path, LARGEST.min(self.left)).map_err(|error| match error.kind() {
            ErrorKind::FileTooLarge if self.left < LARGEST => too_large(&path, "the images of a page", ALL),
            ErrorKind::FileTooLarge => too_large(&path, "an image", LARGEST),
            _ => Diagnostic::warning(Code::FILE_NOT_READ, unreadable(&path, &error).title),
        })?;
        self.left = self.left.saturating_sub(bytes.len() as u64);
        Ok(format!("data:{media};base64,{}", BASE64_STANDARD.encode(&bytes)))
    }

    /// Where the comment names an image. An address with escapes is not found; then it is the end of the comment.
    fn place(&self, address: &str, comment: &Range<usize>) -> Span {
        let found = self.text.get(comment.clone()).and_then(|text| text.find(address));
        match found.map(|at| comment.start + at) {
            Some(start) => Span::new(self.file, start, start + address.len()),
            None => Span::new(self.file, comment.end, comment.end),
        }
    }
}

fn too_large(path: &str, what: &str, most: u64) -> Diagnostic {
    let title = format!("`{path}` is too large for a page");
    Diagnostic::warning(Code::BAD_FILE, title).note(format!("{what} may have {} MB", most / 1_000_000))
}

/// Whether an address is a path that is relative to the file that has it.
fn is_relative(address: &str) -> bool {
    let scheme = address.split(['/', '?', '#']).next().is_some_and(|first| first.contains(':'));
    !address.is_empty() && !address.starts_with(['/', '\\', '#', '?']) && !scheme
}

#[cfg(test)]
mod tests {
    use super::*;
    use arr_driver::MemoryWorld;

    const TEXT: &str = "--| ![a](a.png) ![a](b.png)\ndef x = 1\n";

    fn images(files: &[(&str, &[u8])]) -> (Session, Images) {
        let all = files.iter().copied().chain([("lib/p.arr", TEXT.as_bytes())]);
        let mut session = Session::new(MemoryWorld::new(all));
        let file = session.add_text("lib/p.arr", TEXT);
        let images = Images::new(&session, "lib/p.arr", file);
        (session, images)
    }

    #[test]
    fn letters_of_bytes() {
        let all = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(|text| BASE64_STANDARD.encode(text));
        assert_eq!(all, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]);
        assert_eq!(BASE64_STANDARD.encode([255, 239, 190]), "/+++");
    }

    #[test]
    fn images_beside_the_program_are_embedded() {
        let (session, mut images) =
            images(&[("lib/a.png", b"foo"), ("b.SVG", b"<svg/>"), ("lib/c d.gif", b"f"), ("/etc/e.png", b"f")]);
        let mut read = |address: &str| images.embedded(&session, address, &(0..28));
        assert_eq!(read("a.png").as_deref(), Some("data:image/png;base64,Zm9v"));
        assert_eq!(read("./a.png").as_deref(), Some("data:image/png;base64,Zm9v"));
        assert_eq!(read("../b.SVG").as_deref(), Some("data:image/svg+xml;base64,PHN2Zy8+"));
        assert_eq!(read("c%20d.gif").as_deref(), Some("data:image/gif;base64,Zg=="));
        for address in ["https://example.com/a.png", "data:image/png;base64,Zm9v", "//host/a.png", "/etc/e.png", ""] {
            assert_eq!(read(address), None);
        }
        assert!(images.warnings.is_empty());
    }

    #[test]
    fn what_cannot_be_read_is_a_warning_at_its_place() {
        let large = vec![0; LARGEST as usize + 1];
        let (session, mut images) = images(&[("lib/large.png", &large), ("lib/x.bmp", b"")]);
        for address in ["b.png", "b.png", "large.png", "x.bmp"] {
            assert_eq!(images.embedded(&session, address, &(0..28)), None);
        }
        let titles: Vec<&str> = images.warnings.iter().map(|w| w.title.as_str()).collect();
        let expected = [
            "`lib/b.png` cannot be read: there is no such file",
            "`lib/large.png` is too large for a page",
            "`lib/x.bmp` has no extension of an image that pages can have",
        ];
        assert_eq!(titles, expected);
        let place = images.warnings.first().and_then(Diagnostic::primary_span);
        assert_eq!(place.map(|span| session.sources().slice(span)), Some("b.png"));
    }

    #[test]
    fn a_page_has_no_more_than_its_share() {
        let most = vec![0; LARGEST as usize];
        let (session, mut images) = images(&[("lib/a.png", &most)]);
        let read = (0..12).filter(|_| images.embedded(&session, "a.png", &(0..28)).is_some()).count();
        assert_eq!((read, images.warnings.len()), (10, 1));
    }
}
