//! A protocol for any host: load modules, list their definitions, call definitions and their derivatives, keep results
//! here under handles. docs/serve.md has the requests and a session.

mod entries;
mod request;

pub use request::{Op, Request, read};

use crate::fields::Fields;
use crate::id;
use crate::library::{Function, Library};
use crate::{Answer, Options, Refusal, arguments};
use arr_data::EdgeValue;
use arr_driver::{Derive, Mode, World};
use arr_ir::EdgeParam;
use serde_json::json;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::time::Duration;

/// The server's side of the protocol.
pub struct Host {
    library: Library,
    kept: BTreeMap<u64, StoredValue>,
    next: u64,
}

/// A value that stays here, and the function whose result it is.
struct StoredValue {
    value: EdgeValue,
    ty: arr_ir::Edge,
}

/// The fields of a reply after `id` and `ok`, each its JSON.
type Reply = Vec<(&'static str, String)>;

impl Host {
    pub fn new(world: impl World + 'static, options: Options) -> Host {
        Host { library: Library::new(world, options), kept: BTreeMap::new(), next: 1 }
    }

    /// Executes a request. Fails if the request lacks or misuses a field, names something missing, or if loading,
    /// calling or saving fails.
    pub fn reply(&mut self, request: &Request<'_>) -> Result<Reply, Refusal> {
        match request.op()? {
            Op::Load => self.load(request),
            Op::Entries => self.entries(request),
            Op::Call => self.call(request, &Derive::Nothing),
            Op::Gradient => {
                let derive = Derive::Gradient { wrt: request.wrt.clone(), mode: mode(request.mode.as_deref())? };
                self.call(request, &derive)
            }
            Op::Read => self.read(request),
            Op::Free => self.free(request),
        }
    }

    fn load(&mut self, request: &Request<'_>) -> Result<Reply, Refusal> {
        let path = request.need("path", request.path.as_ref())?;
        let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let name = request.module.clone().unwrap_or_else(|| file.strip_suffix(".arr").unwrap_or(file).to_string());
        let time = self.library.load(&name, path)?;
        Ok(vec![("module", json!(name).to_string()), ("nanoseconds", time.as_nanos().to_string())])
    }

    fn entries(&mut self, request: &Request<'_>) -> Result<Reply, Refusal> {
        let module = request.need("module", request.module.as_ref())?;
        self.library.require(module)?;
        Ok(vec![("entries", entries::describe(&self.library, module).to_string())])
    }

    fn call(&mut self, request: &Request<'_>, derive: &Derive) -> Result<Reply, Refusal> {
        let module = request.need("module", request.module.as_ref())?;
        let entry = request.need("entry", request.entry.as_ref())?;
        self.library.require(module)?;
        let (function, compiled) = self.library.function(module, entry, derive)?;
        let args = self.arguments(&function, request.args)?;
        let call = self.library.bind(&function, &args)?;
        let (value, time) = self.library.run(&function, &call)?;
        self.result(request, &function, value, time, compiled)
    }

    /// The value itself, or its new location.
    fn result(
        &mut self,
        request: &Request<'_>,
        function: &Function,
        value: EdgeValue,
        time: Duration,
        compiled: Option<Duration>,
    ) -> Result<Reply, Refusal> {
        let mut reply = vec![("type", json!(arr_data::found_text(&value)).to_string())];
        if let Some(path) = &request.save {
            let saved = self.library.session.write_value(path, &value, function.result_type());
            saved.map_err(|failure| self.library.refusal(&failure))?;
            reply.push(("saved", json!(path).to_string()));
        }
        if request.keep {
            let handle = self.next;
            self.next += 1;
            self.kept.insert(handle, StoredValue { value, ty: function.result_type().clone() });
            reply.push(("handle", handle.to_string()));
        } else if request.save.is_none() {
            reply.push(("value", arr_data::to_json(&value)));
        }
        reply.push(("nanoseconds", time.as_nanos().to_string()));
        reply.extend(compiled.map(|time| ("compile_nanoseconds", time.as_nanos().to_string())));
        Ok(reply)
    }

    /// The arguments: an object by name, a list by position.
    fn arguments(&mut self, function: &Function, args: Option<&RawValue>) -> Result<Vec<EdgeValue>, Refusal> {
        let bad = |e: serde_json::Error| Refusal::from(format!("`args` cannot be read: {e}"));
        let text = args.map_or("[]", RawValue::get);
        let given: Vec<&RawValue> = if text.starts_with('{') {
            let fields: Fields<'_> = serde_json::from_str(text).map_err(bad)?;
            arguments::unmatched(function, fields.list.iter().map(|(name, _)| name.as_str()))?;
            function.params().iter().filter_map(|p| fields.get(&p.name)).collect()
        } else {
            serde_json::from_str(text).map_err(bad)?
        };
        if given.len() != function.params().len() {
            let (name, takes) = (function.name(), function.params().len());
            return Err(format!("`{name}` has {takes} parameters, and is given {}", given.len()).into());
        }
        function.params().iter().zip(given).map(|(param, raw)| self.argument(param, raw.get())).collect()
    }

    /// A value as JSON, `{"@file": path}` or `{"@handle": number}`. No field of a record can have such a name.
    fn argument(&mut self, param: &EdgeParam, text: &str) -> Result<EdgeValue, Refusal> {
        match request::reference(text)? {
            None => self.library.value_of(param, text),
            Some(request::Reference::File(path)) => {
                let value = self.library.session.read_value(param, &path, &self.library.execution);
                value.map_err(|failure| self.library.refusal(&failure))
            }
            Some(request::Reference::Handle(handle)) => {
                let value = self.find(handle)?.value.clone();
                if arguments::same_form(&param.ty, &value) { Ok(value) } else { Err(arguments::misfit(param, &value)) }
            }
        }
    }

    fn find(&self, handle: u64) -> Result<&StoredValue, Refusal> {
        self.kept.get(&handle).ok_or_else(|| Refusal::from(format!("there is no handle {handle}")))
    }

    fn read(&mut self, request: &Request<'_>) -> Result<Reply, Refusal> {
        let handle = *request.need("handle", request.handle.as_ref())?;
        let kept = self.find(handle)?;
        let mut reply = vec![("type", json!(arr_data::found_text(&kept.value)).to_string())];
        match &request.save {
            Some(path) => {
                let saved = self.library.session.write_value(path, &kept.value, &kept.ty);
                saved.map_err(|failure| self.library.refusal(&failure))?;
                reply.push(("saved", json!(path).to_string()));
            }
            None => reply.push(("value", arr_data::to_json(&kept.value))),
        }
        Ok(reply)
    }

    fn free(&mut self, request: &Request<'_>) -> Result<Reply, Refusal> {
        match (request.handle, &request.module) {
            (Some(handle), None) => {
                self.find(handle)?;
                self.kept.remove(&handle);
                Ok(Vec::new())
            }
            (None, Some(module)) if self.library.unload(module) => Ok(Vec::new()),
            (None, Some(module)) => Err(format!("there is no module `{module}`").into()),
            _ => Err("`free` needs either a `handle` or a `module`".to_string().into()),
        }
    }
}

fn mode(name: Option<&str>) -> Result<Mode, Refusal> {
    match name {
        None | Some("reverse") => Ok(Mode::Reverse),
        Some("forward") => Ok(Mode::Forward),
        Some(other) => Err(format!("`{other}` is not a `mode`; there are `reverse` and `forward`").into()),
    }
}

impl Answer for Host {
    fn answer(&mut self, line: &str) -> String {
        match read(line) {
            Ok(request) => match self.reply(&request) {
                Ok(fields) => done(request.id(), &fields),
                Err(refusal) => refused(request.id(), &refusal),
            },
            Err(why) => refused(id::of_line(line), &format!("the request cannot be read: {why}").into()),
        }
    }

    fn refuse(&mut self, line: &str, why: &str) -> String {
        refused(id::of_line(line), &why.to_string().into())
    }
}

fn done(id: &str, fields: &[(&'static str, String)]) -> String {
    let fields: String = fields.iter().map(|(name, json)| format!(", \"{name}\": {json}")).collect();
    format!("{{\"id\": {id}, \"ok\": true{fields}}}")
}

fn refused(id: &str, refusal: &Refusal) -> String {
    format!("{{\"id\": {id}, \"ok\": false, \"error\": {}, \"problems\": {}}}", json!(refusal.text()), refusal.json())
}
