//! The integer problem of a member of a band: what is made least, and in which order (the problems of the unified
//! report's template, section 4).

use super::linear::{EACH, Linear};
use super::near::Near;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is made as small as possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Term {
    /// `Σ |m_i|` of the bound `m·n + m_0` on distances, where the `m_i` have any sign (ppcg report, 6.5.5).
    BoundSum,
    /// `u_1, …, u_k` of the bound `u·p + w` on distances, one after the other, none negative (Pluto paper, (5)).
    BoundParameters,
    /// The constant of either bound.
    BoundConstant,
    /// Each pair of statements has a bound of its own, `u·p + w`, `u_i` and `w` not negative; the sum of their
    /// coefficients of parameters, each times the pair's weight ([`super::Strategy::weights`]), and then the sum of their
    /// constants (PolyTOPS, Consolaro et al. 2024, cost functions that are configured).
    WeightedDistances,
    /// The distances over the relations of groups of references, the most promising first, each zero or left alone
    /// (unified report, 4.4, objective (4)).
    GroupDistances,
    /// The same over their temporal relations only.
    TemporalDistances,
    /// The same over their spatial relations only.
    SpatialDistances,
    /// The number of spatial relations that are not carried (unified report, 4.6, objective (5)).
    UncarriedSpatial,
    /// The sum of the coefficients of parameters.
    ParameterCoefficients,
    /// The sum of the sizes of the coefficients of variables.
    VariableCoefficients,
    /// The same sum, each variable as often as there are references that it walks along rows of: outer members leave
    /// such loops to inner ones (PolyTOPS, Consolaro et al. 2024, "contiguity").
    RowCoefficients,
    /// The same sum, each variable for each reference as often as the number of the last subscript that it is in, counted
    /// from 1 on; nothing where it is in none. So outer members take the loops with long strides, or with none, and the
    /// one with the least is left to the innermost (PolyTOPS, "contiguity", for all strides).
    StrideCoefficients,
}

impl Term {
    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Term::BoundSum => "bound-sum",
            Term::BoundParameters => "bound-parameters",
            Term::BoundConstant => "bound-constant",
            Term::WeightedDistances => "weighted-distances",
            Term::GroupDistances => "group-distances",
            Term::TemporalDistances => "temporal-distances",
            Term::SpatialDistances => "spatial-distances",
            Term::UncarriedSpatial => "uncarried-spatial",
            Term::ParameterCoefficients => "parameter-coefficients",
            Term::VariableCoefficients => "variable-coefficients",
            Term::RowCoefficients => "row-coefficients",
            Term::StrideCoefficients => "stride-coefficients",
        }
    }

    /// It is of the relations of groups of references, each of which has distance zero or is left alone.
    pub fn is_of_relations(self) -> bool {
        matches!(self, Term::GroupDistances | Term::TemporalDistances | Term::SpatialDistances)
    }

    /// It is a sum of coefficients, each times what references say of its variable.
    pub fn is_of_references(self) -> bool {
        matches!(self, Term::RowCoefficients | Term::StrideCoefficients)
    }
}

/// How a member is made independent of those before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Independence {
    /// Some form that vanishes on the members before does not vanish; both signs are tried (ppcg report, 6.5.6, 6.5.7).
    Forms,
    /// The coefficients' projections on a basis of the orthogonal subspace are non-negative, and their sum is positive
    /// (Pluto paper, (6)).
    Orthogonal,
}

/// Which signs the coefficients of variables may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Signs {
    /// Any: each coefficient is the difference of two variables of the problem (ppcg report, 6.4.1).
    Any,
    /// None is negative, and their sum is at least one (Pluto paper, section 3.2).
    NonNegative,
}

/// An integer problem. Distances over validity are never negative, those that should coincide are zero where a step asks
/// for it; the rest is said here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formulation {
    /// What steps call it.
    pub name: String,
    /// What is made least, the most important first.
    pub minimize: Vec<Term>,
    /// The relations that its distances are over (PolyTOPS, Consolaro et al. 2024, costs that are configured).
    pub near: Near,
    /// Linear independence.
    pub independence: Independence,
    /// Signs of coefficients.
    pub signs: Signs,
    /// A row may have more than one variable. Else loops are neither skewed nor scaled.
    pub skew: bool,
    /// A row may have parameters. Else statements are not shifted by them, so that none follows another one as a whole.
    pub parametric: bool,
    /// What coefficients of statements are related by, besides what they are in every member
    /// ([`super::Strategy::constraints`]).
    pub constraints: Vec<Linear>,
    /// Statements with the loop that is left to their last member, which coincides (PolyTOPS, "vectorization").
    pub vectorize: BTreeMap<String, String>,
}

impl Formulation {
    /// A term is made least.
    pub fn minimizes(&self, term: Term) -> bool {
        self.minimize.contains(&term)
    }

    /// Distances in memory count, so that the groups of references are needed.
    pub fn looks_at_references(&self) -> bool {
        self.is_near_by_groups() || self.counts_references()
    }

    /// Coefficients count as often as references say.
    pub fn counts_references(&self) -> bool {
        self.minimize.iter().any(|term| term.is_of_references())
    }

    /// What is near is what groups of references relate.
    pub fn is_near_by_groups(&self) -> bool {
        self.looks_at_relations() || self.minimizes(Term::UncarriedSpatial)
    }

    /// The relations of groups have distance zero or are left alone.
    pub fn looks_at_relations(&self) -> bool {
        self.minimize.iter().any(|term| term.is_of_relations())
    }

    /// Distances over proximity have a bound that is made least.
    pub fn bounds_distances(&self) -> bool {
        self.minimizes(Term::BoundConstant) || self.minimizes(Term::WeightedDistances)
    }

    /// It looks at what is near at all.
    pub fn has_distances(&self) -> bool {
        self.bounds_distances() || self.is_near_by_groups()
    }

    /// What cannot be meant.
    ///
    /// # Errors
    /// Why.
    pub fn check(&self) -> Result<(), String> {
        let has = |term: Term| self.minimizes(term);
        let at = |term: Term| self.minimize.iter().position(|one| *one == term);
        if let Some(twice) = self.minimize.iter().enumerate().find(|(i, term)| self.minimize[..*i].contains(term)) {
            return Err(format!("{} is there twice", twice.1.name()));
        }
        let slopes = [Term::BoundSum, Term::BoundParameters].into_iter().filter(|term| has(*term)).count();
        if slopes == 2 {
            return Err("of bound-sum and bound-parameters there is one: each is a bound of its own".into());
        }
        if (slopes == 1) != has(Term::BoundConstant) {
            return Err("a bound has bound-sum or bound-parameters, and bound-constant".into());
        }
        let aims = [
            has(Term::BoundConstant),
            has(Term::WeightedDistances),
            self.looks_at_relations(),
            has(Term::UncarriedSpatial),
        ];
        if aims.into_iter().filter(|has| *has).count() > 1 {
            return Err(
                "of a bound, weighted-distances, distances of groups and uncarried-spatial there is one in a problem"
                    .into(),
            );
        }
        let mut after_relations = self.minimize.iter().skip_while(|term| term.is_of_relations());
        if let Some(late) = after_relations.find(|term| term.is_of_relations()) {
            return Err(format!("{} come first: what is kept of them holds for the other terms", late.name()));
        }
        if has(Term::GroupDistances) && (has(Term::TemporalDistances) || has(Term::SpatialDistances)) {
            return Err("group-distances are temporal-distances and spatial-distances".into());
        }
        if has(Term::ParameterCoefficients) && !self.parametric {
            return Err("parameter-coefficients are none where parametric is false".into());
        }
        if self.vectorize.contains_key(EACH) {
            return Err(format!("vectorize names its statements, not {EACH}"));
        }
        if let Some(place) = at(Term::UncarriedSpatial) {
            if at(Term::VariableCoefficients).is_none_or(|sum| sum > place) {
                return Err("uncarried-spatial follows variable-coefficients, whose sum bounds distances".into());
            }
            if self.independence == Independence::Orthogonal {
                return Err("with uncarried-spatial members are independent by forms".into());
            }
        }
        Ok(())
    }
}
