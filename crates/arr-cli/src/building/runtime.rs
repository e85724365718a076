//! The runtime library, which users of compiled code link to: `arr-capi` and its dependencies, as one static library.
//!
//! A release build of the compiler embeds it (see `build.rs`). A debug build makes it on first use, with the cargo that
//! built the compiler, so that building the compiler takes no longer.

use super::failed;
use crate::commands::Result;
use std::borrow::Cow;

#[path = "make_runtime.rs"]
#[cfg(not(embedded_runtime))]
mod make_runtime;

/// The library inside this compiler. Fails with E0707 if the compiler was built without it.
#[cfg(embedded_runtime)]
pub fn library() -> Result<Cow<'static, [u8]>> {
    const LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libarr_runtime.a"));
    if LIBRARY.is_empty() {
        return Err(failed("this compiler was built without the runtime library".to_string()));
    }
    Ok(Cow::Borrowed(LIBRARY))
}

/// The library, built now. Fails with E0707 if it cannot be built or read.
#[cfg(not(embedded_runtime))]
pub fn library() -> Result<Cow<'static, [u8]>> {
    use std::path::Path;
    let no_place = || failed("the compiler does not know where it is".to_string());
    let exe = std::env::current_exe().map_err(|_| no_place())?;
    // Beside the directory of the profile that the compiler was built with.
    let target = exe.parent().and_then(Path::parent).ok_or_else(no_place)?.join("arr-runtime");
    let why = |e: String| {
        failed(format!("the runtime library cannot be built, which only a compiler for debugging has to do: {e}"))
    };
    let path = make_runtime::make_runtime(Path::new(env!("CARGO_MANIFEST_DIR")), &target, None).map_err(why)?;
    std::fs::read(&path).map(Cow::Owned).map_err(|e| why(format!("{}: {e}", path.display())))
}
