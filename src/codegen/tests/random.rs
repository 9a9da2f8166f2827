//! Random schedule trees: bands of statements that share loops with other strides and starts, and an order among them.

use super::assert_faithful;
use super::execute::scop;
use crate::isl;
use fastrand::Rng;
use std::fmt::Write;

/// `B` is at 7 and 9 where `C` is at 8, and `A`, whose values have a stride of 3, is elsewhere: see
/// `src/isl/stride.rs`.
///
/// Of random trees as those below, the 744th showed the same.
const MEETING: &str = r#"
domain: "{ A[i,j,k] : i >= 3 and i - 2 <= j < k <= 3; B[i,j,k] : i >= 3 and i - 2 <= j < k <= 3; C[i,j,k] : i >= 3 and i - 2 <= j < k <= 3 }"
child:
  schedule: "[{ A[i,j,k] -> [5 + j]; B[i,j,k] -> [5 + j]; C[i,j,k] -> [1 + i + k] }]"
  child:
    schedule: "[{ A[i,j,k] -> [5i]; B[i,j,k] -> [11 + 2k]; C[i,j,k] -> [13 + 2j] }]"
    child:
      schedule: "[{ A[i,j,k] -> [3k]; B[i,j,k] -> [1 + 2i]; C[i,j,k] -> [8] }]"
      child:
        sequence:
          - filter: "{ A[i,j,k] }"
          - filter: "{ C[i,j,k] }"
          - filter: "{ B[i,j,k] }"
"#;

#[test]
fn strided_statements_keep_their_order_where_another_is_not() {
    let ctx = isl::Ctx::new();
    let triangle = |name| format!("{name}[i,j,k] : i >= 3 and i - 2 <= j < k <= 3");
    let domain = format!("{{ {} }}", ["A", "B", "C"].map(triangle).join("; "));
    assert_faithful(&scop(&ctx, &domain, "{ : }", MEETING), &[&[]]);
}

/// In each tile of every third row of a checkerboard are one or two points: isl took the last loop for one that runs
/// once (`cmake/isl-meter.sh` corrects it).
#[test]
fn a_tile_of_a_checkerboard_has_all_its_points() {
    let ctx = isl::Ctx::new();
    let domain = "[n] -> { S[i,j] : (n - i) mod 3 = 0 and (i + j) mod 2 = 0 and 3 <= i <= 6 and 0 <= j <= 16 }";
    let tree = in_tiles(&["S".to_owned()], domain, [3, 3]);
    assert_faithful(&scop(&ctx, domain, "[n] -> { : 0 <= n <= 7 }", &tree), &[&[0], &[1], &[5]]);
}

/// The domain of a statement with the vector `i, j, k`: a box or triangles, of few points, cut by `n` or not.
fn domain(random: &mut Rng, name: &str) -> String {
    let mut text = format!("{name}[i,j,k] : ");
    for dimension in ["i", "j", "k"] {
        let (least, size) = (random.i64(0..=2), random.i64(1..=4));
        write!(text, "{least} <= {dimension} < {} and ", least + size).unwrap();
    }
    text + ["i <= n", "i + j <= n + 2", "i <= j + 1", "i <= j + 2 and k <= i + 2", "0 <= j"][random.usize(..5)]
}

/// An affine value of a statement, with one or two of its dimensions or none.
fn value(random: &mut Rng) -> String {
    let constant = random.i64(0..=9);
    let mut text = constant.to_string();
    for dimension in ["i", "j", "k"] {
        if random.u64(..5) < 2 {
            write!(text, " + {}{dimension}", random.i64(1..=5)).unwrap();
        }
    }
    text
}

/// A tree: members of which each statement has a value of its own, then the statements in some order, by themselves.
fn tree(random: &mut Rng, names: &[String], domain: &str) -> String {
    let members = random.i64(1..=3);
    let mut text = format!("domain: \"{domain}\"\n");
    let mut indent = String::new();
    for _ in 0..members {
        let values: Vec<String> = names.iter().map(|name| format!("{name}[i,j,k] -> [{}]", value(random))).collect();
        writeln!(text, "{indent}child:\n{indent}  schedule: \"[n] -> [{{ {} }}]\"", values.join("; ")).unwrap();
        indent += "  ";
    }
    writeln!(text, "{indent}child:\n{indent}  sequence:").unwrap();
    for name in names {
        writeln!(text, "{indent}  - filter: \"[n] -> {{ {name}[i,j,k] }}\"\n{indent}    child:").unwrap();
        writeln!(
            text,
            "{indent}      schedule: \"[n] -> [{{ {name}[i,j,k] -> [i] }}, {{ {name}[i,j,k] -> [j] }}, {{ {name}[i,j,k] -> [k] }}]\""
        )
        .unwrap();
    }
    text
}

#[test]
fn random_trees_are_executed_in_their_order() {
    let mut random = Rng::with_seed(0x9e37_79b9_7f4a_7c15);
    for _ in 0..40 {
        let names: Vec<String> = (0..random.i64(2..=4)).map(|number| format!("S{number}")).collect();
        let domains: Vec<String> = names.iter().map(|name| domain(&mut random, name)).collect();
        let domain = format!("[n] -> {{ {} }}", domains.join("; "));
        let ctx = isl::Ctx::new();
        let text = tree(&mut random, &names, &domain);
        let scop = scop(&ctx, &domain, "[n] -> { : }", &text);
        assert_faithful(&scop, &[&[0], &[3]]);
    }
}

/// A band over tiles of `i, j` of such sizes, and points.
fn in_tiles(names: &[String], domain: &str, [outer, inner]: [i64; 2]) -> String {
    let tiles = [format!("i - i mod {outer}"), format!("j - j mod {inner}")];
    let member = |value: &str| {
        let values: Vec<String> = names.iter().map(|name| format!("{name}[i,j] -> [({value})]")).collect();
        format!("{{ {} }}", values.join("; "))
    };
    let members: Vec<String> = tiles.iter().map(String::as_str).chain(["i", "j"]).map(member).collect();
    format!("domain: \"{domain}\"\nchild:\n  schedule: \"[n] -> [{}]\"\n", members.join(", "))
}

/// Points of two loops that are a lattice, or a triangle of one.
fn lattice(random: &mut Rng, name: &str) -> String {
    let mut text = format!("{name}[i,j] : ");
    for dimension in ["i", "j"] {
        let (least, size) = (random.i64(0..=4), random.i64(3..=12));
        write!(text, "{least} <= {dimension} < {} and ", least + size).unwrap();
    }
    let first = ["n - i", "n + i", "i - 1", "i + 2n", "0"][random.usize(..5)];
    let second = ["i + j", "j - i", "i + 2j", "j + n", "2i + j + n"][random.usize(..5)];
    let [outer, inner] = [(); 2].map(|()| random.i64(2..=4));
    write!(text, "({first}) mod {outer} = 0 and ({second}) mod {inner} = 0").unwrap();
    text + ["", " and j <= i + n", " and i <= j"][random.usize(..3)]
}

/// Members that go through lattices by tiles, the sizes of which have nothing to do with the lattices.
#[test]
fn random_lattices_are_executed_in_tiles() {
    let mut compared = 0;
    let mut random = Rng::with_seed(0x6c62_272e_07bb_0142);
    for _ in 0..48 {
        let names: Vec<String> = (0..random.i64(1..=2)).map(|number| format!("S{number}")).collect();
        let domains: Vec<String> = names.iter().map(|name| lattice(&mut random, name)).collect();
        let domain = format!("[n] -> {{ {} }}", domains.join("; "));
        let mut tree = in_tiles(&names, &domain, [(); 2].map(|()| random.i64(2..=5)));
        tree += "  child:\n    sequence:\n";
        for name in &names {
            writeln!(tree, "      - filter: \"[n] -> {{ {name}[i,j] }}\"").unwrap();
        }
        let ctx = isl::Ctx::new();
        let scop = scop(&ctx, &domain, "[n] -> { : 0 <= n <= 7 }", &tree);
        let sizes: [&[i64]; 4] = [&[0], &[1], &[4], &[5]];
        let some_size = isl::Set::parse(&ctx, "[n] -> { : n = 0 or n = 1 or n = 4 or n = 5 }").unwrap();
        if !scop.domain().unwrap().intersect_params(some_size).unwrap().is_empty().unwrap() {
            assert_faithful(&scop, &sizes);
            compared += 1;
        }
    }
    assert!(compared >= 40, "{compared}");
}
