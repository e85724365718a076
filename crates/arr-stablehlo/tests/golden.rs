//! Golden tests: a file holds the text of a function, a line `==>`, and the function of StableHLO with
//! the places that can fail. `ARR_BLESS=1` rewrites the second part. Directives stand in comments: `--! sizes: 3, 4`, and
//! `--! room: 10` for sizes that only a run knows; with `--! known: 2` the first parameter is 2 in every call. XLA reads all of them in `crates/arr-python/tests/test_xla.py`.

use arr_ir::{Level, parse_func, verify};
use arr_stablehlo::Call;
use std::path::Path;

fn directive<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.lines().find_map(|l| l.strip_prefix("--!")?.trim().strip_prefix(name)?.trim().strip_prefix(':')).map(str::trim)
}

#[test]
fn functions_are_as_expected() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut files: Vec<_> = std::fs::read_dir(&dir).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 10);
    let mut wrong = Vec::new();
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        let (input, expected) = text.split_once("==>\n").unwrap_or((&text, ""));
        let func = parse_func(input).unwrap_or_else(|e| panic!("{}: {e:?}", path.display()));
        verify(&func, Level::Fused).unwrap_or_else(|e| panic!("{}: {}", path.display(), arr_ir::report(&func, &e)));
        let numbers = |text: &str| text.split(',').map(|n| n.trim().parse::<i64>().unwrap()).collect::<Vec<_>>();
        let sizes = directive(input, "sizes").map_or(Vec::new(), numbers);
        let known: Vec<(usize, i64)> =
            directive(input, "known").map_or(Vec::new(), numbers).into_iter().enumerate().collect();
        let room = directive(input, "room").map(|n| n.parse().unwrap());
        let call = Call { sizes: &sizes, known: &known, room, ..Call::default() };
        let actual = match arr_stablehlo::function(&func, "main", &call) {
            Ok(function) => {
                let sites = function.sites.iter().enumerate();
                let sites: String = sites.map(|(k, site)| format!("// check {}: {:?}\n", k + 1, site.kind)).collect();
                arr_stablehlo::module(&func.name, &[function]) + &sites
            }
            Err(error) => format!("// {error:?}\n"),
        };
        if std::env::var_os("ARR_BLESS").is_some() {
            std::fs::write(&path, format!("{}\n==>\n{actual}", input.trim_end())).unwrap();
        } else if actual != expected {
            wrong.push(format!("{}:\n{actual}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
