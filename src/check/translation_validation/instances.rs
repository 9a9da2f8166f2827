//! Code executes each instance once, and no others.
//!
//! The union of the relations from iterations to instances, one for each place of the code, is never asked for anything:
//! isl compares all its pieces with each other, and pairs of iterations have twice the loops. A place executes an
//! instance once if each of its iterators, from the outermost to the innermost, is known from the instance and those
//! around; two places have no instance in common.

use super::ValidationError;
use crate::isl::{self, DimType, Map, Set, UnionSet};
use crate::legality::sample_instance;

/// `{ N[j] -> S[i] }`, one for each place, are together a bijection onto the instances that are to be executed,
/// `{ S[i] }`.
pub(crate) fn check_instances(alive: &UnionSet, places: &[Map]) -> Result<(), ValidationError> {
    // { S[i] } of each place
    let executed: Vec<Set> = places.iter().map(|place| place.clone().range()).collect::<isl::Result<_>>()?;
    let mut missing = alive.clone();
    for executed in &executed {
        missing = missing.subtract(executed.clone().to_union_set()?)?;
    }
    if let Some(example) = sample_instance(&missing)? {
        return Err(ValidationError::Missing(example));
    }
    for executed in &executed {
        let stray = executed.clone().to_union_set()?.subtract(alive.clone())?;
        if let Some(example) = sample_instance(&stray)? {
            return Err(ValidationError::Stray(example));
        }
    }
    if are_disjoint(&executed)? && all(places, executes_once)? {
        return Ok(());
    }
    match sample_instance(&executed_twice(places, alive)?)? {
        Some(example) => Err(ValidationError::Twice(example)),
        None => Ok(()),
    }
}

/// Something holds of all places.
fn all(places: &[Map], holds: impl Fn(&Map) -> isl::Result<bool>) -> isl::Result<bool> {
    for place in places {
        if !holds(place)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// No two of these sets have a point in common.
fn are_disjoint(sets: &[Set]) -> isl::Result<bool> {
    let names: Vec<Option<String>> = sets.iter().map(Set::tuple_name).collect::<isl::Result<_>>()?;
    for (second, set) in sets.iter().enumerate() {
        for first in (0..second).filter(|&first| names[first] == names[second]) {
            if !set.is_disjoint(&sets[first])? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// `{ N[j] -> S[i] }` has no two iterations for an instance.
fn executes_once(place: &Map) -> isl::Result<bool> {
    let iterations = place.clone().reverse()?;
    let depth = iterations.dim(DimType::Out)?;
    for known in 0..depth {
        // { [i, j up to here] -> [j here] }
        let iterator = iterations.clone().project_out(DimType::Out, known + 1, depth - known - 1)?;
        let instance = iterator.dim(DimType::In)?;
        if !iterator.move_dims(DimType::In, instance, DimType::Out, 0, known)?.is_single_valued()? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The instances of two iterations: `{ S[i] }`
fn executed_twice(places: &[Map], alive: &UnionSet) -> isl::Result<UnionSet> {
    let mut twice = UnionSet::empty(alive.space()?)?;
    for (second, place) in places.iter().enumerate() {
        let place = place.clone().to_union_map()?;
        for first in &places[..=second] {
            // { N[j] -> N'[j'] }
            let same = place.clone().apply_range(first.clone().to_union_map()?.reverse()?)?;
            let other = same.clone().subtract(same.domain()?.identity()?)?;
            twice = twice.union(place.clone().intersect_domain(other.domain()?)?.range()?)?;
        }
    }
    Ok(twice)
}
