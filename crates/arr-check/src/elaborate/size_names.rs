//! Names that stand as sizes and are none: each would mean two things.

use crate::data::declared_type::{DeclaredType, base_name, size_names};
use crate::data::tables::{DefInfo, Inferred};
use crate::data::use_problem::{NotASize, UseProblem};
use crate::elaborate::calls::binding::Binding;
use crate::elaborate::env::Entry;
use crate::elaborate::{Elab, Mode};
use arr_base::Span;
use arr_ir::{Poly, Scalar};

impl<'a> Elab<'a> {
    /// Reports constants in the declared types of a definition that are no sizes, each once.
    pub fn check_constant_sizes(&mut self, info: &'a DefInfo) {
        let mut seen: Vec<&str> = Vec::new();
        let types = info.params().iter().map(|p| &p.ty).chain(&info.result);
        for size in types.flat_map(DeclaredType::sizes) {
            for key in size_names(&size.poly) {
                if !seen.contains(&key) {
                    seen.push(key);
                    self.refuse_constant(key, size.span);
                }
            }
        }
    }

    /// Reports a constant, by its key in declared types, that is no size. Nothing is said of one that is wrong itself.
    fn refuse_constant(&mut self, key: &str, span: Span) {
        let tables = self.tables;
        let constant = tables.constant_of_key(key).filter(|_| tables.constant_size(key).is_none());
        let Some(info) = constant.and_then(|def| tables.info(def)) else { return };
        let why = match info.inferred.get() {
            Some(Inferred::Const(ty, _) | Inferred::Ty(ty)) if *ty == DeclaredType::Scalar(Scalar::I64) => {
                NotASize::Computed
            }
            Some(Inferred::Const(ty, _) | Inferred::Ty(ty)) => {
                let ty = self.declared_type(ty, &Binding::default());
                NotASize::Constant(self.show(&ty))
            }
            Some(Inferred::Inline) => NotASize::Constant("function".to_string()),
            Some(Inferred::Error) | None => return,
        };
        self.not_a_size(base_name(key), span, why, Some(info.span));
    }

    fn not_a_size(&mut self, name: &str, span: Span, why: NotASize, declared: Option<Span>) {
        let name = name.to_string();
        self.fail(UseProblem::NotASize { name, span, why, declared }.into());
    }

    /// The polynomial of a name that stands as a size inside an expression and is none, which is reported here unless it
    /// was before. `local` is what it may be called there.
    pub fn no_size(&mut self, key: &str, local: &str) -> Poly {
        let (span, before) = (self.span(), self.problems.len());
        match self.env.get(local) {
            // What is wrong there has been reported; code with such a size is not made.
            Some(Entry::Val(val)) if val.is_error() && self.mode == Mode::Check => return self.unknown_poly(local),
            Some(Entry::Val(val)) if val.is_error() => return self.unknown_size(local),
            Some(Entry::Val(val)) => {
                let ty = val.ty.clone();
                let why = NotASize::Value(self.show(&ty));
                self.not_a_size(local, span, why, None);
            }
            Some(Entry::Size(_)) => {}
            None if self.scope.ty(local).is_some() => self.not_a_size(local, span, NotASize::TypeParameter, None),
            None => self.refuse_constant(key, span),
        }
        if self.problems.len() == before {
            return self.unknown_size(local);
        }
        self.unknown_poly(local)
    }

    fn unknown_poly(&mut self, name: &str) -> Poly {
        let size = self.opaque_size(name, "is not known", None);
        self.b.func.types.poly(size).clone()
    }
}
