//! What says that a region, a machine and options are the same as before, in words that a file can hold.

use crate::driver::{Budget, Options};
use crate::isl;
use crate::machine::Machine;
use crate::scop::{Scop, Statement};
use std::collections::HashMap;
use std::fmt::Write;

/// What a choice was measured for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The region's model, as [`model_key`] writes it.
    pub key: String,
    /// The machine: its name, and a number for all that is known of it.
    pub machine: String,
    /// A number for the options of the optimizer.
    pub options: String,
}

impl Identity {
    /// Of a region with the options that it is optimized with.
    ///
    /// # Errors
    /// Those of isl.
    pub fn of(scop: &Scop, options: &Options) -> isl::Result<Identity> {
        Ok(Identity { key: model_key(scop)?, machine: machine(&options.machine), options: choices(options) })
    }
}

/// A number for a region's model that is the same for regions that are the same but for names, in any process.
///
/// Names are numbered as they are met in all parts of the model, each of which is in one space: those of
/// unions come in any order.
///
/// # Errors
/// Those of isl, a bound that struck among them.
pub fn model_key(scop: &Scop) -> isl::Result<String> {
    Ok(format!("{:016x}", hash(&text(scop)?)))
}

fn text(scop: &Scop) -> isl::Result<String> {
    let (mut text, mut names) = (String::new(), Names::default());
    let orders = scop.schedule.map()?.map_list()?.to_vec()?;
    for statement in &scop.statements {
        let Statement { name, domain, accesses, side_effect, may_trap, copy, reduction, block, parts, text: _ } =
            statement;
        let reduction = reduction.map(|reduction| reduction.to_string()).unwrap_or_default();
        // What is whole has the key that it had before there were parts.
        let parts = if *parts > 1 { format!(" {parts}") } else { String::new() };
        let domain = names.number(&domain.to_string());
        let _ = writeln!(text, "{domain} {side_effect} {may_trap} {copy} {block:?} {reduction}{parts}");
        for access in accesses {
            let relation = names.number(&access.relation.to_string());
            let _ = writeln!(text, "{:?} {relation} {} {}", access.kind, access.delay, access.scaled);
        }
        for order in &orders {
            if order.tuple_name(isl::DimType::In)?.as_ref() == Some(name) {
                let _ = writeln!(text, "{}", names.number(&order.to_string()));
            }
        }
    }
    for array in &scop.arrays {
        let name = names.number(&array.name);
        let _ = write!(text, "{name} {} {} {:?}", array.kind.word(), array.element, array.used);
        for extent in &array.extent {
            let extent = extent.as_ref().map_or("?".to_owned(), |extent| names.number(&extent.to_string()));
            let _ = write!(text, " {extent}");
        }
        let _ = writeln!(text, " {}", scop.is_seen_after(array)?);
    }
    let _ = writeln!(text, "{}", names.number(&scop.context.to_string()));
    // What could not be printed looks like something else.
    scop.ctx().check_deadline()?;
    if scop.ctx().remaining() == 0 { Err(isl::Error::invalid("the region cannot be written")) } else { Ok(text) }
}

/// Words of isl's notation.
const WORDS: [&str; 14] =
    ["and", "or", "not", "exists", "mod", "floor", "ceil", "min", "max", "true", "false", "implies", "infty", "NaN"];

/// The numbers of names.
#[derive(Default)]
struct Names(HashMap<String, usize>);

impl Names {
    /// A text in isl's notation with numbers for names: `[n] -> { S[i] : i < n }` is `[v0] -> { v1[v2] : v2 < v0 }`.
    fn number(&mut self, text: &str) -> String {
        let mut result = String::new();
        let mut rest = text;
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '\'' || c == '$';
        while let Some(start) = rest.find(is_name) {
            result += &rest[..start];
            rest = &rest[start..];
            // A factor stands right before a name: `2n`.
            let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            result += &rest[..digits];
            rest = &rest[digits..];
            let (name, after) = rest.split_at(rest.find(|c: char| !is_name(c)).unwrap_or(rest.len()));
            rest = after;
            if WORDS.contains(&name) {
                result += name;
            } else if !name.is_empty() {
                let next = self.0.len();
                let _ = write!(result, "v{}", self.0.entry(name.to_owned()).or_insert(next));
            }
        }
        result + rest
    }
}

/// A machine in one word: its name, and a number for all that is known of it.
fn machine(machine: &Machine) -> String {
    let number = hash(&machine.to_string()) as u32;
    let name = machine.name.replace(|c: char| c.is_whitespace() || c == '"', "-");
    format!("{name}-{number:08x}")
}

/// A number for all that users choose, but for the machine.
fn choices(options: &Options) -> String {
    let same = Options {
        machine: Machine::generic(),
        candidate: None,
        load_schedule: None,
        budget: Budget::default(),
        memory: None,
        ..options.clone()
    };
    format!("{:08x}", hash(&format!("{same:?}")) as u32)
}

/// FNV-1a, which is the same in any process and version.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |state, byte| (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::{Identity, Names, hash, model_key};
    use crate::driver::Options;
    use crate::isl::Ctx;
    use crate::machine::Machine;
    use crate::scop::Scop;
    use std::path::Path;

    fn gemm() -> String {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("test/scop/basic/gemm.scop");
        std::fs::read_to_string(file).unwrap()
    }

    fn key(text: &str) -> String {
        model_key(&Scop::parse(&Ctx::new(), text).unwrap_or_else(|error| panic!("{error}"))).unwrap()
    }

    #[test]
    fn names_are_numbered_as_they_are_met() {
        let text = "[n, m] -> { S[i, j'] -> A[2n + i] : exists (e0: i = 2e0 and 0 <= j' < m mod 3) }";
        let expected = "[v0, v1] -> { v2[v3, v4] -> v5[2v0 + v3] : exists (v6: v3 = 2v6 and 0 <= v4 < v1 mod 3) }";
        assert_eq!(Names::default().number(text), expected);
        assert_eq!(hash(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash("a"), 0xaf63_dc4c_8601_ec8c);
    }

    #[test]
    fn the_key_is_the_models() {
        let text = gemm();
        let known = key(&text);
        assert_eq!(known.len(), 16);
        assert_eq!(key(&text), known);
        let first = text.lines().find(|line| line.starts_with("scop:")).unwrap();
        assert_eq!(key(&text.replace(first, "scop: another")), known);
        assert_ne!(key(&text.replace("f64", "f32")), known);
        assert_ne!(key(&text.replacen("<= i <", "< i <", 20)), known);
        assert_ne!(key(&text.replace("A: { kind: memory", "A: { kind: local")), known);
        assert_ne!(key(&text.replace("must_write S0_w0", "may_write S0_w0")), known);
        let renamed =
            ["S0", "S1", "ni", "nj"].iter().fold(text.clone(), |text, name| text.replace(name, &format!("x{name}")));
        assert_eq!(key(&renamed), known);
    }

    #[test]
    fn machines_and_options_are_told_apart() {
        let scop = Scop::parse(&Ctx::new(), &gemm()).unwrap();
        let of = |options: &Options| Identity::of(&scop, options).unwrap();
        let plain = of(&Options::default());
        assert!(plain.machine.starts_with("generic-"), "{}", plain.machine);
        let mut machine = Machine::generic();
        machine.latency += 1;
        let other = of(&Options { machine, ..Options::default() });
        assert_eq!((&other.key, &other.options), (&plain.key, &plain.options));
        assert_ne!(other.machine, plain.machine);
        assert_ne!(of(&Options { parallel: false, ..Options::default() }).options, plain.options);
        let candidate = Some("order=original".parse().unwrap());
        assert_eq!(of(&Options { candidate, ..Options::default() }), plain);
    }
}
