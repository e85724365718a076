//! Files: URIs in the protocol, paths in the compiler.

use crate::FileSpan;
use arr_driver::{World, clean_path, standard_module, standard_path};
use lsp_types::Uri;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use std::str::FromStr;

/// Characters that are not escaped in the path of a URI.
const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b':');

/// Where the compiler's embedded texts are written, for an editor to show.
#[derive(Clone, Debug)]
pub struct Library {
    /// A directory, absolute, with `/` between its parts.
    directory: String,
}

impl Library {
    pub fn new(directory: &str) -> Library {
        Library { directory: clean_path(directory) }
    }

    /// The compiler's path of a file. A URI of another scheme is its own path.
    pub fn path(&self, uri: &Uri) -> String {
        let text = uri.as_str();
        let Some(rest) = text.strip_prefix("file://") else { return text.to_string() };
        // A host is ignored.
        let path = rest.find('/').and_then(|at| rest.get(at..)).unwrap_or(rest);
        let path = percent_decode_str(path).decode_utf8_lossy();
        let path = clean_path(windows_drive(&path));
        let inside = path.strip_prefix(&self.directory).and_then(|rest| rest.strip_prefix("/std/"));
        let module = inside.and_then(|file| file.strip_suffix(".arr")).and_then(standard_module);
        module.map_or(path, |module| standard_path(module.name))
    }

    /// The URI of a file.
    pub fn uri(&self, path: &str) -> Option<Uri> {
        if let Some(name) = path.strip_prefix("<std>/") {
            return file_uri(&format!("{}/std/{name}", self.directory));
        }
        file_uri(path)
    }

    /// Writes the texts for an editor to show.
    pub fn write(&self, world: &dyn World) {
        let put = |folder: &str, name: &str, text: &str| {
            let directory = format!("{}/{folder}", self.directory);
            let path = format!("{directory}/{name}");
            if world.read(&path).is_ok_and(|bytes| bytes == text.as_bytes()) {
                return;
            }
            // Without these files an editor shows less; nothing else depends on them.
            let _ = world.make_directory(&directory);
            let _ = world.write(&path, text.as_bytes());
            let _ = world.protect(&path);
        };
        for module in arr_driver::STANDARD_MODULES {
            put("std", &format!("{}.arr", module.name), module.text);
        }
        for info in arr_base::CODES {
            put("codes", &format!("{}.md", info.code), &crate::publish::page(info));
        }
    }

    /// The URI of the page that explains a code.
    pub fn page(&self, code: arr_base::Code) -> Option<Uri> {
        file_uri(&format!("{}/codes/{code}.md", self.directory))
    }
}

/// `C:/a` of `/C:/a`.
fn windows_drive(path: &str) -> &str {
    let drive = path.strip_prefix('/').filter(|rest| {
        let mut chars = rest.chars();
        cfg!(windows) && chars.next().is_some_and(|c| c.is_ascii_alphabetic()) && chars.next() == Some(':')
    });
    drive.unwrap_or(path)
}

fn file_uri(path: &str) -> Option<Uri> {
    let encoded = utf8_percent_encode(path, KEPT).to_string();
    let text = match encoded.strip_prefix('/') {
        Some(_) => format!("file://{encoded}"),
        // With a drive, or no file at all.
        None if cfg!(windows) => format!("file:///{encoded}"),
        None => path.to_string(),
    };
    Uri::from_str(&text).ok()
}

/// Whether a file is part of the compiler, and cannot be changed.
pub fn is_standard(place: &FileSpan) -> bool {
    place.path.starts_with("<std>/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_paths() {
        let library = Library::new("/cache/arr");
        for (uri, path) in [
            ("file:///a/b.arr", "/a/b.arr"),
            ("file:///a%20b/%C3%A9%2B.arr", "/a b/é+.arr"),
            ("untitled:Untitled-1", "untitled:Untitled-1"),
            ("file:///cache/arr/std/stats.arr", "<std>/stats.arr"),
        ] {
            let parsed = Uri::from_str(uri).ok();
            assert_eq!(parsed.as_ref().map(|uri| library.path(uri)), Some(path.to_string()));
            assert_eq!(library.uri(path).map(|uri| uri.as_str().to_string()), Some(uri.to_string()));
        }
        let odd = Uri::from_str("file://host/a/./c/../b.arr").ok();
        assert_eq!(odd.map(|uri| library.path(&uri)), Some("/a/b.arr".to_string()));
    }
}
