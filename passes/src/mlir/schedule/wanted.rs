//! Layouts that users ask for in the IR: the attribute `polyrs.layout` of a function, for all of its arrays, and of its
//! arguments, for the array that the argument is.
//!
//! All texts for a region are read as one, so that maps of several arguments can share a field. Where an attribute is
//! wrong whatever the regions are, nothing is done. What it says of arrays that no region has is found when all regions
//! are known ([`Wanted::missing`]).

use std::collections::BTreeSet;

use melior::Context;
use melior::ir::attribute::{ArrayAttribute, DictionaryAttribute};
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRefMut};
use melior::ir::{Attribute, Location, OperationRef, ValueLike};
use polyrs_core::layout::{LayoutText, Mention, mentions};
use polyrs_core::scop::ArrayKind;

use crate::mlir::ir::operation::{arguments, attribute, only_block};
use crate::mlir::ir::value::is_memref;
use crate::mlir::lower::facts::elements;
use crate::mlir::names::{NAMES, Names, PART, text};
use crate::mlir::region::LiftedRegion;

/// The attribute of a function, or of an argument, that holds maps.
pub const LAYOUT: &str = "polyrs.layout";

/// The attribute of a function that holds the dictionaries of its arguments.
const ARGUMENTS: &str = "arg_attrs";

/// So many arrays that are not there are named.
const MOST_SAID: usize = 256;

/// A text of an attribute.
pub struct Source<'c> {
    /// The text.
    pub text: String,
    /// The place that errors name first.
    pub title: String,
    /// The name of the array that it is about; `None` if it names arrays.
    pub array: Option<String>,
    /// The place of what has the attribute.
    location: Location<'c>,
}

/// Directives about an array that no region has.
#[derive(Clone, Debug)]
pub struct Missing {
    /// The place in the text, and the array.
    pub what: String,
    /// The arrays that regions have; `None` where their names are of no help.
    pub known: Option<BTreeSet<String>>,
}

impl Missing {
    /// What is to be said.
    pub fn text(&self) -> String {
        let Some(known) = &self.known else { return self.what.clone() };
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        match known[..] {
            [] => format!("{}, nor any other", self.what),
            _ => format!("{}; there are {}", self.what, known.join(", ")),
        }
    }
}

/// What a function and its arguments ask for.
pub struct Wanted<'c> {
    /// The texts, that of the function first.
    pub sources: Vec<Source<'c>>,
    /// The names of the function's arguments.
    pub names: Names,
    /// The texts are also about regions that are functions of their own.
    pub is_part: bool,
}

impl<'c> Wanted<'c> {
    /// Reads the attributes of a function.
    ///
    /// # Errors
    /// An attribute that is no text, or stands at an argument that is no array, and where.
    pub fn of(function: OperationRef<'c, '_>) -> Result<Self, String> {
        let names = Names::of(function);
        let mut sources = Vec::new();
        if let Some(found) = attribute(function, LAYOUT) {
            let text = text_of(found).ok_or_else(|| format!("{LAYOUT} is no text; maps are \"map(...)\""))?;
            sources.push(Source { text, title: LAYOUT.to_owned(), array: None, location: function.location() });
        }
        let values = only_block(function, 0).map(arguments).unwrap_or_default();
        for (number, dictionary) in dictionaries(function).into_iter().enumerate() {
            let Some(found) = of_dictionary(dictionary) else { continue };
            let is_raised = attribute(function, NAMES).is_some();
            let title = match is_raised {
                true => format!("{LAYOUT} of `{}`", names.argument(number)),
                false => format!("{LAYOUT} of argument {number}"),
            };
            let text = text_of(found).ok_or_else(|| format!("{title} is no text; maps are \"map(...)\""))?;
            let value = values.get(number).copied();
            if value.is_some_and(|value| !is_memref(value)) {
                return Err(format!("{title} stands at what is no memref with a rank, so it is no array"));
            }
            let location = value.map_or(function.location(), |value| value.location());
            sources.push(Source { text, title, array: Some(names.argument(number)), location });
        }
        Ok(Self { sources, names, is_part: attribute(function, PART).is_some() })
    }

    /// What is said of arrays that none of a function's regions has.
    ///
    /// # Errors
    /// A text that is wrong whatever regions it is for, where there is none to say so.
    pub fn missing(&self, regions: &[&LiftedRegion<'_, '_>]) -> Result<Vec<(Location<'c>, Missing)>, String> {
        let is_only = regions.len() == 1 && !self.is_part;
        let is_seen = |kind| is_only || kind == ArrayKind::Memory;
        let all = regions.iter().flat_map(|region| &region.scop.arrays);
        let known: BTreeSet<String> =
            all.clone().filter(|array| is_seen(array.kind)).map(|array| array.name.clone()).collect();
        let ambiguous: BTreeSet<&String> = all.filter(|array| !is_seen(array.kind)).map(|array| &array.name).collect();
        let mut missing: Vec<(Location<'c>, Missing)> = Vec::new();
        for source in &self.sources {
            let mentioned = match mentions(&source.text(&self.names)) {
                Ok(mentioned) => mentioned,
                Err(error) if regions.is_empty() => return Err(format!("{}:{error}", source.title)),
                // The remark about a region says it.
                Err(_) => continue,
            };
            let left = MOST_SAID.saturating_sub(missing.len());
            let is_lost = |mention: &Mention| !known.contains(&mention.array) || mention.is_later && !is_only;
            for mention in mentioned.into_iter().filter(is_lost).take(left) {
                let place = format!("{}:{}:{}", source.title, mention.line, mention.column);
                let what = match (&source.array, ambiguous.contains(&mention.array)) {
                    _ if known.contains(&mention.array) => format!(
                        "{place}: the function has several regions with statements of the same names, so say where \
                         `{}` is redistributed in a file for each (layout-maps=%.maps)",
                        mention.written
                    ),
                    (Some(_), _) => format!("{}: no region of the function accesses it", source.title),
                    (None, true) => format!(
                        "{place}: each region has a `{}` of its own, so say that in a file for each \
                         (layout-maps=%.maps)",
                        mention.array
                    ),
                    (None, false) => format!("{place}: no region of the function has an array `{}`", mention.written),
                };
                if !missing.iter().any(|(_, said)| said.what == what) {
                    let is_name_wrong = source.array.is_none() && !known.contains(&mention.array);
                    let known = is_name_wrong.then(|| known.clone());
                    missing.push((source.location, Missing { what, known }));
                }
            }
        }
        Ok(missing)
    }
}

impl Source<'_> {
    /// The text with what names in it mean.
    pub fn text<'a>(&'a self, names: &'a Names) -> LayoutText<'a> {
        LayoutText { text: &self.text, array: self.array.as_deref(), aliases: &names.aliases, is_shared: true }
    }
}

/// Removes what was followed: the new code is not what it is about.
pub fn forget(context: &Context, function: OperationRef<'_, '_>) {
    // SAFETY: the function is alive, and no other reference changes it meanwhile.
    let mut changed = unsafe { OperationRefMut::from_raw(function.to_raw()) };
    // Failure means that there is none.
    let _ = changed.remove_attribute(LAYOUT);
    let all = dictionaries(function);
    if !all.iter().any(|dictionary| of_dictionary(*dictionary).is_some()) {
        return;
    }
    let without: Vec<Attribute<'_>> = all.into_iter().map(|dictionary| without_layout(context, dictionary)).collect();
    let is_empty = |one: &Attribute<'_>| DictionaryAttribute::try_from(*one).is_ok_and(|one| one.is_empty());
    if without.iter().all(is_empty) {
        let _ = changed.remove_attribute(ARGUMENTS);
    } else {
        // SAFETY: the attribute lives as long as the function's context.
        let list =
            unsafe { Attribute::from_raw(melior::ir::AttributeLike::to_raw(&ArrayAttribute::new(context, &without))) };
        changed.set_attribute(ARGUMENTS, list);
    }
}

fn without_layout<'c>(context: &'c Context, dictionary: Attribute<'c>) -> Attribute<'c> {
    let Ok(all) = DictionaryAttribute::try_from(dictionary) else { return dictionary };
    let rest: Vec<_> = (0..all.len())
        .filter_map(|number| all.element(number).ok())
        .filter(|(name, _)| name.as_string_ref().as_str() != Ok(LAYOUT))
        .collect();
    DictionaryAttribute::new(context, &rest).into()
}

/// The dictionaries of a function's arguments; none if they have no attributes.
fn dictionaries<'c>(function: OperationRef<'c, '_>) -> Vec<Attribute<'c>> {
    attribute(function, ARGUMENTS).map(elements).unwrap_or_default()
}

fn of_dictionary(dictionary: Attribute<'_>) -> Option<Attribute<'_>> {
    DictionaryAttribute::try_from(dictionary).ok()?.element_by_name(LAYOUT)
}

fn text_of(attribute: Attribute<'_>) -> Option<String> {
    use melior::ir::AttributeLike;
    attribute.is_string().then(|| text(&attribute))
}
