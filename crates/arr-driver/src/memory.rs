//! The default limit on a program's memory.

/// 80 % of the machine's memory, or of the limit set for this process if that is less; no limit if neither is known.
pub(crate) fn default_limit() -> Option<u64> {
    let machine = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| mem_total(&text));
    // A container's limit is not visible in the machine's numbers.
    let group =
        std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|text| text.trim().parse::<u64>().ok());
    machine.into_iter().chain(group).min().map(|bytes| bytes / 10 * 8)
}

/// The line `MemTotal:  16384 kB`, in bytes.
fn mem_total(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_line_is_found() {
        assert_eq!(super::mem_total("MemFree: 1 kB\nMemTotal:       16 kB\n"), Some(16384));
        assert_eq!(super::mem_total(""), None);
    }
}
