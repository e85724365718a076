//! A graphics device for the tests: an existing one, or Mesa's software device if it can be installed.

use crate::packages::install;
use std::path::Path;

/// Where drivers for Vulkan are registered.
const DRIVERS: &[&str] = &["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d", "/usr/local/share/vulkan/icd.d"];

const PACKAGES: &[&str] = &["mesa-vulkan-drivers", "libvulkan1"];

/// Looks for a driver, installs one if there is none and `apt-get` and the permissions are available, or warns loudly
/// that tests will be skipped. None of this is a failure: everything else works without a device.
pub fn provide(_root: &Path) -> Result<String, String> {
    if !cfg!(target_os = "linux") {
        return Ok("of the system".to_string());
    }
    if has_driver() {
        return Ok("there is a driver for Vulkan".to_string());
    }
    println!("there is no driver for Vulkan; installing {}", PACKAGES.join(" "));
    if install(PACKAGES) && has_driver() {
        return Ok(format!("installed {}", PACKAGES.join(" ")));
    }
    println!("\n*** NO GRAPHICS DEVICE: the tests of the GPU back end will be SKIPPED.");
    println!("*** To run them: apt-get install {}\n", PACKAGES.join(" "));
    Ok("NONE: tests of the GPU back end are SKIPPED".to_string())
}

fn has_driver() -> bool {
    let named = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"].iter().any(|name| std::env::var_os(name).is_some());
    let listed = |folder: &&str| std::fs::read_dir(folder).is_ok_and(|mut files| files.next().is_some());
    named || DRIVERS.iter().any(listed)
}
