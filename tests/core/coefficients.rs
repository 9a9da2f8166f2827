//! What a strategy asks of coefficients in all members, against the functions of a tree; and that explaining a schedule
//! leaves it as it is.

use crate::regions::files;
use crate::schedules::{Making, complaints, constraints_of_region, groups_of_region, read};
use polyrs::isl::{self, Aff, Ctx, DimType, NodeType, Schedule};
use polyrs::machine::Machine;
use polyrs::schedule::{Error, Event, Linear, Strategy, schedule_explained, schedule_groups};
use polyrs::scop::Scop;
use std::collections::BTreeMap;

/// The members of a tree in which a constraint of the strategy does not hold, though all of its statements are there.
pub fn broken(strategy: &Strategy, tree: &Schedule) -> Vec<String> {
    let mut broken = Vec::new();
    let mut visit = |node: &isl::ScheduleNode| {
        if node.node_type()? != NodeType::Band {
            return Ok(true);
        }
        let partial = node.band_partial_schedule()?;
        for member in 0..partial.size()? {
            let function = partial.at(i32::try_from(member).unwrap())?;
            let mut functions = BTreeMap::new();
            for part in function.pw_aff_list()?.to_vec()? {
                let name = part.domain_space()?.tuple_name(DimType::SET)?.unwrap();
                if part.isa_aff()? {
                    functions.insert(name, part.as_aff()?);
                }
            }
            for constraint in &strategy.constraints {
                let about = functions.keys().map(|statement| constraint.about(statement));
                let all: Vec<Linear> =
                    if constraint.is_about_each() { about.collect() } else { vec![constraint.clone()] };
                for one in all {
                    if holds(&one, &functions)? == Some(false) {
                        broken.push(format!("{one} in {function}"));
                    }
                }
            }
        }
        Ok(true)
    };
    tree.root().unwrap().for_each_descendant_top_down(&mut visit).unwrap();
    broken
}

/// None: some statement or loop is not there.
fn holds(constraint: &Linear, functions: &BTreeMap<String, Aff>) -> isl::Result<Option<bool>> {
    let mut sum = constraint.constant;
    for (factor, coefficient) in &constraint.terms {
        let Some(function) = functions.get(&coefficient.statement) else { return Ok(None) };
        let space = function.domain_space()?;
        let place = |kind: DimType| Ok(space.dim_names(kind)?.iter().position(|name| *name == coefficient.of));
        let at = |place: usize| i32::try_from(place).unwrap();
        let value = match (place(DimType::SET)?, place(DimType::Param)?) {
            _ if coefficient.of == "1" => function.constant()?,
            (Some(place), _) => function.coefficient(DimType::In, at(place))?,
            (None, Some(place)) => function.coefficient(DimType::Param, at(place))?,
            (None, None) => return Ok(None),
        };
        sum += factor * value.as_i64()?.unwrap();
    }
    Ok(Some(if constraint.is_equality { sum == 0 } else { sum >= 0 }))
}

/// Bounds that most schedules keep to, and some that few do: in bands, in clusters and in steps of Feautrier's algorithm.
#[test]
fn constraints_of_all_members_hold_in_all_of_them() {
    let making = Making { live_range_reordering: true, remove_dead: false, input: false };
    let (mut wrong, mut found, mut carried, mut without) = (Vec::new(), 0, 0, 0);
    for file in files() {
        let ctx = Ctx::new();
        let scop = Scop::parse(&ctx, &read(&file)).unwrap();
        let constraints = constraints_of_region(&ctx, &file, making);
        let groups = groups_of_region(&ctx, &file);
        for preset in ["isl-defaults", "ppcg", "pluto", "feautrier", "unified-cpu"] {
            for asked in [r#""*.i <= 1", "*.j <= 1", "*.t <= 1""#, r#""2 *.i = *.j", "*.1 <= 1""#, r#""*.i >= *.j""#] {
                let text = format!("preset = \"{preset}\"\nconstraints = [{asked}]");
                let strategy = Strategy::parse(&text, &Machine::generic()).unwrap();
                let place = format!("{}: {text}", file.display());
                let mut count = |event: Event| carried += usize::from(matches!(event, Event::Carried { .. }));
                let tree = ctx.with_quota(4_000_000, || schedule_groups(&constraints, &groups, &strategy, &mut count));
                let tree = match tree {
                    Ok(tree) => tree,
                    Err(Error::NothingCarried) => panic!("{place}: the constraints are not spoken of"),
                    Err(_) => {
                        without += 1;
                        continue;
                    }
                };
                found += 1;
                wrong.extend(broken(&strategy, &tree).into_iter().map(|what| format!("{place}: {what}")));
                let complaints = complaints(&constraints, &scop, &tree).into_iter();
                wrong.extend(complaints.map(|complaint| format!("{place}: {complaint}\n{tree}")));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {found}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(found > 300 && carried > 100 && without > 20, "{found} found, {carried} steps, {without} without");
}

/// What is told takes more work, and changes nothing.
#[test]
fn explained_schedules_are_the_same() {
    let making = Making { live_range_reordering: true, remove_dead: false, input: false };
    let (mut told, mut files_told) = (0, 0);
    for file in files() {
        let ctx = Ctx::new();
        let constraints = constraints_of_region(&ctx, &file, making);
        let groups = groups_of_region(&ctx, &file);
        for preset in [Strategy::ppcg(), Strategy::feautrier()] {
            let plain = ctx.with_quota(1_000_000, || schedule_groups(&constraints, &groups, &preset, &mut |_| ()));
            let mut check = |event: Event| {
                let Event::Carried { step: Some(step), .. } = event else { return };
                told += 1;
                let (left, carried) = (step.values[0].1, step.relations.iter().map(|one| one.carried).sum::<usize>());
                assert!(left < i64::try_from(step.groups).unwrap() * step.denominator && carried > 0, "{step}");
            };
            let explained =
                ctx.with_quota(20_000_000, || schedule_explained(&constraints, &groups, &preset, &mut check));
            let (Ok(plain), Ok(explained)) = (plain, explained) else { continue };
            assert!(plain.plain_is_equal(&explained).unwrap(), "{}: {plain}\n{explained}", file.display());
            files_told += 1;
        }
    }
    assert!(told > 50 && files_told > 60, "{told} steps in {files_told} schedules");
}
