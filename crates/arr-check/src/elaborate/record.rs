//! Recording the types of names and expressions, if they were asked for.

use crate::data::recorded::{Known, Types};
use crate::data::types::Ty;
use crate::data::values::Val;
use crate::elaborate::{Elab, Mode};
use arr_base::Span;
use arr_ir::{Scalar, SizeId};
use arr_syntax::ast::Name;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

impl Elab<'_> {
    /// Starts to record types, if they were asked for.
    pub fn start_recording(&mut self) {
        if self.mode == Mode::Check && self.tables.recorder.is_on() {
            self.recorded = Some(Box::default());
        }
    }

    fn known(&self, ty: &Ty) -> Option<Known> {
        if matches!(ty, Ty::Error) {
            return None;
        }
        let fields = match ty {
            Ty::Record(fields) => fields.iter().map(|(name, ty)| (name.clone(), self.show(ty))).collect(),
            _ => Vec::new(),
        };
        Some(Known { ty: self.show(ty), fields, extent: None, function: ty.has_fn() })
    }

    /// A name was bound to a value.
    pub fn record_name(&mut self, span: Span, val: &Val) {
        self.take_down(|types| &mut types.names, span, |e| e.known(&val.ty));
    }

    /// An index was bound that runs below an extent.
    pub fn record_index(&mut self, name: &Name, extent: SizeId) {
        self.take_down(
            |types| &mut types.names,
            name.span,
            |e| {
                let (ty, extent) = (Scalar::I64.name().to_string(), e.show_size(extent));
                // A size without a name says nothing.
                let extent = (!extent.contains('?')).then_some(extent);
                Some(Known { ty, fields: Vec::new(), extent, function: false })
            },
        );
    }

    /// An expression was evaluated.
    pub fn record_expr(&mut self, span: Span, val: &Val) {
        self.take_down(|types| &mut types.exprs, span, |e| e.known(&val.ty));
    }

    /// A definition was checked.
    pub fn record_result(&mut self, name: Span, val: &Val) {
        self.take_down(|types| &mut types.results, name, |e| e.known(&val.ty));
    }

    /// Of what is evaluated several times, such as the body of a lambda, the first type is kept.
    fn take_down(
        &mut self,
        map: impl Fn(&mut Types) -> &mut BTreeMap<Span, Known>,
        span: Span,
        known: impl FnOnce(&Self) -> Option<Known>,
    ) {
        let Some(mut recorded) = self.recorded.take() else { return };
        if let Entry::Vacant(place) = map(&mut recorded).entry(span)
            && let Some(known) = known(self)
        {
            place.insert(known);
        }
        self.recorded = Some(recorded);
    }
}
