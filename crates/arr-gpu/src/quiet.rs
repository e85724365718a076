//! Drivers that write to standard error.

/// Mesa's layer that chooses between devices asks the desktop, and complains on standard error where there is none.
/// Unless there is a desktop, this turns the layer off, for this process and those that it starts. It does so only
/// while the process has one thread: to be called before anything else.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
pub fn quiet() {
    const LAYER_OFF: &str = "NODEVICE_SELECT";
    if std::env::var_os("XDG_RUNTIME_DIR").is_some() || std::env::var_os(LAYER_OFF).is_some() {
        return;
    }
    let alone = std::fs::read_dir("/proc/self/task").is_ok_and(|tasks| tasks.count() == 1);
    if alone {
        // SAFETY: this is the only thread, so no other reads the environment meanwhile.
        unsafe { std::env::set_var(LAYER_OFF, "1") };
    }
}

#[cfg(not(target_os = "linux"))]
pub fn quiet() {}
