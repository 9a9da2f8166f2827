//! The use before each use, by exact dataflow (the unified report, 4.2 and 4.3).

use crate::isl::{DimType, Error, ErrorKind, Id, Result, Schedule, UnionAccessInfo, UnionMap};
use crate::schedule_tree::{among, names};
use std::collections::BTreeMap;

/// Operations that the analysis of all questions may use. The relations only steer the choice among legal schedules, so
/// that an analysis that takes longer than this is given up.
const ALL: u64 = 2_500_000;
/// Operations that the analysis of one question may use, when that of all was too much.
const ONE: u64 = 200_000;

/// Operations that each may use, however many there are.
const LEAST: u64 = 20_000;

/// After so many that were given up, those that are no smaller are, too.
const ENOUGH_GIVEN_UP: usize = 8;

/// Uses of something, and who wants to know which ones were just before.
pub(super) struct Question {
    /// What may be before: `{ S[i] -> X[x] }`.
    pub earlier: UnionMap,
    /// What it may be before of: `{ S[i] -> X[x] }`.
    pub later: UnionMap,
    /// The groups that the later uses belong to, by the names of their statements.
    pub groups: BTreeMap<String, usize>,
}

impl Question {
    /// The pairs of pieces that an analysis compares.
    fn size(&self) -> Result<usize> {
        let pieces = |uses: &UnionMap| -> Result<usize> {
            uses.map_list()?.to_vec()?.iter().map(|map| Ok(map.basic_map_list()?.to_vec()?.len())).sum()
        };
        Ok(pieces(&self.earlier)? * pieces(&self.later)?)
    }
}

/// What was found out.
pub(super) struct Answers {
    /// For groups asked about, the instances that use something next before an instance of the group does:
    /// `{ T[j] -> S[i] }`. A group may be there several times.
    pub found: Vec<(usize, UnionMap)>,
    /// The number of questions that would have taken too many operations.
    pub given_up: usize,
}

/// Answers questions, for an order of the instances; those about large regions one by one.
///
/// Every earlier use cuts, be it a read or a write: dependences of all kinds at once, and reads after reads. A pair
/// that has uses in between follows from the pairs given. Uses in the same instance are not before each other.
pub(super) fn nearest(questions: &[Question], order: &Schedule, is_large: bool) -> Result<Answers> {
    if !is_large {
        return within((Some(ALL), ONE), questions, order);
    }
    // Together they may not take much more than all at once may. What is left over is for what is made of the answers,
    // and for the other kind of proximity.
    let all = ALL.min(order.ctx().remaining() / 6);
    within((None, ONE.min((all / questions.len().max(1) as u64).max(LEAST))), questions, order)
}

/// Answers with at most so many operations for all together, where that is tried, and for each by itself.
fn within((all, one): (Option<u64>, u64), questions: &[Question], order: &Schedule) -> Result<Answers> {
    // The tree is gone through once for all questions, which for few statements is most of the work.
    if let Some(all) = all
        && let Some(found) = bounded(all, questions, order)?
    {
        return Ok(Answers { found, given_up: 0 });
    }
    one_by_one(one, questions, order, all.is_none())
}

/// Answers to each by itself, small ones first; of the order, only what it says of a question's statements is looked at
/// if `apart`.
fn one_by_one(operations: u64, questions: &[Question], order: &Schedule, apart: bool) -> Result<Answers> {
    let sizes = questions.iter().enumerate().map(|(number, question)| Ok((question.size()?, number)));
    let mut by_size = sizes.collect::<Result<Vec<_>>>()?;
    by_size.sort_unstable();
    let mut found = BTreeMap::new();
    let mut given_up = 0;
    for (_, number) in by_size {
        if given_up >= ENOUGH_GIVEN_UP {
            given_up += 1;
            continue;
        }
        let question = &questions[number];
        let own = if apart { among(order, &names(&question.earlier.clone().domain()?)?)? } else { Some(order.clone()) };
        let Some(own) = own else { continue };
        match bounded(operations, std::slice::from_ref(question), &own)? {
            Some(pairs) => {
                found.insert(number, pairs);
            }
            None => given_up += 1,
        }
    }
    Ok(Answers { found: found.into_values().flatten().collect(), given_up })
}

/// `None`: it would have taken too many operations.
fn bounded(operations: u64, questions: &[Question], order: &Schedule) -> Result<Option<Vec<(usize, UnionMap)>>> {
    match order.ctx().with_quota(operations, || answer(questions, order)) {
        Err(Error { kind: ErrorKind::Quota, .. }) => Ok(None),
        result => result.map(Some),
    }
}

fn answer(questions: &[Question], order: &Schedule) -> Result<Vec<(usize, UnionMap)>> {
    let Some((first, rest)) = questions.split_first() else { return Ok(Vec::new()) };
    let mut earlier = numbered(&first.earlier, 0)?;
    let mut later = numbered(&first.later, 0)?;
    for (number, question) in rest.iter().enumerate() {
        earlier = earlier.union(numbered(&question.earlier, number + 1)?)?;
        later = later.union(numbered(&question.later, number + 1)?)?;
    }
    // { T[j] -> [S[i] -> X[x]] }
    let pairs = UnionAccessInfo::from_sink(later)?
        .set_must_source(earlier)?
        .set_schedule(order.clone())?
        .compute_flow()?
        .full_must_dependence()?;
    let mut found = Vec::new();
    for map in pairs.map_list()?.to_vec()? {
        // { S[i] -> X[x] }
        let use_space = map.space()?.range()?.unwrap_space()?;
        let number = use_space.tuple_name(DimType::Out)?.and_then(|name| name.parse::<usize>().ok());
        let statement = use_space.tuple_name(DimType::In)?.unwrap_or_default();
        if let Some(&group) = number.and_then(|number| questions.get(number)?.groups.get(&statement)) {
            found.push((group, map.range_factor_domain()?.to_union_map()?));
        }
    }
    Ok(found)
}

/// The uses `{ S[i] -> X[x] }` with a number for `X`, so that those of several questions do not meet.
fn numbered(uses: &UnionMap, number: usize) -> Result<UnionMap> {
    let id = Id::new(uses.ctx(), &number.to_string())?;
    let mut renamed = UnionMap::empty(uses.space()?)?;
    for map in uses.map_list()?.to_vec()? {
        // The references of a stencil, and those of an update, are fewer pieces than references.
        renamed = renamed.union(map.coalesce()?.set_tuple_id(DimType::Out, id.clone())?.to_union_map()?)?;
    }
    Ok(renamed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dependence::samples;

    #[test]
    fn what_takes_too_long_alone_is_given_up() {
        let scop = samples::jacobi_1d();
        let question = |uses: UnionMap, group| Question {
            earlier: uses.clone(),
            later: uses,
            groups: BTreeMap::from([("S".to_owned(), group), ("T".to_owned(), group + 1)]),
        };
        let of = |array: &str| {
            let pattern = UnionMap::parse(scop.ctx(), &format!("{{ {array}[i] -> {array}[i] }}")).unwrap();
            scop.reads().unwrap().union(scop.may_writes().unwrap()).unwrap().apply_range(pattern).unwrap()
        };
        // Of each array the reader to itself, to the writer and back.
        let questions = [question(of("A"), 0), question(of("B"), 2)];
        let together = within((Some(0), 1), &questions, &scop.schedule).unwrap();
        assert_eq!((together.given_up, together.found.len()), (0, 6));
        let alone = within((Some(1), 0), &questions, &scop.schedule).unwrap();
        assert_eq!((alone.given_up, alone.found.len()), (0, 6));
        for group in 0..4 {
            let all = |answers: &Answers| {
                let mine = answers.found.iter().filter(|(g, _)| *g == group).map(|(_, pairs)| pairs.clone());
                mine.reduce(|a, b| a.union(b).unwrap()).unwrap()
            };
            assert!(all(&together).is_equal(&all(&alone)).unwrap());
        }
        let struck = within((Some(1), 1), &questions, &scop.schedule).unwrap();
        assert_eq!((struck.given_up, struck.found.len()), (2, 0));
    }
}
