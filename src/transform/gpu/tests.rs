use super::{kernels, select};
use crate::isl::{Ctx, Schedule, ScheduleNode};
use crate::schedule_tree::{Mark, band};

/// The statements of the kernels of a tree, and the tree with its marks.
fn selected(text: &str) -> Option<(Vec<String>, Schedule)> {
    let tree = Schedule::parse(&Ctx::new(), text).unwrap();
    let tree = select(&tree).unwrap()?;
    let found = kernels(&tree).unwrap();
    Some((found.into_iter().map(|kernel| kernel.statements.join(" ")).collect(), tree))
}

/// A child of a sequence or set: a band of one member over one statement.
fn child(name: &str, coincident: u32) -> String {
    format!(
        "{{ filter: \"[n] -> {{ {name}[i] }}\", child: {{ schedule: \"[n] -> [{{ {name}[i] -> [(i)] }}]\", \
         permutable: 1, coincident: [ {coincident} ] }} }}"
    )
}

fn tree(kind: &str, children: &[(&str, u32)]) -> String {
    let domain: Vec<String> = children.iter().map(|(name, _)| format!("{name}[i] : 0 <= i < n")).collect();
    let children: Vec<String> = children.iter().map(|(name, coincident)| child(name, *coincident)).collect();
    format!("{{ domain: \"[n] -> {{ {} }}\", child: {{ {kind}: [ {} ] }} }}", domain.join("; "), children.join(", "))
}

#[test]
fn nothing_runs_on_a_gpu_where_nothing_is_coincident() {
    assert!(selected(&tree("sequence", &[("A", 0), ("B", 0)])).is_none());
}

#[test]
fn what_is_sequential_stays_on_the_host_at_the_beginning_of_a_sequence() {
    let (found, _) = selected(&tree("sequence", &[("A", 0), ("B", 0), ("C", 1), ("D", 0), ("E", 1)])).unwrap();
    assert_eq!(found, ["C", "D", "E"]);
}

#[test]
fn what_is_sequential_stays_on_the_host_anywhere_in_a_set() {
    let (found, _) = selected(&tree("set", &[("A", 0), ("B", 1), ("C", 0)])).unwrap();
    assert_eq!(found, ["B"]);
}

/// A host loop around a sequence; only a set or sequence at the root has children on the host.
const STEPS: &str = r#"{ domain: "[n, m] -> { A[t, i] : 0 <= t < m and 0 <= i < n; B[t] : 0 <= t < m }",
    child: { schedule: "[n, m] -> [{ A[t, i] -> [(2t)]; B[t] -> [(2t)] }]", permutable: 0, coincident: [ 0 ],
      child: { sequence: [
        { filter: "[n, m] -> { B[t] }" },
        { filter: "[n, m] -> { A[t, i] }",
          child: { mark: "thread x 0",
            child: { schedule: "[n, m] -> [{ A[t, i] -> [(i)] }]", permutable: 1, coincident: [ 1 ] } } } ] } } }"#;

#[test]
fn a_part_without_coincident_members_is_a_kernel_of_one_thread() {
    let (found, tree) = selected(STEPS).unwrap();
    assert_eq!(found, ["B", "A"]);
    let found = kernels(&tree).unwrap();
    assert_eq!((found[0].members, found[0].host_loops), ((0, 0), 1));
    assert_eq!((found[1].members, found[1].host_loops), ((1, 1), 1));
    // The kernel's mark comes before that of neighbouring threads, which is about the kernel's band.
    let mut marks = Vec::new();
    let mut read = |node: &ScheduleNode| {
        marks.extend(band::mark(node)?);
        Ok(true)
    };
    tree.root().unwrap().for_each_descendant_top_down(&mut read).unwrap();
    assert_eq!(marks, [Mark::Kernel, Mark::Kernel, Mark::ThreadX { member: 0 }]);
}

#[test]
fn launches_are_the_iterations_around_a_kernel_that_have_instances() {
    let (_, tree) = selected(STEPS).unwrap();
    let at = |n: i64, m: i64, limit: usize| {
        let value = move |name: &str| Some(if name == "n" { n } else { m });
        let found = kernels(&tree).unwrap();
        found.iter().map(|kernel| kernel.launch_count(&value, limit).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(at(5, 7, 100), [Some(7), Some(7)]);
    // No instance of A, so nobody launches its kernel.
    assert_eq!(at(0, 7, 100), [Some(7), Some(0)]);
    assert_eq!(at(5, 7, 6), [None, None]);
    let (_, single) = selected(&self::tree("sequence", &[("A", 1), ("B", 1)])).unwrap();
    let count = |n: i64| kernels(&single).unwrap()[0].launch_count(&|_| Some(n), 10).unwrap();
    assert_eq!((count(4), count(0)), (Some(1), Some(0)));
}
