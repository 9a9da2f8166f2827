//! Random nests in which several statements gather integers in the same elements, by operations whose order never counts, and others
//! read and set them, each in another order, in parts run by several threads: what the checker accepts leaves the same values. The
//! interpreter knows nothing of pairs that may change places; its operations of reductions commute with
//! those of the same operator alone.
//!
//! `POLYRS_CAMPAIGN=N` makes N times as many.

use fastrand::Rng;
use polyrs::check::interpret::{Interpreter, Reading, small_parameters};
use polyrs::check::legality::{Assumptions, CheckError, check};
use polyrs::isl::Ctx;
use polyrs::scop::text::parse_schedule;
use polyrs::scop::{Operator, Reduction, Role, Scop};
use std::fmt::Write;

const LOOPS: [&str; 3] = ["i", "j", "k"];
const ARRAYS: &str = "  A: { kind: memory, element: i32, extent: [n, n] }
  B: { kind: memory, element: i32, extent: [n] }
  s: { kind: memory, element: i32, extent: [] }
";

/// A loop with its body, or a statement.
enum Part {
    Loop(Vec<Part>),
    Statement(String),
}

/// A region that grows: its statements, with as many loops around them.
struct Region {
    random: Rng,
    statements: Vec<(String, usize)>,
    /// Their instances: `S[i] : 0 <= i < n`.
    domains: Vec<String>,
    operators: Vec<Option<Operator>>,
    text: String,
}

impl Region {
    fn parts(&mut self, depth: usize) -> Vec<Part> {
        let count = if depth == 0 { 1 } else { 1 + self.random.usize(..3) };
        (0..count).map(|_| self.part(depth)).collect()
    }

    fn part(&mut self, depth: usize) -> Part {
        if depth == 0 || (depth < LOOPS.len() && self.random.u32(..5) < 2) {
            return Part::Loop(self.parts(depth + 1));
        }
        Part::Statement(self.statement(depth))
    }

    fn element(&mut self, depth: usize) -> String {
        let array = ["A", "A", "B", "s"][self.random.usize(..4)];
        let rank = match array {
            "A" => 2,
            "B" => 1,
            _ => 0,
        };
        let subscripts: Vec<&str> = (0..rank).map(|_| LOOPS[self.random.usize(..depth)]).collect();
        format!("{array}[{}]", subscripts.join(", "))
    }

    /// A statement that gathers, or one that only looks like that.
    fn statement(&mut self, depth: usize) -> String {
        let name = format!("S{}", self.statements.len());
        self.statements.push((name.clone(), depth));
        let (space, target) = (space(&name, depth), self.element(depth));
        let bounds = LOOPS[..depth].iter().map(|i| format!("0 <= {i} < n"));
        let more = if depth > 1 && self.random.bool() { " and i < j" } else { "" };
        let domain = format!("{space} : {}{more}", bounds.collect::<Vec<_>>().join(" and "));
        write!(self.text, "  {name}:\n    domain: \"{{ {domain} }}\"\n").unwrap();
        self.domains.push(domain);
        let gathers = self.random.u32(..4) > 0;
        if gathers {
            use Operator::{Add, Max, Min, UMax, Xor};
            self.operators.push(Some([Max, Max, Max, UMax, Min, Xor, Add][self.random.usize(..7)]));
        } else {
            self.operators.push(None);
        }
        writeln!(self.text, "    accesses:").unwrap();
        if gathers {
            writeln!(self.text, "      - read {name}_g: \"{{ {space} -> {target} }}\"").unwrap();
        }
        for read in 0..self.random.usize(..3) {
            let element = self.element(depth);
            writeln!(self.text, "      - read {name}_r{read}: \"{{ {space} -> {element} }}\"").unwrap();
        }
        writeln!(self.text, "      - must_write {name}_w: \"{{ {space} -> {target} }}\"").unwrap();
        name
    }

    fn depth(&self, name: &str) -> usize {
        self.statements.iter().find(|(other, _)| other == name).map_or(0, |(_, depth)| *depth)
    }

    /// The tree of some parts, or another one of them.
    fn tree(&mut self, parts: &[Part], depth: usize, is_other: bool) -> String {
        let mut order: Vec<usize> = (0..parts.len()).collect();
        if is_other && self.random.bool() {
            self.random.shuffle(&mut order);
        }
        let mut children = Vec::new();
        for number in order {
            let (names, inner) = self.subtree(&parts[number], depth, is_other);
            let filter: Vec<String> = names.iter().map(|name| space(name, self.depth(name))).collect();
            let child = if inner.is_empty() { inner } else { format!(", child: {inner}") };
            children.push(format!("{{ filter: \"{{ {} }}\"{child} }}", filter.join("; ")));
        }
        format!("{{ sequence: [ {} ] }}", children.join(", "))
    }

    fn subtree(&mut self, part: &Part, depth: usize, is_other: bool) -> (Vec<String>, String) {
        match part {
            Part::Statement(name) => (vec![name.clone()], String::new()),
            Part::Loop(body) => {
                let names = names(body);
                let sign = if is_other && self.random.u32(..3) == 0 { "-" } else { "" };
                let rows: Vec<String> = names
                    .iter()
                    .map(|name| format!("{} -> [({sign}{})]", space(name, self.depth(name)), LOOPS[depth]))
                    .collect();
                let inner = self.tree(body, depth + 1, is_other);
                let band = format!("{{ schedule: \"[{{ {} }}]\", child: {inner} }}", rows.join("; "));
                let is_parallel = is_other && self.random.u32(..8) == 0;
                (names, if is_parallel { format!("{{ mark: parallel, child: {band} }}") } else { band })
            }
        }
    }
}

fn names(parts: &[Part]) -> Vec<String> {
    let mut all = Vec::new();
    for part in parts {
        match part {
            Part::Statement(name) => all.push(name.clone()),
            Part::Loop(body) => all.extend(names(body)),
        }
    }
    all
}

/// `S[i, j]`
fn space(name: &str, depth: usize) -> String {
    format!("{name}[{}]", LOOPS[..depth].join(", "))
}

/// A region, and some other trees of its statements.
fn region(seed: u64) -> (Scop, Vec<String>) {
    let mut region = Region {
        random: Rng::with_seed(seed),
        statements: Vec::new(),
        domains: Vec::new(),
        operators: Vec::new(),
        text: String::new(),
    };
    let parts = region.parts(0);
    let own = region.tree(&parts, 0, false);
    let others: Vec<String> = (0..6).map(|_| region.tree(&parts, 0, true)).collect();
    let whole = |tree: &str| format!("{{ domain: \"{{ {} }}\", child: {tree} }}", region.domains.join("; "));
    let text = format!(
        "scop: random\nparameters: [n]\ncontext: \"{{ : n >= 1 }}\"\narrays:\n{ARRAYS}statements:\n{}schedule: {}\n\
         live_out: \"{{ A[i, j]; B[i]; s[] }}\"\n",
        region.text,
        whole(&own)
    );
    let mut scop = Scop::parse(&Ctx::new(), &text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
    for (statement, operator) in scop.statements.iter_mut().zip(&region.operators) {
        statement.reduction = operator.map(|operator| Reduction { operator, role: Role::Update });
        if statement.gathered().unwrap().is_none() {
            statement.reduction = None;
        }
    }
    (scop, others.iter().map(|tree| whole(tree)).collect())
}

#[test]
fn what_is_accepted_of_updates_in_any_order_leaves_the_same_values() {
    let times: u64 = std::env::var("POLYRS_CAMPAIGN").ok().and_then(|times| times.parse().ok()).unwrap_or(1);
    let (mut accepted, mut turned, mut refused, mut wrong) = (0, 0, 0, 0);
    for seed in 0..60 * times {
        let (scop, trees) = region(seed);
        let values = small_parameters(&scop, 3).unwrap().unwrap();
        let interpreter = Interpreter::new(&scop, &values, 100_000).unwrap();
        // Without leave, each pair keeps its order, or the dataflow is the same.
        let mut strict = scop.clone();
        strict.statements.iter_mut().for_each(|statement| statement.reduction = None);
        for tree in trees {
            let tree = parse_schedule(&scop, &tree).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{tree}"));
            let report = interpreter.compare_tree(&tree, Reading::Marks).unwrap();
            match check(&scop, &tree, &Assumptions::default()) {
                Ok(()) => {
                    assert!(report.is_same(), "seed {seed}: {report:?}\n{}\n{tree}", scop.to_text().unwrap());
                    accepted += 1;
                    turned += u64::from(check(&strict, &tree, &Assumptions::default()).is_err());
                }
                Err(CheckError::Illegal(_)) => {
                    refused += 1;
                    wrong += u64::from(!report.is_same());
                }
                Err(error) => panic!("seed {seed}: {error}"),
            }
        }
    }
    let counts =
        format!("{accepted} accepted, {turned} of them for leave alone, {refused} refused, {wrong} of them wrong");
    assert!(accepted > 100 * times && turned > 5 * times && wrong > 100 * times, "{counts}");
}

/// `A[i]` gathers `B[j]` for all `j`, and then by another statement.
fn two_gather(element: &str, operators: [&str; 2]) -> Scop {
    let statement = |number: usize| {
        let reads = format!(
            "read R{number}: \"{{ S{number}[i, j] -> A[i] }}\"\n      - read Q{number}: \"{{ S{number}[i, j] -> B[j] }}\""
        );
        let domain = format!("S{number}[i, j] : 0 <= i < n and 0 <= j < n");
        format!(
            "  S{number}:\n    domain: \"{{ {domain} }}\"\n    reduction: {} update\n    accesses:\n      - {reads}\n      \
             - must_write W{number}: \"{{ S{number}[i, j] -> A[i] }}\"\n",
            operators[number]
        )
    };
    let text = format!(
        "scop: two\nparameters: [n]\ncontext: \"{{ : n >= 1 }}\"\narrays:\n  A: {{ kind: memory, element: {element}, extent: [n] }}\n  \
         B: {{ kind: memory, element: {element}, extent: [n] }}\nstatements:\n{}{}schedule: {}\n\
         live_out: \"{{ A[i] }}\"\n",
        statement(0),
        statement(1),
        in_order("i", "j", ["S0", "S1"], "")
    );
    Scop::parse(&Ctx::new(), &text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn in_order(outer: &str, inner: &str, statements: [&str; 2], mark: &str) -> String {
    let part = |name: &str| {
        let band = format!("{{ schedule: \"[{{ {name}[i, j] -> [({inner})] }}]\" }}");
        let marked = if mark.is_empty() { band } else { format!("{{ mark: {mark}, child: {band} }}") };
        format!("{{ filter: \"{{ {name}[i, j] }}\", child: {marked} }}")
    };
    let [first, second] = statements.map(part);
    let domain = ["S0", "S1"].map(|name| format!("{name}[i, j] : 0 <= i < n and 0 <= j < n")).join("; ");
    let rows = ["S0", "S1"].map(|name| format!("{name}[i, j] -> [({outer})]")).join("; ");
    let band = format!("{{ schedule: \"[{{ {rows} }}]\", child: {{ sequence: [ {first}, {second} ] }} }}");
    format!("{{ domain: \"[n] -> {{ {domain} }}\", child: {band} }}")
}

#[test]
fn leave_is_given_where_the_order_never_counts() {
    let is_legal = |element: &str, operators: [&str; 2], tree: &str| {
        let scop = two_gather(element, operators);
        check(&scop, &parse_schedule(&scop, tree).unwrap(), &Assumptions::default()).is_ok()
    };
    let (own, turned) = (in_order("i", "j", ["S0", "S1"], ""), in_order("i", "-j", ["S1", "S0"], ""));
    for (element, operators, expected) in [
        ("i32", ["max", "max"], true),
        ("i8", ["or", "or"], true),
        ("i32", ["max", "min"], false),
        ("i32", ["max", "umax"], false),
        ("i32", ["add", "add"], false),
        ("f64", ["max", "max"], false),
    ] {
        assert!(is_legal(element, operators, &own));
        assert_eq!(is_legal(element, operators, &turned), expected, "{element} {operators:?}");
        assert!(!is_legal(element, operators, &in_order("i", "j", ["S0", "S1"], "parallel")));
    }
    assert!(is_legal("i32", ["max", "max"], &in_order("j", "i", ["S1", "S0"], "parallel")));
}
