//! Who executes an instance is who the marks of the tree say, and each block and thread follows the tree.

use super::execute::{Instance, Number, Place, expected, placed, scop};
use super::kernel_trees::Tree;
use super::{generate, small_options};
use crate::check::coverage::check_coverage;
use crate::check::translation_validation::ValidationError;
use crate::codegen::{Ast, Error};
use crate::isl::{self, DimType, ScheduleNode, UnionMap, UnionSet};
use crate::schedule_tree::Mark;
use crate::schedule_tree::band::{Band, band_below, mark, tuple};
use crate::scop::Scop;
use fastrand::Rng;
use std::collections::BTreeMap;

/// What a mark `grid` or `threads` says.
struct Said {
    is_grid: bool,
    sizes: Vec<u32>,
    /// The instances under it.
    domain: UnionSet,
    /// The members: `{ S[i] -> [v] }`
    members: UnionMap,
}

/// A kernel of a tree.
struct Launched {
    /// The instances in it.
    domain: UnionSet,
    /// The loops of the host around it: `{ S[i] -> [t] }`, nothing where there are none.
    host: Option<UnionMap>,
    marks: Vec<Said>,
}

fn kernels(scop: &Scop) -> isl::Result<Vec<Launched>> {
    let mut all = Vec::new();
    scop.schedule.root()?.for_each_descendant_top_down(&mut |node| {
        if mark(node)? != Some(Mark::Kernel) {
            return Ok(true);
        }
        let prefix = node.prefix_schedule()?;
        let host = if prefix.size()? == 0 { None } else { Some(UnionMap::from_multi_union_pw_aff(prefix)?) };
        let mut marks = Vec::new();
        node.for_each_descendant_top_down(&mut |inner| {
            marks.extend(said(scop, inner)?);
            Ok(true)
        })?;
        all.push(Launched { domain: node.domain()?, host, marks });
        Ok(false)
    })?;
    Ok(all)
}

fn said(scop: &Scop, node: &ScheduleNode) -> isl::Result<Option<Said>> {
    let Some(decision) = mark(node)? else { return Ok(None) };
    let (Some(sizes), Some(band)) = (decision.axes(), band_below(node)?) else { return Ok(None) };
    let members = Band::read(&band)?.members[..sizes.len()].to_vec();
    let members = UnionMap::from_multi_union_pw_aff(tuple(scop.ctx(), &members)?)?;
    let is_grid = matches!(decision, Mark::Grid { .. });
    Ok(Some(Said { is_grid, sizes: sizes.to_vec(), domain: node.domain()?, members }))
}

/// An instance at values of the parameters: `{ S[i] }`
fn point(scop: &Scop, instance: &Instance, parameters: &[i64]) -> isl::Result<UnionSet> {
    let names = scop.context.space()?.dim_names(DimType::Param)?;
    let arguments: Vec<String> = instance.1.iter().map(i64::to_string).collect();
    let values: Vec<String> = names.iter().zip(parameters).map(|(name, value)| format!("{name} = {value}")).collect();
    let text = format!(
        "[{}] -> {{ {}[{}] : {} }}",
        names.join(", "),
        scop.statements[instance.0].name,
        arguments.join(", "),
        values.join(" and ")
    );
    UnionSet::parse(scop.ctx(), &text)
}

/// The values of a function at a point.
fn values(function: &UnionMap, point: &UnionSet) -> isl::Result<Vec<i64>> {
    let values = point.clone().apply(function.clone())?.as_set()?.sample_point()?.multi_val()?;
    (0..values.size()?).map(|position| values.at(i32::try_from(position).unwrap_or(0))?.to_i64()).collect()
}

/// The numbers of an instance's block, or thread, are what a mark says; zero where none does.
fn agree(said: Option<&(Vec<u32>, Vec<i64>)>, numbers: &[Number]) -> bool {
    let wanted = |from_x: usize, most: Option<i64>| {
        let Some((sizes, values)) = said.filter(|(sizes, _)| sizes.len() > from_x) else { return 0 };
        let position = sizes.len() - 1 - from_x;
        match (i64::from(sizes[position]), most) {
            (_, None) => values[position],
            (0, Some(most)) => values[position].rem_euclid(most),
            (size, Some(most)) => values[position].rem_euclid(size.min(most)),
        }
    };
    let mut all = numbers.iter().rev().enumerate();
    all.all(|(from_x, one)| one.number == wanted(from_x, one.most))
        && said.is_none_or(|(sizes, _)| sizes.len() <= numbers.len())
}

/// What is wrong with who executes what, and when, at values of the parameters.
fn complaint(scop: &Scop, ast: &Ast, parameters: &[i64]) -> isl::Result<Option<String>> {
    let kernels = kernels(scop)?;
    let times: BTreeMap<Instance, Vec<i64>> =
        expected(scop, &scop.schedule, parameters).into_iter().map(|(time, instance)| (instance, time)).collect();
    let mut last: BTreeMap<Option<(usize, Place)>, Vec<i64>> = BTreeMap::new();
    let mut host: BTreeMap<usize, Vec<i64>> = BTreeMap::new();
    let mut count: BTreeMap<Instance, usize> = BTreeMap::new();
    for (instance, place) in placed(ast, parameters) {
        *count.entry(instance.clone()).or_default() += 1;
        let Some(time) = times.get(&instance) else { return Ok(Some(format!("{instance:?} is no instance"))) };
        let point = point(scop, &instance, parameters)?;
        let mut kernel = None;
        for (number, launched) in kernels.iter().enumerate() {
            kernel = if launched.domain.is_disjoint(&point)? { kernel } else { Some(number) };
        }
        let at = match (kernel, place) {
            (None, None) => None,
            (Some(number), Some(place)) => {
                for (is_grid, numbers) in [(true, &place.blocks), (false, &place.threads)] {
                    let mut found = None;
                    for said in kernels[number].marks.iter().filter(|said| said.is_grid == is_grid) {
                        if !said.domain.is_disjoint(&point)? {
                            found = Some((said.sizes.clone(), values(&said.members, &point)?));
                        }
                    }
                    if !agree(found.as_ref(), numbers) {
                        return Ok(Some(format!("{instance:?} is executed by {place:?}, not as {found:?} says")));
                    }
                }
                // Launches are in the order of the host's loops.
                let outer = kernels[number].host.as_ref().map(|host| values(host, &point)).transpose()?;
                let outer = outer.unwrap_or_default();
                if host.insert(number, outer.clone()).is_some_and(|before| before > outer) {
                    return Ok(Some(format!("{instance:?} is launched too late")));
                }
                Some((number, place))
            }
            _ => return Ok(Some(format!("{instance:?} is in a kernel or not"))),
        };
        if last.insert(at.clone(), time.clone()).is_some_and(|before| before >= *time) {
            return Ok(Some(format!("{instance:?} comes too late in {at:?}")));
        }
    }
    Ok(times.keys().find(|one| count.get(one) != Some(&1)).map(|one| format!("{one:?} is lost, or executed twice")))
}

/// The work of isl for one tree.
const QUOTA: u64 = 8_000_000;

#[test]
fn random_instances_are_where_marks_say() {
    let (mut checked, mut proved, mut lost) = (0, 0, 0);
    for seed in 0..100_u64 {
        let tree = Tree::random(&mut Rng::with_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        let ctx = isl::Ctx::new();
        let scop = scop(&ctx, &tree.domain, tree.context, &tree.schedule);
        let ast = match ctx.with_quota(QUOTA, || generate(&scop, &scop.schedule, &small_options())) {
            Ok(ast) => ast,
            Err(Error::TooLarge { .. } | Error::Unsupported { .. }) => continue,
            Err(error) => {
                assert!(error.is_exhausted(), "{error}");
                continue;
            }
        };
        checked += 1;
        let proof = check_coverage(&scop, &scop.schedule, &ast, QUOTA);
        proved += usize::from(proof.is_ok());
        let mut is_wrong = false;
        for parameters in [[0, 0], [1, 2], [3, 4], [5, -1], [2, 6], [-1, 1]] {
            let is_inside = match tree.context {
                "[n,m] -> { : n >= 1 }" => parameters[0] >= 1,
                "[n,m] -> { : m > n }" => parameters[1] > parameters[0],
                _ => true,
            };
            let found = if is_inside { complaint(&scop, &ast, &parameters).unwrap() } else { None };
            let Some(found) = found else { continue };
            // isl loses instances of some of these trees, with kernels and without: the proof has to find that.
            assert!(
                found.contains("is lost") && proof.as_ref().is_err_and(|error| !error.is_open()),
                "seed {seed} at {parameters:?}: {found}\n{}\n{}",
                tree.schedule,
                ast.to_text(&scop)
            );
            (lost, is_wrong) = (lost + 1, true);
            break;
        }
        assert!(
            is_wrong || proof.as_ref().err().is_none_or(ValidationError::is_open),
            "seed {seed}: {proof:?}\n{}\n{}",
            tree.schedule,
            ast.to_text(&scop)
        );
    }
    assert!(checked > 60 && proved > 50 && lost < 5, "{checked} {proved} {lost}");
}
