//! The files of the workspace, for questions beyond one program: the users of a name, the location of a name.

use crate::documents::Desk;
use crate::file::{File, Files};
use arr_driver::{STANDARD_MODULES, Session, World, standard_path};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The maximal number of files considered.
const MOST: usize = 5_000;

/// Parsed files, kept while their texts stay the same.
#[derive(Debug, Default)]
pub struct Workspace {
    parsed: BTreeMap<String, Arc<File>>,
}

impl Workspace {
    /// The programs in and below folders, the open texts, and the standard library.
    pub fn files(&mut self, desk: &Desk, folders: &[String]) -> Files {
        let mut paths: Vec<String> = desk.open.keys().cloned().collect();
        paths.extend(STANDARD_MODULES.iter().map(|m| standard_path(m.name)));
        let session = Session::new(desk.clone());
        for folder in folders {
            // A folder that cannot be read has no programs.
            let found = session.programs(folder).unwrap_or_default();
            paths.extend(found.iter().map(|path| arr_driver::clean_path(path)));
        }
        paths.truncate(MOST);
        let files: Files = paths.into_iter().filter_map(|path| Some((path.clone(), self.file(desk, &path)?))).collect();
        self.parsed = files.clone();
        files
    }

    fn file(&self, desk: &Desk, path: &str) -> Option<Arc<File>> {
        let text = String::from_utf8(desk.read(path).ok()?).ok()?;
        let known = self.parsed.get(path).filter(|file| **file.text.text() == *text);
        Some(known.cloned().unwrap_or_else(|| Arc::new(File::parse(path, &text))))
    }
}
