//! Tiles in shared memory hold what is read from them, and nothing is copied that nothing reads.

use super::execute::tiles;
use super::{generate, small_options};
use crate::check::coverage::check_coverage;
use crate::codegen::{Ast, Comparison, Cond, Error, Expr, Node, SharedTile};
use crate::isl;
use crate::scop::Scop;
use fastrand::Rng;
use std::fmt::Write;

/// Statements with their domains, which read `A` and write `C`, in tiles of 16 along all of their three dimensions.
fn scop_of(statements: &[(&str, &str, &[&str])], more: &str) -> Scop {
    let of_all = |text: &dyn Fn(&str) -> String| {
        let all: Vec<String> = statements.iter().map(|(name, ..)| text(name)).collect();
        format!("{{ {} }}", all.join("; "))
    };
    let tile = |dimension: &str| of_all(&|name| format!("{name}[i,j,k] -> [floor({dimension}/16)]"));
    let mut text = "scop: \"test\"\nparameters: [n, m]\ncontext: \"{ : }\"\narrays:\n  \
         A: { kind: memory, element: f64, extent: [\"?\", \"?\"] }\n  \
         C: { kind: memory, element: f64, extent: [\"?\", \"?\"] }\nstatements:\n"
        .to_owned();
    for (name, domain, reads) in statements {
        write!(text, "  {name}:\n    text: \"\"\n    domain: \"{{ {name}[i,j,k] : {domain} }}\"\n    accesses:\n")
            .unwrap();
        for (number, read) in reads.iter().enumerate() {
            writeln!(text, "      - read {name}R{number}: \"{{ {name}[i,j,k] -> A[{read}] }}\"").unwrap();
        }
        write!(text, "      - must_write {name}W: \"{{ {name}[i,j,k] -> C[i,j] }}\"\n{more}").unwrap();
    }
    let domains: Vec<String> = statements.iter().map(|(name, domain, _)| format!("{name}[i,j,k] : {domain}")).collect();
    let band = ["i", "j", "k"].map(|dimension| of_all(&|name| format!("{name}[i,j,k] -> [{dimension}]"))).join(", ");
    write!(
        text,
        "schedule:\n  domain: \"{{ {} }}\"\n  child:\n    mark: \"kernel\"\n    child:\n      mark: \"grid *,*\"\n      \
         child:\n        schedule: \"[{}, {}, {}]\"\n        child:\n          mark: \"shared\"\n          child:\n            \
             mark: \"threads 4,8\"\n            child:\n              schedule: \"[{band}]\"\n",
        domains.join("; "),
        tile("i"),
        tile("j"),
        tile("k")
    )
    .unwrap();
    if statements.len() > 1 {
        text += "              child:\n                sequence:\n";
        for (name, ..) in statements {
            writeln!(text, "                  - filter: \"{{ {name}[i,j,k] }}\"").unwrap();
        }
    }
    text += "live_out: \"{ C[i,j] }\"\n";
    Scop::parse(&isl::Ctx::new(), &text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// One statement.
fn scop(domain: &str, reads: &[&str], more: &str) -> Scop {
    scop_of(&[("S", domain, reads)], more)
}

/// The first tiles in shared memory.
fn first(node: &mut Node) -> Option<&mut Vec<SharedTile>> {
    match node {
        Node::Shared(shared) => Some(&mut shared.tiles),
        other => other.children_mut().find_map(first),
    }
}

fn code(scop: &Scop) -> Ast {
    generate(scop, &scop.schedule, &small_options()).unwrap()
}

/// What is wrong with the tiles at values of the parameters.
fn complaint(ast: &Ast, parameters: &[i64]) -> Option<String> {
    let (copied, read, missing) = tiles(ast, parameters);
    if let Some(element) = missing.first() {
        return Some(format!("{element:?} is read and was not copied at {parameters:?}"));
    }
    copied.difference(&read).next().map(|element| format!("{element:?} is copied and not read at {parameters:?}"))
}

const QUOTA: u64 = 8_000_000;

const PRODUCT: &str = "0 <= i < n and 0 <= j < m and 0 <= k < m";

#[test]
fn what_is_read_often_is_copied_as_far_as_it_is_read() {
    // Another tile for each of the two; of the second one k comes first.
    let scop = scop(PRODUCT, &["i,k", "k,j"], "");
    let mut ast = code(&scop);
    check_coverage(&scop, &scop.schedule, &ast, QUOTA).unwrap();
    for parameters in [[0, 5], [1, 1], [16, 32], [17, 20], [40, 33]] {
        assert_eq!(complaint(&ast, &parameters), None);
    }
    let tiles = first(&mut ast.root).expect("tiles");
    assert_eq!(
        tiles.iter().map(|tile| (tile.extent.clone(), tile.reads.len())).collect::<Vec<_>>(),
        [(vec![16, 16], 1), (vec![16, 16], 1)]
    );
}

#[test]
fn neighbours_are_in_one_tile() {
    let scop = scop(PRODUCT, &["i,k", "i,k+1", "i+1,k"], "");
    let mut ast = code(&scop);
    check_coverage(&scop, &scop.schedule, &ast, QUOTA).unwrap();
    assert_eq!(complaint(&ast, &[20, 30]), None);
    let tiles = first(&mut ast.root).expect("tiles");
    assert_eq!((tiles.len(), &tiles[0].extent, tiles[0].reads.len()), (1, &vec![17, 17], 3));
}

#[test]
fn what_is_read_once_or_written_is_not_copied() {
    let none = |mut ast: Ast| first(&mut ast.root).is_none();
    assert!(none(code(&scop(PRODUCT, &["i,j"], "      - must_write V: \"{ S[i,j,k] -> A[i,k] }\"\n"))));
    assert!(none(code(&scop(PRODUCT, &["i + 16j,k + 16j"], ""))));
}

#[test]
fn rows_are_copied_together_where_threads_would_read_a_column() {
    let all = |read: &str| {
        let mut ast = code(&scop("0 <= i < n and 0 <= j < m and k = 0", &[read], ""));
        first(&mut ast.root).map(|tiles| tiles[0].extent.clone())
    };
    assert_eq!((all("j,i"), all("i,j")), (Some(vec![16, 16]), None));
    // A column alone has no rows.
    assert_eq!(all("j,0"), None);
}

#[test]
fn tiles_that_are_wrong_are_found() {
    // A triangle: at its edge most of a tile is not read.
    let scop = scop("0 <= i < n and 0 <= j < m and i <= k < n", &["i,k"], "");
    let right = code(&scop);
    check_coverage(&scop, &scop.schedule, &right, QUOTA).unwrap();
    let said = |change: &dyn Fn(&mut Ast)| {
        let mut wrong = right.clone();
        change(&mut wrong);
        let found = complaint(&wrong, &[20, 17]).or(complaint(&wrong, &[35, 2])).is_some();
        (check_coverage(&scop, &scop.schedule, &wrong, QUOTA).unwrap_err().to_string(), found)
    };
    let tile = |change: &dyn Fn(&mut SharedTile)| {
        said(&|ast| change(first(&mut ast.root).and_then(|tiles| tiles.first_mut()).expect("a tile")))
    };
    let moved = tile(&|tile| tile.origin[0] = tile.origin[0].plus_constant(1).unwrap());
    assert!(moved.0.contains("was not copied") && moved.1, "{moved:?}");
    let short = tile(&|tile| tile.extent[1] -= 1);
    assert!(short.0.contains("was not copied") && short.1, "{short:?}");
    let all = tile(&|tile| tile.exists = Cond::And(Vec::new()));
    assert!(all.0.contains("that nothing reads") && all.1, "{all:?}");
    let few = tile(&|tile| {
        let first = Cond::Compare(Comparison::Ge, Expr::Iterator(tile.element[0]), Expr::Const(1));
        tile.exists = Cond::And(vec![tile.exists.clone(), first]);
    });
    assert!(few.0.contains("was not copied") && few.1, "{few:?}");
    // Only some threads come to the copy.
    let uneven = said(&|ast| {
        fn wrap(node: Node, thread: crate::codegen::IteratorId) -> Node {
            if matches!(node, Node::Shared(_)) {
                let some = Cond::Compare(Comparison::Ge, Expr::Iterator(thread), Expr::Const(0));
                return Node::under(vec![some], node, None);
            }
            node.map_children(|child| Ok::<_, ()>(wrap(child, thread))).unwrap()
        }
        fn thread(node: &Node) -> Option<crate::codegen::IteratorId> {
            match node {
                Node::Kernel(kernel) => kernel.threads.last().map(|axis| axis.iterator),
                other => other.children().find_map(thread),
            }
        }
        let last = thread(&ast.root).unwrap();
        ast.root = wrap(ast.root.clone(), last);
    });
    assert!(uneven.0.contains("more often"), "{uneven:?}");
}

/// A subscript over the dimensions.
fn subscript(random: &mut Rng) -> String {
    const DIMENSIONS: [&str; 3] = ["i", "j", "k"];
    let mut text = DIMENSIONS[random.usize(..3)].to_owned();
    if random.u32(..3) == 0 {
        let (factor, other) = (random.i64(-2..=2), DIMENSIONS[random.usize(..3)]);
        write!(text, " + {factor}{other}").unwrap();
    }
    match random.u32(..6) {
        0 => write!(text, " + {}", random.i64(-3..=3)).unwrap(),
        1 => write!(text, " - n").unwrap(),
        2 => text = format!("2*({text})"),
        _ => {}
    }
    text
}

/// A domain, and what is read, at most so often.
pub fn random_statement(random: &mut Rng, least: usize, most: usize) -> (String, Vec<String>) {
    const MORE: [&str; 9] = [
        "i <= k",
        "k <= i + j",
        "i + k <= n",
        "j <= k + 3",
        "(i + k) mod 2 = 0",
        "k mod 3 = 1",
        "(k >= 5 or j >= 2)",
        "n >= 4",
        "k = m - j",
    ];
    const LAST: [&str; 3] = ["0 <= k < m + 2", "-3 <= k < m", "0 <= k <= m - j"];
    let mut domain = format!("0 <= i < n and 0 <= j < m and {}", LAST[random.usize(..3)]);
    for _ in 0..random.usize(..=2) {
        write!(domain, " and {}", MORE[random.usize(..MORE.len())]).unwrap();
    }
    let reads = (0..random.usize(least..=most)).map(|_| format!("{},{}", subscript(random), subscript(random)));
    (domain, reads.collect())
}

#[test]
fn random_tiles_hold_what_is_read() {
    let (mut with_tiles, mut proved) = (0, 0);
    for seed in 0..80_u64 {
        let random = &mut Rng::with_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let one = random_statement(random, 1, 3);
        // Often not all statements of a kernel read from a tile.
        let other = random.bool().then(|| random_statement(random, 0, 2));
        let statements: Vec<_> = std::iter::once(&one).chain(&other).collect();
        let reads: Vec<Vec<&str>> =
            statements.iter().map(|(_, reads)| reads.iter().map(String::as_str).collect()).collect();
        let list: Vec<_> = statements
            .iter()
            .zip(&reads)
            .zip(["S", "T"])
            .map(|(((domain, _), reads), name)| (name, domain.as_str(), &reads[..]))
            .collect();
        let scop = scop_of(&list, "");
        let mut ast = match scop.ctx().with_quota(QUOTA, || generate(&scop, &scop.schedule, &small_options())) {
            Ok(ast) => ast,
            Err(error) if error.is_exhausted() || matches!(error, Error::Unsupported { .. }) => continue,
            Err(error) => panic!("{error}"),
        };
        with_tiles += usize::from(first(&mut ast.root).is_some());
        let proof = check_coverage(&scop, &scop.schedule, &ast, QUOTA);
        let told = || format!("seed {seed}: {list:?}: {proof:?}\n{}", ast.to_text(&scop));
        assert!(proof.as_ref().err().is_none_or(|error| error.is_open()), "{}", told());
        proved += usize::from(proof.is_ok());
        for parameters in [[0, 0], [3, 1], [16, 16], [21, 18]] {
            assert_eq!(complaint(&ast, &parameters), None, "{}", told());
        }
    }
    assert!(with_tiles >= 35 && proved >= 60, "{with_tiles} {proved}");
}
