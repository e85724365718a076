//! A function as a module.

use crate::error::{Error, Result, internal};
use crate::space::Emitter;
use crate::text::{Text, elem_name, tensor, without_dead};
use crate::values::{Arr, Bound, Scal, Val};
use arr_ir::{Const, Func, Scalar, Type};
use rustc_hash::{FxHashMap, FxHashSet};

pub use crate::traps::{Site, SiteKind};

/// A function of a module, for one choice of sizes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// A public function from the leaves of the parameters to the leaves of the result. If the program can fail, one more
    /// result follows, `tensor<4xi64>`: the number of the place in `sites` that failed, from 1 on, or 0, and the values of
    /// the message.
    pub text: String,
    /// The places that can fail; none if the program cannot.
    pub sites: Vec<Site>,
}

/// The text of a module with these functions.
pub fn module(name: &str, functions: &[Function]) -> String {
    let body: String = functions.iter().map(|function| function.text.as_str()).collect();
    format!(
        "module @{} attributes {{mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32}} {{\n{body}}}\n",
        symbol(name)
    )
}

/// What is known of the calls of a function.
#[derive(Clone, Debug)]
pub struct Call<'a> {
    /// The values of its size parameters.
    pub sizes: &'a [i64],
    /// The leaves of parameters, by number, that are these integers in every call: they are no parameters of the function.
    pub known: &'a [(usize, i64)],
    /// The room along axes of arrays whose sizes only a run knows; a run that needs more fails.
    pub room: Option<i64>,
    /// The least size in bytes of arrays that loops change in place: smaller ones are copied sooner.
    pub in_place_from: i64,
}

impl Default for Call<'_> {
    fn default() -> Self {
        Call { sizes: &[], known: &[], room: None, in_place_from: 16 << 10 }
    }
}

/// The function without derivatives as one of a module with the given name, for these calls. Fails with
/// [`crate::Error::UnknownSizes`] where arrays have sizes that only a run knows and there is no room, with
/// [`crate::Error::Unsupported`] for what XLA lacks, and with [`crate::Error::Internal`] for a function that is not well
/// formed.
pub fn function(func: &Func, name: &str, call: &Call<'_>) -> Result<Function> {
    let Call { sizes, known, room, in_place_from } = *call;
    if sizes.len() != func.sizes.len() {
        return internal("wrong number of sizes");
    }
    let mut emitter = Emitter {
        func,
        text: Text::new(),
        env: FxHashMap::default(),
        bounds: Vec::new(),
        space: Vec::new(),
        active: Vec::new(),
        trap: None,
        lane: None,
        ahead: Vec::new(),
        reading: None,
        sites: Vec::new(),
        limit: room,
        limited: FxHashSet::default(),
        unknown: Vec::new(),
        here: None,
        in_place_from,
        order: None,
        after: None,
    };
    for (&var, &size) in func.sizes.iter().zip(sizes) {
        emitter.bind(var, Bound::Scalar(Scal::Const(Const::I64(size))));
    }
    let written = emitter.whole(known);
    if !emitter.unknown.is_empty() {
        return Err(Error::UnknownSizes(emitter.unknown));
    }
    let (params, names, types) = written?;
    let (text, sites) = (emitter.text.close().indented(), emitter.sites);
    let text = without_dead(&(text + &format!("return {}", names.join(", "))));
    let text = text.rsplit_once("return ").map_or(text.as_str(), |(body, _)| body);
    let body: String = text.lines().map(|line| format!("  {line}\n")).collect();
    let results =
        if names.is_empty() { String::new() } else { format!(" {} : {}", names.join(", "), types.join(", ")) };
    let head = format!("  func.func public @{}({}) -> ({}) {{\n", symbol(name), params.join(", "), types.join(", "));
    Ok(Function { text: format!("{head}{body}    return{results}\n  }}\n"), sites })
}

/// A name without what a symbol of MLIR cannot have.
pub fn symbol(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if plain.starts_with(|c: char| c.is_ascii_alphabetic()) { plain } else { format!("f{plain}") }
}

impl Emitter<'_> {
    /// Writes the whole function. Returns its parameters, and the names and types of its results.
    fn whole(&mut self, known: &[(usize, i64)]) -> Result<(Vec<String>, Vec<String>, Vec<String>)> {
        let params = self.parameters(known)?;
        self.block(&self.func.body)?;
        let (mut names, mut types) = (Vec::new(), Vec::new());
        for result in self.results(&self.func.body)? {
            match result {
                Bound::Array(array) if array.ragged => {
                    return self.unsupported("a result has a size that is known only when the program runs");
                }
                Bound::Array(array) => {
                    types.push(array.ty());
                    names.push(array.name);
                }
                Bound::Scalar(scal) => {
                    let v = self.val(&scal)?;
                    types.push(self.val_ty(&v));
                    names.push(v.name);
                }
            }
        }
        if !self.sites.is_empty() {
            names.push(self.trap());
            types.push("tensor<4xi64>".to_string());
        }
        Ok((params, names, types))
    }

    /// Binds the parameters. Returns their names and types.
    fn parameters(&mut self, known: &[(usize, i64)]) -> Result<Vec<String>> {
        let mut texts = Vec::new();
        for &(at, value) in known {
            match self.func.params.get(at) {
                Some(&var) if *self.func.ty(var) == (Type { elem: Scalar::I64, dims: Vec::new() }) => {
                    self.bind(var, Bound::Scalar(Scal::Const(Const::I64(value))));
                }
                _ => return internal("what is known of a parameter is not about an integer"),
            }
        }
        for (at, &var) in self.func.params.iter().enumerate() {
            if known.iter().any(|(other, _)| *other == at) {
                continue;
            }
            let ty = self.func.ty(var).clone();
            let hint = self.hint(var);
            let name = self.text.fresh(&hint);
            if ty.dims.is_empty() {
                texts.push(format!("{name}: {}", tensor(&[], elem_name(ty.elem))));
                let v = Val::new(name, Vec::new(), ty.elem);
                self.bind(var, Bound::Scalar(Scal::Tensor(v)));
                continue;
            }
            let mut dims = Vec::new();
            for size in ty.dims {
                let extent = self.extent(size)?;
                if extent.exact.is_some() && self.limit.is_some() {
                    return self.unsupported("an argument has a size that is not known");
                }
                dims.push(extent.bound);
            }
            let array = Arr::new(name, dims, ty.elem);
            texts.push(format!("{}: {}", array.name, array.ty()));
            self.bind(var, Bound::Array(array));
        }
        Ok(texts)
    }
}
