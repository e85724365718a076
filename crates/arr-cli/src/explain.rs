//! `arr explain`.

use arr_base::{CODES, Code, CodeInfo, Family};

/// The page of one code.
pub fn page(info: &CodeInfo) -> String {
    let mut text = format!("{}: {}\n\n", info.code, title(info));
    for paragraph in info.page.split("\n\n") {
        for line in crate::render::wrap(paragraph, 100) {
            text.push_str(&line);
            text.push('\n');
        }
        text.push('\n');
    }
    match info.example {
        Some(example) => {
            text.push_str("A program that gives it:\n\n");
            for line in example.lines() {
                text.push_str(&format!("    {line}\n"));
            }
        }
        None => {
            text.pop();
        }
    }
    text
}

/// All codes, by family.
pub fn list() -> String {
    let mut text = String::from("Diagnostic codes; `arr explain CODE` explains one.\n");
    let mut family = None;
    for info in CODES {
        if family != Some(info.family) {
            family = Some(info.family);
            text.push_str(&format!("\n{}\n", heading(info.family)));
        }
        text.push_str(&format!("  {}  {}\n", info.code, title(info)));
    }
    text
}

/// Reads a code as the user writes it.
pub fn find(text: &str) -> Option<&'static CodeInfo> {
    Code::parse(text).and_then(Code::info)
}

fn title(info: &CodeInfo) -> String {
    info.name.to_lowercase().replace('_', " ")
}

fn heading(family: Family) -> &'static str {
    match family {
        Family::Syntax => "Syntax",
        Family::Names => "Names",
        Family::Types => "Types",
        Family::Sizes => "Sizes",
        Family::Derivatives => "Derivatives",
        Family::Run => "Running a program",
        Family::Data => "Input and output",
        Family::Tests => "Tests",
        Family::Unsupported => "Not supported yet",
        Family::Device => "Graphics devices",
        Family::Warnings => "Warnings",
    }
}
