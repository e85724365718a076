//! A module under construction: its kernels, the names in its text, slots, fault sites, and additional locals.

use crate::ends::{self, LOOPS_WERE_CUT};
use crate::names::Names;
use crate::packs::{Packed, Packs};
use crate::program::{Access, Fault, FaultSite, Integers, Kernel, KernelId, Needs, Options, PlaceId};
use crate::ranges::Ranges;
use crate::roots::Root;
use crate::scalar::{self, Functions};
use arr_base::{Id, IndexVec, Span};
use arr_ir::{Prim, Scalar};
use arr_loops::{Demand, LocalId, LocalInfo, LoopFunc, Operand, SpanId, Ty};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

/// Names of the module's own functions begin with this, so that no name of a program is one of them.
pub const OWN: &str = "arr_";

/// Words that every kernel may use for itself.
const OWN_WORDS: [&str; 19] = [
    "slots",
    "fault",
    "group",
    "groups",
    "lane",
    "point",
    "points",
    "bits",
    "chunk",
    "first",
    "last",
    "width",
    "turn",
    "chunk_start",
    "chunk_end",
    "mine",
    "block",
    "chunk_row",
    "copy_start",
];

/// An index beyond every buffer.
const OUTSIDE: &str = "0x7fffffffu";

pub struct Builder<'a> {
    pub func: LoopFunc,
    pub options: Options,
    /// The functions that scalar code calls.
    pub functions: Functions,
    pub kernels: IndexVec<KernelId, Kernel>,
    pub places: IndexVec<PlaceId, FaultSite>,
    pub slots: Vec<LocalId>,
    /// The source line of a span.
    source: &'a dyn Fn(Span) -> Option<String>,
    /// The texts of `kernels`.
    texts: Vec<String>,
    names: Names,
    local_names: HashSet<String>,
    words: HashMap<LocalId, String>,
    slot_of: HashMap<LocalId, u32>,
    /// The names of declarations beside a kernel's entry point.
    own_names: HashMap<(String, String), String>,
    privates: HashSet<LocalId>,
    /// The buffers that addresses point into.
    roots: HashMap<LocalId, Root>,
    /// The ranges of the program's integers, which may not fit.
    pub(crate) ranges: Ranges,
    /// Buffers that combine several.
    pub(crate) packs: Packs,
}

impl<'a> Builder<'a> {
    pub fn new(func: LoopFunc, options: Options, source: &'a dyn Fn(Span) -> Option<String>) -> Builder<'a> {
        let local_names = func.locals.iter().map(|(_, info)| info.name.clone()).collect();
        let roots = crate::roots::find(&func);
        let mut names = Names::default();
        for own in OWN_WORDS {
            names.unique(own);
        }
        Builder {
            func,
            options,
            functions: Functions::new(options.integers),
            kernels: IndexVec::new(),
            places: IndexVec::new(),
            slots: Vec::new(),
            source,
            texts: Vec::new(),
            names,
            local_names,
            words: HashMap::new(),
            slot_of: HashMap::new(),
            own_names: HashMap::new(),
            privates: HashSet::new(),
            roots,
            ranges: Ranges::default(),
            packs: Packs::default(),
        }
    }

    // Locals.

    /// A fresh local of the host, which the caller binds by a step.
    pub fn local(&mut self, hint: &str, ty: Ty) -> LocalId {
        self.fresh(hint, ty, false)
    }

    /// A fresh local for the result of a primitive.
    pub fn local_of(&mut self, hint: &str, prim: Prim, args: &[Operand]) -> LocalId {
        let elems: Vec<Scalar> = args.iter().map(|&a| self.func.elem(a)).collect();
        let elem = prim.result(&elems);
        let elem = elem.unwrap_or_else(|| self.func.broken(Scalar::I64, "a primitive is not defined on its operands"));
        self.local(hint, Ty::Scalar(elem))
    }

    /// A fresh local that steps change.
    pub fn var(&mut self, hint: &str, ty: Ty) -> LocalId {
        self.fresh(hint, ty, true)
    }

    fn fresh(&mut self, hint: &str, ty: Ty, mutable: bool) -> LocalId {
        let mut name = hint.to_string();
        let mut k = 1;
        while !self.local_names.insert(name.clone()) {
            k += 1;
            name = format!("{hint}.{k}");
        }
        self.func.locals.push(LocalInfo { name, ty, mutable })
    }

    /// The buffer that an address points into: a local of type `Buffer`. A buffer is its own root.
    pub fn root(&self, address: LocalId) -> LocalId {
        self.roots.get(&address).map_or(address, |root| root.buffer)
    }

    /// Whether an address is that of its buffer's first element, which needs no parameter.
    pub fn is_start(&self, address: LocalId) -> bool {
        self.roots.get(&address).is_none_or(|root| root.start)
    }

    /// Records the buffer of an address that did not come from lowering.
    pub fn place_address(&mut self, address: LocalId, buffer: LocalId, start: bool) {
        self.roots.insert(address, Root { buffer, start });
    }

    /// The type of a local as a number of a kernel: for an address, that of its offset.
    pub fn number(&self, local: LocalId) -> Scalar {
        match self.func.ty(local) {
            Ty::Scalar(scalar) => scalar,
            Ty::Address(_) | Ty::Buffer(_) => Scalar::I64,
        }
    }

    // Names.

    /// A name for a function or an entry point, unique in the module.
    pub fn name(&mut self, hint: &str) -> String {
        self.names.unique(hint)
    }

    /// The name of a declaration beside a kernel's entry point: the kernel's name, and the role of the declaration.
    pub fn own_name(&mut self, kernel: &Kernel, what: &str) -> String {
        self.own_name_of(kernel, what.to_string(), what)
    }

    /// A name beside the entry point, the same for the same key.
    fn own_name_of(&mut self, kernel: &Kernel, key: String, what: &str) -> String {
        let key = (kernel.name.clone(), key);
        if let Some(name) = self.own_names.get(&key) {
            return name.clone();
        }
        let name = self.names.unique(&format!("{}_{what}", kernel.name));
        self.own_names.insert(key, name.clone());
        name
    }

    /// The word for a local: the same everywhere in the module, and used for nothing else.
    pub fn word(&mut self, local: LocalId) -> String {
        if let Some(word) = self.words.get(&local) {
            return word.clone();
        }
        let hint = self.func.locals.get(local).map_or("value", |info| info.name.as_str());
        let word = self.names.unique(hint);
        self.words.insert(local, word.clone());
        word
    }

    /// WGSL's type for a scalar in a function; `bool` is a `bool`.
    pub fn type_name(&self, scalar: Scalar) -> &'static str {
        scalar::type_name(scalar, self.options.integers)
    }

    /// WGSL's type for a scalar in a buffer or a block of parameters; `bool` is a `u32`.
    pub fn stored_type(&self, scalar: Scalar) -> &'static str {
        if scalar == Scalar::Bool { "u32" } else { self.type_name(scalar) }
    }

    /// A scalar of the host inside a kernel that has it among its `params`: an expression.
    pub fn param(&mut self, kernel: &Kernel, local: LocalId) -> String {
        let field = self.word(local);
        let value = format!("{}.{field}", self.own_name(kernel, "params"));
        let is_bool = self.func.locals.get(local).is_some_and(|info| info.ty == Ty::Scalar(Scalar::Bool));
        if is_bool { format!("({value} != 0u)") } else { value }
    }

    /// The variable of a kernel's binding of a buffer, which is in its `buffers`.
    pub fn buffer(&mut self, kernel: &Kernel, buffer: LocalId) -> String {
        let word = self.word(buffer);
        self.own_name_of(kernel, format!("buffer {word}"), &word)
    }

    /// The element of a kernel's buffer at an index, which is an expression of any integer type: an expression.
    pub fn load(&mut self, kernel: &Kernel, buffer: LocalId, index: &str) -> String {
        if let Some(packed) = self.packs.find(kernel, buffer) {
            let place = self.packed_place(kernel, packed, index);
            return match self.stored_type(packed.elem) {
                _ if packed.elem == Scalar::Bool => format!("({place} != 0u)"),
                ty if ty == self.stored_type(packed.words) => place,
                ty => format!("bitcast<{ty}>({place})"),
            };
        }
        let elem = kernel.buffers.iter().find(|b| b.buffer == buffer).map(|b| b.elem);
        let place = format!("{}[{}]", self.buffer(kernel, buffer), self.index(index));
        if elem == Some(Scalar::Bool) { format!("({place} != 0u)") } else { place }
    }

    /// The statement that sets an element of a kernel's buffer.
    pub fn store(&mut self, kernel: &Kernel, buffer: LocalId, index: &str, value: &str) -> String {
        if let Some(packed) = self.packs.find(kernel, buffer) {
            let place = self.packed_place(kernel, packed, index);
            let words = self.stored_type(packed.words);
            return match self.stored_type(packed.elem) {
                _ if packed.elem == Scalar::Bool => format!("{place} = select(0u, 1u, {value});"),
                ty if ty == words => format!("{place} = {value};"),
                _ => format!("{place} = bitcast<{words}>({value});"),
            };
        }
        let elem = kernel.buffers.iter().find(|b| b.buffer == buffer).map(|b| b.elem);
        let place = format!("{}[{}]", self.buffer(kernel, buffer), self.index(index));
        if elem == Some(Scalar::Bool) {
            format!("{place} = select(0u, 1u, {value});")
        } else {
            format!("{place} = {value};")
        }
    }

    /// The element of a pack at an index of one of its parts.
    fn packed_place(&mut self, kernel: &Kernel, packed: Packed, index: &str) -> String {
        let (pack, start) = (self.buffer(kernel, packed.pack), self.param(kernel, packed.start));
        let index = self.index(index);
        match index.as_str() {
            OUTSIDE => format!("{pack}[{OUTSIDE}]"),
            _ => format!("{pack}[u32({start}) + u32({index})]"),
        }
    }

    /// An integer expression as a WGSL index.
    fn index(&self, index: &str) -> String {
        // naga does not convert constants of 64 bits, and refuses those that are negative or too large for an `i32`.
        // Those are out of range, which a check has detected.
        let is_number = |digits: &&str| digits.bytes().all(|b| b.is_ascii_digit());
        let constant = index.strip_suffix("li").filter(is_number);
        let negative = index.strip_prefix("(-").and_then(|rest| rest.strip_suffix("i)"));
        if negative.map(|number| number.trim_end_matches('l')).filter(is_number).is_some() {
            return OUTSIDE.to_string();
        }
        match (self.options.integers, constant) {
            (Integers::Narrow, _) => index.to_string(),
            (Integers::Native, Some(digits)) => match digits.parse::<i32>() {
                Ok(k) => format!("{k}u"),
                Err(_) => OUTSIDE.to_string(),
            },
            (Integers::Native, None) => format!("u32({index})"),
        }
    }

    // Slots.

    /// The slot of a scalar of the device.
    pub fn slot(&mut self, local: LocalId) -> u32 {
        if let Some(&slot) = self.slot_of.get(&local) {
            return slot;
        }
        let slot = u32::try_from(self.slots.len()).unwrap_or(u32::MAX);
        self.slots.push(local);
        self.slot_of.insert(local, slot);
        slot
    }

    /// The value of a scalar in its slot: an expression of a kernel that binds the slots.
    pub fn load_slot(&mut self, local: LocalId) -> String {
        let word = 2 * self.slot(local);
        let low = format!("slots[{word}]");
        let wide = |ty: &str| format!("bitcast<{ty}>(u64({low}) | (u64(slots[{}]) << 32u))", word + 1);
        match (self.number(local), self.options.integers) {
            (Scalar::Bool, _) => format!("({low} != 0u)"),
            (Scalar::U32, _) => low,
            (Scalar::I32, _) | (Scalar::I64, Integers::Narrow) => format!("bitcast<i32>({low})"),
            (Scalar::F32, _) => format!("bitcast<f32>({low})"),
            (Scalar::I64, Integers::Native) => wide("i64"),
            (Scalar::F64, _) => wide("f64"),
        }
    }

    /// The statements that store a value to its slot.
    pub fn store_slot(&mut self, local: LocalId, value: &str) -> String {
        let word = 2 * self.slot(local);
        let one = |bits: String| format!("slots[{word}] = {bits};");
        let two = |bits: &str| {
            let high = word + 1;
            format!(
                "{{ let bits = {bits}; slots[{word}] = u32(bits & 0xfffffffflu); slots[{high}] = u32(bits >> 32u); }}"
            )
        };
        match (self.number(local), self.options.integers) {
            (Scalar::Bool, _) => one(format!("select(0u, 1u, {value})")),
            (Scalar::U32, _) => one(value.to_string()),
            (Scalar::I32 | Scalar::F32, _) | (Scalar::I64, Integers::Narrow) => one(format!("bitcast<u32>({value})")),
            (Scalar::I64 | Scalar::F64, _) => two(&format!("bitcast<u64>({value})")),
        }
    }

    // Faults.

    /// The row of a check's fault site.
    pub fn place(&mut self, demand: Demand, span: SpanId) -> PlaceId {
        self.place_of(Fault::Demand(demand), span)
    }

    pub(crate) fn place_of(&mut self, fault: Fault, span: SpanId) -> PlaceId {
        let known = self.places.iter().find(|(_, p)| p.fault == fault && p.span == span).map(|(id, _)| id);
        known.unwrap_or_else(|| self.places.push(FaultSite { fault, span }))
    }

    /// The word for the site at which integers of a part of the program stop it, as an argument of helper functions.
    pub fn range_place(&mut self, span: SpanId) -> String {
        format!("{}u", self.place_of(Fault::Range, span).index() + 1)
    }

    /// The expression for an operator whose result may not fit, in which case it must stop the program. The operands
    /// fit. Fails if the operator has no form in WGSL on these types.
    pub fn checked(
        &mut self,
        prim: Prim,
        args: &[(String, Scalar)],
        span: SpanId,
    ) -> Result<String, scalar::Unsupported> {
        let types: Vec<Scalar> = args.iter().map(|(_, scalar)| *scalar).collect();
        if self.options.integers == Integers::Native || !scalar::may_overflow(prim, &types) {
            return self.functions.call(prim, args);
        }
        let place = self.range_place(span);
        self.functions.checked(prim, args, &place)
    }

    /// As [`Builder::checked`], for an operator that is already known to have a form.
    pub fn sure(&mut self, prim: Prim, args: &[(String, Scalar)], span: SpanId) -> String {
        let text = self.checked(prim, args, span);
        self.form(text)
    }

    /// The expression of an operator that does not overflow and has a form on these types.
    pub fn call(&mut self, prim: Prim, args: &[(String, Scalar)]) -> String {
        let text = self.functions.call(prim, args);
        self.form(text)
    }

    fn form(&mut self, text: Result<String, scalar::Unsupported>) -> String {
        text.unwrap_or_else(|_| self.func.broken(String::new(), "an operator of the library has no form in WGSL"))
    }

    /// The statements that report a fault, for a kernel that binds the fault buffer. The arguments are expressions of
    /// integer types.
    pub fn report(&mut self, place: PlaceId, args: &[(String, Scalar)]) -> String {
        let mut text = format!("if arr_claim_fault({}u) {{ ", place.index() + 1);
        for (k, (value, scalar)) in args.iter().enumerate() {
            let (low, high) = match (scalar, self.options.integers) {
                (Scalar::Bool, _) => (format!("select(0u, 1u, {value})"), "0u".to_string()),
                (Scalar::U32, _) => (value.clone(), "0u".to_string()),
                (Scalar::I64, Integers::Native) => {
                    (format!("u32({value} & 0xffffffffli)"), format!("u32(({value} >> 32u) & 0xffffffffli)"))
                }
                _ => (format!("bitcast<u32>({value})"), format!("bitcast<u32>({value} >> 31u)")),
            };
            let at = 2 + 2 * k;
            let _ = write!(text, "atomicStore(&fault[{at}], {low}); atomicStore(&fault[{}], {high}); ", at + 1);
        }
        text + "}"
    }

    // Kernels.

    /// The comment for a source position: its source line.
    pub fn comment(&self, span: SpanId) -> Option<String> {
        let span = self.func.spans.get(span).copied().flatten()?;
        Some((self.source)(span)?.trim().replace(['\n', '\r'], " "))
    }

    /// Adds a kernel. `text` follows the declarations of its bindings: functions, if any, and the entry point, with its
    /// attributes. The kernel's name comes from [`Builder::name`].
    pub fn kernel(&mut self, mut kernel: Kernel, text: String) -> KernelId {
        // Integers can stop a kernel that checks nothing else.
        kernel.faults |= text.contains(scalar::CHECKED);
        let text = self.with_end(&mut kernel, text);
        let declarations = self.declarations(&kernel);
        self.texts.push(declarations + &text);
        self.kernels.push(kernel)
    }

    /// The declarations of a kernel's bindings; slots and faults are declared once for all.
    pub fn declarations(&mut self, kernel: &Kernel) -> String {
        let mut text = String::new();
        if !kernel.params.is_empty() {
            let (block, ty) = (self.own_name(kernel, "params"), self.own_name(kernel, "Params"));
            let _ = writeln!(text, "struct {ty} {{");
            for &param in &kernel.params {
                let ty = self.stored_type(self.number(param));
                let field = self.word(param);
                let _ = writeln!(text, "  {field}: {ty},");
            }
            let _ = writeln!(text, "}}\n@group(0) @binding(0) var<uniform> {block}: {ty};");
        }
        for (k, binding) in kernel.buffers.iter().enumerate() {
            let access = if binding.access == Access::Read { "read" } else { "read_write" };
            let (buffer, ty) = (self.buffer(kernel, binding.buffer), self.stored_type(binding.elem));
            let at = k + 3;
            let _ = writeln!(text, "@group(0) @binding({at}) var<storage, {access}> {buffer}: array<{ty}>;");
        }
        text
    }

    /// The first lines of an entry point: its attributes, and an early exit if a kernel has stopped. `builtins` are the
    /// parameters, such as `@builtin(workgroup_id) group: vec3u`.
    pub fn entry(&self, kernel: &Kernel, builtins: &str) -> String {
        let [x, y, z] = kernel.workgroup;
        let size = if (y, z) == (1, 1) { x.to_string() } else { format!("{x}, {y}, {z}") };
        let mut text = format!("@compute @workgroup_size({size})\nfn {}({builtins}) {{\n", kernel.name);
        if kernel.faults {
            text += "  if atomicLoad(&fault[0]) != 0u { return; }\n";
        }
        text
    }

    /// As [`Builder::entry`], for a kernel with barriers: nothing may leave it before them.
    pub fn barrier_entry(&self, kernel: &Kernel, builtins: &str) -> String {
        let [x, ..] = kernel.workgroup;
        format!("@compute @workgroup_size({x})\nfn {}({builtins}) {{\n", kernel.name)
    }

    /// Declares a local as a private variable of the module; returns whether it was not yet one.
    pub fn declare_private(&mut self, local: LocalId) -> bool {
        self.privates.insert(local)
    }

    /// The module.
    pub fn finish(&self) -> String {
        let mut text = String::new();
        let uses = |word: &str| self.texts.iter().any(|t| t.contains(word));
        let _ = writeln!(text, "// `{}`: made by the Arr compiler.\n", self.func.name);
        if self.kernels.iter().any(|(_, k)| k.slots) {
            text += "// Scalars that later kernels read, 8 bytes each.\n";
            text += "@group(0) @binding(1) var<storage, read_write> slots: array<u32>;\n\n";
        }
        if self.kernels.iter().any(|(_, k)| k.faults) {
            let second = if self.options.count_steps { "a limit" } else { "unused" };
            let _ = writeln!(
                text,
                "// Where and why a kernel stopped: the place's number, {second}, then the check's values."
            );
            text += "@group(0) @binding(2) var<storage, read_write> fault: array<atomic<u32>>;\n\n";
        }
        // Constants name functions too.
        let mut functions = self.functions.clone();
        self.texts.iter().for_each(|text| functions.mention(text));
        let functions = functions.text();
        if uses("arr_claim_fault(") || functions.contains("arr_claim_fault(") {
            text += CLAIM_FAULT;
        }
        if uses("arr_too_many_steps(") {
            text += COUNT_STEPS;
        }
        if uses(ends::CALL) {
            text += LOOPS_WERE_CUT;
        }
        if !functions.is_empty() {
            text += functions.trim_end();
            text += "\n\n";
        }
        text + &self.texts.join("\n")
    }

    /// The device features that the text needs.
    pub fn needs(&self, wgsl: &str) -> Needs {
        // Comments quote the program.
        let code = wgsl.lines().filter(|line| !line.trim_start().starts_with("//"));
        let words: Vec<&str> = code.flat_map(|l| l.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')).collect();
        let has = |ty: &str| words.contains(&ty);
        Needs { f64: has("f64"), int64: has("i64") || has("u64"), subgroups: has("subgroup_size") }
    }
}

/// The iterations that an invocation has begun, in all of its loops and points. The stored limit is one larger, and 0
/// means no limit.
const COUNT_STEPS: &str = "\
var<private> arr_steps: u32 = 0u;

fn arr_most_steps() -> u32 { return atomicLoad(&fault[1]) - 1u; }

fn arr_too_many_steps(more: u32) -> bool {
  let most = arr_most_steps();
  if most == 0xffffffffu { return false; }
  if more > most - arr_steps { return true; }
  arr_steps += more;
  return false;
}

";

/// Only the first fault is kept. A weak exchange may fail spuriously, hence the loop.
const CLAIM_FAULT: &str = "\
fn arr_claim_fault(place: u32) -> bool {
  loop {
    if atomicLoad(&fault[0]) != 0u { return false; }
    if atomicCompareExchangeWeak(&fault[0], 0u, place).exchanged { return true; }
  }
  return false;
}

";
