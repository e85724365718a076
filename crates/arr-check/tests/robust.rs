//! Damaged programs: nothing panics, what checks also elaborates, and what elaborates is well formed.

use crate::common::{check, programs, render_all};
use arr_ir::Level;

/// A small generator of pseudo-random numbers, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n.max(1)
    }
}

/// Words, numbers, single symbols and the blanks between.
fn tokens(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let class = |c: char| {
        if c.is_alphanumeric() || c == '_' || c == '.' {
            0
        } else if c.is_whitespace() {
            1
        } else {
            2
        }
    };
    for c in text.chars() {
        match out.last_mut() {
            Some(last) if class(c) != 2 && last.chars().next_back().is_some_and(|d| class(d) == class(c)) => {
                last.push(c)
            }
            _ => out.push(c.to_string()),
        }
    }
    out
}

fn damage(random: &mut Random, words: &mut Vec<String>, pool: &[String]) {
    for _ in 0..1 + random.below(3) {
        let at = random.below(words.len());
        match random.below(4) {
            0 => drop(words.remove(at)),
            1 => words[at] = pool[random.below(pool.len())].clone(),
            2 => {
                let other = random.below(words.len());
                words.swap(at, other);
            }
            _ => words.insert(at, pool[random.below(pool.len())].clone()),
        }
        if words.is_empty() {
            return;
        }
    }
}

/// Checks, elaborates every definition, and verifies.
fn survive(text: &str) -> bool {
    let (checked, diagnostics, map) = check(text);
    let clean = diagnostics.is_empty();
    for name in checked.entry_names() {
        let takes_function = checked.entry_params(&name).unwrap().iter().any(|(_, ty)| ty.contains("->"));
        match arr_check::elaborate(&checked, &name) {
            Ok(func) => {
                if let Err(errors) = arr_ir::verify(&func, Level::Core) {
                    panic!("{text}\n{}\n{}", arr_ir::print_func(&func), arr_ir::report(&func, &errors));
                }
            }
            Err(problems) if clean && !takes_function => {
                let known = ["E0105", "E0307", "E0901"];
                let expected = problems.iter().all(|d| known.contains(&d.code.to_string().as_str()));
                assert!(expected, "checks, but {name} does not elaborate:\n{text}\n{}", render_all(&problems, &map));
            }
            Err(_) => {}
        }
        let _ = arr_check::elaborate_gradient(&checked, &name, &[], arr_check::GradientMode::Reverse);
    }
    clean
}

#[test]
fn damaged_programs() {
    let rounds: usize = std::env::var("ARR_ROUNDS").ok().and_then(|s| s.parse().ok()).unwrap_or(40);
    let mut sources = Vec::new();
    for folder in ["core", "errors"] {
        sources.extend(programs(folder).iter().map(|p| std::fs::read_to_string(p).expect("the program")));
    }
    let pool: Vec<String> = sources.iter().flat_map(|s| tokens(s)).collect();
    let mut random = Random(1);
    let mut clean = 0;
    for source in &sources {
        // Single definitions get damaged more finely than whole files.
        let mut pieces: Vec<String> =
            source.split("\ndef ").map(|d| format!("def {}", d.trim_start_matches("def "))).collect();
        pieces.push(source.clone());
        for piece in pieces {
            for _ in 0..rounds {
                let mut words = tokens(&piece);
                damage(&mut random, &mut words, &pool);
                clean += usize::from(survive(&words.concat()));
            }
        }
    }
    // Otherwise the damage is too great to say anything about elaboration.
    assert!(clean > 100, "only {clean} damaged programs still check");
}
