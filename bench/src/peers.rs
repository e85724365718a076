//! The peers: those on this machine, and how a workload is started in each.

use crate::options::{Options, PeerChoice};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Peer {
    Arr,
    C,
    /// Arr's own program as C99 source, compiled by the C compiler.
    C99,
    /// Arr's own program as StableHLO, compiled by XLA.
    Xla,
    Jax,
    Torch,
}

impl Peer {
    pub fn name(self) -> &'static str {
        match self {
            Peer::Arr => "Arr",
            Peer::C => "C",
            Peer::C99 => "Arr by C",
            Peer::Xla => "Arr by XLA",
            Peer::Jax => "JAX",
            Peer::Torch => "PyTorch",
        }
    }
}

/// The peers found, and their paths.
#[derive(Debug)]
pub struct Peers {
    /// Arr, and those that can be run.
    pub found: Vec<Peer>,
    /// Lines about versions, and about missing peers.
    pub notes: Vec<String>,
    /// This programme, which serves Arr; its path at the start, as it may be rebuilt while it runs.
    own: PathBuf,
    root: PathBuf,
    cache: PathBuf,
    python: Option<PathBuf>,
}

const C_FLAGS: [&str; 4] = ["-O3", "-march=native", "-ffast-math", "-fopenmp"];

impl Peers {
    /// Finds the requested peers; without a choice, all that work on this machine.
    pub fn find(options: &Options, root: &Path, cache: &Path) -> Result<Peers, String> {
        let mut peers = Peers::none(root, cache)?;
        let chosen = |choice| options.peers.as_ref().is_none_or(|list| list.contains(&choice));
        let asked = |choice| options.peers.as_ref().is_some_and(|list| list.contains(&choice));
        if chosen(PeerChoice::C) {
            match first_line(Command::new("cc").arg("--version")) {
                Ok(version) => {
                    peers.found.push(Peer::C);
                    peers.notes.push(format!("C: {version}, `{}`", C_FLAGS.join(" ")));
                }
                Err(why) if asked(PeerChoice::C) => return Err(format!("no C compiler: {why}")),
                Err(why) => peers.notes.push(format!("C: not found ({why})")),
            }
        }
        if asked(PeerChoice::C99) {
            let version =
                first_line(Command::new("cc").arg("--version")).map_err(|why| format!("no C compiler: {why}"))?;
            peers.found.push(Peer::C99);
            peers.notes.push(format!("Arr by C: {version}, `{}`", crate::c99::FLAGS.join(" ")));
        }
        let python = [
            (PeerChoice::Xla, Peer::Xla, "jax"),
            (PeerChoice::Jax, Peer::Jax, "jax"),
            (PeerChoice::Torch, Peer::Torch, "torch"),
        ];
        for (choice, peer, module) in python {
            // Arr by another compiler is no peer of Arr, unless it is asked for.
            if if choice == PeerChoice::Xla { asked(choice) } else { chosen(choice) } {
                match peers.python_with(options, module) {
                    Ok(version) => {
                        peers.found.push(peer);
                        peers.notes.push(format!("{}: {version}", peer.name()));
                    }
                    Err(why) if asked(choice) => return Err(format!("no {}: {why}", peer.name())),
                    Err(why) => peers.notes.push(format!("{}: not found ({why})", peer.name())),
                }
            }
        }
        Ok(peers)
    }

    /// Makes sure that there is a Python with a module, installing it if needed; returns its version.
    fn python_with(&mut self, options: &Options, module: &str) -> Result<String, String> {
        let version = |python: &Path| {
            let program = format!("import {module}; print({module}.__version__)");
            first_line(Command::new(python).args(["-c", &program]))
        };
        if let Some(python) = &options.python {
            self.python = Some(python.clone());
            return version(python);
        }
        let home = self.cache.join("venv");
        let python = home.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
        if !python.exists() {
            eprintln!("making {}", home.display());
            succeed(Command::new("python3").args(["-m", "venv"]).arg(&home))?;
        }
        self.python = Some(python.clone());
        if let Ok(version) = version(&python) {
            return Ok(version);
        }
        eprintln!("installing {module}");
        let mut pip = Command::new(&python);
        pip.args(["-m", "pip", "install", "--quiet", "--no-cache-dir", "numpy", module]);
        if module == "torch" {
            // Builds without the libraries for graphics processors, if the index with such builds can be reached.
            let mut light = Command::new(&python);
            light.args(["-m", "pip", "install", "--quiet", "--no-cache-dir", "--retries", "0", "numpy", module]);
            light.args(["--index-url", "https://download.pytorch.org/whl/cpu"]).stderr(Stdio::null());
            succeed(&mut light).or_else(|_| succeed(&mut pip))?;
        } else {
            succeed(&mut pip)?;
        }
        version(&python)
    }

    /// This program alone, without peers.
    pub fn none(root: &Path, cache: &Path) -> Result<Peers, String> {
        Ok(Peers {
            found: vec![Peer::Arr],
            notes: vec![format!("Arr {}", env!("CARGO_PKG_VERSION"))],
            own: std::env::current_exe().map_err(|error| error.to_string())?,
            root: root.to_path_buf(),
            cache: cache.to_path_buf(),
            python: None,
        })
    }

    /// The command that serves a workload in a peer; none where the peer does not have the workload.
    pub fn command(&self, peer: Peer, workload: &str, threads: usize) -> Result<Option<Command>, String> {
        let mut command = match peer {
            Peer::Arr => {
                let mut command = Command::new(&self.own);
                command.arg("serve").arg(self.root.join(format!("workloads/{workload}.arr")));
                command
            }
            Peer::C99 => {
                let mut command = Command::new(&self.own);
                command.arg("c99").arg(self.root.join(format!("workloads/{workload}.arr")));
                command
            }
            Peer::C => match self.compile(workload)? {
                Some(program) => Command::new(program),
                None => return Ok(None),
            },
            Peer::Xla | Peer::Jax | Peer::Torch => {
                let Some(python) = &self.python else { return Ok(None) };
                let mut command = Command::new(python);
                let file = match peer {
                    Peer::Xla => "xla_peer.py",
                    Peer::Jax => "jax_peer.py",
                    _ => "torch_peer.py",
                };
                command.env("ARR_BENCH", &self.own).arg("-B").arg(self.root.join("peers").join(file)).arg(workload);
                command
            }
        };
        for variable in ["OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"] {
            command.env(variable, threads.to_string());
        }
        Ok(Some(command))
    }

    /// Compiles the C program of a workload, unless that has been done.
    fn compile(&self, workload: &str) -> Result<Option<PathBuf>, String> {
        let folder = self.root.join("peers/c");
        let source = folder.join(format!("{workload}.c"));
        if !source.exists() {
            return Ok(None);
        }
        let out = self.cache.join("c");
        std::fs::create_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
        let program = out.join(workload);
        let inputs = [source.clone(), folder.join("harness.c"), folder.join("harness.h")];
        if !newer(&program, &inputs) {
            let mut cc = Command::new("cc");
            cc.args(C_FLAGS).arg("-std=c11").arg("-D_POSIX_C_SOURCE=200809L").args(&inputs[..2]);
            succeed(cc.arg("-o").arg(&program).arg("-lm"))?;
        }
        Ok(Some(program))
    }
}

/// Whether a file exists and is newer than all of some others.
fn newer(file: &Path, than: &[PathBuf]) -> bool {
    let time = |path: &Path| std::fs::metadata(path).and_then(|data| data.modified()).ok();
    let Some(own) = time(file) else { return false };
    than.iter().all(|other| time(other).is_some_and(|t| t < own))
}

fn first_line(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("`{name}`: {error}"))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        return Err(text.lines().last().unwrap_or("it failed").to_string());
    }
    Ok(String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().trim().to_string())
}

fn succeed(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{name}` failed: {status}")),
        Err(error) => Err(format!("`{name}` did not start: {error}")),
    }
}
