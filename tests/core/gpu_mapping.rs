//! Kernels mapped to blocks and threads.

use super::gpu::{polybench, region, scheduled};
use polyrs::check::interpret::{Interpreter, Reading};
use polyrs::check::legality::{Assumptions, CheckError, Rule, check};
use polyrs::codegen::{Node, Options, Shared, generate};
use polyrs::isl::{Ctx, DimType, Schedule};
use polyrs::machine::Machine;
use polyrs::schedule_tree::{Band, Mark};
use polyrs::scop::Scop;
use polyrs::scop::text::{parse_schedule, schedule_to_text};
use polyrs::transform::gpu::{KernelSizes, map, select};
use std::collections::BTreeMap;

/// The tree for GPUs, with its blocks and threads.
fn mapped(scop: &Scop) -> Option<Schedule> {
    let selected = select(&scheduled(scop)).unwrap()?;
    Some(map(scop, &selected, &KernelSizes::default(), &Machine::generic().gpu_or_default()).unwrap())
}

#[test]
fn the_checker_accepts_all_mapped_programs_saved_and_read_again() {
    let mut regions = 0;
    for entry in std::fs::read_dir(polybench()).unwrap() {
        let file = entry.unwrap().path();
        let scop = region(&file);
        let Some(tree) = mapped(&scop) else { continue };
        let text = schedule_to_text(&tree).unwrap();
        let again = parse_schedule(&scop, &text).unwrap_or_else(|error| panic!("{}: {error}\n{text}", file.display()));
        match check(&scop, &again, &Assumptions::default()) {
            Ok(()) => regions += 1,
            // Threads have no copies of their own of a scalar yet, so that this program's are one after the other.
            Err(error) => assert!(error.to_string().contains("array acc0"), "{}: {error}", file.display()),
        }
        assert!(text.contains("grid *") && text.contains("threads "), "{}: {text}", file.display());
    }
    assert!(regions >= 30, "{regions}");
}

/// ppcg report, Listing 9, as far as mapping goes: C's dimensions run over blocks and threads, the sum in each thread.
#[test]
fn a_product_is_mapped_by_the_dimensions_of_its_result() {
    let scop = region(&polybench().join("gemm.scop"));
    let tree = mapped(&scop).unwrap();
    let expected = ["S0: i0, i1", "S1: i0, i2"];
    assert_eq!(threads(&tree), [expected.map(str::to_owned).to_vec()]);
}

/// The loops of a block around tiles in shared memory, and the tiles: the array, its extents, and how many references
/// read from it.
fn tiles(name: &str) -> (usize, Vec<(String, Vec<i64>, usize)>) {
    fn find(node: &Node, loops: usize) -> Option<(usize, &Shared)> {
        match node {
            Node::Shared(shared) => Some((loops, shared)),
            Node::For(inner) => find(&inner.body, loops + 1),
            other => other.children().find_map(|child| find(child, loops)),
        }
    }
    let scop = region(&polybench().join(format!("{name}.scop")));
    let code = generate(&scop, &mapped(&scop).unwrap(), &Options::default()).unwrap();
    let (loops, shared) = find(&code.root, 0).expect("tiles in shared memory");
    let tiles = shared.tiles.iter().map(|tile| (tile.array.clone(), tile.extent.clone(), tile.reads.len()));
    (loops, tiles.collect())
}

/// ppcg report, Listing 9: tiles of A and B in the loop over tiles of k, none of C.
#[test]
fn tiles_of_a_product_are_copied_for_each_tile_of_the_sum() {
    let tile = |array: &str, extent: [i64; 2]| (array.to_owned(), extent.to_vec(), 1);
    assert_eq!(tiles("gemm"), (1, vec![tile("arg6", [64, 16]), tile("arg7", [16, 64])]));
}

/// ppcg report, Example 5 and Listing 8: two references that only read are two groups. (There one of them is copied.)
#[test]
fn references_that_only_read_are_groups_of_their_own() {
    let (loops, tiles) = tiles("syrk");
    assert_eq!((loops, tiles.len()), (1, 2));
    assert!(tiles.iter().all(|tile| tile.0 == tiles[0].0 && tile.2 == 1), "{tiles:?}");
}

/// For each band over threads, what each statement's threads are, in terms of its own dimensions, x last.
fn threads(tree: &Schedule) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    tree.root()
        .unwrap()
        .for_each_descendant_top_down(&mut |node| {
            let text = if node.node_type()? == polyrs::isl::NodeType::Mark { node.mark_id()?.name()? } else { None };
            let Some(Ok(Mark::Threads { sizes })) = text.map(|text| text.parse::<Mark>()) else { return Ok(true) };
            let band = Band::read(&node.clone().first_child()?)?;
            let mut of: BTreeMap<String, Vec<String>> = BTreeMap::new();
            for member in &band.members[..sizes.len()] {
                for function in member.clone().intersect_domain(node.domain()?)?.pw_aff_list()?.to_vec()? {
                    let name = function.domain_space()?.tuple_name(DimType::SET)?.unwrap_or_default();
                    let text = function.to_string();
                    let value = text.split("[(").nth(1).and_then(|rest| rest.split(")]").next()).unwrap_or("?");
                    of.entry(name).or_default().push(value.to_owned());
                }
            }
            all.push(of.into_iter().map(|(name, values)| format!("{name}: {}", values.join(", "))).collect());
            Ok(true)
        })
        .unwrap();
    all.sort();
    all
}

/// A statement whose loops may be written in any order: its name, its loops, bounds on them, and its accesses.
struct Nest {
    name: &'static str,
    loops: Vec<&'static str>,
    bounds: &'static str,
    accesses: &'static [(&'static str, &'static str)],
}

impl Nest {
    fn new(
        name: &'static str,
        loops: &[&'static str],
        bounds: &'static str,
        accesses: &'static [(&'static str, &'static str)],
    ) -> Nest {
        Nest { name, loops: loops.to_vec(), bounds, accesses }
    }

    fn instance(&self) -> String {
        format!("{}[{}]", self.name, self.loops.join(", "))
    }
}

/// A region of nests, one after the other inside of loops that all of them have first.
fn program(arrays: &str, nests: &[Nest], shared: usize) -> Scop {
    let mut statements = String::new();
    for nest in nests {
        let instance = nest.instance();
        statements += &format!("  {}:\n    domain: \"{{ {instance} : {} }}\"\n    accesses:\n", nest.name, nest.bounds);
        for (number, (kind, element)) in nest.accesses.iter().enumerate() {
            statements += &format!("      - {kind} {}_{number}: \"{{ {instance} -> {element} }}\"\n", nest.name);
        }
    }
    let domain: Vec<String> = nests.iter().map(|nest| format!("{} : {}", nest.instance(), nest.bounds)).collect();
    let band = |loops: &[String], child: &str| {
        let members: Vec<String> = loops.iter().map(|member| format!("{{ {member} }}")).collect();
        if members.is_empty() {
            return child.trim_start_matches(", child: ").to_owned();
        }
        format!("{{ schedule: \"[{}]\"{child} }}", members.join(", "))
    };
    let children: Vec<String> = nests
        .iter()
        .map(|nest| {
            let own: Vec<String> =
                nest.loops[shared..].iter().map(|dim| format!("{} -> [({dim})]", nest.instance())).collect();
            format!("{{ filter: \"{{ {} }}\", child: {} }}", nest.instance(), band(&own, ""))
        })
        .collect();
    let outer: Vec<String> = (0..shared)
        .map(|depth| {
            let parts: Vec<String> =
                nests.iter().map(|nest| format!("{} -> [({})]", nest.instance(), nest.loops[depth])).collect();
            parts.join("; ")
        })
        .collect();
    let sequence = format!(", child: {{ sequence: [ {} ] }}", children.join(", "));
    let schedule = format!("{{ domain: \"{{ {} }}\", child: {} }}", domain.join("; "), band(&outer, &sequence));
    let live: Vec<String> = arrays.split_whitespace().map(str::to_owned).collect();
    let arrays: String = live
        .iter()
        .map(|array| {
            let rank = array.matches(',').count() + 1;
            let name = array.split('[').next().unwrap_or_default();
            let extent = vec!["n"; rank].join(", ");
            format!("  {name}: {{ kind: memory, element: f64, extent: [{extent}] }}\n")
        })
        .collect();
    let text = format!(
        "scop: permuted\nparameters: [n]\ncontext: \"{{ : n >= 0 }}\"\narrays:\n{arrays}statements:\n{statements}\
         schedule: {schedule}\nlive_out: \"{{ {} }}\"\n",
        live.join("; ")
    );
    Scop::parse(&Ctx::new(), &text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn permutations<'l>(loops: &[&'l str]) -> Vec<Vec<&'l str>> {
    if loops.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (position, first) in loops.iter().enumerate() {
        let mut rest = loops.to_vec();
        rest.remove(position);
        all.extend(permutations(&rest).into_iter().map(|rest| [vec![*first], rest].concat()));
    }
    all
}

const SQUARE: &str = "0 <= i < n and 0 <= j < n";
const CUBE: &str = "0 <= i < n and 0 <= j < n and 0 <= k < n";

fn product(name: &'static str, order: &[&'static str], accesses: &'static [(&'static str, &'static str)]) -> Nest {
    Nest::new(name, order, CUBE, accesses)
}

fn gemm(order: &[&'static str]) -> Scop {
    const SCALE: &[(&str, &str)] = &[("read", "C[i, j]"), ("must_write", "C[i, j]")];
    const ADD: &[(&str, &str)] =
        &[("read", "C[i, j]"), ("read", "A[i, k]"), ("read", "B[k, j]"), ("must_write", "C[i, j]")];
    let nests = [Nest::new("S", &["i", "j"], SQUARE, SCALE), product("T", order, ADD)];
    program("A[a,b] B[a,b] C[a,b]", &nests, 0)
}

fn syrk(order: &[&'static str]) -> Scop {
    const SCALE: &[(&str, &str)] = &[("read", "C[i, j]"), ("must_write", "C[i, j]")];
    const ADD: &[(&str, &str)] =
        &[("read", "C[i, j]"), ("read", "A[i, k]"), ("read", "A[j, k]"), ("must_write", "C[i, j]")];
    let nests = [
        Nest::new("S", &["i", "j"], "0 <= j <= i < n", SCALE),
        Nest::new("T", order, "0 <= j <= i < n and 0 <= k < n", ADD),
    ];
    program("A[a,b] C[a,b]", &nests, 0)
}

fn two_products(first: &[&'static str], second: &[&'static str]) -> Scop {
    const CLEAR: &[(&str, &str)] = &[("must_write", "X[i, j]")];
    const ONE: &[(&str, &str)] =
        &[("read", "X[i, j]"), ("read", "A[i, k]"), ("read", "B[k, j]"), ("must_write", "X[i, j]")];
    const SCALE: &[(&str, &str)] = &[("read", "D[i, j]"), ("must_write", "D[i, j]")];
    const TWO: &[(&str, &str)] =
        &[("read", "D[i, j]"), ("read", "X[i, k]"), ("read", "C[k, j]"), ("must_write", "D[i, j]")];
    let nests = [
        Nest::new("S", &["i", "j"], SQUARE, CLEAR),
        product("T", first, ONE),
        Nest::new("U", &["i", "j"], SQUARE, SCALE),
        product("V", second, TWO),
    ];
    program("A[a,b] B[a,b] C[a,b] D[a,b] X[a,b]", &nests, 0)
}

fn doitgen(outer: &[&'static str], inner: &[&'static str]) -> Scop {
    const CLEAR: &[(&str, &str)] = &[("must_write", "X[p]")];
    const ADD: &[(&str, &str)] =
        &[("read", "X[p]"), ("read", "A[r, q, s]"), ("read", "B[s, p]"), ("must_write", "X[p]")];
    const COPY: &[(&str, &str)] = &[("read", "X[p]"), ("must_write", "A[r, q, p]")];
    const THREE: &str = "0 <= r < n and 0 <= q < n and 0 <= p < n";
    const FOUR: &str = "0 <= r < n and 0 <= q < n and 0 <= p < n and 0 <= s < n";
    let nests = [
        Nest::new("S", &[outer, &["p"]].concat(), THREE, CLEAR),
        Nest::new("T", &[outer, inner].concat(), FOUR, ADD),
        Nest::new("U", &[outer, &["p"]].concat(), THREE, COPY),
    ];
    program("A[a,b,c] B[a,b] X[a]", &nests, 2)
}

/// All programs are mapped alike; says how many there were.
fn alike(programs: impl IntoIterator<Item = Scop>) -> usize {
    let mut first: Option<Vec<Vec<String>>> = None;
    let mut count = 0;
    for scop in programs {
        let tree = mapped(&scop).unwrap_or_else(|| panic!("nothing is mapped:\n{}", scop.schedule));
        check(&scop, &tree, &Assumptions::default()).unwrap_or_else(|error| panic!("{error}\n{tree}"));
        let found = threads(&tree);
        assert!(!found.is_empty());
        assert_eq!(first.get_or_insert_with(|| found.clone()), &found, "{}", scop.schedule);
        count += 1;
    }
    count
}

/// A bad order of 2mm's loops cost the unified report half of the kernels' time (5.6).
#[test]
fn the_order_of_the_input_s_loops_does_not_decide() {
    let orders = permutations(&["i", "j", "k"]);
    assert_eq!(alike(orders.iter().map(|order| gemm(order))), 6);
    assert_eq!(alike(orders.iter().map(|order| syrk(order))), 6);
    let pairs = orders.iter().flat_map(|first| orders.iter().map(move |second| (first, second)));
    assert_eq!(alike(pairs.map(|(first, second)| two_products(first, second))), 36);
    let (outer, inner) = (permutations(&["r", "q"]), permutations(&["p", "s"]));
    let pairs = outer.iter().flat_map(|outer| inner.iter().map(move |inner| (outer, inner)));
    assert_eq!(alike(pairs.map(|(outer, inner)| doitgen(outer, inner))), 4);
}

/// `for t: for i: A[i] = f(A[i - 1], A[i])`, or without the neighbour.
fn steps(neighbour: bool) -> Scop {
    let read = if neighbour { "      - read N: \"{ S[t, i] -> A[i - 1] }\"\n" } else { "" };
    let text = format!(
        "scop: steps\nparameters: [n]\ncontext: \"{{ : n >= 0 }}\"\narrays:\n  \
           A: {{ kind: memory, element: f64, extent: [\"?\"] }}\nstatements:\n  S:\n    \
             domain: \"{{ S[t, i] : 0 <= t < n and 1 <= i < n }}\"\n    accesses:\n{read}      \
               - read R: \"{{ S[t, i] -> A[i] }}\"\n      - must_write W: \"{{ S[t, i] -> A[i] }}\"\n\
         schedule: {{ domain: \"{{ S[t, i] : 0 <= t < n and 1 <= i < n }}\", child: {{ schedule: \
           \"[{{ S[t, i] -> [(t)] }}, {{ S[t, i] -> [(i)] }}]\" }} }}\nlive_out: \"{{ A[a] }}\"\n"
    );
    Scop::parse(&Ctx::new(), &text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// What checker and interpreter say of a tree over the steps; they have to agree.
fn verdict(scop: &Scop, body: &str) -> Result<(), String> {
    let domain = "{ S[t, i] : 0 <= t < n and 1 <= i < n }";
    let text = format!("{{ domain: \"{domain}\", child: {body} }}");
    let tree = parse_schedule(scop, &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let checked = match check(scop, &tree, &Assumptions::default()) {
        Ok(()) => Ok(()),
        Err(CheckError::Illegal(violations)) => {
            assert!(violations.iter().any(|violation| violation.rule == Rule::Unordered), "{violations:?}");
            Err("a race".to_owned())
        }
        Err(CheckError::Unsupported(what)) => return Err(what),
        Err(other) => panic!("{other}"),
    };
    let parameters = BTreeMap::from([("n".to_owned(), 5)]);
    let interpreter = Interpreter::new(scop, &parameters, 1_000_000).unwrap();
    let report = interpreter.compare_tree(&tree, Reading::Marks).unwrap();
    assert_eq!(report.is_same(), checked.is_ok(), "{text}");
    checked
}

/// A mark above a child.
fn marked(mark: &str, child: &str) -> String {
    format!("{{ mark: \"{mark}\", child: {child} }}")
}

/// A band of one or more members above a child, if there is one.
fn band(members: &[&str], child: Option<&str>) -> String {
    let members: Vec<String> = members.iter().map(|member| format!("{{ S[t, i] -> [({member})] }}")).collect();
    let child = child.map_or(String::new(), |child| format!(", child: {child}"));
    format!("{{ schedule: \"[{}]\"{child} }}", members.join(", "))
}

#[test]
fn a_loop_around_threads_puts_two_of_them_in_no_order() {
    let in_threads = marked("threads 4", &band(&["i"], None));
    let inside = marked("kernel", &band(&["t"], Some(&in_threads)));
    let outside = band(&["t"], Some(&marked("kernel", &in_threads)));
    // Without the neighbour each thread has its own element, and goes through its steps in order.
    assert_eq!(verdict(&steps(false), &inside), Ok(()));
    assert_eq!(verdict(&steps(false), &outside), Ok(()));
    // With it only the end of a launch is an order between threads, and that not within a step.
    assert_eq!(verdict(&steps(true), &inside), Err("a race".to_owned()));
    assert_eq!(verdict(&steps(true), &outside), Err("a race".to_owned()));
    // In one thread all is well.
    let alone = marked("kernel", &band(&["t", "i"], None));
    assert_eq!(verdict(&steps(true), &alone), Ok(()));
}

#[test]
fn blocks_are_in_no_order_either() {
    let skewed = marked("kernel", &marked("grid *", &band(&["2t + i", "i"], None)));
    assert_eq!(verdict(&steps(true), &skewed), Err("a race".to_owned()));
    let waves = band(&["2t + i"], Some(&marked("kernel", &marked("grid 3", &band(&["i"], None)))));
    // A[i] of the step before and A[i - 1] of this one are of earlier waves, A[i + 1] of the step before is not written.
    assert_eq!(verdict(&steps(true), &waves), Ok(()));
}

#[test]
fn marks_about_threads_are_refused_in_the_wrong_places() {
    let scop = steps(false);
    let plain = band(&["i", "t"], None);
    let refused = |body: String| verdict(&scop, &body).unwrap_err();
    assert!(refused(marked("grid 3", &plain)).contains("outside of a kernel"));
    assert!(refused(marked("kernel", &marked("kernel", &plain))).contains("a kernel in a kernel"));
    assert!(refused(marked("kernel", &marked("threads 2,2,2", &plain))).contains("a band of 2 members"));
    for of_cpu in ["parallel", "parallel private(A)", "vector", "register"] {
        assert!(refused(marked("kernel", &marked(of_cpu, &plain))).contains("in a kernel"), "{of_cpu}");
        // A kernel between a mark and its band changes nothing.
        assert!(refused(marked(of_cpu, &marked("kernel", &plain))).contains("kernel"), "{of_cpu}");
    }
    let shared = marked("shared", &band(&["i"], None));
    assert!(refused(band(&["t"], Some(&shared))).contains("`shared` where threads are apart"));
    let inside = marked("kernel", &marked("threads 2", &band(&["t"], Some(&shared))));
    assert!(refused(inside).contains("`shared` where threads are apart"));
    let host = band(&["t"], Some(&marked("kernel", &band(&["i"], None))));
    assert!(refused(marked("parallel", &host)).contains("a kernel in a parallel loop"));
    for (outer, inner) in [("threads 3", "threads 5"), ("grid *", "grid *"), ("grid 2", "grid *")] {
        let nested = marked(outer, &band(&["i"], Some(&marked(inner, &band(&["t"], None)))));
        assert!(refused(marked("kernel", &nested)).contains("inside of another of its kind"), "{outer}");
    }
}
