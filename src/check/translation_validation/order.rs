//! The order of code as a schedule.

use crate::isl::{self, Aff, DimType, Id, LocalSpace, MultiUnionPwAff, PwAff, Schedule, Set, UnionPwAff};
use polyrs_model::Mark;

/// Something that is executed; several in a row are executed one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// The executions at a place, by its position in [`super::Emitted::places`].
    Place(usize),
    /// A loop over one dimension of the executions in it.
    Loop {
        /// The dimension.
        dimension: usize,
        /// Its iterations are not ordered, and each has its own copies of these arrays.
        parallel: Option<Vec<String>>,
        /// What is executed in an iteration.
        body: Vec<Order>,
    },
}

/// The schedule of the executions at all places, from the iterations in which each is reached, `{ N[j] }`; nothing if
/// there are no places.
pub(super) fn schedule(order: &[Order], domains: &[Set]) -> isl::Result<Option<Schedule>> {
    Ok(sequence(order, domains)?.map(|(schedule, _)| schedule))
}

/// The schedule of some items in a row, and their places.
fn sequence(order: &[Order], domains: &[Set]) -> isl::Result<Option<(Schedule, Vec<usize>)>> {
    let mut whole: Option<(Schedule, Vec<usize>)> = None;
    for item in order {
        let part = match item {
            Order::Place(place) => {
                let domain = domains[*place].clone().to_union_set()?;
                Some((Schedule::from_domain(domain)?, vec![*place]))
            }
            Order::Loop { dimension, parallel, body } => match sequence(body, domains)? {
                Some((inside, members)) => {
                    let schedule = inside.insert_partial_schedule(band(&members, domains, *dimension)?)?;
                    Some((mark(schedule, parallel.as_deref())?, members))
                }
                None => None,
            },
        };
        whole = match (whole, part) {
            (Some((before, mut members)), Some((schedule, more))) => {
                members.extend(more);
                Some((before.sequence(schedule)?, members))
            }
            (before, part) => before.or(part),
        };
    }
    Ok(whole)
}

/// One member of a band: a dimension of the executions at some places, `{ N[j] -> [j] }`.
fn band(members: &[usize], domains: &[Set], dimension: usize) -> isl::Result<MultiUnionPwAff> {
    let mut sum: Option<UnionPwAff> = None;
    for place in members {
        let space = LocalSpace::from_space(domains[*place].space()?)?;
        let function = PwAff::from_aff(Aff::var_on_domain(space, DimType::SET, dimension)?)?;
        let function = UnionPwAff::from_pw_aff(function)?;
        // The places have spaces of their own, so nothing is added up.
        sum = Some(match sum {
            Some(sum) => sum.union_add(function)?,
            None => function,
        });
    }
    let sum = sum.ok_or_else(|| isl::Error::invalid("a loop without executions"))?;
    MultiUnionPwAff::from_union_pw_aff(sum)
}

/// Marks the outermost band as parallel, with private copies of some arrays.
fn mark(schedule: Schedule, parallel: Option<&[String]>) -> isl::Result<Schedule> {
    let Some(private) = parallel else { return Ok(schedule) };
    let mark = Mark::Parallel { private: private.to_vec() }.to_string();
    let mark = Id::new(schedule.ctx(), &mark)?;
    schedule.root()?.first_child()?.insert_mark(mark)?.schedule()
}
