//! Arrays: where they are made, changed and copied.

use super::{Body, Result};
use crate::Error;
use crate::library::helper;
use crate::memory::{Bound, Capacity, Length, Make, Maker, Unique};
use crate::scalar::{Arg, scalar};
use crate::text::{Binds, Text, count_product};
use arr_header::c_type;
use arr_ir::{Const, Scalar};
use arr_loops::{LocalId, Operand, SpanId, Stmt, Ty};

impl Body<'_, '_> {
    /// How many elements the array has that a name stands for.
    pub(super) fn length_of(&mut self, local: LocalId) -> Result<Text> {
        let lengths = self.memory.lengths(local);
        let seen = |length: &&Length| match length {
            Length::Product(dims) => dims.iter().all(|&dim| self.is_in_scope(dim)),
            Length::Param(_) | Length::Constant(_) => true,
        };
        let length = lengths.iter().find(seen).cloned().ok_or(Error::Internal("an array without a length"))?;
        self.length(&length)
    }

    fn is_in_scope(&self, operand: Operand) -> bool {
        let Operand::Local(local) = operand else { return true };
        let given = self.func.params.iter().any(|p| p.local == local) || self.declared.contains(&local);
        given || self.scope.contains(&local)
    }

    /// The room for arrays of a site.
    pub(crate) fn capacity(&mut self, capacity: &Capacity) -> Result<Text> {
        Ok(count_product(&self.capacity_factors(capacity)?, &helper("mul", Scalar::I64)))
    }

    /// The factors of the room for arrays of a site.
    pub(crate) fn capacity_factors(&mut self, capacity: &Capacity) -> Result<Vec<Text>> {
        match capacity {
            Capacity::Same(length) => self.factors(length),
            Capacity::Product(bounds) => {
                let factors: Vec<Text> = bounds.iter().map(|bound| self.bound_extent(bound)).collect();
                Ok(factors.into_iter().filter(|factor| !factor.is_one()).collect())
            }
        }
    }

    fn bound_extent(&mut self, bound: &Bound) -> Text {
        match bound {
            Bound::Known(operand) => self.extent(*operand),
            Bound::Room => Text::primary(self.room.clone()),
            Bound::Of(..) => {
                let text = self.bound(bound);
                Text::primary(format!("{}({})", helper("extent", Scalar::I64), text.text))
            }
        }
    }

    fn bound(&mut self, bound: &Bound) -> Text {
        match bound {
            Bound::Known(operand) => self.value(*operand),
            Bound::Room => Text::primary(self.room.clone()),
            Bound::Of(prim, a, b) => {
                let args = [self.bound(a), self.bound(b)].map(|text| Arg { text, elem: Scalar::I64, index: true });
                let text = scalar(*prim, &args, self.how);
                text.unwrap_or_else(|| Text::primary("0"))
            }
        }
    }

    /// Checks that sizes which only the run knows are no larger than the room for them.
    pub(super) fn make_room(&mut self, dims: &[Operand], span: SpanId) {
        for &dim in dims {
            let Operand::Local(local) = dim else { continue };
            if self.declared.contains(&local) || self.func.sizes.contains(&local) {
                continue;
            }
            let text = self.stable(dim);
            if self.memory.roomy.contains(&local) {
                let failed = crate::text::binary(&text, ">", &Text::primary(self.room.clone()), Binds::Compare).text;
                self.fail_if(&failed, crate::FailureKind::TooLarge, span);
            }
        }
    }

    /// The factors of a number of elements; none if it is 1.
    pub(crate) fn factors(&mut self, length: &Length) -> Result<Vec<Text>> {
        match length {
            Length::Product(dims) => Ok(dims.iter().map(|&dim| self.extent(dim)).filter(|dim| !dim.is_one()).collect()),
            Length::Param(local) => {
                let param = self.func.params.iter().find(|p| p.local == *local);
                let dims = param.map(|p| p.dims.clone()).ok_or(Error::Internal("no such parameter"))?;
                Ok(dims.iter().map(|dim| self.polynomial(dim)).collect())
            }
            Length::Constant(_) => Ok(vec![self.length(length)?]),
        }
    }

    /// A number of elements.
    pub(crate) fn length(&mut self, length: &Length) -> Result<Text> {
        match length {
            Length::Constant(n) => Ok(Text::primary(n.to_string())),
            Length::Product(_) | Length::Param(_) => {
                Ok(count_product(&self.factors(length)?, &helper("mul", Scalar::I64)))
            }
        }
    }

    /// A size of an axis, as a number of elements that is not negative.
    pub(crate) fn extent(&mut self, dim: Operand) -> Text {
        let size = self.value(dim);
        let is_size = match dim {
            Operand::Const(c) => c.as_i64().is_some_and(|n| n >= 0),
            Operand::Local(local) => self.func.sizes.contains(&local),
        };
        if is_size { size } else { Text::primary(format!("{}({})", helper("extent", Scalar::I64), size.text)) }
    }

    /// A declared size of an argument.
    pub(crate) fn polynomial(&mut self, size: &arr_loops::ParamSize) -> Text {
        if let Some(n) = size.as_constant() {
            return Text::primary(n.max(0).to_string());
        }
        if let Some(var) = size.as_var() {
            return self.extent(Operand::Local(var));
        }
        let terms: Vec<String> = size.terms.iter().map(|(names, factor)| self.monomial(names, *factor)).collect();
        let text = terms.join(" + ").replace("+ -", "- ");
        Text::primary(format!("{}({text})", helper("extent", Scalar::I64)))
    }

    fn monomial(&mut self, names: &[LocalId], factor: i64) -> String {
        let names: Vec<String> = names.iter().map(|&local| self.value(local.into()).text).collect();
        match (factor, names.is_empty()) {
            (_, true) => factor.to_string(),
            (1, _) => names.join(" * "),
            (-1, _) => format!("-{}", names.join(" * ")),
            _ => format!("{factor} * {}", names.join(" * ")),
        }
    }

    pub(super) fn var(&mut self, local: LocalId, init: Option<Operand>) -> Result<()> {
        if !self.uses.contains_key(&local) {
            return Ok(());
        }
        let is_array = matches!(self.func.ty(local), Ty::Buffer(_));
        match init {
            // It never stands for another place.
            _ if is_array && self.memory.fixed.contains_key(&local) => {
                let site = self.memory.fixed.get(&local).copied();
                let name = site.map_or(String::new(), |site| self.names.room(site).to_string());
                self.aliases.insert(local, Text::primary(name));
                match init {
                    Some(Operand::Local(from)) => self.copied_into(Maker { local, from: Some(from) }, from),
                    _ => Ok(()),
                }
            }
            Some(Operand::Local(from)) if is_array => {
                let maker = Maker { local, from: Some(from) };
                let text = self.moved(maker, from)?;
                self.push(format!("{} = {};", self.declarator(local), text.text));
                self.copied_into(maker, from)
            }
            Some(init) => {
                let text = self.value(init);
                self.push(format!("{} = {};", self.declarator(local), text.text));
                Ok(())
            }
            // Every path sets it before it is read, which compilers do not always see.
            None if is_array => {
                self.push(format!("{} = NULL;", self.declarator(local)));
                Ok(())
            }
            None => {
                let zero = crate::text::constant(Const::zero(self.func.ty(local).elem()));
                self.push(format!("{} = {};", self.declarator(local), zero.text));
                Ok(())
            }
        }
    }

    pub(super) fn set(&mut self, local: LocalId, value: Operand) -> Result<()> {
        if !self.uses.contains_key(&local) {
            return Ok(());
        }
        let (is_array, from) = (matches!(self.func.ty(local), Ty::Buffer(_)), value.as_local());
        let maker = Maker { local, from };
        if let (Some(from), true) = (from, is_array && self.memory.fixed.contains_key(&local)) {
            return self.copied_into(maker, from);
        }
        let text = match from {
            Some(from) if is_array => self.moved(maker, from)?,
            _ => self.value(value),
        };
        self.flush(|p| p.variables.contains(&local));
        let place = Text::primary(self.names.of(local));
        if text != place {
            self.assign(&place, &text);
        }
        match from {
            Some(from) if is_array => self.copied_into(maker, from),
            _ => Ok(()),
        }
    }

    /// What a variable of arrays takes: the array, or a place for a copy of it.
    fn moved(&mut self, maker: Maker, from: LocalId) -> Result<Text> {
        match self.memory.makes.get(&maker).cloned() {
            Some(make) => self.place(maker.local, &make),
            None => Ok(self.value(from.into())),
        }
    }

    fn copied_into(&mut self, maker: Maker, from: LocalId) -> Result<()> {
        if self.memory.makes.contains_key(&maker) {
            let from = self.value(from.into());
            let name = self.value(maker.local.into()).text;
            self.copy_elements(&name, &from, maker.local)?;
        }
        Ok(())
    }

    /// `memcpy` of a whole array to a name's. An array without elements may be given as NULL, which `memcpy` may not.
    pub(crate) fn copy_elements(&mut self, to: &str, from: &Text, local: LocalId) -> Result<()> {
        // What is copied to may be memory that an element waits in to be read.
        self.flush(|p| p.memory);
        let length = self.length_of(local)?;
        let size = format!("sizeof({})", c_type(self.func.ty(local).elem()));
        let call = format!("memcpy({to}, {}, (size_t){} * {size});", from.text, length.within(Binds::Unary));
        match length.text.parse::<usize>() {
            Ok(0) => {}
            Ok(_) => self.push(call),
            Err(_) => {
                self.push(format!("if ({} > 0) {{", length.within(Binds::Sum)));
                self.push(format!("    {call}"));
                self.push("}");
            }
        }
        Ok(())
    }

    pub(super) fn alloc(&mut self, local: LocalId) -> Result<()> {
        let maker = Maker { local, from: None };
        let make = self.memory.makes.get(&maker).cloned().ok_or(Error::Internal("an array without a place"))?;
        let place = self.place(local, &make)?;
        if place.text == self.names.of(local) {
            return Ok(());
        }
        if make.rivals.is_empty() {
            self.aliases.insert(local, place);
        } else {
            self.push(format!("{} = {};", self.declarator(local), place.text));
        }
        Ok(())
    }

    /// A place of the site that no rival has.
    fn place(&mut self, local: LocalId, make: &Make) -> Result<Text> {
        let first = self.names.room(make.site).to_string();
        let mut taken = Vec::new();
        for &rival in &make.rivals {
            taken.push(self.value(rival.into()).text);
        }
        taken.dedup();
        let room = self.memory.rooms.iter().find(|room| room.site == make.site);
        let capacity = room.map(|room| room.capacity.clone()).ok_or(Error::Internal("an array without room"))?;
        let length = self.capacity(&capacity)?;
        Ok(match taken.as_slice() {
            [] => Text::primary(first),
            [one] => Text::new(
                format!("{one} == {first} ? {first} + {} : {first}", length.within(Binds::Product)),
                Binds::Conditional,
            ),
            _ => {
                let elem = self.func.ty(local).elem();
                let (helper, name) = (helper("fresh", elem), self.names.fresh("taken"));
                let count = taken.len();
                self.push(format!("const {} *const {name}[{count}] = {{{}}};", c_type(elem), taken.join(", ")));
                Text::primary(format!("{helper}({first}, {}, {name}, {count})", length.text))
            }
        })
    }

    pub(super) fn unique(&mut self, local: LocalId, buffer: LocalId, rest: &[Stmt]) -> Result<()> {
        let how = self.memory.uniques.get(&local).cloned().ok_or(Error::Internal("a `unique` without a place"))?;
        match how {
            Unique::InPlace => self.copy(local, buffer.into(), rest),
            Unique::Copy(make) => {
                let from = self.value(buffer.into());
                let place = self.place(local, &make)?;
                self.push(format!("{} = {};", self.declarator(local), place.text));
                let name = self.names.of(local).to_string();
                self.copy_elements(&name, &from, local)?;
            }
            Unique::Test(aliases, make) => {
                // What is declared inside of the branch is not seen behind it.
                self.flush(|p| p.memory);
                let from = self.value(buffer.into());
                self.push(format!("{} = {};", self.declarator(local), from.text));
                let name = self.names.of(local).to_string();
                let mut same = Vec::new();
                for alias in aliases {
                    same.push(format!("{} == {}", from.text, self.value(alias.into()).text));
                }
                same.dedup();
                self.push(format!("if ({}) {{", same.join(" || ")));
                self.depth += 1;
                let place = self.place(local, &make)?;
                self.push(format!("{name} = {};", place.text));
                self.copy_elements(&name, &from, local)?;
                self.depth -= 1;
                self.push("}");
            }
        }
        Ok(())
    }

    pub(super) fn argsort(&mut self, into: LocalId, keys: LocalId, length: Operand) -> Result<()> {
        self.flush(|p| p.memory);
        let helper = helper("argsort", self.func.ty(keys).elem());
        let count = self.length_of(into)?;
        let (into, keys, length) = (self.value(into.into()), self.value(keys.into()), self.value(length));
        self.push(format!("{helper}({}, {}, {}, {});", into.text, keys.text, count.text, length.text));
        Ok(())
    }
}
