//! The tests of the Python package: an environment below `target`, kept between runs, with the packages of PyPI that the
//! tests need; a wheel, built and installed as a user would; pytest.

use crate::packages::succeed;
use crate::steps;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What the tests import, besides PyTorch.
const PACKAGES: &[&str] = &[
    "maturin>=1.8,<2",
    "numpy",
    "scipy",
    "jax",
    "matplotlib",
    "pytest",
    "pytest-xdist",
    "hypothesis",
    "nbclient",
    "nbformat",
    "ipykernel",
    "mypy",
];
/// The oldest Python that the package is for.
const OLDEST: (u32, u32) = (3, 10);

/// The largest wheel.
const LARGEST_MIB: u64 = 25;

/// Builds the wheel that users get, from what the README's first command is built from as well, installs it and runs the tests.
/// Without Python, or without a way to its packages, it is skipped, and says so; `ARR_PYTHON` names another interpreter than
/// `python3`. Fails if the wheel is too large.
pub fn test(root: &Path) -> Result<String, String> {
    let Some(python) = interpreter() else { return Ok(skipped("there is no Python 3.10 or later")) };
    let home = root.join("target/python");
    let environment = Environment { home: home.join("env"), root: root.to_path_buf() };
    if let Err(why) = environment.provide(&python) {
        return Ok(skipped(&format!("its packages cannot be installed: {why}")));
    }
    let torch = environment.provide_torch(&home);
    let wheels = home.join("wheels");
    let _ = std::fs::remove_dir_all(&wheels);
    environment.run("maturin", &["build", "--release", "--locked", "--out", &wheels.to_string_lossy()])?;
    let wheel = only_wheel(&wheels)?;
    let size = std::fs::metadata(&wheel).map_or(0, |file| file.len()) >> 20;
    if size > LARGEST_MIB {
        return Err(format!("the wheel has {size} MiB, more than {LARGEST_MIB}"));
    }
    environment.run("pip", &["install", "--quiet", "--force-reinstall", "--no-deps", &wheel.to_string_lossy()])?;
    let cases = cases_for_xla(root, &home)?;
    for part in [IN_PARALLEL, ALONE] {
        environment.run("pytest", &[&["--quiet", "--exitfirst", "-p", "no:cacheprovider"], part].concat())?;
    }
    let without = if torch { "" } else { ", without PyTorch, which cannot be installed" };
    Ok(format!("a wheel of {size} MiB, {cases} by XLA{without}"))
}

/// A file at a time in each of two processes, but for what says how soon something happens.
const IN_PARALLEL: &[&str] = &["--numprocesses", "2", "--dist", "loadfile", "--ignore", TIMED];
const ALONE: &[&str] = &[TIMED];
const TIMED: &str = "crates/arr-python/tests/test_processes.py";

/// How many of the repository's programs are run by XLA, with a third as many random ones and wrong ones each.
const SAMPLE: &str = "48";

/// Writes programs for XLA, with what the interpreter gives, to where the tests look for them. Returns their number in words.
fn cases_for_xla(root: &Path, home: &Path) -> Result<String, String> {
    let folder = home.join("cases");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).map_err(|why| format!("{}: {why}", folder.display()))?;
    let mut command = steps::tested_cargo(root);
    command.args(["run", "--quiet", "--profile", steps::TESTED, "-p", "arr-tests", "--bin", "xla-cases", "--"]);
    let output = command.arg(&folder).args(["--sample", "--count", SAMPLE]).stderr(Stdio::inherit()).output();
    let output = output.map_err(|why| why.to_string())?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).trim().to_string()),
        false => Err("the programs for XLA could not be written".to_string()),
    }
}

fn skipped(why: &str) -> String {
    eprintln!("SKIPPED: the tests of the Python package, as {why}");
    format!("SKIPPED: {why}")
}

/// An interpreter that is new enough.
fn interpreter() -> Option<PathBuf> {
    let named = std::env::var_os("ARR_PYTHON").map(PathBuf::from);
    let candidates = named.into_iter().chain([PathBuf::from("python3"), PathBuf::from("python")]);
    let (major, minor) = OLDEST;
    let question = format!("import sys, venv, ensurepip; sys.exit(sys.version_info < ({major}, {minor}))");
    let fits = |python: &PathBuf| {
        let mut command = Command::new(python);
        command.args(["-c", &question]).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    candidates.into_iter().find(fits)
}

struct Environment {
    home: PathBuf,
    root: PathBuf,
}

impl Environment {
    /// A program of the environment.
    fn program(&self, name: &str) -> PathBuf {
        self.home.join(if cfg!(windows) { format!("Scripts/{name}.exe") } else { format!("bin/{name}") })
    }

    /// Makes the environment, unless the one that is there has these packages.
    fn provide(&self, python: &Path) -> Result<(), String> {
        let stamp = self.home.join("packages");
        let wanted = PACKAGES.join("\n");
        if std::fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
            return Ok(());
        }
        succeed(Command::new(python).args(["-m", "venv", "--clear"]).arg(&self.home))?;
        let mut pip = Command::new(self.program("pip"));
        succeed(pip.args(["install", "--quiet"]).args(PACKAGES))?;
        std::fs::write(&stamp, wanted).map_err(|error| format!("{}: {error}", stamp.display()))
    }

    /// Installs PyTorch, which is large: its builds on PyPI need the libraries for graphics processors even without one.
    /// Where that fails, what it left is removed, as the tests that want it skip themselves only where there is nothing
    /// of it; it is tried again when a day has passed.
    fn provide_torch(&self, home: &Path) -> bool {
        const AGAIN: std::time::Duration = std::time::Duration::from_hours(24);
        if self.has_torch(Stdio::null()) {
            return true;
        }
        let failed = home.join("torch-failed");
        let recent = std::fs::metadata(&failed).and_then(|file| file.modified()).ok();
        if recent.and_then(|time| time.elapsed().ok()).is_some_and(|passed| passed < AGAIN) {
            return false;
        }
        println!("installing PyTorch");
        let mut pip = Command::new(self.program("pip"));
        let installed = succeed(pip.args(["install", "--quiet", "--no-cache-dir", "torch"]));
        if let Err(why) = &installed {
            eprintln!("{why}");
        }
        if installed.is_ok() && self.has_torch(Stdio::inherit()) {
            return true;
        }
        let _ = std::fs::write(&failed, "");
        if let Err(why) = self.remove_torch() {
            eprintln!("PyTorch does not work and cannot be removed: {why}");
        }
        false
    }

    /// Whether PyTorch can be imported; what Python says of it goes to `errors`.
    fn has_torch(&self, errors: Stdio) -> bool {
        let mut python = Command::new(self.program("python"));
        python.args(["-c", "import torch"]).stdout(Stdio::null()).stderr(errors);
        python.status().is_ok_and(|status| status.success())
    }

    /// Removes PyTorch, half-installed or not: pip knows only of what it has installed to the end.
    fn remove_torch(&self) -> Result<(), String> {
        let mut pip = Command::new(self.program("pip"));
        succeed(pip.args(["uninstall", "--quiet", "--yes", "torch"]))?;
        let remove =
            "import shutil, sysconfig; shutil.rmtree(sysconfig.get_path('platlib') + '/torch', ignore_errors=True)";
        succeed(Command::new(self.program("python")).args(["-c", remove]))
    }

    /// Runs a program of the environment at the root of the repository.
    fn run(&self, name: &str, args: &[&str]) -> Result<(), String> {
        let folder = self.home.join(if cfg!(windows) { "Scripts" } else { "bin" });
        let path = std::env::var_os("PATH").unwrap_or_default();
        let all = std::iter::once(folder).chain(std::env::split_paths(&path));
        let path = std::env::join_paths(all).map_err(|error| error.to_string())?;
        let mut command = Command::new(self.program(name));
        command.args(args).current_dir(&self.root).env("PATH", path).env("VIRTUAL_ENV", &self.home);
        succeed(&mut command)
    }
}

fn only_wheel(folder: &Path) -> Result<PathBuf, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut wheels = entries.flatten().map(|entry| entry.path());
    wheels
        .find(|path| path.extension().is_some_and(|extension| extension == "whl"))
        .ok_or_else(|| "maturin has made no wheel".to_string())
}
