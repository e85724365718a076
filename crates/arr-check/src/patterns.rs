//! Patterns: names for a value and its parts.

use crate::elab::{Elab, Entry};
use crate::error::Problem;
use crate::show::pattern_text;
use crate::types::{Ty, Val};
use arr_syntax::ast::{Pattern, PatternKind};

impl<'a> Elab<'a> {
    /// Binds the names of a pattern to the parts of a value. Names are bound even where the pattern does not fit.
    pub fn bind_pattern(&mut self, pattern: &'a Pattern, val: Val) {
        match &pattern.kind {
            PatternKind::Wildcard | PatternKind::Error => {}
            PatternKind::Name(name) => {
                self.name_value(&val, name);
                self.env.bind(name, Entry::Val(val));
            }
            PatternKind::Tuple(items) => {
                let fits = matches!(&val.ty, Ty::Tuple(types) if types.len() == items.len());
                let parts = val.components().filter(|_| fits);
                if parts.is_none() && !matches!(val.ty, Ty::Error) {
                    self.misfit(pattern, &val.ty);
                }
                let mut parts = parts.unwrap_or_default().into_iter();
                for item in items {
                    self.bind_pattern(item, parts.next().unwrap_or_else(Val::error));
                }
            }
            PatternKind::Record(fields) => {
                let is_record = matches!(val.ty, Ty::Record(_));
                if !is_record && !matches!(val.ty, Ty::Error) {
                    self.misfit(pattern, &val.ty);
                }
                for (name, inner) in fields {
                    let part = val.field(&name.text).unwrap_or_else(|| {
                        if is_record {
                            self.unknown_field(&name.text, name.span, &val.ty);
                        }
                        Val::error()
                    });
                    match inner {
                        Some(inner) => self.bind_pattern(inner, part),
                        None => {
                            self.name_value(&part, &name.text);
                            self.env.bind(&name.text, Entry::Val(part));
                        }
                    }
                }
            }
            PatternKind::Constructor(_, items) => {
                let what = format!("{} is", pattern_text(pattern));
                self.fail(Problem::Unsupported { span: pattern.span, what });
                items.iter().for_each(|p| self.bind_pattern(p, Val::error()));
            }
            PatternKind::Int(_) | PatternKind::Bool(_) => {
                let what = "a pattern that may not match, outside of `match`, is".to_string();
                self.fail(Problem::Unsupported { span: pattern.span, what });
            }
        }
    }

    fn misfit(&mut self, pattern: &Pattern, ty: &Ty) {
        let ty = self.show(ty);
        self.fail(Problem::Pattern { span: pattern.span, pattern: pattern_text(pattern), ty });
    }
}
