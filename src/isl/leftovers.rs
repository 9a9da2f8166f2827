//! What work that is cut off leaves behind: nothing.
//!
//! With debug assertions a context that isl cannot free, because isl itself lost a reference, ends the program (see the
//! context's `Drop`). So these tests only have to cut work off in as many places as they can.

use super::meter::memory_used;
use super::{
    AstBuild, Ctx, Moment, Result, Schedule, ScheduleConstraints, Set, UnionAccessInfo, UnionMap, UnionPwMultiAff,
    UnionSet,
};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `work` in fresh contexts with more and more operations, until they are enough, and with more and more memory; how
/// often there was too little, at least, of either.
fn cut_off_everywhere(work: impl Fn(&Ctx) -> Result<()>) -> usize {
    let by_operations = cut_off(1, |ctx, operations| ctx.with_quota(operations, || work(ctx)));
    let by_memory = cut_off(64, |ctx, bytes| ctx.with_memory(bytes, || work(ctx)));
    by_operations.min(by_memory)
}

fn cut_off(unit: u64, work: impl Fn(&Ctx, u64) -> Result<()>) -> usize {
    let mut amount = unit;
    let mut struck = 0;
    loop {
        let before = memory_used();
        let done = work(&Ctx::new(), amount);
        // isl loses a small piece now and then where it is cut off.
        assert!(memory_used() <= before + 100, "{} with {amount}", memory_used());
        match done {
            Ok(()) => return struck,
            Err(error) => assert!(error.is_exhausted(), "{error}"),
        }
        // All small numbers, and then one of every so many.
        amount += unit + amount / 40;
        struck += 1;
    }
}

fn sets(ctx: &Ctx) -> Result<()> {
    let text = "[n] -> { A[i, j, k] : exists a, b: 0 <= 7a + 3b - i < n and 2j + 5k <= 3a and i + j >= 2k - b }";
    let set = Set::parse(ctx, text)?;
    let other = Set::parse(ctx, "[n] -> { A[i, j, k] : 0 <= i, j, k < n; A[i, i, i] : 0 <= i < n + 5 }")?;
    let least = set.clone().intersect(other.clone())?.lexmin()?.coalesce()?;
    let rest = other.clone().subtract(set.clone())?.gist(least.clone())?;
    rest.is_subset(&other)?;
    other.make_disjoint()?.simple_hull()?;
    least.compute_divs()?.project_out(super::DimType::SET, 1, 1)?.detect_equalities()?;
    Ok(())
}

/// Two statements of a stencil over time: accesses and original order.
const WRITES: &str =
    "[n] -> { S[t, i] -> B[i] : 0 <= t < n and 0 < i < n; T[t, i] -> A[i] : 0 <= t < n and 0 < i < n }";
const READS: &str = "[n] -> { S[t, i] -> A[j] : i - 1 <= j <= i + 1 and 0 <= t < n and 0 < i < n;
                              T[t, i] -> B[i] : 0 <= t < n and 0 < i < n }";
const ORDER: &str = "[n] -> { S[t, i] -> [t, 0, i]; T[t, i] -> [t, 1, i] }";

fn flow(ctx: &Ctx) -> Result<UnionMap> {
    let writes = UnionMap::parse(ctx, WRITES)?;
    UnionAccessInfo::from_sink(UnionMap::parse(ctx, READS)?)?
        .set_must_source(writes)?
        .set_schedule_map(UnionMap::parse(ctx, ORDER)?)?
        .compute_flow()?
        .must_dependence()
}

fn schedule(ctx: &Ctx, dependences: UnionMap) -> Result<Schedule> {
    let domain = UnionMap::parse(ctx, WRITES)?.domain()?;
    ScheduleConstraints::on_domain(domain)?
        .set_validity(dependences.clone())?
        .set_coincidence(dependences.clone())?
        .set_proximity(dependences)?
        .compute_schedule()
}

/// The dependences of the stencil as text, to start from.
fn dependences() -> String {
    flow(&Ctx::new()).unwrap().to_string()
}

#[test]
fn sets_cut_off() {
    assert!(cut_off_everywhere(sets) > 50);
}

#[test]
fn dataflow_cut_off() {
    assert!(cut_off_everywhere(|ctx| flow(ctx).map(drop)) > 50);
}

#[test]
fn scheduling_cut_off() {
    let text = dependences();
    assert!(cut_off_everywhere(|ctx| schedule(ctx, UnionMap::parse(ctx, &text)?).map(drop)) > 50);
}

#[test]
fn code_generation_cut_off() {
    let ctx = Ctx::new();
    let tree = schedule(&ctx, flow(&ctx).unwrap()).unwrap().to_string();
    let generate = |ctx: &Ctx| {
        let build = AstBuild::from_context(Set::parse(ctx, "[n] -> { : n > 0 }")?)?;
        let node = build.node_from_schedule(Schedule::parse(ctx, &tree)?)?;
        node.to_c_str().map(drop)
    };
    assert!(cut_off_everywhere(generate) > 50);
}

#[test]
fn trees_cut_off() {
    let ctx = Ctx::new();
    let tree = schedule(&ctx, flow(&ctx).unwrap()).unwrap().to_string();
    let rewrite = |ctx: &Ctx| {
        let tree = Schedule::parse(ctx, &tree)?;
        let part = UnionSet::parse(ctx, "[n] -> { S[t, i] : t < 7; T[t, i] : t < 7 }")?;
        let order = tree.clone().intersect_domain(part)?.map()?;
        let shift = UnionPwMultiAff::from_union_map(UnionMap::parse(ctx, "{ S[t, i] -> S[t + 1, i] }")?)?;
        order.clone().lex_lt_union_map(order)?.preimage_domain_union_pw_multi_aff(shift)?.is_empty()?;
        tree.pullback_union_pw_multi_aff(UnionPwMultiAff::from_union_map(UnionMap::parse(
            ctx,
            "{ U[t, i] -> S[t, i]; T[t, i] -> T[t, i] }",
        )?)?)?
        .map()?
        .is_injective()
        .map(drop)
    };
    assert!(cut_off_everywhere(rewrite) > 50);
}

#[test]
fn a_passed_deadline_and_bad_arguments_leave_nothing() {
    let ctx = Ctx::new();
    let set = Set::parse(&ctx, "{ A[i] : 0 <= i < 10 }").unwrap();
    let other = Set::parse(&ctx, "{ B[i, j] : 0 <= i < 10 }").unwrap();
    assert!(set.clone().intersect(other.clone()).is_err());
    assert!(set.clone().fix_si(super::DimType::SET, 7, 1).is_err());
    assert!(Set::parse(&ctx, "{ A[i] : 0 <= ").is_err());
    assert!(Schedule::parse(&ctx, "{ domain: \"{ A[i] }\", child: { schedule: \"[{ A[i] -> [(i)] }]\"").is_err());
    ctx.set_deadline(Some(Moment::now()));
    assert!(set.union(other).is_err_and(|error| error.is_exhausted()));
}

#[test]
fn a_panic_leaves_nothing() {
    let ctx = Ctx::new();
    let set = Set::parse(&ctx, "{ A[i] : 0 <= i < 10 }").unwrap();
    let died: std::thread::Result<()> = catch_unwind(AssertUnwindSafe(|| {
        ctx.with_quota(3, || {
            let kept = set.clone();
            panic!("while there is {kept}");
        })
    }));
    assert!(died.is_err());
    // The bound went with its scope.
    assert!(!set.complement().unwrap().is_empty().unwrap());
}
