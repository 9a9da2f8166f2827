//! Random trees with kernels: marks above bands at any place, several of them in a kernel, loops between; members that
//! are scaled, skewed, constant, or quotients and remainders; filters that cut statements; domains with strides.

use fastrand::Rng;
use std::fmt::Write;

/// Statements in an order, as isl's text.
pub struct Tree {
    pub domain: String,
    pub context: &'static str,
    pub schedule: String,
}

impl Tree {
    /// A random one, with parameters `n` and `m`.
    pub fn random(random: &mut Rng) -> Self {
        let names: Vec<String> = (0..random.usize(1..=3)).map(|number| format!("S{number}")).collect();
        let domains: Vec<String> = names.iter().map(|name| domain(random, name)).collect();
        let domain = format!("[n,m] -> {{ {} }}", domains.join("; "));
        let mut writer = Writer { random, text: format!("domain: \"{domain}\"\n") };
        writer.node(&names, String::new(), State::default());
        let schedule = writer.text;
        let context = choice(random, &["[n,m] -> { : }", "[n,m] -> { : n >= 1 }", "[n,m] -> { : m > n }"]);
        Tree { domain, context, schedule }
    }
}

fn choice(random: &mut Rng, all: &[&'static str]) -> &'static str {
    all[random.usize(..all.len())]
}

const DIMENSIONS: [&str; 3] = ["i", "j", "k"];

fn domain(random: &mut Rng, name: &str) -> String {
    let mut all = Vec::new();
    for dimension in DIMENSIONS {
        let (least, size) = (random.i64(-2..=2), random.i64(1..=5));
        all.push(match random.u32(..10) {
            0 => format!("0 <= {dimension} < n"),
            1 => format!("0 <= {dimension} <= m"),
            2 => format!("n <= {dimension} < n + {size}"),
            3 => format!("{dimension} = {least}"),
            _ => format!("{least} <= {dimension} < {}", least + size),
        });
    }
    const MORE: [&str; 16] = [
        "i <= n",
        "i + j <= n + 2",
        "i <= j + 1",
        "i <= j + 2 and k <= i + 2",
        "0 <= j",
        "i = j",
        "i = 2j",
        "k = n",
        "(i + j) mod 2 = 0",
        "k mod 3 = 1",
        "(exists e : i = 3e + 1)",
        "(j >= 1 or k >= 1)",
        "n >= 2",
        "k = floor(i/2)",
        "j <= i <= j + 1",
        "2k <= i + 3",
    ];
    for _ in 0..random.usize(..=2) {
        all.push(choice(random, &MORE).to_owned());
    }
    format!("{name}[i,j,k] : {}", all.join(" and "))
}

/// What is around a node.
#[derive(Clone, Copy, Default)]
struct State {
    in_kernel: bool,
    in_grid: bool,
    in_threads: bool,
    depth: usize,
}

struct Writer<'r> {
    random: &'r mut Rng,
    text: String,
}

impl Writer<'_> {
    fn chance(&mut self, of: u32) -> bool {
        self.random.u32(..of) == 0
    }

    fn node(&mut self, names: &[String], mut indent: String, mut state: State) {
        if !state.in_kernel && (self.chance(2) || state.depth >= 2) {
            state.in_kernel = true;
            self.mark(&mut indent, "kernel");
        }
        state.depth += 1;
        match self.random.u32(..8) {
            0..=4 if state.depth <= 4 => self.band(names, indent, state),
            5 | 6 if state.depth <= 4 && names.len() > 1 => {
                let cut = self.random.usize(1..names.len());
                self.sequence(&[(&names[..cut], ""), (&names[cut..], "")], &indent, state);
            }
            7 if state.depth <= 4 => {
                let cuts = [("i <= 1", "i >= 2"), ("j mod 2 = 0", "j mod 2 = 1"), ("k = 2", "k < 2 or k > 2")];
                let (one, other) = cuts[self.random.usize(..cuts.len())];
                self.sequence(&[(names, one), (names, other)], &indent, state);
            }
            _ if names.len() > 1 => {
                writeln!(self.text, "{indent}child:\n{indent}  sequence:").unwrap();
                for name in names {
                    writeln!(self.text, "{indent}  - filter: \"[n,m] -> {{ {name}[i,j,k] }}\"").unwrap();
                    self.innermost(name, format!("{indent}    "), state);
                }
            }
            _ => self.innermost(&names[0], indent, state),
        }
    }

    /// Groups of statements one after the other, each where a condition holds.
    fn sequence(&mut self, groups: &[(&[String], &str)], indent: &str, state: State) {
        writeln!(self.text, "{indent}child:\n{indent}  sequence:").unwrap();
        for (names, condition) in groups {
            let condition = if condition.is_empty() { String::new() } else { format!(" : {condition}") };
            let all: Vec<String> = names.iter().map(|name| format!("{name}[i,j,k]{condition}")).collect();
            writeln!(self.text, "{indent}  - filter: \"[n,m] -> {{ {} }}\"", all.join("; ")).unwrap();
            self.node(names, format!("{indent}    "), state);
        }
    }

    fn band(&mut self, names: &[String], mut indent: String, mut state: State) {
        let members = self.random.usize(1..=3);
        self.marks(&mut indent, members, &mut state);
        let all: Vec<String> = (0..members).map(|_| self.member(names)).collect();
        writeln!(self.text, "{indent}child:\n{indent}  schedule: \"[n,m] -> [{}]\"", all.join(", ")).unwrap();
        if self.chance(8) {
            let kind = choice(self.random, &["separate", "atomic"]);
            let member = self.random.usize(..members);
            writeln!(self.text, "{indent}  options: \"{{ {kind}[{member}] }}\"").unwrap();
        }
        self.node(names, indent + "  ", state);
    }

    /// A band over all dimensions of a statement.
    fn innermost(&mut self, name: &str, mut indent: String, mut state: State) {
        self.marks(&mut indent, 3, &mut state);
        let mut dimensions = DIMENSIONS;
        self.random.shuffle(&mut dimensions);
        let member = |dimension: &str| {
            let factor = choice(self.random, &["", "2*", "-", "1 + "]);
            format!("{{ {name}[i,j,k] -> [{factor}{dimension}] }}")
        };
        let all: Vec<String> = dimensions.into_iter().map(member).collect();
        writeln!(self.text, "{indent}child:\n{indent}  schedule: \"[n,m] -> [{}]\"", all.join(", ")).unwrap();
    }

    fn mark(&mut self, indent: &mut String, mark: &str) {
        writeln!(self.text, "{indent}child:\n{indent}  mark: \"{mark}\"").unwrap();
        *indent += "  ";
    }

    /// Marks above a band of so many members.
    fn marks(&mut self, indent: &mut String, members: usize, state: &mut State) {
        for _ in 0..2 {
            if state.in_kernel && !state.in_grid && self.chance(3) {
                state.in_grid = true;
                let sizes = self.sizes(members, true);
                self.mark(indent, &format!("grid {sizes}"));
            }
            if state.in_kernel && !state.in_threads && self.chance(2) {
                state.in_threads = true;
                let sizes = self.sizes(members, false);
                self.mark(indent, &format!("threads {sizes}"));
            }
        }
    }

    fn sizes(&mut self, members: usize, each: bool) -> String {
        let one = |random: &mut Rng| match random.u32(0..=6) {
            0 | 1 if each => "*".to_owned(),
            number => (number + 1).to_string(),
        };
        let axes = self.random.usize(1..=members);
        (0..axes).map(|_| one(self.random)).collect::<Vec<_>>().join(",")
    }

    /// A member, of the same value for all statements or not.
    fn member(&mut self, names: &[String]) -> String {
        let (shared, is_same) = (self.value(), self.chance(2));
        let all = names.iter().map(|name| {
            let value = if is_same { shared.clone() } else { self.value() };
            format!("{name}[i,j,k] -> [{value}]")
        });
        format!("{{ {} }}", all.collect::<Vec<_>>().join("; "))
    }

    fn value(&mut self) -> String {
        let dimension = choice(self.random, &DIMENSIONS);
        let mut text = match self.random.u32(..12) {
            0 => "0".to_owned(),
            1 => format!("{}n", self.random.i64(-1..=2)),
            2 => format!("{}{dimension}", choice(self.random, &["2", "3", "-", "-2"])),
            _ => dimension.to_owned(),
        };
        if self.chance(3) {
            let (factor, other) = (self.random.i64(-2..=2), choice(self.random, &DIMENSIONS));
            write!(text, " + {factor}{other}").unwrap();
        }
        if self.chance(2) {
            write!(text, " + {}", self.random.i64(-4..=4)).unwrap();
        }
        let size = self.random.i64(2..=4);
        match self.random.u32(..12) {
            0 | 1 => format!("floor(({text})/{size})"),
            2 => format!("{size}*floor(({text})/{size})"),
            3 => format!("({text}) mod {size}"),
            4 => format!("floor(({text})/{size}) + {}", choice(self.random, &DIMENSIONS)),
            _ => text,
        }
    }
}
