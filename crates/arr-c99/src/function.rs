//! One function: its interface, the sizes of its workspace, and its text.

use crate::Error;
use crate::body::{Body, Result};
use crate::library::{self, Helper, helper};
use crate::memory::{Capacity, Length, Memory, Room};
use crate::names::{Names, interface};
use crate::places::Places;
use crate::scalar::Arithmetic;
use crate::text::{Text, count_product, offset_sum};
use arr_base::Span;
use arr_header::{Scope, c_type};
use arr_ir::{Const, Scalar};
use arr_loops::{LocalId, LoopFunc, Operand, Ty};
use std::collections::{BTreeMap, BTreeSet};

/// A parameter or a result, as the program calls it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    pub name: String,
    /// Its type in the program, for a comment.
    pub ty: String,
    /// What it may be, if it is the tag of a sum.
    pub tag: Option<Tag>,
}

/// The tag of a sum.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tag {
    /// The tags are the numbers below.
    pub choices: usize,
    /// The tags around it, by their parameters, and what they are where this one counts.
    pub carried_by: Vec<(usize, i64)>,
    /// Its name in the program, for messages.
    pub path: String,
}

/// A size of a result that the function computes, and gives by the address of an integer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResultSize {
    pub name: String,
    /// The size in the program, for a comment.
    pub text: String,
    /// The leaf of the results, and its axis.
    pub output: usize,
    pub axis: usize,
}

/// The interface of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Interface {
    /// The function's name in C.
    pub symbol: String,
    /// Sentences for its comment.
    pub doc: Vec<String>,
    /// The leaves of the parameters, in the order of the loop function.
    pub parameters: Vec<Parameter>,
    /// The leaves of the results.
    pub results: Vec<Parameter>,
    /// The sizes of results that nobody knows before.
    pub result_sizes: Vec<ResultSize>,
    /// The definition, for failures that are no line's.
    pub place: Option<Span>,
    /// The sizes that the code is for; they are no parameters then.
    pub sizes: Option<Vec<i64>>,
    /// The largest size that only a run knows; a parameter if it is not given, where there is such a size.
    pub room: Option<i64>,
    /// Whether results are the interpreter's, where the platform's functions are.
    pub strict: bool,
    /// The names of the file's functions and types, which what is written beside this function cannot have.
    pub taken: Scope,
}

/// A function in C.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    pub(crate) declaration: String,
    pub(crate) definition: String,
    pub(crate) needs: BTreeSet<Helper>,
    /// What it has to be given besides arguments and results, in order.
    pub workspaces: Vec<Workspace>,
    /// Whether the last parameter, of the functions for workspaces too, is the room for sizes that only the run knows.
    pub takes_room: bool,
}

/// A workspace of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Workspace {
    pub elem: Scalar,
    /// The constant, or the function of the sizes and integers, that says how many elements it has.
    pub name: String,
    pub constant: Option<usize>,
}

/// Writes a function. Fails if an array's length is known only while it runs, or if the loop function is not well formed.
pub fn function(func: &LoopFunc, face: &Interface, places: &mut Places<'_>) -> std::result::Result<Function, Error> {
    let memory = Memory::of(func)?;
    let mut signature = Signature::of(func, face, &memory);
    let names = Names::new(func, face, &signature.names);
    let how = Arithmetic { strict: face.strict };
    write(func, face, &memory, names, how, places, &mut signature)
}

/// The parameters in C.
struct Signature {
    /// The names of locals in the interface, and of what is no local.
    names: Vec<(Option<LocalId>, String)>,
    sizes: Vec<String>,
    results: Vec<String>,
    result_sizes: Vec<String>,
    workspaces: Vec<(Scalar, String)>,
    /// Declarations.
    parts: Vec<String>,
    /// The sizes and integers, of which the sizes of workspaces are functions.
    counts: Vec<String>,
    /// What bounds sizes that only the run knows.
    room: Option<String>,
}

impl Signature {
    fn of(func: &LoopFunc, face: &Interface, memory: &Memory) -> Signature {
        let elems: BTreeSet<Scalar> =
            memory.rooms.iter().filter(|room| room.is_owner()).map(|room| room.elem).collect();
        let works: Vec<(Scalar, String)> = elems.iter().map(|&elem| (elem, format!("work_{}", elem.name()))).collect();
        let sizes: Vec<&str> = func.sizes.iter().map(|&s| func.locals[s].name.as_str()).collect();
        let parameters = face.parameters.iter().map(|p| p.name.as_str());
        let results = face.results.iter().map(|r| r.name.as_str());
        let result_sizes = face.result_sizes.iter().map(|size| size.name.as_str());
        let all: Vec<&str> = sizes
            .iter()
            .copied()
            .chain(parameters)
            .chain(results)
            .chain(result_sizes)
            .chain(works.iter().map(|w| w.1.as_str()))
            .chain(["room"])
            .collect();
        let mut all = interface(&all, &face.taken).into_iter();
        let sizes: Vec<String> = all.by_ref().take(func.sizes.len()).collect();
        let parameters: Vec<String> = all.by_ref().take(func.params.len()).collect();
        let results: Vec<String> = all.by_ref().take(face.results.len()).collect();
        let result_sizes: Vec<String> = all.by_ref().take(face.result_sizes.len()).collect();
        let workspaces: Vec<(Scalar, String)> = works.iter().map(|w| w.0).zip(all.by_ref()).collect();
        let room = all.next().filter(|_| memory.takes_room());
        let mut names: Vec<(Option<LocalId>, String)> =
            func.sizes.iter().map(|s| Some(*s)).zip(sizes.iter().cloned()).collect();
        names.extend(func.params.iter().map(|p| Some(p.local)).zip(parameters.iter().cloned()));
        names.extend(
            results
                .iter()
                .chain(&result_sizes)
                .chain(workspaces.iter().map(|w| &w.1))
                .chain(room.iter().filter(|_| face.room.is_none()))
                .map(|name| (None, name.clone())),
        );
        let mut one =
            Signature { names, sizes, results, result_sizes, workspaces, parts: Vec::new(), counts: Vec::new(), room };
        one.declare(func, face, &parameters);
        one
    }

    fn declare(&mut self, func: &LoopFunc, face: &Interface, parameters: &[String]) {
        if face.sizes.is_none() {
            self.counts = self.sizes.iter().map(|name| format!("int64_t {name}")).collect();
        }
        self.parts = self.counts.clone();
        for (param, name) in func.params.iter().zip(parameters) {
            match func.ty(param.local) {
                Ty::Scalar(elem) => {
                    let part = format!("{} {name}", c_type(elem));
                    if elem == Scalar::I64 {
                        self.counts.push(part.clone());
                    }
                    self.parts.push(part);
                }
                Ty::Buffer(elem) | Ty::Address(elem) => {
                    self.parts.push(format!("const {} *ARR_RESTRICT {name}", c_type(elem)));
                }
            }
        }
        for (output, name) in func.outputs.iter().zip(&self.results) {
            self.parts.push(format!("{} *ARR_RESTRICT {name}", c_type(func.elem(output.value))));
        }
        for name in &self.result_sizes {
            self.parts.push(format!("int64_t *ARR_RESTRICT {name}"));
        }
        for (elem, name) in &self.workspaces {
            self.parts.push(format!("{} *ARR_RESTRICT {name}", c_type(*elem)));
        }
        if let (Some(room), None) = (&self.room, face.room) {
            self.counts.push(format!("int64_t {room}"));
            self.parts.push(format!("int64_t {room}"));
        }
        if let Some(number) = face.room {
            self.room = self.room.as_ref().map(|_| number.to_string());
        }
    }
}

fn write(
    func: &LoopFunc,
    face: &Interface,
    memory: &Memory,
    mut names: Names,
    how: Arithmetic,
    places: &mut Places<'_>,
    signature: &mut Signature,
) -> std::result::Result<Function, Error> {
    let (mut workspaces, mut taken) = (Vec::new(), face.taken.clone());
    let literals = names.clone();
    let mut definition = String::new();
    let mut sizes = String::new();
    for (elem, work) in &signature.workspaces {
        let size = workspace_size(func, face, memory, names.clone(), *elem, how, signature)?;
        let constant = size.total.parse::<usize>().ok();
        let name = if signature.workspaces.len() == 1 && *elem == Scalar::F64 {
            format!("{}_work", face.symbol)
        } else {
            format!("{}_{work}", face.symbol)
        };
        let name = taken.fresh(&name);
        match constant {
            Some(n) => sizes.push_str(&format!("enum {{ {name} = {n} }};\n")),
            None => {
                let head = format!("int64_t {name}({})", list(&signature.counts));
                sizes.push_str(&format!("{head};\n"));
                definition.push_str(&size.function(&head));
            }
        }
        workspaces.push(Workspace { elem: *elem, name, constant });
    }
    rooms(memory, signature, &mut names);
    let head = format!("int {}({})", face.symbol, list(&signature.parts));
    let mut body = Body::new(func, memory, how, names, places);
    result_dims(func, face).for_each(|dim| body.read_at_end(dim));
    prologue(&mut body, face, signature)?;
    body.check_tags(face)?;
    body.block(&func.body)?;
    results(&mut body, func, memory, signature)?;
    for (dim, name) in result_dims(func, face).zip(&signature.result_sizes) {
        let size = body.extent(dim);
        body.push(format!("*{name} = {};", size.text));
    }
    body.push("return 0;");
    let lines = without_unused(body.into_lines(), "");
    let given = signature.names.iter().skip(if face.sizes.is_some() { func.sizes.len() } else { 0 }).map(|n| &n.1);
    definition.push_str(&format!("{head}\n{{\n{}{}\n}}\n", unused(given, &lines), lines.join("\n")));
    let declaration =
        format!("{}int {}({});\n{sizes}", comment(face, func, memory, signature), face.symbol, list(&signature.parts));
    let takes_room = signature.room.is_some() && face.room.is_none();
    let definition = constants(func, &literals, &definition) + &definition;
    let needs = library::mentioned(&definition);
    Ok(Function { declaration, definition, needs, workspaces, takes_room })
}

/// The sizes that the function gives.
fn result_dims<'f>(func: &'f LoopFunc, face: &'f Interface) -> impl Iterator<Item = Operand> + 'f {
    let dim = |size: &ResultSize| func.outputs.get(size.output)?.dims.get(size.axis).copied();
    face.result_sizes.iter().map(move |size| dim(size).unwrap_or(Operand::int(0)))
}

/// Parameters of a function, in lines that are not too long.
fn list(parts: &[String]) -> String {
    if parts.is_empty() {
        return "void".to_string();
    }
    let mut out = String::new();
    let mut width = 0;
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            out.push(',');
            if width + part.len() > 80 {
                out.push_str("\n    ");
                width = 0;
            } else {
                out.push(' ');
            }
        }
        out.push_str(part);
        width += part.len() + 2;
    }
    out
}

/// The comment of a declaration: the definition's own words, and what the parameters are in the program.
fn comment(face: &Interface, func: &LoopFunc, memory: &Memory, signature: &Signature) -> String {
    let mut lines: Vec<String> = face.doc.iter().map(|line| line.trim_end().to_string()).collect();
    let described = face.parameters.iter().zip(&func.params).map(|(p, _)| p).chain(&face.results);
    for Parameter { name, ty, .. } in described {
        lines.push(format!("{name}: {ty}"));
    }
    for ((size, name), dim) in face.result_sizes.iter().zip(&signature.result_sizes).zip(result_dims(func, face)) {
        let is_roomy = dim.as_local().is_some_and(|local| memory.roomy.contains(&local));
        let most = signature.room.as_ref().filter(|_| is_roomy).map(|room| format!(", {room} at most"));
        lines.push(format!("{name}: what `{}` is{}", size.text, most.unwrap_or_default()));
    }
    let clean = |line: &String| line.replace("*/", "* /").replace("/*", "/ *");
    format!(
        "/*\n{}\n */\n",
        lines.iter().map(|l| format!(" * {}", clean(l)).trim_end().to_string()).collect::<Vec<_>>().join("\n")
    )
}

/// Casts to `void` for parameters that no line mentions.
fn unused<'n>(names: impl Iterator<Item = &'n String>, lines: &[String]) -> String {
    let mentioned: BTreeSet<&str> = lines.iter().flat_map(|line| words(code_of(line))).collect();
    names.filter(|name| !mentioned.contains(name.as_str())).map(|name| format!("    (void){name};\n")).collect()
}

/// The lines without names that are only declared and set, which compilers warn of. No value that a line computes has
/// another effect.
fn without_unused(mut lines: Vec<String>, behind: &str) -> Vec<String> {
    loop {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for line in &lines {
            let code = code_of(line);
            let own = set_by(line);
            words(code).filter(|word| own != Some(*word)).for_each(|word| *counts.entry(word).or_default() += 1);
        }
        words(behind).for_each(|word| *counts.entry(word).or_default() += 1);
        let is_unused = |line: &String| set_by(line).is_some_and(|name| !counts.contains_key(name));
        let unused: Vec<bool> = lines.iter().map(is_unused).collect();
        if !unused.contains(&true) {
            return lines;
        }
        let mut unused = unused.into_iter();
        lines.retain(|_| unused.next() != Some(true));
    }
}

/// A line without its comment.
fn code_of(line: &str) -> &str {
    line.get(..line.find("/*").unwrap_or(line.len())).unwrap_or_default()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The name that a line declares or sets, and does nothing else.
fn set_by(line: &str) -> Option<&str> {
    let code = code_of(line).trim();
    let (left, _) = code.strip_suffix(';')?.split_once(" = ").or_else(|| code.split_once(" += "))?;
    let name = words(left).last()?;
    let is_place = left.contains(['[', '(']) || left.strip_suffix(name)?.trim() == "*";
    (!is_place).then_some(name)
}

/// The constant arrays that some code mentions, outside of the function.
fn constants(func: &LoopFunc, names: &Names, code: &str) -> String {
    let mentioned: BTreeSet<&str> = words(code).collect();
    let mut out = String::new();
    for (id, literal) in func.literals.iter().filter(|(id, _)| mentioned.contains(names.literal(*id))) {
        let mut data: Vec<String> = literal.data.iter().map(|&c| crate::text::constant(c).text).collect();
        if data.is_empty() {
            // C has no empty arrays.
            data.push(crate::text::constant(Const::zero(literal.elem)).text);
        }
        let rows: Vec<String> = data.chunks(8).map(|row| format!("    {}", row.join(", "))).collect();
        let (ty, name) = (c_type(literal.elem), names.literal(id));
        out.push_str(&format!("static const {ty} {name}[{}] = {{\n{}\n}};\n\n", data.len(), rows.join(",\n")));
    }
    out
}

/// Names the memory of arrays: a result, or a part of a workspace.
fn rooms(memory: &Memory, signature: &Signature, names: &mut Names) {
    for room in &memory.rooms {
        let name = match (room.output, room.site) {
            (Some(output), _) => signature.results.get(output).cloned().unwrap_or_default(),
            (None, crate::memory::Site::Alloc(local)) if room.places == 1 => names.of(local).to_string(),
            (None, crate::memory::Site::Alloc(local)) => names.fresh(&format!("{}_places", names.of(local))),
            (None, crate::memory::Site::Unique(local) | crate::memory::Site::Copy(local, _)) => {
                names.fresh(&format!("{}_copies", names.of(local)))
            }
            (None, crate::memory::Site::Param(_) | crate::memory::Site::Literal(_)) => continue,
        };
        names.set_room(room.site, name);
    }
}

/// What the function begins with: the integers that lengths depend on, and the places of arrays.
fn prologue(body: &mut Body<'_, '_>, face: &Interface, signature: &Signature) -> Result<()> {
    let memory = body.memory;
    begin(body, face, signature)?;
    for (elem, work) in &signature.workspaces {
        let mut next = Text::primary(work.clone());
        for room in memory.rooms.iter().filter(|room| room.elem == *elem && room.output.is_none()) {
            let name = body.names.room(room.site).to_string();
            if let Some(owner) = room.shares {
                let owner = body.names.room(owner).to_string();
                body.push(format!("{} *const {name} = {owner};", c_type(*elem)));
                continue;
            }
            body.push(format!("{} *const {name} = {};", c_type(*elem), next.text));
            let mut factors = body.capacity_factors(&room.capacity)?;
            factors.push(Text::primary(room.places.to_string()));
            next = offset_sum(&Text::primary(name), &count_product(&factors, &helper("mul", Scalar::I64)));
        }
    }
    Ok(())
}

/// Writes given sizes as numbers, and defines the integers that lengths depend on.
fn begin(body: &mut Body<'_, '_>, face: &Interface, signature: &Signature) -> Result<()> {
    for (&local, &size) in body.func.sizes.iter().zip(face.sizes.iter().flatten()) {
        body.rename(local, crate::text::constant(Const::I64(size)));
    }
    body.room = signature.room.clone().unwrap_or_default();
    let known = &body.memory.known;
    for &local in &known.needed {
        let expr = known.definition(local).ok_or(Error::Internal("an integer without a definition"))?;
        body.define_first(local, &expr)?;
    }
    Ok(())
}

/// What the function ends with: results that are not where they are wanted yet.
fn results(body: &mut Body<'_, '_>, func: &LoopFunc, memory: &Memory, signature: &Signature) -> Result<()> {
    for (at, (output, name)) in func.outputs.iter().zip(&signature.results).enumerate() {
        if memory.rooms.iter().any(|room| room.output == Some(at)) {
            continue;
        }
        let text = body.output(output.value);
        match output.value {
            Operand::Local(local) if matches!(func.ty(local), Ty::Buffer(_)) => {
                body.copy_elements(name, &text, local)?
            }
            _ => body.push(format!("*{name} = {};", text.text)),
        }
    }
    Ok(())
}

/// The text of a function that tells how many elements a workspace has.
struct WorkspaceSize {
    lines: Vec<String>,
    unused: String,
    total: String,
}

impl WorkspaceSize {
    fn function(&self, head: &str) -> String {
        let lines: String = self.lines.iter().map(|line| format!("{line}\n")).collect();
        format!("{head}\n{{\n{}{lines}}}\n\n", self.unused)
    }
}

/// The sum of the lengths of rooms, those of one length together.
fn total(body: &mut Body<'_, '_>, rooms: &[&Room]) -> Result<String> {
    let mut lengths: Vec<(Vec<Text>, usize)> = Vec::new();
    for room in rooms {
        let factors = body.capacity_factors(&room.capacity)?;
        match lengths.iter_mut().find(|(known, _)| *known == factors) {
            Some((_, places)) => *places += room.places,
            None => lengths.push((factors, room.places)),
        }
    }
    let mut terms = Vec::new();
    for (factors, places) in lengths {
        let mut product = places.to_string();
        for factor in factors {
            if product == "1" {
                product = factor.text;
            } else {
                product = format!("arr_times_i64({product}, {})", factor.text);
            }
        }
        terms.push(product);
    }
    if let [one] = terms.as_slice() {
        return Ok(one.clone());
    }
    body.push("int64_t total = 0;");
    terms.iter().for_each(|term| body.push(format!("total = arr_plus_i64(total, {term});")));
    Ok("total".to_string())
}

fn workspace_size(
    func: &LoopFunc,
    face: &Interface,
    memory: &Memory,
    names: Names,
    elem: Scalar,
    how: Arithmetic,
    signature: &Signature,
) -> Result<WorkspaceSize> {
    let rooms: Vec<&Room> = memory.rooms.iter().filter(|room| room.elem == elem && room.is_owner()).collect();
    let constants: Option<Vec<usize>> =
        rooms
            .iter()
            .map(|room| {
                if let Capacity::Same(Length::Constant(n)) = room.capacity { n.checked_mul(room.places) } else { None }
            })
            .collect();
    if let Some(total) = constants.and_then(|all| all.iter().try_fold(0usize, |sum, &n| sum.checked_add(n))) {
        return Ok(WorkspaceSize { lines: Vec::new(), unused: String::new(), total: total.to_string() });
    }
    let nowhere = |_| None;
    let mut places = Places::new(&nowhere);
    let mut body = Body::new(func, memory, how, names, &mut places);
    begin(&mut body, face, signature)?;
    let total = total(&mut body, &rooms)?;
    let sizes = func.sizes.iter().filter(|_| face.sizes.is_none());
    let integers = func.params.iter().map(|p| &p.local).filter(|&&l| func.ty(l) == Ty::Scalar(Scalar::I64));
    let counts = sizes.chain(integers).map(|&local| body.names.of(local).to_string());
    let room = signature.room.iter().filter(|_| face.room.is_none()).cloned();
    let counts: Vec<String> = counts.chain(room).collect();
    let mut lines = without_unused(body.into_lines(), &total);
    lines.push(format!("    return {total};"));
    let unused = unused(counts.iter(), &lines);
    Ok(WorkspaceSize { lines, unused, total })
}
