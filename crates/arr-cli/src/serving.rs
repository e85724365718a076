//! `arr serve`: answers the requests of another program over standard input and output.

use crate::commands::{Result, driver_execution};
use crate::options::{Protocol, Serve};
use arr_base::{Code, Diagnostic};
use arr_driver::{OsWorld, World};
use arr_serve::gradbench::Gradbench;
use arr_serve::json::Host;
use arr_serve::{Answer, Options};
use std::io;

/// Serves until the input ends. A host that disconnects is no fault. Errors: those of [`driver_execution`]; E0701 where
/// the directory cannot be listed; E0707 where standard input or output fails.
pub fn run(options: &Serve) -> Result<()> {
    let execution = driver_execution(&options.execution)?;
    // A host would get the error with every request, a person at once.
    let directory = &options.directory;
    if let Err(e) = OsWorld.list(directory) {
        return Err(arr_driver::unreadable(directory, &e).into());
    }
    let library = Options { directory: options.directory.clone(), execution };
    let mut server: Box<dyn Answer> = match options.protocol {
        Protocol::Json => Box::new(Host::new(OsWorld, library)),
        Protocol::Gradbench => Box::new(Gradbench::new(OsWorld, library)),
    };
    match arr_serve::serve(&mut *server, &mut io::stdin().lock(), &mut io::stdout().lock()) {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
            let title = format!("standard input or output cannot be used: {e}");
            Err(Diagnostic::error(Code::FILE_NOT_WRITTEN, title).into())
        }
        _ => Ok(()),
    }
}
