//! The file form: a line `key: value` each, `#` before comments.

use super::values::{Row, number, power, size, word, write_size};
use super::{Cache, Gpu, Machine, gpu};
use std::fmt;

/// Why a text describes no machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct ParseError {
    /// Counted from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: String,
}

/// All lines but those of a GPU, in the order in which they are written. What the values mean, and in which units, is
/// said at [`Machine`].
pub(super) const ROWS: &[Row<Machine>] = &[
    Row { key: "name", write: |t| t.name.clone(), read: |t, v| word(v).map(|v| t.name = v) },
    Row { key: "cores", write: |t| t.cores.to_string(), read: |t, v| number(v, 1).map(|v| t.cores = v) },
    Row { key: "line-bytes", write: |t| t.line_bytes.to_string(), read: |t, v| power(v, 1).map(|v| t.line_bytes = v) },
    Row { key: "caches", write: |t| write_caches(&t.caches), read: |t, v| caches(v).map(|v| t.caches = v) },
    Row {
        key: "vector-bits",
        write: |t| t.vector_bits.to_string(),
        read: |t, v| power(v, 64).map(|v| t.vector_bits = v),
    },
    Row {
        key: "vector-registers",
        write: |t| t.vector_registers.to_string(),
        read: |t, v| number(v, 1).map(|v| t.vector_registers = v),
    },
    Row {
        key: "scalar-registers",
        write: |t| t.scalar_registers.to_string(),
        read: |t, v| number(v, 1).map(|v| t.scalar_registers = v),
    },
    Row { key: "latency", write: |t| t.latency.to_string(), read: |t, v| number(v, 1).map(|v| t.latency = v) },
    Row { key: "line-cost", write: |t| t.line_cost.to_string(), read: |t, v| number(v, 0).map(|v| t.line_cost = v) },
    Row {
        key: "last-line-cost",
        write: |t| t.last_line_cost.to_string(),
        read: |t, v| number(v, 0).map(|v| t.last_line_cost = v),
    },
    Row { key: "row-start", write: |t| t.row_start.to_string(), read: |t, v| number(v, 0).map(|v| t.row_start = v) },
    Row { key: "fresh-line", write: |t| t.fresh_line.to_string(), read: |t, v| number(v, 0).map(|v| t.fresh_line = v) },
    Row { key: "loop-start", write: |t| t.loop_start.to_string(), read: |t, v| number(v, 0).map(|v| t.loop_start = v) },
    Row {
        key: "parallel-start",
        write: |t| t.parallel_start.to_string(),
        read: |t, v| number(v, 0).map(|v| t.parallel_start = v.into()),
    },
];

impl Machine {
    /// Reads the file form. `base: host` may come first: what the file does not say is then what was found out about
    /// the machine that this runs on, and otherwise, or with `base: generic`, that of [`Machine::generic`]. A line such
    /// as `gpu: sm_80` ([`Gpu::PRESETS`]) adds a GPU, whose values lines `gpu-...` after it change. Nothing may be said
    /// twice. What [`Machine`]'s `Display` writes can be read.
    ///
    /// # Errors
    /// The first line that is no such line, and what is wrong with it; or the last of the lines that together describe
    /// no GPU.
    pub fn parse(text: &str) -> Result<Machine, ParseError> {
        let mut machine = Machine::generic();
        let mut said: Vec<(&str, usize)> = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let error = |problem: String| ParseError { line: index + 1, problem };
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let (key, value) = line.split_once(':').ok_or_else(|| error("a line is `key: value`".into()))?;
            let (key, value) = (key.trim(), value.trim());
            if said.iter().any(|(before, _)| *before == key) {
                return Err(error(format!("{key} was said before")));
            }
            if key == "base" {
                if !said.is_empty() {
                    return Err(error("the base comes first".into()));
                }
                machine = match value {
                    "host" => Machine::host().machine.clone(),
                    "generic" => Machine::generic(),
                    _ => return Err(error(format!("{value} is none of host, generic"))),
                };
            } else if key == "gpu" {
                machine.gpu = Gpu::named(value).map_err(error)?;
            } else if key.starts_with("gpu-") {
                gpu::text::set(machine.gpu.as_mut(), key, value).map_err(error)?;
            } else {
                let row = ROWS.iter().find(|row| row.key == key).ok_or_else(|| error(unknown(key)))?;
                (row.read)(&mut machine, value).map_err(error)?;
            }
            said.push((key, index + 1));
        }
        reject_contradiction(&machine, &said)?;
        Ok(machine)
    }
}

/// Lines that change a GPU may stand in any order, so that whether they agree is known at the end.
fn reject_contradiction(machine: &Machine, said: &[(&str, usize)]) -> Result<(), ParseError> {
    let Some(found) = machine.gpu.as_ref().and_then(Gpu::contradiction) else { return Ok(()) };
    let about = said.iter().filter(|(key, _)| *key == "gpu" || found.keys.contains(key));
    Err(ParseError { line: about.map(|(_, line)| *line).max().unwrap_or(1), problem: found.problem })
}

fn unknown(key: &str) -> String {
    let known: Vec<&str> = ROWS.iter().map(|row| row.key).collect();
    format!("nothing is called {key}; there are base, {}, gpu", known.join(", "))
}

impl Machine {
    /// The file form with a comment behind each line whose key has one.
    pub fn with_comments<'a>(&self, comment: impl Fn(&'static str) -> Option<&'a str>) -> String {
        let line = |row: &Row<Machine>| {
            let comment = comment(row.key).map_or_else(String::new, |comment| format!(" # {comment}"));
            format!("{}: {}{comment}\n", row.key, (row.write)(self))
        };
        let text: String = ROWS.iter().map(line).collect();
        text + &self.gpu.as_ref().map_or_else(String::new, Gpu::to_string)
    }
}

/// The file form.
impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.with_comments(|_| None))
    }
}

/// `48K, 1M, 32M/2`.
fn caches(value: &str) -> Result<Vec<Cache>, String> {
    let caches = value.split(',').map(|cache| cache_of(cache.trim())).collect::<Result<Vec<_>, _>>()?;
    if caches.windows(2).any(|pair| pair[0].bytes >= pair[1].bytes) {
        return Err("caches go from the nearest, which is the smallest, to the largest".into());
    }
    Ok(caches)
}

fn cache_of(text: &str) -> Result<Cache, String> {
    let (bytes, cores) = text.split_once('/').unwrap_or((text, "1"));
    let cores = number(cores.trim(), 1)?;
    Ok(Cache { bytes: size(bytes.trim())?, cores })
}

fn write_caches(caches: &[Cache]) -> String {
    caches.iter().map(Cache::to_string).collect::<Vec<_>>().join(", ")
}

/// The file form: `48K`, or `32M/2` for a cache of two cores.
impl fmt::Display for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&write_size(self.bytes))?;
        if self.cores == 1 { Ok(()) } else { write!(f, "/{}", self.cores) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_can_be_read() {
        for machine in [Machine::generic(), Machine::host().machine.clone()] {
            assert_eq!(Machine::parse(&machine.to_string()).unwrap(), machine);
        }
        let text = "name: odd\ncores: 3\nline-bytes: 128\ncaches: 1000, 2M/3, 1G/8\nvector-bits: 128\n\
                    vector-registers: 7\nscalar-registers: 5\nlatency: 2\nline-cost: 9\nlast-line-cost: 7\nrow-start: 13\nfresh-line: 8\nloop-start: 11\nparallel-start: 0\n";
        assert_eq!(Machine::parse(text).unwrap().to_string(), text);
        let commented = Machine::generic().with_comments(|key| (key == "latency").then_some("measured"));
        assert!(commented.contains("\nlatency: 4 # measured\nline-cost: 4\n"), "{commented}");
        assert_eq!(Machine::parse(&commented).unwrap(), Machine::generic());
    }

    #[test]
    fn what_is_not_said_is_the_bases() {
        let machine = Machine::parse("# mine\ncaches: 16K # small\n\n").unwrap();
        assert_eq!(machine, Machine { caches: vec![Cache { bytes: 16 << 10, cores: 1 }], ..Machine::generic() });
        let machine = Machine::parse("base: host\nlatency: 9").unwrap();
        assert_eq!(machine, Machine { latency: 9, ..Machine::host().machine.clone() });
        assert_eq!(Machine::parse("").unwrap(), Machine::generic());
    }

    #[test]
    fn mistakes_have_a_line() {
        let error = |text: &str| Machine::parse(text).unwrap_err().to_string();
        assert!(error("cores: 2\ncore: 2").starts_with("line 2: nothing is called core; there are base, name, cores,"));
        assert_eq!(error("\ncores"), "line 2: a line is `key: value`");
        assert_eq!(error("cores: 2\ncores: 3"), "line 2: cores was said before");
        assert_eq!(error("cores: 2\nbase: host"), "line 2: the base comes first");
        assert_eq!(error("base: mine"), "line 1: mine is none of host, generic");
        assert_eq!(error("cores: 0"), "line 1: 0 is no whole number from 1 to 4294967295");
        assert_eq!(error("line-bytes: 48"), "line 1: 48 is no power of two from 1 to 2147483648");
        assert_eq!(error("vector-bits: 32"), "line 1: 32 is no power of two from 64 to 2147483648");
        assert_eq!(error("caches: 32k"), "line 1: 32k is no size such as 48K or 32M");
        assert_eq!(error("caches: 0"), "line 1: 0 is no size such as 48K or 32M");
        assert_eq!(error("caches: 99999999999999G"), "line 1: 99999999999999G is no size such as 48K or 32M");
        assert_eq!(error("caches: 1M/0"), "line 1: 0 is no whole number from 1 to 4294967295");
        assert!(error("caches: 1M, 32K").ends_with("from the nearest, which is the smallest, to the largest"));
        assert_eq!(error("name:"), "line 1: a name has at least one letter");
    }
}
