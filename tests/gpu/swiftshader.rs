//! SwiftShader, the software device inside Chromium: its limits are nearly the minimum for devices, and it has neither
//! `f64` nor 64-bit integers.

use arr_tests::Outcome;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where Chromium's packages keep it, unless `ARR_SWIFTSHADER` names its description (`vk_swiftshader_icd.json`).
const PLACES: &[&str] = &[
    "/usr/lib/chromium",
    "/usr/lib/chromium-browser",
    "/usr/lib64/chromium-browser",
    "/opt/google/chrome",
    "/opt/chromium.org/chromium",
];

/// Repeats the tests `portable::` in a process that has no other device.
pub fn run() -> Outcome {
    let Some(driver) = find() else {
        eprintln!(
            "\n*** SKIPPED: there is no SwiftShader here (it comes with Chromium; ARR_SWIFTSHADER names its description)\n"
        );
        return Ok(());
    };
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new(this)
        .arg("portable::")
        .env("VK_DRIVER_FILES", &driver)
        // Its name for older loaders.
        .env("VK_ICD_FILENAMES", &driver)
        .env("ARR_DEVICE", "SwiftShader")
        .output()
        .map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    if said.contains("SKIPPED") {
        return Err(format!("{} is there and is no device:\n{said}", driver.display()));
    }
    if output.status.success() { Ok(()) } else { Err(said) }
}

fn find() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("ARR_SWIFTSHADER") {
        return Some(PathBuf::from(named));
    }
    PLACES.iter().map(|place| Path::new(place).join("vk_swiftshader_icd.json")).find(|path| path.exists())
}
