//! The reasons of a checker that refuses.

use crate::isl::{self, DimType, UnionMap, UnionSet};
use crate::scop::Scop;
use std::fmt;

/// One instance of a statement, for messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    /// The statement's name.
    pub statement: String,
    /// The instance vector.
    pub values: Vec<String>,
}

impl fmt::Display for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.statement, self.values.join(", "))
    }
}

/// The rule that a tree breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// An instance is not executed.
    Missing,
    /// An instance is executed more than once.
    Twice,
    /// The tree executes what is no instance, or has no date for an instance.
    Stray,
    /// An instance was dropped as dead but its value is needed, or it has a side effect or may trap.
    NotDead,
    /// Two conflicting instances are left unordered.
    Unordered,
    /// A read gets another value: other last writers than in the original.
    OtherWriter,
    /// The possible writers of a value change their relative order.
    WriterOrder,
    /// A read gets the value from before the region where it did not, or the other way round; or reads a private copy
    /// that nothing was written to.
    LiveIn,
    /// A live-out element has other final writers.
    LiveOut,
    /// A validity constraint goes backwards or is left unordered.
    NotKept,
    /// A conditioned validity constraint does, next to a condition that is not local.
    ConditionedNotKept,
    /// A band marked permutable is not.
    NotPermutable,
    /// A member marked coincident is not.
    NotCoincident,
    /// A member marked for vector execution carries a conflict.
    NotVector,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rule::Missing => "an instance is not executed",
            Rule::Twice => "an instance is executed twice",
            Rule::Stray => "the tree and the region have different instances",
            Rule::NotDead => "an instance dropped as dead is needed",
            Rule::Unordered => "conflicting instances are left unordered",
            Rule::OtherWriter => "a read gets its value from another writer",
            Rule::WriterOrder => "the possible writers of a value change their order",
            Rule::LiveIn => "a read sees what was there before the region where it did not, or does not where it did",
            Rule::LiveOut => "an element has another final writer",
            Rule::NotKept => "a validity constraint is not kept",
            Rule::ConditionedNotKept => {
                "a conditioned validity constraint is not kept next to a condition that is not local"
            }
            Rule::NotPermutable => "a band marked permutable is not",
            Rule::NotCoincident => "a member marked coincident is not",
            Rule::NotVector => "a member marked vector carries a conflict",
        })
    }
}

/// One thing that is wrong with a tree, with an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The rule broken.
    pub rule: Rule,
    /// The array concerned.
    pub array: Option<String>,
    /// The references of source and sink that touch the same element, where known.
    pub references: Option<(String, String)>,
    /// An example: one instance, or a pair in the original order.
    pub example: Vec<Instance>,
    /// Where in the tree, such as `band 1, member 0`; may be empty.
    pub place: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.rule)?;
        if !self.place.is_empty() {
            write!(f, " ({})", self.place)?;
        }
        if let Some(array) = &self.array {
            write!(f, ": array {array}")?;
        }
        if let Some((source, sink)) = &self.references {
            write!(f, ", references {source} and {sink}")?;
        }
        let example: Vec<String> = self.example.iter().map(ToString::to_string).collect();
        if !example.is_empty() {
            write!(f, ", for example {}", example.join(" and "))?;
        }
        Ok(())
    }
}

/// Why a tree was not accepted.
#[derive(Debug, Clone, thiserror::Error)]
pub enum CheckError {
    /// The tree is illegal.
    #[error("the schedule is illegal: {}", list(.0))]
    Illegal(Vec<Violation>),
    /// The budget ran out before the proof was complete.
    #[error("the legality check ran out of its budget")]
    Budget,
    /// The tree has nodes that the checker does not know.
    #[error("the legality check does not know {0}")]
    Unsupported(String),
    /// isl failed.
    #[error(transparent)]
    Isl(isl::Error),
}

impl From<isl::Error> for CheckError {
    fn from(error: isl::Error) -> Self {
        if error.is_exhausted() { CheckError::Budget } else { CheckError::Isl(error) }
    }
}

fn list(violations: &[Violation]) -> String {
    violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

impl Violation {
    /// A violation by a set of instances `{ S[i] }`, one of them as the example.
    pub(super) fn of_instances(rule: Rule, instances: &UnionSet, place: &str) -> isl::Result<Self> {
        Ok(Violation {
            rule,
            array: None,
            references: None,
            example: sample_instance(instances)?.into_iter().collect(),
            place: place.to_owned(),
        })
    }

    /// A violation by a set of pairs `{ S[i] -> T[j] }` on an array, one of them as the example.
    pub(super) fn of_pairs(rule: Rule, scop: &Scop, array: &str, pairs: &UnionMap, place: &str) -> isl::Result<Self> {
        let example = sample_pair(pairs)?;
        let references = match &example {
            Some((source, sink, pair)) => references_in_conflict(scop, array, source, sink, pair)?,
            None => None,
        };
        Ok(Violation {
            rule,
            array: Some(array.to_owned()),
            references,
            example: example.map(|(source, sink, _)| vec![source, sink]).unwrap_or_default(),
            place: place.to_owned(),
        })
    }
}

/// One of the instances `{ S[i] }`, if there is one.
pub(crate) fn sample_instance(instances: &UnionSet) -> isl::Result<Option<Instance>> {
    if instances.is_empty()? {
        return Ok(None);
    }
    let point = isl::Set::from_point(instances.clone().sample_point()?)?;
    Ok(Some(instance(&point)?))
}

/// One pair of the relation `{ S[i] -> T[j] }`, also as a relation of one pair.
pub(crate) fn sample_pair(pairs: &UnionMap) -> isl::Result<Option<(Instance, Instance, isl::Map)>> {
    if pairs.is_empty()? {
        return Ok(None);
    }
    let pair = isl::Set::from_point(pairs.clone().wrap()?.sample_point()?)?.unwrap_map()?;
    let source = instance(&pair.clone().domain()?)?;
    let sink = instance(&pair.clone().range()?)?;
    Ok(Some((source, sink, pair)))
}

/// The instance that a set of one point holds.
fn instance(set: &isl::Set) -> isl::Result<Instance> {
    let point = set.clone().sample_point()?;
    let n = set.dim(DimType::SET)?;
    let values = (0..n)
        .map(|i| Ok(point.coordinate(DimType::SET, i32::try_from(i).unwrap_or(0))?.to_string()))
        .collect::<isl::Result<_>>()?;
    Ok(Instance { statement: set.tuple_name()?.unwrap_or_default(), values })
}

/// The references by which a pair of instances touches one element, one of them writing.
fn references_in_conflict(
    scop: &Scop,
    array: &str,
    source: &Instance,
    sink: &Instance,
    pair: &isl::Map,
) -> isl::Result<Option<(String, String)>> {
    let accesses =
        |name: &str| scop.statement_by_name(name).map(|id| scop.statement(id).accesses.as_slice()).unwrap_or_default();
    for a in accesses(&source.statement) {
        for b in accesses(&sink.statement) {
            if a.array()? != array || b.array()? != array || !(a.kind.is_write() || b.kind.is_write()) {
                continue;
            }
            // { S[i] -> T[j] } by a common element
            let touch = a.relation.clone().apply_range(b.relation.clone().reverse()?)?;
            if !touch.intersect(pair.clone())?.is_empty()? {
                return Ok(Some((a.reference.clone(), b.reference.clone())));
            }
        }
    }
    Ok(None)
}
