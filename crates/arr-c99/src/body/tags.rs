//! Tags of sums in arguments: one that is no constructor's is refused before anything is computed.

use super::{Body, Result};
use crate::memory::Length;
use crate::text::Binds;
use crate::{FailureKind, Interface};
use arr_loops::Ty;

impl Body<'_, '_> {
    /// Checks the tags of all arguments. As for compiled objects, a tag that another one does not choose is not read.
    pub(crate) fn check_tags(&mut self, face: &Interface) -> Result<()> {
        for (param, parameter) in self.func.params.iter().zip(&face.parameters) {
            let Some(tag) = &parameter.tag else { continue };
            let message = format!("`{}` is none of the tags 0 to {}", tag.path, tag.choices.saturating_sub(1));
            let (number, place) = self.places.refusal(FailureKind::Tag, face.place, message);
            let failure = format!("return {number}; /* {}{place} */", FailureKind::Tag.code());
            let chosen: Vec<String> = tag.carried_by.iter().filter_map(|&(at, value)| self.is_tag(at, value)).collect();
            let name = self.names.of(param.local).to_string();
            if matches!(self.func.ty(param.local), Ty::Scalar(_)) {
                let outside = format!("{name} < 0 || {name} >= {}", tag.choices);
                let wrong = match chosen.as_slice() {
                    [] => outside,
                    _ => format!("{} && ({outside})", chosen.join(" && ")),
                };
                self.push(format!("if ({wrong}) {{"));
                self.push(format!("    {failure}"));
                self.push("}");
                continue;
            }
            let count = self.length(&Length::Param(param.local))?;
            let at = self.names.fresh("at");
            let chosen: String = chosen.iter().map(|one| format!("{one} && ")).collect();
            self.push(format!("for (int64_t {at} = 0; {chosen}{at} < {}; {at}++) {{", count.within(Binds::Sum)));
            self.push(format!("    if ({name}[{at}] < 0 || {name}[{at}] >= {}) {{", tag.choices));
            self.push(format!("        {failure}"));
            self.push("    }");
            self.push("}");
        }
        Ok(())
    }

    /// That the tag of a parameter has this value; nothing for an array of tags.
    fn is_tag(&self, at: usize, value: i64) -> Option<String> {
        let local = self.func.params.get(at)?.local;
        let is_one = matches!(self.func.ty(local), Ty::Scalar(_));
        is_one.then(|| format!("{} == {value}", self.names.of(local)))
    }
}
