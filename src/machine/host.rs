//! What can be found out about the machine that this runs on: from the processor's features and, on Linux, from `/sys`
//! and `/proc`.

use super::values::size_of;
use super::{Cache, Machine};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;

/// The machine that this runs on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// Its description. What could not be found out is what [`Machine::generic`] says.
    pub machine: Machine,
    /// The keys of the file form whose values were found out, and where.
    pub detected: BTreeMap<&'static str, &'static str>,
}

impl Machine {
    /// The machine that this runs on, looked at once in a process.
    pub fn host() -> &'static Host {
        static HOST: OnceLock<Host> = OnceLock::new();
        HOST.get_or_init(|| Host::detect(Path::new("/")))
    }
}

impl Host {
    /// The file form, with comments that say which values were found out.
    pub fn to_text(&self) -> String {
        self.machine.with_comments(|key| Some(self.source(key)))
    }

    /// Whether the value of a key was found out: the comment that says so.
    pub fn source(&self, key: &str) -> &'static str {
        self.detected.get(key).copied().unwrap_or("assumed")
    }

    /// Looks for the files of the system below `root`.
    fn detect(root: &Path) -> Host {
        let mut host = Host { machine: Machine::generic(), detected: BTreeMap::new() };
        let processor = Processor::read(root);
        let name = processor.name.clone().unwrap_or_else(|| "host".to_owned());
        host.found("name", Some(name), |machine, name| machine.name = name);
        let cores = std::thread::available_parallelism().ok().and_then(|cores| u32::try_from(cores.get()).ok());
        host.found("cores", cores, |machine, cores| machine.cores = cores);
        let (caches, line) = caches(root);
        host.found("caches", caches, |machine, caches| machine.caches = caches);
        host.found("line-bytes", line, |machine, line| machine.line_bytes = line);
        let registers = registers();
        host.found("vector-bits", registers.map(|it| it.vector_bits), |machine, it| machine.vector_bits = it);
        host.found("vector-registers", registers.map(|it| it.vector), |machine, it| machine.vector_registers = it);
        host.found("scalar-registers", registers.map(|it| it.scalar), |machine, it| machine.scalar_registers = it);
        host.look_at_last_cache(&processor);
        host
    }

    /// What the kind of processor says about a last cache that was found.
    fn look_at_last_cache(&mut self, processor: &Processor) {
        let machine = &mut self.machine;
        let [.., before, last] = &mut machine.caches[..] else { return };
        if !self.detected.contains_key("caches") || last.cores == 1 {
            return;
        }
        let most = MOST_OF_A_CORE.saturating_mul(last.cores.into());
        if processor.is_virtual && (before.bytes + 1..last.bytes).contains(&most) {
            last.bytes = most;
            self.detected.insert("caches", "detected, as much of the last one as a core of a virtual machine may have");
        }
        if processor.has_far_last_cache(machine.vector_bits) {
            machine.last_line_cost = machine.line_cost * 3 / 4;
            self.detected.insert("last-line-cost", "known of such processors");
        }
    }

    fn found<T>(&mut self, key: &'static str, value: Option<T>, set: impl FnOnce(&mut Machine, T)) {
        if let Some(value) = value {
            set(&mut self.machine, value);
            self.detected.insert(key, "detected");
        }
    }
}

/// The bytes of a last cache that a core of a virtual machine may count on. The system tells such a machine of all that the processor has,
/// as if nobody else used it; the cores of few processors have more for each. Measured: of 300 MiB, told to be for two cores, these
/// use 24 MiB, as lines take twice as long beyond (a Xeon with 60 cores).
const MOST_OF_A_CORE: u64 = 16 << 20;

/// What the system says of the first processor.
#[derive(Debug, Default)]
struct Processor {
    /// Its name, without what would be no name in the file form.
    name: Option<String>,
    /// Who makes it.
    vendor: Option<String>,
    /// It is one of a virtual machine.
    is_virtual: bool,
}

impl Processor {
    /// Nothing, where the system says nothing.
    fn read(root: &Path) -> Processor {
        let text = fs::read_to_string(root.join("proc/cpuinfo")).unwrap_or_default();
        let value = |key: &str| {
            let line = text.lines().find(|line| line.split(':').next().is_some_and(|word| word.trim() == key))?;
            let value: String = line.split_once(':')?.1.chars().filter(|c| *c != '#' && !c.is_control()).collect();
            Some(value.trim().to_owned()).filter(|value| !value.is_empty())
        };
        let flags = value("flags").unwrap_or_default();
        let is_virtual = flags.split_whitespace().any(|flag| flag == "hypervisor");
        Processor { name: value("model name"), vendor: value("vendor_id"), is_virtual }
    }

    /// Lines of the last cache come over a mesh of all cores, about as slowly as from memory: Intel's processors for servers since there
    /// are vectors of 512 bits (measured on Emerald Rapids, as the module docs of `src/driver/in_caches.rs` say).
    fn has_far_last_cache(&self, vector_bits: u32) -> bool {
        let is_server = self.name.as_ref().is_some_and(|name| name.contains("Xeon"));
        self.vendor.as_deref() == Some("GenuineIntel") && is_server && vector_bits >= 512
    }
}

/// The data caches of the first core, and the size of a line of the nearest. Nothing, where what is found cannot be
/// true.
fn caches(root: &Path) -> (Option<Vec<Cache>>, Option<u32>) {
    let Ok(entries) = fs::read_dir(root.join("sys/devices/system/cpu/cpu0/cache")) else { return (None, None) };
    let siblings = fs::read_to_string(root.join("sys/devices/system/cpu/cpu0/topology/thread_siblings_list"));
    let threads = siblings.ok().and_then(|list| members(&list)).unwrap_or(1).max(1);
    // By level: the order in which a folder is listed is nobody's.
    let mut levels: Vec<(u32, Cache, Option<u32>)> =
        entries.flatten().filter_map(|entry| level(&entry.path(), threads)).collect();
    levels.sort_by_key(|(level, cache, _)| (*level, cache.bytes));
    let line = levels.first().and_then(|(_, _, line)| *line);
    let caches: Vec<Cache> = levels.into_iter().map(|(_, cache, _)| cache).collect();
    let plausible = !caches.is_empty() && caches.windows(2).all(|pair| pair[0].bytes < pair[1].bytes);
    (plausible.then_some(caches), line)
}

/// From this level on caches are shared, though a virtual machine may have a single core of those that share one.
const SHARED_LEVEL: u32 = 3;

/// The level, the cache and the size of its lines; nothing for a cache of instructions. The system counts the threads that share it, of
/// which a core may have several.
fn level(folder: &Path, threads: u32) -> Option<(u32, Cache, Option<u32>)> {
    let read = |name: &str| fs::read_to_string(folder.join(name)).ok().map(|text| text.trim().to_owned());
    if !matches!(read("type")?.as_str(), "Data" | "Unified") {
        return None;
    }
    let bytes = size_of(&read("size")?)?;
    let number = read("level")?.parse().ok()?;
    let least = if number < SHARED_LEVEL { 1 } else { 2 };
    let cores =
        read("shared_cpu_list").and_then(|list| members(&list)).map_or(least, |count| (count / threads).max(least));
    let line =
        read("coherency_line_size").and_then(|size| size.parse().ok()).filter(|size: &u32| size.is_power_of_two());
    Some((number, Cache { bytes, cores }, line))
}

/// The number of members of a list such as `0-1,4`.
fn members(list: &str) -> Option<u32> {
    let mut count = 0u32;
    for range in list.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        count = count.checked_add(last.checked_sub(first)?.checked_add(1)?)?;
    }
    Some(count)
}

/// The registers that code can name.
#[derive(Debug, Clone, Copy)]
struct Registers {
    vector_bits: u32,
    vector: u32,
    scalar: u32,
}

#[cfg(target_arch = "x86_64")]
fn registers() -> Option<Registers> {
    let of = |vector_bits, vector| Some(Registers { vector_bits, vector, scalar: 16 });
    if std::is_x86_feature_detected!("avx512f") {
        of(512, 32)
    } else if std::is_x86_feature_detected!("avx") {
        of(256, 16)
    } else {
        // SSE2 is part of the architecture.
        of(128, 16)
    }
}

/// Advanced SIMD is part of the architecture; how wide the registers of its scalable extension are is not asked here.
#[cfg(target_arch = "aarch64")]
fn registers() -> Option<Registers> {
    Some(Registers { vector_bits: 128, vector: 32, scalar: 31 })
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn registers() -> Option<Registers> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    /// A folder with files of a system, removed at the end.
    struct System(PathBuf);

    impl System {
        fn new(name: &str) -> Self {
            let folder = std::env::temp_dir().join(format!("polyrs-host-{name}-{}", std::process::id()));
            fs::create_dir_all(&folder).unwrap();
            System(folder)
        }

        fn cache(self, index: u32, files: [&str; 5]) -> Self {
            let folder = self.0.join(format!("sys/devices/system/cpu/cpu0/cache/index{index}"));
            fs::create_dir_all(&folder).unwrap();
            for (name, text) in ["level", "type", "size", "shared_cpu_list", "coherency_line_size"].iter().zip(files) {
                fs::write(folder.join(name), format!("{text}\n")).unwrap();
            }
            self
        }
    }

    impl Drop for System {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn caches_of_data_are_read_by_level() {
        let system = System::new("levels")
            .cache(3, ["3", "Unified", "32768K", "0-7,16-23", "64"])
            .cache(1, ["1", "Instruction", "32K", "0", "64"])
            .cache(2, ["2", "Unified", "1M", "0,8", "64"])
            .cache(0, ["1", "Data", "48K", "0,8", "128"]);
        fs::create_dir_all(system.0.join("proc")).unwrap();
        fs::write(system.0.join("proc/cpuinfo"), "processor\t: 0\nmodel name\t: Fast #1\n").unwrap();
        let host = Host::detect(&system.0);
        let caches = [(48 << 10, 2), (1 << 20, 2), (32 << 20, 16)].map(|(bytes, cores)| Cache { bytes, cores });
        assert_eq!((&host.machine.caches[..], host.machine.line_bytes), (&caches[..], 128));
        assert_eq!(host.machine.name, "Fast 1");
        assert!(host.to_text().contains("caches: 48K/2, 1M/2, 32M/16 # detected\n"), "{}", host.to_text());
        assert!(host.to_text().contains("latency: 4 # assumed\n"), "{}", host.to_text());
        assert_eq!(Machine::parse(&host.to_text()).unwrap(), host.machine);
    }

    #[test]
    fn threads_of_a_core_are_one_core() {
        let system = System::new("threads")
            .cache(0, ["1", "Data", "48K", "0,8", "64"])
            .cache(2, ["2", "Unified", "2M", "0,8", "64"])
            .cache(3, ["3", "Unified", "32M", "0-15", "64"]);
        let topology = system.0.join("sys/devices/system/cpu/cpu0/topology");
        fs::create_dir_all(&topology).unwrap();
        fs::write(topology.join("thread_siblings_list"), "0,8\n").unwrap();
        let machine = Host::detect(&system.0).machine;
        let caches: Vec<_> = machine.caches.iter().map(ToString::to_string).collect();
        assert_eq!((caches, machine.own_cache()), (vec!["48K".into(), "2M".into(), "32M/8".to_owned()], 2 << 20));
    }

    #[test]
    fn a_machine_with_one_core_has_no_last_cache_of_its_own() {
        for (name, threads) in [("one-core", "0"), ("two-threads-of-a-core", "0-1")] {
            let system = System::new(name)
                .cache(0, ["1", "Data", "48K", threads, "64"])
                .cache(2, ["2", "Unified", "2M", threads, "64"])
                .cache(3, ["3", "Unified", "300M", threads, "64"]);
            let topology = system.0.join("sys/devices/system/cpu/cpu0/topology");
            fs::create_dir_all(&topology).unwrap();
            fs::write(topology.join("thread_siblings_list"), threads).unwrap();
            fs::create_dir_all(system.0.join("proc")).unwrap();
            fs::write(system.0.join("proc/cpuinfo"), "flags : fpu hypervisor\n").unwrap();
            let machine = Host::detect(&system.0).machine;
            assert_eq!((machine.own_cache(), machine.last_cache_share()), (2 << 20, 16 << 20), "{name}");
        }
    }

    #[test]
    fn a_last_cache_is_what_the_kind_of_processor_makes_of_it() {
        let host = |name: &str, vendor: &str, flags: &str, last: [&str; 2]| {
            let system = System::new(name)
                .cache(0, ["1", "Data", "48K", "0", "64"])
                .cache(2, ["2", "Unified", "2M", "0", "64"])
                .cache(3, ["3", "Unified", last[0], last[1], "64"]);
            fs::create_dir_all(system.0.join("proc")).unwrap();
            let text = format!("vendor_id\t: {vendor}\nmodel name\t: {name}\nflags\t\t: fpu {flags} sse\n");
            fs::write(system.0.join("proc/cpuinfo"), text).unwrap();
            let Host { mut machine, detected } = Host::detect(&system.0);
            machine.vector_bits = 512;
            let mut host = Host { machine, detected };
            host.look_at_last_cache(&Processor::read(&system.0));
            (host.machine.caches[2].to_string(), host.machine.last_line_cost)
        };
        let of = |bytes: &str, far| (bytes.to_owned(), far);
        assert_eq!(host("Some Xeon 1", "GenuineIntel", "hypervisor", ["300M", "0-1"]), of("32M/2", 3));
        assert_eq!(host("Some Xeon 2", "GenuineIntel", "", ["300M", "0-119"]), of("300M/120", 3));
        assert_eq!(host("Some Xeon 3", "GenuineIntel", "hypervisor", ["300M", "0-119"]), of("300M/120", 3));
        assert_eq!(host("EPYC", "AuthenticAMD", "hypervisor", ["32M", "0-1"]), of("32M/2", 0));
        assert_eq!(host("Core", "GenuineIntel", "", ["36M", "0-15"]), of("36M/16", 0));
        assert_eq!(host("Xeon of others", "Others", "", ["36M", "0-15"]), of("36M/16", 0));
    }

    #[test]
    fn what_cannot_be_read_is_assumed() {
        let nothing = Host::detect(Path::new("/nowhere"));
        let generic = Machine::generic();
        assert_eq!((&nothing.machine.caches, nothing.machine.line_bytes), (&generic.caches, generic.line_bytes));
        assert!(!nothing.detected.contains_key("caches") && !nothing.detected.contains_key("line-bytes"));
        let odd = System::new("odd")
            .cache(0, ["1", "Data", "64K", "0", "60"])
            .cache(1, ["2", "Unified", "64K", "0-x", "64"])
            .cache(2, ["3", "Unified", "?", "0", "64"]);
        let odd = Host::detect(&odd.0);
        assert_eq!((odd.machine.caches, odd.machine.line_bytes), (generic.caches, generic.line_bytes));
    }

    #[test]
    fn this_machine_is_plausible() {
        let host = Machine::host();
        assert!(host.detected.contains_key("cores") && host.machine.cores >= 1);
        assert!(host.machine.vector_bits >= 64 && host.machine.vector_registers >= 1);
        assert!(host.machine.caches.iter().all(|cache| cache.bytes >= 1024 && cache.cores >= 1));
        assert!(host.machine.line_bytes.is_power_of_two());
        #[cfg(target_arch = "x86_64")]
        assert!(host.detected.contains_key("vector-bits") && host.machine.vector_registers >= 16);
    }

    #[test]
    fn lists_of_cores_are_counted() {
        assert_eq!(
            ["0", "0-1", "0-3,8,10-11", "", "3-1", "a"].map(members),
            [Some(1), Some(2), Some(7), None, None, None]
        );
    }
}
