//! The lines of the file form that are about a GPU: `gpu: sm_80`, and `gpu-...: value` after it.

use super::Gpu;
use crate::machine::values::{Row, number, power, size, size_of, word, write_size};
use std::fmt;

/// A line whose value is a field, with the functions that write and read it.
macro_rules! row {
    ($key:literal, $field:ident, $write:expr, $read:expr) => {
        Row {
            key: $key,
            write: |gpu| ($write)(&gpu.$field),
            read: |gpu, value| ($read)(value).map(|found| gpu.$field = found),
        }
    };
}

/// All lines but the first, in the order in which they are written. What the values mean, and in which units, is said
/// at [`Gpu`].
const ROWS: &[Row<Gpu>] = &[
    row!("gpu-name", name, String::clone, word),
    row!("gpu-architecture", architecture, write_architecture, architecture),
    row!("gpu-multiprocessors", multiprocessors, u32::to_string, some),
    row!("gpu-warp", warp, u32::to_string, |value| power(value, 1)),
    row!("gpu-block-threads", block_threads, u32::to_string, some),
    row!("gpu-block", block, write_extents, extents),
    row!("gpu-grid", grid, write_extents, extents),
    row!("gpu-resident-threads", resident_threads, u32::to_string, some),
    row!("gpu-resident-blocks", resident_blocks, u32::to_string, some),
    row!("gpu-partitions", partitions, u32::to_string, some),
    row!("gpu-registers", registers, u32::to_string, some),
    row!("gpu-thread-registers", thread_registers, u32::to_string, some),
    row!("gpu-register-unit", register_unit, u32::to_string, some),
    row!("gpu-shared", shared, |bytes: &u64| write_size(*bytes), size),
    row!("gpu-shared-default", shared_default, |bytes: &u64| write_size(*bytes), size),
    row!("gpu-shared-most", shared_most, |bytes: &u64| write_size(*bytes), size),
    row!("gpu-shared-reserved", shared_reserved, |bytes: &u64| write_size(*bytes), size_or_none),
    row!("gpu-shared-unit", shared_unit, |bytes: &u64| write_size(*bytes), size),
    row!("gpu-banks", banks, u32::to_string, |value| power(value, 1)),
    row!("gpu-bank-bytes", bank_bytes, u32::to_string, |value| power(value, 1)),
    row!("gpu-l1", l1, |bytes: &u64| write_size(*bytes), size),
    row!("gpu-l2", l2, |bytes: &u64| write_size(*bytes), size),
    row!("gpu-line-bytes", line_bytes, u32::to_string, |value| power(value, 1)),
    row!("gpu-sector-bytes", sector_bytes, u32::to_string, |value| power(value, 1)),
    row!("gpu-memory", memory, |bytes: &u64| write_size(*bytes), size),
    row!("gpu-bandwidth", bandwidth, u32::to_string, some),
    row!("gpu-clock", clock, u32::to_string, some),
    row!("gpu-f32", f32_operations, u32::to_string, some),
    row!("gpu-f64", f64_operations, u32::to_string, some),
    row!("gpu-launch", launch, u32::to_string, |value| number(value, 0)),
    row!("gpu-transfer-start", transfer_start, u32::to_string, |value| number(value, 0)),
    row!("gpu-transfer-rate", transfer_rate, u32::to_string, some),
];

impl Gpu {
    /// What stands behind `gpu:`: the name of a preset, or `none`.
    ///
    /// # Errors
    /// Any other name, with those that there are.
    pub fn named(name: &str) -> Result<Option<Gpu>, String> {
        match (name, Gpu::preset(name)) {
            ("none", _) => Ok(None),
            (_, Some(gpu)) => Ok(Some(gpu)),
            (_, None) => Err(format!("no GPU is called `{name}`; there are {}, none", Gpu::PRESETS.join(", "))),
        }
    }

    /// The preset that the lines start from: the latest that is no later than this, or else the first.
    fn nearest_preset(&self) -> &'static str {
        let is_later = |name: &&&str| Gpu::preset(name).is_some_and(|it| it.architecture > self.architecture);
        Gpu::PRESETS.iter().rev().find(|name| !is_later(name)).unwrap_or(&Gpu::PRESETS[0])
    }
}

/// Takes over the value of a line whose key begins with `gpu-`.
pub(in crate::machine) fn set(gpu: Option<&mut Gpu>, key: &str, value: &str) -> Result<(), String> {
    let row = ROWS.iter().find(|row| row.key == key).ok_or_else(|| {
        let known: Vec<&str> = ROWS.iter().map(|row| row.key).collect();
        format!("nothing is called {key}; of a GPU there are {}", known.join(", "))
    })?;
    let gpu = gpu.ok_or_else(|| format!("{key} changes a GPU: a line such as `gpu: sm_80` comes before it"))?;
    (row.read)(gpu, value)
}

/// The lines of the file form.
impl fmt::Display for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "gpu: {}", self.nearest_preset())?;
        ROWS.iter().try_for_each(|row| writeln!(f, "{}: {}", row.key, (row.write)(self)))
    }
}

fn some(value: &str) -> Result<u32, String> {
    number(value, 1)
}

/// A number of bytes, which may be zero.
fn size_or_none(value: &str) -> Result<u64, String> {
    if value == "0" { Ok(0) } else { size_of(value).ok_or_else(|| format!("{value} is no size such as 0 or 1K")) }
}

/// `sm_80`.
fn architecture(value: &str) -> Result<u32, String> {
    let digits = value.strip_prefix("sm_").filter(|digits| digits.chars().all(|digit| digit.is_ascii_digit()));
    digits.and_then(|digits| number(digits, 1).ok()).ok_or_else(|| format!("{value} is no architecture such as sm_80"))
}

fn write_architecture(architecture: &u32) -> String {
    format!("sm_{architecture}")
}

/// `1024, 1024, 64`: along x, y and z.
fn extents(value: &str) -> Result<[u32; 3], String> {
    let extents = value.split(',').map(|extent| some(extent.trim())).collect::<Result<Vec<_>, _>>()?;
    extents.try_into().map_err(|_| format!("{value} is not three numbers, for x, y and z"))
}

fn write_extents(extents: &[u32; 3]) -> String {
    extents.map(|extent| extent.to_string()).join(", ")
}

#[cfg(test)]
mod tests {
    use crate::machine::{Gpu, Machine};

    fn error(text: &str) -> String {
        Machine::parse(text).unwrap_err().to_string()
    }

    fn gpu(text: &str) -> Gpu {
        Machine::parse(text).unwrap().gpu.unwrap()
    }

    #[test]
    fn what_is_written_can_be_read() {
        for name in Gpu::PRESETS {
            let machine = Machine { gpu: Gpu::preset(name), ..Machine::generic() };
            let text = machine.to_string();
            assert_eq!(Machine::parse(&text).unwrap(), machine);
            let lines: Vec<&str> = text.lines().skip_while(|line| !line.starts_with("gpu")).collect();
            assert_eq!(lines[0], format!("gpu: {name}"));
            assert_eq!(lines[2], format!("gpu-architecture: {name}"));
            assert_eq!(lines.len(), 33);
        }
    }

    /// Each line is read into the field that it is written from, and no other.
    #[test]
    fn all_values_can_be_changed() {
        let text = "gpu: sm_80\ngpu-name: odd one\ngpu-architecture: sm_86\ngpu-multiprocessors: 3\ngpu-warp: 16\n\
                    gpu-block-threads: 512\ngpu-block: 500, 400, 30\ngpu-grid: 7, 8, 9\ngpu-resident-threads: 1536\n\
                    gpu-resident-blocks: 15\ngpu-partitions: 2\ngpu-registers: 32768\ngpu-thread-registers: 128\n\
                    gpu-register-unit: 64\ngpu-shared: 100K\ngpu-shared-default: 47K\ngpu-shared-most: 99K\n\
                    gpu-shared-reserved: 0\ngpu-shared-unit: 500\ngpu-banks: 8\ngpu-bank-bytes: 2\ngpu-l1: 129K\n\
                    gpu-l2: 5000\ngpu-line-bytes: 64\ngpu-sector-bytes: 16\ngpu-memory: 24G\ngpu-bandwidth: 600\n\
                    gpu-clock: 1111\ngpu-f32: 129\ngpu-f64: 2\ngpu-launch: 0\ngpu-transfer-start: 1\n\
                    gpu-transfer-rate: 6\n";
        let machine = Machine::parse(text).unwrap();
        assert_eq!(machine.to_string(), format!("{}{text}", Machine::generic()));
        let old = gpu("gpu: sm_70\ngpu-architecture: sm_61").to_string();
        assert!(old.starts_with("gpu: sm_70\n") && old.contains("gpu-architecture: sm_61\n"), "{old}");
        let new = gpu("gpu: sm_70\ngpu-architecture: sm_120").to_string();
        assert!(new.starts_with("gpu: sm_90\n") && gpu(&new).multiprocessors == 80, "{new}");
    }

    /// The example of docs/machines.md is what is printed, but for its comments.
    #[test]
    fn the_documented_example_is_the_preset() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/machines.md");
        let document = std::fs::read_to_string(path).unwrap();
        let example = document.lines().filter_map(|line| line.strip_prefix("    gpu"));
        let lines: String =
            example.map(|line| format!("gpu{}\n", line.split('#').next().unwrap().trim_end())).collect();
        assert_eq!(lines, Gpu::preset("sm_80").unwrap().to_string());
    }

    #[test]
    fn there_is_none_where_none_is_named() {
        assert_eq!(Machine::generic().gpu, None);
        assert_eq!(Machine::host().machine.gpu, None);
        assert_eq!(Machine::parse("gpu: none").unwrap(), Machine::generic());
        assert!(!Machine::generic().to_string().contains("gpu"));
    }

    #[test]
    fn mistakes_have_a_line() {
        assert_eq!(
            error("cores: 2\ngpu: a100"),
            "line 2: no GPU is called `a100`; there are sm_70, sm_80, sm_90, none"
        );
        assert_eq!(
            error("gpu-clock: 1\ngpu: sm_80"),
            "line 1: gpu-clock changes a GPU: a line such as `gpu: sm_80` comes before it"
        );
        assert!(error("gpu: none\ngpu-clock: 1").starts_with("line 2: gpu-clock changes a GPU"));
        assert!(error("gpu-speed: 1").starts_with("line 1: nothing is called gpu-speed; of a GPU there are gpu-name,"));
        assert!(error("gpus: 1").ends_with("parallel-start, gpu"), "{}", error("gpus: 1"));
        assert_eq!(error("gpu: sm_80\ngpu: sm_80"), "line 2: gpu was said before");
        assert_eq!(error("gpu: sm_80\ngpu-f64: 1\ngpu-f64: 2"), "line 3: gpu-f64 was said before");
        let changed = |line: &str| error(&format!("gpu: sm_80\n{line}"));
        assert_eq!(changed("gpu-multiprocessors: 0"), "line 2: 0 is no whole number from 1 to 4294967295");
        assert_eq!(changed("gpu-warp: 24"), "line 2: 24 is no power of two from 1 to 2147483648");
        assert_eq!(changed("gpu-architecture: 80"), "line 2: 80 is no architecture such as sm_80");
        assert_eq!(changed("gpu-architecture: sm_+8"), "line 2: sm_+8 is no architecture such as sm_80");
        assert_eq!(changed("gpu-architecture: sm_"), "line 2: sm_ is no architecture such as sm_80");
        assert_eq!(changed("gpu-grid: 1, 2"), "line 2: 1, 2 is not three numbers, for x, y and z");
        assert_eq!(changed("gpu-grid: 1, 0, 2"), "line 2: 0 is no whole number from 1 to 4294967295");
        assert_eq!(changed("gpu-shared: 0"), "line 2: 0 is no size such as 48K or 32M");
        assert_eq!(changed("gpu-shared-reserved: 0K"), "line 2: 0K is no size such as 0 or 1K");
        assert_eq!(changed("gpu-memory: 99999999999999G"), "line 2: 99999999999999G is no size such as 48K or 32M");
        assert_eq!(changed("gpu-name:"), "line 2: a name has at least one letter");
    }

    #[test]
    fn contradictions_are_found_where_they_are_complete() {
        assert_eq!(
            error("gpu: sm_80\ngpu-resident-threads: 512\ngpu-clock: 9"),
            "line 2: gpu-block-threads (1024) is more than gpu-resident-threads (512)"
        );
        let both = "gpu: sm_80\ngpu-resident-threads: 512\ngpu-clock: 9\ngpu-block-threads: 512";
        assert_eq!(gpu(both).block_threads, 512);
        assert_eq!(
            error("gpu: sm_80\ngpu-block-threads: 9\n\ngpu-clock: 9\ngpu-resident-threads: 48\ngpu-l2: 1"),
            "line 5: gpu-resident-threads (48) is no multiple of gpu-warp (32)"
        );
        assert_eq!(
            error("gpu: sm_80\ngpu-registers: 32767"),
            "line 2: a warp of 32 threads with gpu-thread-registers (255) takes 8192 registers, more than a \
             partition's share of gpu-registers (32767)"
        );
        assert!(error("gpu: sm_80\ngpu-register-unit: 4294967295").starts_with("line 2: a warp of 32 threads"));
        assert_eq!(
            error("gpu: sm_80\ngpu-shared-default: 164K"),
            "line 2: gpu-shared-default (167936) is more than gpu-shared-most (166912)"
        );
        assert_eq!(
            error("gpu: sm_80\ngpu-shared-most: 164K"),
            "line 2: a block with gpu-shared-most (167936) takes 168960 bytes with what is reserved, more than \
             gpu-shared (167936)"
        );
        assert_eq!(
            error("gpu: sm_80\ngpu-clock: 9\ngpu-l1: 128K"),
            "line 3: gpu-shared (167936) is more than gpu-l1 (131072), which it is cut out of"
        );
        assert!(error("gpu: sm_80\ngpu-shared-reserved: 18446744073709551615").contains("more than gpu-shared "));
        assert_eq!(
            error("gpu: sm_80\ngpu-line-bytes: 16"),
            "line 2: gpu-sector-bytes (32) is more than gpu-line-bytes (16)"
        );
    }
}
