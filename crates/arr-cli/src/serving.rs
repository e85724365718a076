//! `arr serve`: another program asks, over standard input and output.

use crate::commands::{Result, driver_execution};
use crate::options::{Protocol, Serve};
use arr_driver::OsWorld;
use arr_serve::gradbench::Gradbench;
use arr_serve::json::Host;
use arr_serve::{Answer, Options};
use std::io;

/// Serves until the input ends. A host that goes away is no fault.
pub fn run(options: &Serve) -> Result<()> {
    let execution = driver_execution(&options.execution)?;
    let library = Options { directory: options.directory.clone(), execution };
    let mut server: Box<dyn Answer> = match options.protocol {
        Protocol::Json => Box::new(Host::new(OsWorld, library)),
        Protocol::Gradbench => Box::new(Gradbench::new(OsWorld, library)),
    };
    let _ = arr_serve::serve(&mut *server, &mut io::stdin().lock(), &mut io::stdout().lock());
    Ok(())
}
