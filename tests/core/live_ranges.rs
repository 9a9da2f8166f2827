//! Random nests in which scalars and small arrays are written, read and written again: live ranges go from one loop to the
//! next, and a scheduler that lets them out of its sight puts another write in between. isl's scheduler does.
//!
//! `POLYRS_CAMPAIGN=N` makes N times as many.

use fastrand::Rng;
use polyrs::check::legality::{Assumptions, check};
use polyrs::dependence::{Dependences, Mode};
use polyrs::isl::Ctx;
use polyrs::machine::Machine;
use polyrs::proximity::{Line, Proximity};
use polyrs::schedule::{Error, Event, Strategy, constraints, schedule_groups};
use polyrs::schedule_tree::TileSizes;
use polyrs::scop::Scop;
use polyrs::transform::tile;
use std::fmt::Write;

/// The operations of a schedule: a second or two.
const QUOTA: u64 = 2_000_000;

/// A region that grows: statements with their loops, and its tree.
struct Region {
    random: Rng,
    statements: Vec<(String, usize)>,
    text: String,
}

const LOOPS: [&str; 3] = ["i", "j", "k"];

impl Region {
    /// A region as a file.
    fn generate(seed: u64) -> String {
        let mut region = Region { random: Rng::with_seed(seed), statements: Vec::new(), text: String::new() };
        let tree = region.sequence(0, 2);
        let domain: Vec<String> = region.statements.iter().map(|(name, depth)| instances(name, *depth)).collect();
        let domain = domain.join("; ");
        format!(
            "scop: random\nparameters: [n]\ncontext: \"{{ : n >= 1 }}\"\narrays:\n{ARRAYS}statements:\n{}\
             schedule:\n  domain: \"{{ {domain} }}\"\n  child:\n{tree}live_out: \"{{ B[i, j]; D[i] }}\"\n",
            region.text
        )
    }

    /// Some loops and statements, one after the other: at this depth, in lines with this indentation times two.
    fn sequence(&mut self, depth: usize, indent: usize) -> String {
        let parts = if depth == 0 { 1 + self.random.usize(..2) } else { 1 + self.random.usize(..4) };
        let parts: Vec<(Vec<String>, String)> = (0..parts).map(|_| self.part(depth, indent + 3)).collect();
        let space = "  ".repeat(indent);
        let mut text = format!("{space}sequence:\n");
        for (names, inner) in parts {
            let filter: Vec<String> = names.iter().map(|name| self.space(name)).collect();
            writeln!(text, "{space}  - filter: \"{{ {} }}\"", filter.join("; ")).unwrap();
            if !inner.is_empty() {
                write!(text, "{space}    child:\n{inner}").unwrap();
            }
        }
        text
    }

    /// A statement, or a loop: its statements, and its tree.
    fn part(&mut self, depth: usize, indent: usize) -> (Vec<String>, String) {
        let first = self.statements.len();
        let is_loop = depth == 0 || (depth < LOOPS.len() && self.random.u32(..3) < 2);
        if !is_loop {
            return (vec![self.statement(depth)], String::new());
        }
        let inner = match depth > 0 && self.random.bool() {
            true => {
                self.statement(depth + 1);
                String::new()
            }
            false => format!("{}child:\n{}", "  ".repeat(indent), self.sequence(depth + 1, indent + 1)),
        };
        let names: Vec<String> = self.statements[first..].iter().map(|(name, _)| name.clone()).collect();
        let rows: Vec<String> =
            names.iter().map(|name| format!("{} -> [({})]", self.space(name), LOOPS[depth])).collect();
        let space = "  ".repeat(indent);
        (names, format!("{space}schedule: \"[{{ {} }}]\"\n{inner}", rows.join("; ")))
    }

    /// `S[i, j]`
    fn space(&self, name: &str) -> String {
        let depth = self.statements.iter().find(|(other, _)| other == name).map_or(0, |(_, depth)| *depth);
        format!("{name}[{}]", LOOPS[..depth].join(", "))
    }

    /// A statement that reads one or two elements and writes one.
    fn statement(&mut self, depth: usize) -> String {
        let name = format!("S{}", self.statements.len());
        self.statements.push((name.clone(), depth));
        let domain = instances(&name, depth);
        write!(self.text, "  {name}:\n    domain: \"{{ {domain} }}\"\n    accesses:\n").unwrap();
        let reads = 1 + self.random.usize(..2);
        for read in 0..reads {
            let element = self.element(depth, &["t", "t", "u", "w", "w", "A", "B", "D"]);
            let space = self.space(&name);
            writeln!(self.text, "      - read {name}_r{read}: \"{{ {space} -> {element} }}\"").unwrap();
        }
        let element = self.element(depth, &["t", "t", "t", "u", "w", "w", "B", "D"]);
        let space = self.space(&name);
        writeln!(self.text, "      - must_write {name}_w: \"{{ {space} -> {element} }}\"").unwrap();
        name
    }

    fn element(&mut self, depth: usize, arrays: &[&str]) -> String {
        let array = arrays[self.random.usize(..arrays.len())];
        let rank = match array {
            "t" | "u" => 0,
            "w" | "D" => 1,
            _ => 2,
        };
        let subscripts: Vec<&str> = (0..rank).map(|_| LOOPS[self.random.usize(..depth)]).collect();
        format!("{array}[{}]", subscripts.join(", "))
    }
}

fn instances(name: &str, depth: usize) -> String {
    let bounds: Vec<String> = LOOPS[..depth].iter().map(|i| format!("0 <= {i} < n")).collect();
    format!("{name}[{}] : {}", LOOPS[..depth].join(", "), bounds.join(" and "))
}

const ARRAYS: &str = "  A: { kind: memory, element: f64, extent: [n, n] }
  B: { kind: memory, element: f64, extent: [n, n] }
  D: { kind: memory, element: f64, extent: [n] }
  w: { kind: memory, element: f64, extent: [n] }
  t: { kind: scalar, element: f64, extent: [] }
  u: { kind: scalar, element: f64, extent: [] }
";

#[test]
fn nothing_comes_into_live_ranges_of_random_nests() {
    let times: u64 = std::env::var("POLYRS_CAMPAIGN").ok().and_then(|times| times.parse().ok()).unwrap_or(1);
    let machine = Machine::generic();
    let strategies = [
        Strategy::ppcg(),
        Strategy::pluto(),
        Strategy::feautrier(),
        Strategy::isl_defaults(),
        Strategy::pluto_lp_dfp(),
        Strategy::unified_cpu(&machine),
    ];
    let (mut wrong, mut found, mut anew, mut tiled) = (Vec::new(), 0, 0, 0);
    // In 117 a step of Feautrier's algorithm takes the place of a band that kept live ranges local. In 239 an instance is at
    // the end of a live range that is not local to its band, and overwrites another element, where ranges are.
    for seed in (0..30 * times).chain([117, 239]) {
        let text = Region::generate(seed);
        let ctx = Ctx::new();
        let scop = Scop::parse(&ctx, &text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        let mode = Mode { live_range_reordering: true, ..Mode::default() };
        let constraints = constraints(&scop, &Dependences::compute(&scop, mode).unwrap(), None).unwrap();
        let groups = Proximity::compute(&scop, None, Line::of(&machine)).unwrap().groups;
        for (which, strategy) in strategies.iter().enumerate() {
            let groups = if strategy.looks_at_references() { groups.as_slice() } else { &[] };
            let mut observer = |event| anew += u64::from(matches!(event, Event::ClustersRestarted { .. }));
            let tree = match ctx.with_quota(QUOTA, || schedule_groups(&constraints, groups, strategy, &mut observer)) {
                Ok(tree) => tree,
                Err(error) if error.is_exhausted() => continue,
                Err(Error::NothingCarried) => continue,
                Err(error) => {
                    wrong.push(format!("seed {seed}, strategy {which}: {error}\n{text}"));
                    continue;
                }
            };
            found += 1;
            if let Err(error) = check(&scop, &tree, &Assumptions::default()) {
                wrong.push(format!("seed {seed}, strategy {which}: {error}\n{text}\n{tree}"));
                continue;
            }
            // What the flags say holds if the dataflow is the same in tiles.
            let in_tiles = tile(&tree, &TileSizes::new(&[2, 3])).unwrap();
            if !in_tiles.plain_is_equal(&tree).unwrap() {
                tiled += 1;
                if let Err(error) = check(&scop, &in_tiles, &Assumptions { quota: 20 * QUOTA, dead: None }) {
                    wrong.push(format!("seed {seed}, strategy {which}, in tiles: {error}\n{text}\n{in_tiles}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {found}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(found > 150 * times && anew > 0 && tiled > 20 * times, "{found} trees, {anew} times anew, {tiled} tiled");
}
