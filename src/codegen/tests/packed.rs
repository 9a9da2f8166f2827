//! Packed tiles hold what is read from them, nothing is copied that is not read behind, and what is wrong is found.

use super::shared::random_statement;
use super::{generate, small_options};
use crate::check::coverage::check_coverage;
use crate::check::interpret::{Trial, trial};
use crate::codegen::{Ast, Comparison, Cond, Error, Expr, Node, SharedTile};
use crate::isl;
use crate::scop::Scop;
use fastrand::Rng;
use std::collections::BTreeSet;

const QUOTA: u64 = 8_000_000;

/// A statement that reads `A` and writes `C`, and more lines of its, in tiles of 4 along its dimensions `k, i, j`;
/// marks stand below the tiles of `k` and `i`, and below all.
fn scop(domain: &str, reads: &[&str], more: &str, [outer, inner]: [&str; 2]) -> Scop {
    let reads: String = (0..)
        .zip(reads)
        .map(|(number, read)| format!("      - read R{number}: \"{{ S[i,j,k] -> A[{read}] }}\"\n"))
        .collect();
    let of_s = |member: &str| format!("{{ S[i,j,k] -> [{member}] }}");
    let band = |members: &[&str]| {
        let members: Vec<String> = members.iter().map(|member| of_s(member)).collect();
        format!("schedule: \"[{}]\"", members.join(", "))
    };
    let mark = |mark: &str| format!("mark: \"{mark}\"");
    let nodes = [
        format!("domain: \"{{ S[i,j,k] : {domain} }}\""),
        band(&["floor(k/4)", "floor(i/4)"]),
        mark(outer),
        band(&["floor(j/4)"]),
        mark(inner),
        band(&["k", "i", "j"]),
    ];
    let mut tree = String::new();
    for (depth, node) in (1..).zip(nodes.iter().filter(|node| **node != mark(""))) {
        let child = if depth > 1 { format!("{:1$}child:\n", "", 2 * depth - 2) } else { String::new() };
        tree += &format!("{child}{:1$}{node}\n", "", 2 * depth);
    }
    let text = format!(
        "scop: \"test\"\nparameters: [n, m]\ncontext: \"{{ : }}\"\narrays:\n  \
         A: {{ kind: memory, element: f64, extent: [\"?\", \"?\"] }}\n  \
         C: {{ kind: memory, element: f64, extent: [\"?\", \"?\"] }}\nstatements:\n  S:\n    text: \"\"\n    \
         domain: \"{{ S[i,j,k] : {domain} }}\"\n    accesses:\n{reads}      \
         - must_write W: \"{{ S[i,j,k] -> C[i,j] }}\"\n{more}schedule:\n{tree}live_out: \"{{ C[i,j] }}\"\n",
    );
    Scop::parse(&isl::Ctx::new(), &text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn tiles(node: &Node) -> Vec<&SharedTile> {
    let own = match node {
        Node::Shared(shared) => shared.tiles.iter().collect(),
        _ => Vec::new(),
    };
    node.children().map(tiles).fold(own, |all, more| [all, more].concat())
}

fn first(node: &mut Node) -> Option<&mut SharedTile> {
    match node {
        Node::Shared(shared) => shared.tiles.first_mut(),
        other => other.children_mut().find_map(first),
    }
}

fn code(scop: &Scop) -> Ast {
    generate(scop, &scop.schedule, &small_options()).unwrap()
}

fn assert_right(scop: &Scop, ast: &Ast) {
    check_coverage(scop, &scop.schedule, ast, QUOTA).unwrap_or_else(|error| panic!("{error}\n{}", ast.to_text(scop)));
    let tried = trial(scop, ast);
    assert!(matches!(tried, Trial::Same(sizes) if sizes > 0), "{tried:?}\n{}", ast.to_text(scop));
}

const PRODUCT: &str = "0 <= i < n and 0 <= j < m and 0 <= k < m";

#[test]
fn tiles_are_inside_of_what_moves_them() {
    let scop = scop(PRODUCT, &["i,k", "j,k"], "", ["packed A[R0](1, 0)", "packed A[R1](1, 0)"]);
    let ast = code(&scop);
    assert_right(&scop, &ast);
    // Whole and cut tiles of the inner ones are apart.
    let tiles = tiles(&ast.root);
    assert!(tiles.iter().all(|tile| (&tile.extent[..], &tile.order[..]) == (&[4, 4], &[1, 0])));
    assert_eq!(tiles.iter().map(|tile| tile.buffer).collect::<BTreeSet<_>>().len(), 2);
    assert!(matches!(&tiles[0].origin[0], origin if tiles[1..].iter().all(|inner| inner.origin[0] != *origin)));
    // What the loop over tiles of j moves has no tile outside of it.
    let outside = code(&self::scop(PRODUCT, &["j,k"], "", ["packed A(1, 0)", ""]));
    assert!(self::tiles(&outside.root).is_empty());
}

#[test]
fn what_no_mark_names_or_is_written_is_not_packed() {
    let none = |reads: &[&str], more: &str, mark: &str| {
        let scop = scop(PRODUCT, reads, more, ["", mark]);
        let ast = code(&scop);
        check_coverage(&scop, &scop.schedule, &ast, QUOTA).unwrap();
        tiles(&ast.root).is_empty()
    };
    assert!(!none(&["i,k"], "", "packed A(0, 1)"));
    assert!(none(&["i,k"], "", "packed B(0, 1)"));
    assert!(none(&["i,k"], "", "packed A(0)"));
    assert!(none(&["i,k"], "", "packed A[R7](0, 1)"));
    assert!(none(&["i,k"], "      - must_write V: \"{ S[i,j,k] -> A[i,k] }\"\n", "packed A(0, 1)"));
}

#[test]
fn tiles_that_are_wrong_are_found() {
    let scop = scop("0 <= i < n and 0 <= j < m and i <= k < n", &["i,k"], "", ["packed A(1, 0)", ""]);
    let right = code(&scop);
    assert_right(&scop, &right);
    let said = |change: &dyn Fn(&mut SharedTile)| {
        let mut wrong = right.clone();
        change(first(&mut wrong.root).expect("a tile"));
        check_coverage(&scop, &scop.schedule, &wrong, QUOTA).unwrap_err().to_string()
    };
    let moved = said(&|tile| tile.origin[0] = tile.origin[0].plus_constant(1).unwrap());
    assert!(moved.contains("was not copied"), "{moved}");
    let short = said(&|tile| tile.extent[1] -= 1);
    assert!(short.contains("was not copied"), "{short}");
    let all = said(&|tile| tile.exists = Cond::And(Vec::new()));
    assert!(all.contains("that nothing reads"), "{all}");
    let few = said(&|tile| {
        let first = Cond::Compare(Comparison::Ge, Expr::Iterator(tile.element[0]), Expr::Const(1));
        tile.exists = Cond::And(vec![tile.exists.clone(), first]);
    });
    assert!(few.contains("was not copied"), "{few}");
}

#[test]
fn the_trial_sees_what_is_not_copied() {
    let scop = scop(PRODUCT, &["i,k"], "", ["", "packed A(1, 0)"]);
    let mut wrong = code(&scop);
    let tile = first(&mut wrong.root).expect("a tile");
    tile.extent[0] = 1;
    assert!(matches!(trial(&scop, &wrong), Trial::Different(_)));
}

#[test]
fn random_tiles_hold_what_is_read() {
    let (mut with_tiles, mut proved) = (0, 0);
    for seed in 0..80_u64 {
        let random = &mut Rng::with_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let (domain, reads) = random_statement(random, 1, 3);
        let reads: Vec<&str> = reads.iter().map(String::as_str).collect();
        let mark = |random: &mut Rng| ["", "packed A(1, 0)", "packed A(0, 1)"][random.usize(..3)];
        let scop = scop(&domain, &reads, "", [mark(random), mark(random)]);
        let ast = match scop.ctx().with_quota(QUOTA, || generate(&scop, &scop.schedule, &small_options())) {
            Ok(ast) => ast,
            Err(error) if error.is_exhausted() || matches!(error, Error::Unsupported { .. }) => continue,
            Err(error) => panic!("{error}"),
        };
        let proof = check_coverage(&scop, &scop.schedule, &ast, QUOTA);
        let told = || format!("seed {seed}: {domain}: {reads:?}: {proof:?}\n{}", ast.to_text(&scop));
        with_tiles += usize::from(!tiles(&ast.root).is_empty());
        proved += usize::from(proof.is_ok() && !tiles(&ast.root).is_empty());
        // Where more is copied than one iteration reads, the driver leaves it where it is.
        let may_refuse = |text: String| text.contains("that nothing reads");
        assert!(
            proof.as_ref().err().is_none_or(|error| error.is_open() || may_refuse(error.to_string())),
            "{}",
            told()
        );
        assert!(!matches!(trial(&scop, &ast), Trial::Different(_)), "{}", told());
    }
    assert!(with_tiles >= 30 && proved * 5 >= with_tiles * 4, "{with_tiles} {proved}");
}
