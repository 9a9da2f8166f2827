//! Operands that are kept, and right-looking order: nests in which each step reads rows and columns that it, or others, overwrite.

use super::gpu::{polybench, region};
use super::post_tile::Problem;
use fastrand::Rng;
use polyrs::check::layout::{LayoutError, check_layout, joined};
use polyrs::isl::{Ctx, DimType, Id, Map, Set};
use polyrs::layout::{Applied, Error, Layout};
use polyrs::schedule::Fusion;
use polyrs::schedule_tree::{Mark, TileSizes, has_mark};
use polyrs::scop::Scop;
use polyrs::transform;
use polyrs::transform::post_tile::{right_looking, strip};

/// A strip has two iterations.
fn sizes() -> TileSizes {
    TileSizes::new(&[1])
}

fn kept(scop: &Scop) -> Result<Applied, Error> {
    let text = format!("keep({}, {})", scop.arrays[0].name, strip(&sizes()));
    Layout::parse(scop, &text)?.apply(scop)
}

/// A step of a nest over `k`: what instances it has, and its accesses.
fn step(numbers: &mut Rng, name: &str, array: &str) -> (String, String) {
    let mut pick = |of: &[&'static str]| of[numbers.usize(..of.len())];
    let rows =
        pick(&["0 <= i < n", "0 <= i < n", "0 <= i < n", "k <= i < n", "k < i < n", "0 <= i <= k", "0 <= i < k"]);
    let columns =
        pick(&["0 <= j < n", "0 <= j < n", "0 <= j < n", "i <= j < n", "k < j < n", "0 <= j < k", "0 <= j <= k"]);
    let written = pick(&["[i + 1, j + 1]", "[i + 1, j + 1]", "[i + 1, j + 1]", "[j + 1, i + 1]", "[i + 1, n - j]"]);
    let operands = [
        pick(&["[i + 1, k + 1]", "[i + 1, k + 1]", "[i, k + 1]", "[n - i, k + 1]", "[k + 1, k + 1]"]),
        pick(&["[k + 1, j + 1]", "[k + 1, j + 1]", "[k + 1, j + 2]", "[k, j + 1]", "[k + 1, i + 1]", "[k + 2, j + 1]"]),
    ];
    let first = if numbers.bool() { "" } else { "X" };
    let mut accesses = format!("      - read {name}_0: \"[n] -> {{ {name}[k, i, j] -> {array}{written} }}\"\n");
    for (number, operand) in operands.into_iter().enumerate() {
        let from = if number == 0 && first == "X" { "B" } else { array };
        accesses +=
            &format!("      - read {name}_{}: \"[n] -> {{ {name}[k, i, j] -> {from}{operand} }}\"\n", number + 1);
    }
    accesses += &format!("      - must_write {name}_3: \"[n] -> {{ {name}[k, i, j] -> {array}{written} }}\"\n");
    (format!("{name}[k, i, j] : 0 <= k < n and {rows} and {columns}"), accesses)
}

fn program(numbers: &mut Rng) -> String {
    let mut steps = vec![step(numbers, "S0", "A")];
    if numbers.u8(..3) == 0 {
        let array = if numbers.bool() { "A" } else { "B" };
        steps.push(step(numbers, "S1", array));
    }
    let statement = |(number, (domain, accesses)): (usize, &(String, String))| {
        format!("  S{number}:\n    domain: \"[n] -> {{ {domain} }}\"\n    accesses:\n{accesses}")
    };
    let statements: String = steps.iter().enumerate().map(statement).collect();
    let all = |of: &dyn Fn(usize) -> String| (0..steps.len()).map(of).collect::<Vec<_>>().join("; ");
    let member = |name: &str| all(&|number| format!("S{number}[k, i, j] -> [({name})]"));
    let domains: Vec<&str> = steps.iter().map(|(domain, _)| domain.as_str()).collect();
    let sequence: String =
        (0..steps.len()).map(|number| format!("        - filter: \"[n] -> {{ S{number}[k, i, j] }}\"\n")).collect();
    let (k, i, j) = (member("k"), member("i"), member("j"));
    format!(
        "scop: steps\nparameters: [n]\ncontext: \"[n] -> {{ : 0 <= n <= 100 }}\"\narrays:\n  A: {{ kind: memory, element: i32, \
         extent: [103, 103] }}\n  B: {{ kind: memory, element: i32, extent: [103, 103] }}\nstatements:\n{statements}schedule:\n  \
         domain: \"[n] -> {{ {} }}\"\n  child:\n    schedule: \"[n] -> [{{ {k} }}, {{ {i} }}, {{ {j} }}]\"\n    child:\n      \
         sequence:\n{sequence}live_out: \"{{ A[i, j]; B[i, j] }}\"\n",
        domains.join("; "),
    )
}

#[test]
fn random_steps_that_keep_operands_compute_the_same() {
    let (mut numbers, mut layouts, mut refused, mut parts, mut looking) = (Rng::with_seed(43), 0, 0, 0, 0);
    for number in 0..16 {
        let text = program(&mut numbers);
        let scop = Scop::parse(&Ctx::new(), &text).unwrap();
        let applied = match kept(&scop) {
            Ok(applied) => applied,
            Err(Error::Directive(_)) => continue,
            Err(error) => panic!("program {number}: {error}\n{text}"),
        };
        let region = applied.scop.to_text().unwrap();
        match applied.check(&scop) {
            Ok(()) => layouts += 1,
            // Some part reads an element in several versions.
            Err(LayoutError::Different(_)) => {
                refused += 1;
                continue;
            }
            Err(error) => panic!("program {number}: {error}\n{text}\n{region}"),
        }
        parts += usize::from(!applied.parts.is_empty());
        let problem = Problem::parse(&region, &region);
        for tree in [problem.original(), problem.wide(Fusion::Incremental)] {
            let Some(strips) = right_looking(&tree, &problem.constraints, &sizes()).unwrap() else { continue };
            assert!(has_mark(&strips, &Mark::Rest).unwrap());
            problem.accept(&strips, &format!("program {number}\n{text}\n{region}"));
            let inside = transform::tile(&strips, &TileSizes::new(&[2])).unwrap();
            problem.accept(&inside, &format!("program {number}, in tiles\n{text}\n{region}"));
            looking += 1;
        }
    }
    let counts = format!("{layouts} layouts, {refused} not proved, {parts} in parts, {looking} in strips");
    assert!(layouts > 4 && refused < layouts && parts > 2 && looking > 2, "{counts}");
}

/// Floyd and Warshall's method: step `k` reads row and column `k` before and after it has changed them.
#[test]
fn shortest_paths_have_four_parts() {
    let scop = region(&polybench().join("floyd-warshall.scop"));
    let applied = kept(&scop).unwrap();
    applied.check(&scop).unwrap();
    assert_eq!((applied.parts.len(), applied.copies.len(), applied.scop.arrays.len()), (3, 8, 3));
    let without = |change: &dyn Fn(&mut Scop)| {
        let mut other = applied.scop.clone();
        change(&mut other);
        let name = |id| applied.scop.statement(id).name.clone();
        let parts: Vec<_> = applied.parts.iter().map(|part| (name(part.statement), name(part.of))).collect();
        joined(&other, &parts).and_then(|whole| check_layout(&scop, &whole, &[]))
    };
    let is_refused = |change: &dyn Fn(&mut Scop)| matches!(without(change), Err(LayoutError::Different(_)));
    assert!(!is_refused(&|_| ()));
    let part = applied.parts[0].statement.0;
    assert!(is_refused(
        &|other| other.statements[part].domain = renamed(&scop.statements[0].domain, &other.statements[part].domain)
    ));
    assert!(is_refused(&|other| {
        let domain = other.statements[part].domain.clone();
        other.statements[part].domain = domain.fix_si(DimType::SET, 0, 0).unwrap();
    }));
    // What another part keeps.
    assert!(is_refused(&|other| {
        let read = &mut other.statements[part].accesses[1];
        read.relation = moved(&read.relation);
    }));
    assert!(is_refused(&|other| {
        let (one, copy) = (other.statements.len() - 1, other.statements.len() - 3);
        let accesses = other.statements[copy].accesses.clone();
        for (access, from) in other.statements[one].accesses.iter_mut().zip(accesses) {
            let id = access.relation.tuple_id(DimType::In).unwrap();
            access.relation = from.relation.set_tuple_id(DimType::In, id).unwrap();
        }
    }));
}

fn renamed(set: &Set, as_this: &Set) -> Set {
    set.clone().set_tuple_id(as_this.tuple_id().unwrap()).unwrap()
}

/// An access to what is kept, to that of the part before.
fn moved(access: &Map) -> Map {
    let id: Id = access.tuple_id(DimType::Out).unwrap();
    let before = Map::parse(access.ctx(), "{ [p, k, e] -> [p - 1, k, e] }").unwrap();
    let before = before.set_tuple_id(DimType::In, id.clone()).unwrap().set_tuple_id(DimType::Out, id).unwrap();
    access.clone().apply_range(before).unwrap()
}
