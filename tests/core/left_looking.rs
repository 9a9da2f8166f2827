//! Random loops whose iterations wait for each other, each with nests over what is left of a matrix, in left-looking order.

use super::post_tile::Problem;
use fastrand::Rng;
use polyrs::isl::Schedule;
use polyrs::schedule::Fusion;
use polyrs::schedule_tree::{Mark, TileSizes, has_mark};
use polyrs::transform;
use polyrs::transform::post_tile::left_looking;

/// A part of the body of a loop `k`.
struct Part {
    name: String,
    /// Its iterators besides `k`, outermost first.
    loops: Vec<&'static str>,
    domain: String,
    /// Kinds and elements.
    accesses: Vec<(&'static str, String)>,
}

impl Part {
    /// `S[k, i, j]`
    fn instance(&self) -> String {
        format!("{}[k, {}]", self.name, self.loops.join(", "))
    }
}

fn pick<'t>(numbers: &mut Rng, of: &[&'t str]) -> &'t str {
    of[numbers.usize(..of.len())]
}

/// What a column becomes before others use it, or after they have been changed: `x = f(A[.][k])`, and perhaps `A[.][k]` itself.
fn column(numbers: &mut Rng, name: &str, vector: &str) -> Part {
    let row = pick(numbers, &["i", "i", "m - 1 - i"]);
    let beside = pick(numbers, &["k", "k", "k", "k", "k - 1", "k + 1", "n - 1 - k"]);
    let mut accesses = vec![("read", format!("A[{row} + 1, {beside} + 1]"))];
    if numbers.bool() {
        accesses.push(("must_write", format!("A[{row} + 1, k + 1]")));
    }
    if numbers.bool() {
        accesses.push(("read", vector.to_owned()));
    }
    accesses.push(("must_write", vector.to_owned()));
    Part { name: name.to_owned(), loops: vec!["i"], domain: "0 <= i < m".to_owned(), accesses }
}

/// What is done to other columns with it: an update, or a sum for each.
fn others(numbers: &mut Rng, name: &str, vector: &str) -> Part {
    let used = pick(numbers, &["i", "m - 1 - i"]);
    let range = pick(numbers, &["k < j < n", "k < j < n", "k < j < n", "k <= j < n", "0 <= j < k"]);
    let beside = pick(numbers, &["j", "j", "j", "j", "j - 1", "j + 1", "k"]);
    let to = pick(numbers, &["A[i + 1, j + 1]", "A[i + 1, j + 1]", "R[k, j]", "R[0, j]"]);
    let mut accesses = vec![("read", vector.replace('i', used)), ("read", format!("A[i + 1, {beside} + 1]"))];
    if numbers.bool() {
        accesses.push(("read", "R[k, j]".to_owned()));
    }
    accesses.extend([("read", to.to_owned()), ("must_write", to.to_owned())]);
    let loops = if numbers.bool() { vec!["i", "j"] } else { vec!["j", "i"] };
    Part { name: name.to_owned(), loops, domain: format!("0 <= i < m and {range}"), accesses }
}

fn program(numbers: &mut Rng) -> String {
    let vector = pick(numbers, &["x[k, i]", "x[k, i]", "x[0, i]"]).to_owned();
    let mut parts = vec![column(numbers, "S0", &vector)];
    for number in 1..=numbers.usize(1..=2) {
        parts.push(others(numbers, &format!("S{number}"), &vector));
    }
    if numbers.u8(..4) == 0 {
        parts.push(column(numbers, "S9", "y[k, i]"));
    }
    let place = numbers.usize(..parts.len());
    parts.rotate_left(if numbers.u8(..4) == 0 { place } else { 0 });
    text(&parts)
}

fn text(parts: &[Part]) -> String {
    let statement = |part: &Part| {
        let instance = part.instance();
        let accesses = part.accesses.iter().enumerate();
        let accesses: String = accesses
            .map(|(number, (kind, to))| {
                format!("      - {kind} {}_{number}: \"[n, m] -> {{ {instance} -> {to} }}\"\n", part.name)
            })
            .collect();
        let domain = format!("[n, m] -> {{ {instance} : 0 <= k < n and {} }}", part.domain);
        format!("  {}:\n    domain: \"{domain}\"\n    accesses:\n{accesses}", part.name)
    };
    let nest = |part: &Part| {
        let member = |name: &&str| format!("{{ {} -> [({name})] }}", part.instance());
        let members: Vec<String> = part.loops.iter().map(member).collect();
        let filter = format!("        - filter: \"[n, m] -> {{ {} }}\"\n", part.instance());
        format!("{filter}          child:\n            schedule: \"[n, m] -> [{}]\"\n", members.join(", "))
    };
    let domains: Vec<String> =
        parts.iter().map(|part| format!("{} : 0 <= k < n and {}", part.instance(), part.domain)).collect();
    let outer: Vec<String> = parts.iter().map(|part| format!("{} -> [(k)]", part.instance())).collect();
    format!(
        "scop: columns\nparameters: [n, m]\ncontext: \"[n, m] -> {{ : 0 <= n <= 100 and 0 <= m <= 100 }}\"\narrays:\n  \
         A: {{ kind: memory, element: f64, extent: [102, 102] }}\n  R: {{ kind: memory, element: f64, extent: [100, 100] }}\n  \
         x: {{ kind: memory, element: f64, extent: [100, 100] }}\n  y: {{ kind: memory, element: f64, extent: [100, 100] }}\n\
         statements:\n{}schedule:\n  domain: \"[n, m] -> {{ {} }}\"\n  child:\n    schedule: \"[n, m] -> [{{ {} }}]\"\n    \
         child:\n      sequence:\n{}live_out: \"{{ A[i, j]; R[i, j]; y[i, j] }}\"\n",
        parts.iter().map(statement).collect::<String>(),
        domains.join("; "),
        outer.join("; "),
        parts.iter().map(nest).collect::<String>(),
    )
}

#[test]
fn random_steps_in_left_looking_order_are_legal() {
    let (mut numbers, mut found, sizes) = (Rng::with_seed(41), 0, TileSizes::new(&[1]));
    for number in 0..60 {
        let text = program(&mut numbers);
        let problem = Problem::parse(&text, &text);
        let trees: [Schedule; 2] = [problem.original(), problem.wide(Fusion::Incremental)];
        for tree in trees {
            if let Some(tiled) = left_looking(&tree, &problem.constraints, &sizes).unwrap() {
                assert!(has_mark(&tiled, &Mark::TILE).unwrap());
                problem.accept(&tiled, &format!("program {number}\n{text}"));
                let inside = transform::tile(&tiled, &TileSizes::new(&[2])).unwrap();
                problem.accept(&inside, &format!("program {number}, in tiles\n{text}"));
                found += 1;
            }
        }
    }
    assert!(found > 12, "{found}");
}
