//! Iterations counted on with those of another loop, and iterations that are later.

use super::super::command::Word;
use super::super::error::{NotDone, Wrong};
use super::super::names::Names;
use super::super::nest::{Loop, Nest, Node};
use super::super::similar::nearest;
use super::place::over_points;
use crate::isl::{Id, UnionPwAff, UnionSet, Val};
use crate::scop::Scop;

/// Adds the iterations of a loop, with a factor, to those of one in it.
pub(super) fn skew(nest: &mut Nest, names: &Names, of: &Word, (factor, by): (i64, &Word)) -> Result<(), NotDone> {
    let (named, other) = (names.find(of)?.named, names.find(by)?.named);
    over_points(named, of)?;
    over_points(other, by)?;
    let is_around = named.path.starts_with(&other.path) && named.path.len() > other.path.len();
    if !is_around {
        let message = format!("`{}` is not around `{}`", other.label, named.label);
        return Err(Wrong::at(by.column, message).help("a loop is skewed by one that is around it").into());
    }
    let Some(added) = nest.root.loop_at(&other.path).map(|outer| outer.member.clone()) else { return Ok(()) };
    let added = added.scale(Val::int(nest.domain.ctx(), factor)?)?;
    if let Node::Loop(Loop { member, .. }) = nest.root.at_mut(&named.path) {
        *member = member.clone().add(added)?;
    }
    Ok(())
}

/// Adds a number, or a sum of them and of parameters, to the iterations of a loop, or of those of one statement.
pub(super) fn shift(
    scop: &Scop,
    nest: &mut Nest,
    names: &Names,
    of: &Word,
    by: &[(i64, Option<Word>)],
) -> Result<(), NotDone> {
    let asked = names.find(of)?;
    over_points(asked.named, of)?;
    let reached = nest.instances(&asked.named.path)?.universe()?;
    let (mut moved, mut kept) = (UnionSet::empty(reached.space()?)?, UnionSet::empty(reached.space()?)?);
    for (statement, set) in reached.named_sets()? {
        let set = set.to_union_set()?;
        let is_moved = asked.statement.as_ref().is_none_or(|wanted| *wanted == statement);
        let all = if is_moved { &mut moved } else { &mut kept };
        *all = all.clone().union(set)?;
    }
    let distance = sum(scop, &moved, by)?;
    if let Node::Loop(Loop { member, .. }) = nest.root.at_mut(&asked.named.path) {
        let shifted = member.clone().intersect_domain(moved)?.add(distance)?;
        *member = shifted.union_add(member.clone().intersect_domain(kept)?)?;
    }
    Ok(())
}

/// A sum of numbers and parameters, for all of some instances `{ S[i] }`.
fn sum(scop: &Scop, instances: &UnionSet, terms: &[(i64, Option<Word>)]) -> Result<UnionPwAff, NotDone> {
    let ctx = scop.ctx();
    let parameters = scop.parameters()?;
    let mut all = UnionPwAff::val_on_domain(instances.clone(), Val::int(ctx, 0)?)?;
    for (factor, parameter) in terms {
        let factor = Val::int(ctx, *factor)?;
        let term = match parameter {
            None => UnionPwAff::val_on_domain(instances.clone(), factor)?,
            Some(word) if parameters.contains(&word.text) => {
                UnionPwAff::param_on_domain_id(instances.clone(), Id::new(ctx, &word.text)?)?.scale(factor)?
            }
            Some(word) => {
                let wrong = Wrong::at(word.column, format!("`{}` is no parameter of the region", word.text));
                let near = nearest(&word.text, parameters.iter().map(String::as_str));
                let help = match (near, &parameters[..]) {
                    (Some(near), _) => format!("is `{near}` meant?"),
                    (None, []) => "it has none".to_owned(),
                    (None, _) => format!("there are {}", parameters.join(", ")),
                };
                return Err(wrong.help(help).into());
            }
        };
        all = all.add(term)?;
    }
    Ok(all)
}
