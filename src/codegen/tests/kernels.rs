//! Kernels: every instance is executed by one thread of one block, and each thread follows the tree.

use super::execute::{Instance, executed, expected, scop};
use super::{Node, generate, small_options};
use crate::check::coverage::check_coverage;
use crate::codegen::{Ast, Axis, Comparison, Cond, Error, Expr, For, IteratorId, Kernel};
use crate::isl;
use crate::scop::Scop;
use fastrand::Rng;
use std::fmt::Write;

/// Generates the code of a scop's schedule; what it executes is what the domain has, each instance once.
pub fn assert_complete(scop: &Scop, values: &[&[i64]]) -> Ast {
    let ast = generate(scop, &scop.schedule, &small_options()).unwrap();
    assert_executes(scop, &ast, values);
    // The proof for all sizes says the same, or nothing.
    match check_coverage(scop, &scop.schedule, &ast, QUOTA) {
        Ok(()) => {}
        Err(error) => assert!(error.is_open(), "{error}:\n{}", ast.to_text(scop)),
    }
    ast
}

/// The operations that a proof may take.
const QUOTA: u64 = 4_000_000;

fn assert_executes(scop: &Scop, ast: &Ast, values: &[&[i64]]) {
    for parameters in values {
        let mut wanted: Vec<Instance> =
            expected(scop, &scop.schedule, parameters).into_iter().map(|(_, instance)| instance).collect();
        wanted.sort();
        let mut found = executed(ast, parameters);
        found.sort();
        assert_eq!(found, wanted, "at {parameters:?}:\n{}\n{}", scop.schedule, ast.to_text(scop));
    }
}

fn kernels(node: &Node) -> Vec<&Kernel> {
    let own = if let Node::Kernel(kernel) = node { Some(&**kernel) } else { None };
    own.into_iter().chain(node.children().flat_map(kernels)).collect()
}

/// A kernel over one band of `S[i, j]`, under these marks.
fn single(marks: &[&str], band: &str) -> Scop {
    let domain = "[n] -> { S[i,j] : 0 <= i < n and 0 <= j <= i }";
    let mut text = format!("domain: \"{domain}\"\n");
    let mut indent = String::new();
    for mark in marks {
        write!(text, "{indent}child:\n{indent}  mark: \"{mark}\"\n").unwrap();
        indent += "  ";
    }
    write!(text, "{indent}child:\n{indent}  schedule: \"[n] -> [{band}]\"\n").unwrap();
    scop(&isl::Ctx::new(), domain, "[n] -> { : }", &text)
}

const SIZES: [&[i64]; 5] = [&[-3], &[0], &[1], &[5], &[11]];

#[test]
fn blocks_and_threads_share_the_values_of_members() {
    let band = "{ S[i,j] -> [i] }, { S[i,j] -> [j] }";
    for (marks, blocks, threads) in [
        (vec!["kernel", "grid *,*"], 2, 0),
        (vec!["kernel", "grid 3,*"], 2, 0),
        (vec!["kernel", "grid 3,2"], 2, 0),
        (vec!["kernel", "threads 2,4"], 0, 2),
        (vec!["kernel", "threads 3"], 0, 1),
        (vec!["kernel"], 0, 0),
    ] {
        let ast = assert_complete(&single(&marks, band), &SIZES);
        let found = kernels(&ast.root);
        assert_eq!(found.len(), 1, "{marks:?}");
        assert_eq!((found[0].blocks.len(), found[0].threads.len()), (blocks, threads), "{marks:?}");
    }
}

#[test]
fn code_that_lost_something_is_found() {
    let scop = single(&["kernel", "grid *,*"], "{ S[i,j] -> [i] }, { S[i,j] -> [j] }");
    let right = generate(&scop, &scop.schedule, &small_options()).unwrap();
    assert!(check_coverage(&scop, &scop.schedule, &right, QUOTA).is_ok());
    let said = |change: &dyn Fn(&mut Kernel)| {
        let mut wrong = right.clone();
        fn first(node: &mut Node) -> Option<&mut Kernel> {
            match node {
                Node::Kernel(kernel) => Some(kernel),
                other => other.children_mut().find_map(first),
            }
        }
        change(first(&mut wrong.root).expect("a kernel"));
        check_coverage(&scop, &scop.schedule, &wrong, QUOTA).unwrap_err().to_string()
    };
    // Too few blocks; threads that do not look at their number; calls behind each other.
    assert!(said(&|kernel| kernel.blocks[0].most = Some(4)).contains("does not execute"));
    let twice = said(&|kernel| {
        kernel.threads = vec![Axis { iterator: IteratorId(90), most: Some(2), extent: Vec::new() }];
    });
    assert!(twice.contains(" twice"), "{twice}");
    let again = said(&|kernel| kernel.body = Node::Block(vec![kernel.body.clone(), kernel.body.clone()]));
    assert!(again.contains(" twice"), "{again}");
    // Each instance once, but by others.
    let elsewhere = said(&|kernel| {
        let [x, y] = &mut kernel.blocks[..] else { panic!("two axes") };
        std::mem::swap(&mut x.iterator, &mut y.iterator);
    });
    assert!(elsewhere.contains("another block"), "{elsewhere}");
    let more = said(&|kernel| {
        let second = Axis { iterator: IteratorId(90), most: Some(2), extent: Vec::new() };
        let is_second = Cond::Compare(Comparison::Eq, Expr::Iterator(second.iterator), Expr::Const(1));
        kernel.threads = vec![second];
        kernel.body = Node::under(vec![is_second], kernel.body.clone(), None);
    });
    assert!(more.contains("another block"), "{more}");
    let on_host = Ast { root: on_host_of(kernels(&right.root)[0]), ..right.clone() };
    let error = check_coverage(&scop, &scop.schedule, &on_host, QUOTA).unwrap_err().to_string();
    assert!(error.contains("other side"), "{error}");
}

/// Loops of the host over a kernel's blocks.
fn on_host_of(kernel: &Kernel) -> Node {
    kernel.blocks.iter().rev().fold(kernel.body.clone(), |body, axis| {
        let (lower, upper) = (vec![Expr::Const(0)], axis.extent.clone());
        Node::For(Box::new(For {
            iterator: axis.iterator,
            lower,
            upper,
            step: 1,
            parallel: None,
            vector: false,
            block: false,
            ends: false,
            promoted: Vec::new(),
            carried: Vec::new(),
            body,
        }))
    })
}

/// A number of blocks that begins at zero cannot be counted for values below it.
#[test]
fn values_below_zero_go_to_few_blocks() {
    let ast = assert_complete(&single(&["kernel", "grid *"], "{ S[i,j] -> [j - i] }, { S[i,j] -> [i] }"), &SIZES);
    let kernel = kernels(&ast.root)[0];
    assert_eq!((kernel.blocks[0].most, kernel.blocks[0].extent.len()), (Some(64), 0));
}

/// isl's code had lost the number of the block where tiles are shared out among few blocks, as nothing says how many
/// there are: all of them did the same.
#[test]
fn tiles_from_anywhere_are_shared_out() {
    let domain = "[p, q] -> { S[j] : q <= j < p + q; T[] : p > 0 }";
    let text = format!(
        "domain: \"{domain}\"\nchild:\n  mark: \"kernel\"\n  child:\n    mark: \"grid *\"\n    child:\n      \
           schedule: \"[p, q] -> [{{ S[j] -> [floor(j/4)]; T[] -> [floor(p/4)] }}]\"\n      child:\n        \
             mark: \"threads 4\"\n        child:\n          \
               schedule: \"[p, q] -> [{{ S[j] -> [j]; T[] -> [p] }}]\"\n          child:\n            sequence:\n              \
                 - filter: \"[p, q] -> {{ S[j] }}\"\n              - filter: \"[p, q] -> {{ T[] }}\"\n"
    );
    let scop = scop(&isl::Ctx::new(), domain, "[p, q] -> { : }", &text);
    let ast = assert_complete(&scop, &[&[0, 0], &[3, -7], &[600, -310], &[5, 1000]]);
    check_coverage(&scop, &scop.schedule, &ast, QUOTA).unwrap();
    assert_eq!(kernels(&ast.root)[0].blocks[0].most, Some(64));
}

/// What no mark assigns is for block and thread 0, and bands over threads need not be of one size.
#[test]
fn statements_may_have_threads_of_their_own_or_none() {
    let domain = "[n] -> { A[i] : 0 <= i < n; B[i,j] : 0 <= i < n and 0 <= j < 3; C[i] : 0 <= i < n + 1 }";
    let text = format!(
        "domain: \"{domain}\"\nchild:\n  mark: \"kernel\"\n  child:\n    sequence:\n      \
         - filter: \"[n] -> {{ A[i] }}\"\n        child:\n          mark: \"threads 4\"\n          child:\n            \
             schedule: \"[n] -> [{{ A[i] -> [i] }}]\"\n      \
         - filter: \"[n] -> {{ C[i] }}\"\n        child:\n          schedule: \"[n] -> [{{ C[i] -> [i] }}]\"\n      \
         - filter: \"[n] -> {{ B[i, j] }}\"\n        child:\n          mark: \"threads 2,3\"\n          child:\n            \
             schedule: \"[n] -> [{{ B[i, j] -> [i] }}, {{ B[i, j] -> [j] }}]\"\n"
    );
    let ast = assert_complete(&scop(&isl::Ctx::new(), domain, "[n] -> { : }", &text), &SIZES);
    let most: Vec<_> = kernels(&ast.root)[0].threads.iter().map(|axis| axis.most).collect();
    assert_eq!(most, [Some(2), Some(4)]);
}

/// Whoever is not in a block of the grid is in the first one, which has to be there.
#[test]
fn what_is_for_block_zero_is_executed_where_the_grid_is_empty() {
    let domain = "[n, m] -> { A[i] : 0 <= i < n; B[i] : 0 <= i < m }";
    for grid in ["*", "4"] {
        let text = format!(
            "domain: \"{domain}\"\nchild:\n  mark: \"kernel\"\n  child:\n    sequence:\n      \
             - filter: \"[n, m] -> {{ A[i] }}\"\n        child:\n          mark: \"grid {grid}\"\n          child:\n            \
                 schedule: \"[n, m] -> [{{ A[i] -> [i] }}]\"\n      \
             - filter: \"[n, m] -> {{ B[i] }}\"\n        child:\n          mark: \"threads 4\"\n          child:\n            \
                 schedule: \"[n, m] -> [{{ B[i] -> [i] }}]\"\n"
        );
        let scop = scop(&isl::Ctx::new(), domain, "[n, m] -> { : }", &text);
        assert_complete(&scop, &[&[0, 5], &[5, 0], &[-2, 3], &[7, 9]]);
    }
}

/// Numbers of two marks of one kind are no number of a block or thread.
#[test]
fn marks_of_one_kind_inside_of_each_other_are_refused() {
    let domain = "[n] -> { S[i,j] : 0 <= i < n and 0 <= j < n }";
    let text = format!(
        "domain: \"{domain}\"\nchild:\n  mark: \"kernel\"\n  child:\n    mark: \"threads 3\"\n    child:\n      \
           schedule: \"[n] -> [{{ S[i,j] -> [i] }}]\"\n      child:\n        mark: \"threads 5\"\n        child:\n          \
             schedule: \"[n] -> [{{ S[i,j] -> [j] }}]\"\n"
    );
    let scop = scop(&isl::Ctx::new(), domain, "[n] -> { : }", &text);
    assert!(generate(&scop, &scop.schedule, &small_options()).is_err());
}

#[test]
fn a_kernel_without_instances_is_no_error() {
    let domain = "[n] -> { S[i] : 0 <= i < n and i < 0 }";
    let text = format!(
        "domain: \"{domain}\"\nchild:\n  mark: \"kernel\"\n  child:\n    mark: \"grid *\"\n    child:\n      \
           schedule: \"[n] -> [{{ S[i] -> [i] }}]\"\n"
    );
    assert_complete(&scop(&isl::Ctx::new(), domain, "[n] -> { : }", &text), &[&[0], &[3]]);
}

/// Blocks and threads may be those of one band.
#[test]
fn a_band_may_be_over_blocks_and_threads() {
    assert_complete(&single(&["kernel", "grid *", "threads 3,4"], "{ S[i,j] -> [i] }, { S[i,j] -> [j] }"), &SIZES);
}

/// One launch in the code, also where the host's loops could be cut in pieces.
#[test]
fn a_kernel_is_in_the_code_once() {
    let domain = "[n] -> { A[t,i] : 0 <= t < n and 0 <= i < t; B[t,i] : 2 <= t < n + 2 and t <= i < 9 }";
    let text = format!(
        "domain: \"{domain}\"\nchild:\n  schedule: \"[n] -> [{{ A[t,i] -> [t]; B[t,i] -> [t] }}]\"\n  child:\n    \
           mark: \"kernel\"\n    child:\n      mark: \"grid *\"\n      child:\n        \
             schedule: \"[n] -> [{{ A[t,i] -> [i]; B[t,i] -> [i] }}]\"\n        child:\n          sequence:\n            \
               - filter: \"[n] -> {{ A[t,i] }}\"\n            - filter: \"[n] -> {{ B[t,i] }}\"\n"
    );
    let ast = assert_complete(&scop(&isl::Ctx::new(), domain, "[n] -> { : }", &text), &SIZES);
    assert_eq!(kernels(&ast.root).len(), 1, "{}", kernels(&ast.root).len());
}

/// isl's code had 12 of the 28 instances, where the division was kept as it was read.
#[test]
fn divisions_are_written_in_isl_s_way() {
    let domain = "{ S[i,j,k] : 2 <= i < 6 and 2 <= j < 4 and 1 <= k < 5 and i <= j + 2 and k <= i + 2 }";
    let text = format!(
        "domain: \"{domain}\"\nchild:\n  schedule: \"[{{ S[i,j,k] -> [-4 - k] }}]\"\n  child:\n    mark: \"kernel\"\n    \
         child:\n      mark: \"grid 5,4\"\n      child:\n        \
           schedule: \"[{{ S[i,j,k] -> [-1 + i + 2j] }}, {{ S[i,j,k] -> [floor((-2 + 3i - 2k)/3)] }}]\"\n        child:\n          \
             mark: \"threads 4,2\"\n          child:\n            \
               schedule: \"[{{ S[i,j,k] -> [3 - i] }}, {{ S[i,j,k] -> [2j] }}]\"\n            child:\n              \
                 schedule: \"[{{ S[i,j,k] -> [i] }}, {{ S[i,j,k] -> [j] }}, {{ S[i,j,k] -> [k] }}]\"\n"
    );
    assert_complete(&scop(&isl::Ctx::new(), domain, "{ : }", &text), &[&[]]);
}

/// A value of `S0[i,j,k]` and so on along a dimension, perhaps skewed by another, perhaps below zero.
fn value(random: &mut Rng, dimension: &str) -> String {
    let mut text = format!("{dimension} + {}", random.i64(-4..=4));
    if random.u8(..3) == 0 {
        write!(text, " + {}{}", random.i64(-1..=2), random.choice(["i", "j", "k"]).unwrap_or("i")).unwrap();
    }
    text
}

/// Members along the dimensions in some order, the same order for all statements, in each of which they have values of
/// their own.
fn members(random: &mut Rng, names: &[String], dimensions: &[&str]) -> Vec<Vec<String>> {
    dimensions.iter().map(|dimension| names.iter().map(|_| value(random, dimension)).collect()).collect()
}

/// A band at an indent; values are divided by the sizes of tiles.
fn band(names: &[String], members: &[Vec<String>], tile: i64, indent: &str) -> String {
    let value = |text: &str| if tile > 1 { format!("floor(({text})/{tile})") } else { text.to_owned() };
    let member = |values: &Vec<String>| {
        let all = names.iter().zip(values).map(|(name, text)| format!("{name}[i,j,k] -> [{}]", value(text)));
        format!("{{ {} }}", all.collect::<Vec<_>>().join("; "))
    };
    let all: Vec<String> = members.iter().map(member).collect();
    format!("{indent}child:\n{indent}  schedule: \"[n] -> [{}]\"\n", all.join(", "))
}

/// Numbers for a mark; `each` where some may be for each value.
fn sizes(random: &mut Rng, axes: usize, each: bool) -> String {
    let one = |random: &mut Rng| match random.u32(0..=5) {
        0 | 1 if each => "*".to_owned(),
        number => (number + 1).to_string(),
    };
    (0..axes).map(|_| one(random)).collect::<Vec<_>>().join(",")
}

/// A tree: perhaps a loop of the host, a kernel with bands over blocks and threads, and statements in order.
fn tree(random: &mut Rng, names: &[String], domain: &str) -> String {
    let mut text = format!("domain: \"{domain}\"\n");
    let mut indent = String::new();
    let mut dimensions = ["i", "j", "k"];
    random.shuffle(&mut dimensions);
    let host = random.usize(0..=1);
    let found = members(random, names, &dimensions);
    if host > 0 {
        text += &band(names, &found[..host], 1, &indent);
        indent += "  ";
    }
    write!(text, "{indent}child:\n{indent}  mark: \"kernel\"\n").unwrap();
    indent += "  ";
    let inside = &found[host..];
    let tile = random.i64(1..=3);
    for (mark, most, tile) in [("grid", 2, tile), ("threads", inside.len(), 1)] {
        let axes = random.usize(0..=most);
        if axes > 0 {
            let sizes = sizes(random, axes, mark == "grid");
            write!(text, "{indent}child:\n{indent}  mark: \"{mark} {sizes}\"\n").unwrap();
            indent += "  ";
            text += &band(names, inside, tile, &indent);
            indent += "  ";
        }
    }
    writeln!(text, "{indent}child:\n{indent}  sequence:").unwrap();
    for name in names {
        let own = format!("[{{ {name}[i,j,k] -> [i] }}, {{ {name}[i,j,k] -> [j] }}, {{ {name}[i,j,k] -> [k] }}]");
        writeln!(text, "{indent}  - filter: \"[n] -> {{ {name}[i,j,k] }}\"\n{indent}    child:").unwrap();
        writeln!(text, "{indent}      schedule: \"[n] -> {own}\"").unwrap();
    }
    text
}

fn domain(random: &mut Rng, name: &str) -> String {
    let mut text = format!("{name}[i,j,k] : ");
    for dimension in ["i", "j", "k"] {
        let (least, size) = (random.i64(-2..=2), random.i64(1..=4));
        write!(text, "{least} <= {dimension} < {} and ", least + size).unwrap();
    }
    text + ["i <= n", "i + j <= n + 2", "i <= j + 1", "i <= j + 2 and k <= i + 2", "0 <= j"][random.usize(..5)]
}

#[test]
fn random_kernels_execute_every_instance_once() {
    let mut random = Rng::with_seed(0x5851_f42d_4c95_7f2d);
    let mut with_kernels = 0;
    for _ in 0..80 {
        let names: Vec<String> = (0..random.usize(1..=3)).map(|number| format!("S{number}")).collect();
        let domains: Vec<String> = names.iter().map(|name| domain(&mut random, name)).collect();
        let domain = format!("[n] -> {{ {} }}", domains.join("; "));
        let text = tree(&mut random, &names, &domain);
        let ctx = isl::Ctx::new();
        let scop = scop(&ctx, &domain, "[n] -> { : }", &text);
        match ctx.with_quota(4_000_000, || generate(&scop, &scop.schedule, &small_options())) {
            Ok(ast) => {
                assert_executes(&scop, &ast, &[&[0], &[3]]);
                with_kernels += usize::from(kernels(&ast.root).iter().any(|kernel| kernel.axes().count() > 0));
            }
            Err(Error::TooLarge { .. }) => {}
            Err(error) => assert!(error.is_exhausted(), "{error}"),
        }
    }
    assert!(with_kernels >= 40, "{with_kernels}");
}
