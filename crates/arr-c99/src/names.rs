//! C names for the names of a function.

use crate::Interface;
use crate::memory::Site;
use arr_header::{Scope, identifier};
use arr_loops::{LiteralId, LocalId, LoopFunc};
use std::collections::{BTreeMap, BTreeSet};

/// Names that the text of functions uses.
const TAKEN: &[&str] = &[
    "abs",
    "acos",
    "asin",
    "atan",
    "atan2",
    "ceil",
    "cos",
    "cosh",
    "erf",
    "exp",
    "expm1",
    "fabs",
    "floor",
    "fmod",
    "isfinite",
    "isnan",
    "lgamma",
    "log",
    "log1p",
    "memcpy",
    "pow",
    "rint",
    "sin",
    "sinh",
    "size_t",
    "sqrt",
    "tan",
    "tanh",
    "acosf",
    "asinf",
    "atanf",
    "atan2f",
    "ceilf",
    "cosf",
    "coshf",
    "erff",
    "expf",
    "expm1f",
    "fabsf",
    "floorf",
    "lgammaf",
    "logf",
    "log1pf",
    "powf",
    "rintf",
    "sinf",
    "sinhf",
    "sqrtf",
    "tanf",
    "tanhf",
    "int32_t",
    "int64_t",
    "uint32_t",
    "uint64_t",
    "NAN",
    "INFINITY",
    "INT32_MAX",
    "INT32_MIN",
    "INT64_MAX",
    "INT64_MIN",
    "UINT32_MAX",
    "INT64_C",
    "main",
];

/// The names of one function.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    locals: BTreeMap<LocalId, String>,
    literals: BTreeMap<LiteralId, String>,
    rooms: BTreeMap<Site, String>,
    taken: BTreeSet<String>,
}

impl Names {
    /// Names for everything in a function. `given` are those of its parameters; the others avoid them, and constants,
    /// which are outside of it, begin with the name of the function.
    pub fn new(func: &LoopFunc, face: &Interface, given: &[(Option<LocalId>, String)]) -> Names {
        let symbol = &face.symbol;
        let mut outside = face.taken.clone();
        let mut names = Names {
            locals: BTreeMap::new(),
            literals: BTreeMap::new(),
            rooms: BTreeMap::new(),
            taken: TAKEN.iter().copied().chain(face.taken.taken()).map(str::to_string).collect(),
        };
        names.taken.insert(symbol.clone());
        for (local, name) in given {
            names.taken.insert(name.clone());
            names.locals.extend(local.map(|local| (local, name.clone())));
        }
        for (id, info) in func.locals.iter() {
            if !names.locals.contains_key(&id) {
                let name = names.fresh(&info.name);
                names.locals.insert(id, name);
            }
        }
        for (at, (id, _)) in func.literals.iter().enumerate() {
            names.literals.insert(id, outside.fresh(&format!("{symbol}_constant_{at}")));
        }
        names
    }

    pub fn of(&self, local: LocalId) -> &str {
        self.locals.get(&local).map_or("", String::as_str)
    }

    pub fn literal(&self, id: LiteralId) -> &str {
        self.literals.get(&id).map_or("", String::as_str)
    }

    /// The pointer to the first place of a site.
    pub fn room(&self, site: Site) -> &str {
        self.rooms.get(&site).map_or("", String::as_str)
    }

    pub fn set_room(&mut self, site: Site, name: String) {
        self.rooms.insert(site, name);
    }

    /// A name that nothing else has.
    pub fn fresh(&mut self, base: &str) -> String {
        let base = identifier(base);
        let numbered = (2..).map(|n| format!("{}_{n}", base.trim_end_matches('_')));
        let name = std::iter::once(base.clone()).chain(numbered).find(|name| !self.taken.contains(name));
        let name = name.unwrap_or(base);
        self.taken.insert(name.clone());
        name
    }
}

/// Names for the interface: identifiers, each once, and none that the file has `taken`.
pub(crate) fn interface(names: &[&str], taken: &Scope) -> Vec<String> {
    let mut scope = taken.clone();
    TAKEN.iter().for_each(|name| scope.take((*name).to_string()));
    names.iter().map(|name| scope.fresh(&identifier(name))).collect()
}
