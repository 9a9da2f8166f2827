//! What the system says about memory, that is pages, and how much is free; and what else runs. Nothing where it does not say it as Linux does.

use std::fs;
use std::path::Path;

/// The size of pages where the system does not tell it.
const PAGE: u64 = 4 << 10;

/// What is told about memory.
#[derive(Debug, PartialEq, Eq)]
pub struct Memory {
    /// The size of a page in bytes.
    pub page: u64,
    /// When programs get huge pages: `always`, `madvise` (those that ask for them) or `never`.
    pub huge: Option<String>,
    /// What programs can still have, in bytes.
    pub available: Option<u64>,
}

impl Memory {
    /// Looks for the files of the system below `root`.
    pub fn look(root: &Path) -> Memory {
        let read = |name: &str| fs::read_to_string(root.join(name)).unwrap_or_default();
        let huge = read("sys/kernel/mm/transparent_hugepage/enabled");
        Memory {
            page: kib(&read("proc/self/smaps"), "KernelPageSize:")
                .filter(|page| page.is_power_of_two())
                .unwrap_or(PAGE),
            huge: chosen(&huge).map(str::to_owned),
            available: kib(&read("proc/meminfo"), "MemAvailable:"),
        }
    }

    /// The memory that measuring may take, in bytes: so much of what is free that nobody else misses it.
    pub fn room(&self) -> u64 {
        const MOST: u64 = 512 << 20;
        self.available.map_or(MOST, |available| (available / 4).min(MOST))
    }
}

/// How many threads of others run at the moment.
pub fn others(root: &Path) -> u32 {
    let text = fs::read_to_string(root.join("proc/loadavg")).unwrap_or_default();
    // The one that asks runs as well.
    running(&text).map_or(0, |running| running.saturating_sub(1))
}

/// `3` of `0.20 0.18 0.12 3/80 11206`.
fn running(text: &str) -> Option<u32> {
    text.split_whitespace().nth(3)?.split_once('/')?.0.parse().ok()
}

/// The bytes of a line `key   123 kB`.
fn kib(text: &str, key: &str) -> Option<u64> {
    let value = text.lines().find_map(|line| line.strip_prefix(key))?;
    value.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1 << 10)
}

/// The word in brackets.
fn chosen(text: &str) -> Option<&str> {
    Some(text.split_once('[')?.1.split_once(']')?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_system_are_read() {
        let text = "MemTotal:  24 kB\nMemAvailable:   23 kB\nHugepagesize:    2048 MB\n";
        assert_eq!(
            ["MemAvailable:", "Hugepagesize:", "MemFree:"].map(|key| kib(text, key)),
            [Some(23 << 10), None, None]
        );
        assert_eq!((chosen("always [madvise] never\n"), chosen("always")), (Some("madvise"), None));
        assert_eq!((running("0.20 0.18 0.12 3/80 11206\n"), running("")), (Some(3), None));
        assert_eq!(others(Path::new("/nowhere")), 0);
        let nothing = Memory { page: 4096, huge: None, available: None };
        assert_eq!(Memory::look(Path::new("/nowhere")), nothing);
        let room = |available| Memory { available, ..Memory::look(Path::new("/nowhere")) }.room();
        assert_eq!([None, Some(1 << 20), Some(1 << 40)].map(room), [512 << 20, 1 << 18, 512 << 20]);
    }
}
