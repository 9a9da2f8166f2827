//! Layout maps as data, and as relations.

use super::clause::{Clause, Clauses};
use super::directive::{self, LayoutText, Names};
use super::expansion::Expansion;
use super::kept::Kept;
use super::legality::Moved;
use super::redistribution::{Chain, Redistribution};
use super::reduction::PartialSums;
use super::sizes::{SizeBound, restricted, size_bounds};
use super::token::Place;
use super::{Error, contraction, legality};
use crate::codegen::Expr;
use crate::isl::{self, DimType, Map, PwAff, Schedule, Set};
use crate::scop::{Array, ArrayKind, Scop, below};
use std::collections::BTreeMap;
use std::str::FromStr;

/// What is copied between an array and its new place (section 4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transfer {
    /// Nothing: the array is written before it is read, and not seen after.
    None,
    /// From the array, before the region.
    In,
    /// To the array, after the region.
    Out,
    /// Both.
    InOut,
    /// From where the array has been, at a place in the region.
    Redist,
}

impl Transfer {
    /// What is copied before the region, and after it.
    pub(super) fn of(is_in: bool, is_out: bool) -> Self {
        match (is_in, is_out) {
            (true, true) => Transfer::InOut,
            (true, false) => Transfer::In,
            (false, true) => Transfer::Out,
            (false, false) => Transfer::None,
        }
    }

    /// Elements are copied before the region.
    pub fn is_in(self) -> bool {
        matches!(self, Transfer::In | Transfer::InOut)
    }

    /// Elements are copied after the region.
    pub fn is_out(self) -> bool {
        matches!(self, Transfer::Out | Transfer::InOut)
    }

    /// The word in a directive.
    pub fn word(self) -> &'static str {
        match self {
            Transfer::None => "none",
            Transfer::In => "in",
            Transfer::Out => "out",
            Transfer::InOut => "inout",
            Transfer::Redist => "redist",
        }
    }
}

impl FromStr for Transfer {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let all = [Transfer::None, Transfer::In, Transfer::Out, Transfer::InOut, Transfer::Redist];
        let found = all.into_iter().find(|transfer| transfer.word() == text);
        found.ok_or_else(|| format!("expected in, out, inout, none or redist, not `{text}`"))
    }
}

/// How much longer a dimension is than it needs to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pad {
    /// By so many positions.
    By(u32),
    /// Up to a multiple of so many.
    To(u32),
}

/// The layout map of an array, Φ (section 3.1.2).
#[derive(Debug, Clone)]
pub struct LayoutMap {
    /// The array, by its position in the region.
    pub array: usize,
    /// What is copied.
    pub transfer: Transfer,
    /// The logical address of an element: expressions over its subscripts ([`Expr::Iterator`] number `k` is the `k`-th)
    /// and the parameters of the region's context.
    pub address: Vec<Expr>,
    /// How much longer each dimension is than it needs to be.
    pub pads: Vec<Pad>,
    /// The extent of each dimension of the array: `[p] -> { [(e)] }`.
    pub extent: Vec<PwAff>,
    /// Names of the subscripts, for people.
    pub subscripts: Vec<String>,
    /// Elements that are not alive at the same time may have one address (section 3.2.2).
    pub contraction: bool,
    pub(super) place: Place,
}

/// The layout of a region: maps of some of its arrays, and expansions of others.
#[derive(Debug, Clone)]
pub struct Layout {
    /// One for each array that has one from the beginning on.
    pub maps: Vec<LayoutMap>,
    /// Other ones that arrays have from a place in the region on, in its order.
    pub redistributions: Vec<Redistribution>,
    /// Arrays that have a place for each iteration of some loops.
    pub expansions: Vec<Expansion>,
    /// Partial results of reductions.
    pub partial_sums: Vec<PartialSums>,
    /// Operands that iterations copy before they, or others, overwrite them.
    pub kept: Vec<Kept>,
    /// The order that contractions are right for; `None` if that is the region's own.
    pub(super) order: Option<Schedule>,
    /// The sizes that it is for.
    pub(super) sizes: Vec<SizeBound>,
    /// What of these arrays, and maybe of others, the region needs from before and leaves behind.
    pub(super) moved: Moved,
    /// The layouts of each array that has several.
    pub(super) chains: Vec<Chain>,
}

impl Layout {
    /// Reads directives (section 4.1), and proves that they can be followed: that maps are one-to-one, or contractions
    /// right in the region's order, that nothing is missing that the region reads or that is seen after it.
    ///
    /// # Errors
    /// What is wrong with the text, where, and what would help; failures of isl.
    pub fn parse(scop: &Scop, text: &str) -> Result<Self, Error> {
        Self::parse_with(scop, text, None)
    }

    /// [`Layout::parse`], where contractions are to be right in another order of the region.
    ///
    /// # Errors
    /// As [`Layout::parse`].
    pub fn parse_in_order(scop: &Scop, text: &str, order: &Schedule) -> Result<Self, Error> {
        Self::parse_with(scop, text, Some(order))
    }

    fn parse_with(scop: &Scop, text: &str, order: Option<&Schedule>) -> Result<Self, Error> {
        let text = LayoutText { text, array: None, aliases: &BTreeMap::new(), is_shared: false };
        Self::parse_together(scop, &[text], true, order)
    }

    /// Reads several texts as if they were one. Of those that are shared by regions, what is said about arrays that this
    /// one does not have is left out, and unless it `is_only`, about arrays that are made in a region, and
    /// redistributions, as others may have arrays and statements of that name. With another `order`, contractions are to be right in that one.
    ///
    /// # Errors
    /// As [`Layout::parse`]; the error says which text it is about.
    pub fn parse_together(
        scop: &Scop,
        texts: &[LayoutText<'_>],
        is_only: bool,
        order: Option<&Schedule>,
    ) -> Result<Self, Error> {
        let parameters = scop.context.space()?.dim_names(DimType::Param)?;
        let is_here =
            |name: &str| scop.array_by_name(name).is_some_and(|array| is_only || array.kind == ArrayKind::Memory);
        let mut clauses = Clauses::default();
        for (number, text) in texts.iter().enumerate() {
            let has_array = |name: &str| !text.is_shared || is_here(name);
            let has_places = !text.is_shared || is_only;
            let names = Names { parameters: &parameters, has_array: &has_array, has_places };
            clauses.extend(directive::read(number, text, &names)?);
        }
        let order = order.map(|tree| contraction::complete(scop, tree)).transpose()?;
        Self::of(scop, &parameters, clauses, order)
    }

    pub(super) fn of(
        scop: &Scop,
        parameters: &[String],
        clauses: Clauses,
        order: Option<Schedule>,
    ) -> Result<Self, Error> {
        let names = clauses.arrays();
        let positions: Vec<usize> =
            names.filter_map(|name| scop.arrays.iter().position(|array| array.name == *name)).collect();
        let sizes = size_bounds(scop, &positions)?;
        let scop = &restricted(scop, &sizes)?;
        let mut maps: Vec<LayoutMap> = Vec::new();
        for clause in clauses.maps {
            let map = LayoutMap::of(scop, parameters, clause)?;
            let name = &scop.arrays[map.array].name;
            if maps.iter().any(|known| known.array == map.array) {
                return Err(map.place.error(format!("`{name}` has a map already")).into());
            }
            maps.push(map);
        }
        let redistributions = Redistribution::all(scop, parameters, clauses.redistributions)?;
        let chains = Chain::all(scop, &maps, &redistributions)?;
        let in_order = order.as_ref().unwrap_or(&scop.schedule);
        let moved = legality::check(scop, &maps, &chains, in_order)?;
        let has_several = |name: &str| chains.iter().any(|chain| scop.arrays[chain.array].name == *name);
        if let Some(wanted) = clauses.contractions.iter().find(|wanted| has_several(&wanted.array)) {
            return Err(wanted.place.error(format!("`{}` is redistributed, so it has no window", wanted.array)).into());
        }
        let (maps, moved) = contraction::asked(scop, parameters, &clauses.contractions, in_order, (maps, moved))?;
        let mut expansions: Vec<Expansion> = Vec::new();
        for wanted in clauses.expansions {
            let expansion = Expansion::asked(scop, &wanted)?;
            let is_known = maps.iter().any(|map| map.array == expansion.array)
                || expansions.iter().any(|known| known.array == expansion.array);
            if is_known || has_several(&wanted.array) {
                return Err(wanted.place.error(format!("`{}` has another place already", wanted.array)).into());
            }
            expansions.push(expansion);
        }
        let order = order.filter(|_| maps.iter().any(|map| map.contraction));
        if let (Some(_), Some(place)) = (&order, redistributions.first().and_then(Redistribution::place)) {
            let text = "contractions are right only in an order that was found, in which this place is not";
            return Err(place.error(text).into());
        }
        if let (Some(wanted), false) = (clauses.reductions.first(), redistributions.is_empty()) {
            return Err(wanted.place.error("partial results and redistributions are not for one region").into());
        }
        let (partial_sums, kept) = Default::default();
        let layout = Layout { maps, redistributions, expansions, partial_sums, kept, order, sizes, moved, chains };
        layout.with_partial_sums(scop, &clauses.reductions)?.with_kept(scop, &clauses.kept)
    }

    /// Maps from the beginning of the region on, and nothing else.
    pub(super) fn of_maps(maps: Vec<LayoutMap>, moved: Moved) -> Self {
        let (redistributions, expansions, partial_sums, kept, sizes, chains) = Default::default();
        Layout { maps, redistributions, expansions, partial_sums, kept, order: None, sizes, moved, chains }
    }

    /// All arrays stay as they are.
    pub fn is_empty(&self) -> bool {
        let is_moved = !self.maps.is_empty() || !self.redistributions.is_empty() || !self.expansions.is_empty();
        !is_moved && self.partial_sums.is_empty() && self.kept.is_empty()
    }
}

impl LayoutMap {
    pub(super) fn of(scop: &Scop, parameters: &[String], clause: Clause) -> Result<Self, Error> {
        let Clause { transfer, array: name, subscripts, address, pads, domain, contraction, place } = clause;
        let refuse = |message: String| Err(Error::Directive(place.error(message)));
        let Some(position) = scop.arrays.iter().position(|array| array.name == name) else {
            let names: Vec<&str> = scop.arrays.iter().map(|array| array.name.as_str()).collect();
            return refuse(format!("there is no array `{name}`; there are {}", names.join(", ")));
        };
        let array = &scop.arrays[position];
        if subscripts.len() != array.rank() {
            return refuse(format!("`{name}` has {} dimensions, not {}", array.rank(), subscripts.len()));
        }
        if address.is_empty() {
            return refuse(format!("the address of `{name}` has no dimension"));
        }
        let declared = match domain {
            Some((element, extent)) => {
                if element != array.element {
                    return refuse(format!("`{name}` has elements of type {}, not {element}", array.element));
                }
                if !extent.is_empty() && extent.len() != array.rank() {
                    return refuse(format!("`{name}` has {} dimensions, not {}", array.rank(), extent.len()));
                }
                extent
            }
            None => Vec::new(),
        };
        let extent = extents(scop, parameters, array, &declared)?;
        let Some(extent) = extent else {
            return refuse(format!("say how large `{name}` is: {name}(...) -> (...) : {}[...]", array.element));
        };
        for (dimension, (found, known)) in extent.iter().zip(&array.extent).enumerate() {
            if let Some(known) = known
                && !scop.context.is_subset(&found.clone().eq_set(known.clone())?)?
            {
                return refuse(format!("dimension {dimension} of `{name}` has another extent: {known}"));
            }
        }
        Ok(LayoutMap { array: position, transfer, address, pads, extent, subscripts, contraction, place })
    }

    /// The elements of the array: `[p] -> { A[e] : 0 <= e < extent }`.
    ///
    /// # Errors
    /// Those of isl.
    pub fn elements(&self, scop: &Scop) -> isl::Result<Set> {
        elements(scop, &scop.arrays[self.array].name, &self.extent)
    }

    /// The addresses of elements: `[p] -> { A[e] -> [v] }`, for all integers, in the array or not.
    ///
    /// # Errors
    /// Those of isl.
    pub fn relation(&self, scop: &Scop) -> isl::Result<Map> {
        let parameters = scop.context.space()?.dim_names(DimType::Param)?;
        let subscripts = subscript_names(self.subscripts.len(), &parameters);
        address_relation(scop, &scop.arrays[self.array].name, &subscripts, &self.address)
    }
}

/// The addresses of an array's elements, expressions over subscripts of these names and parameters: `[p] -> { A[e] -> [v] }`, for all
/// integers.
pub(super) fn address_relation(scop: &Scop, array: &str, subscripts: &[String], address: &[Expr]) -> isl::Result<Map> {
    let parameters = scop.context.space()?.dim_names(DimType::Param)?;
    let text = |one: &Expr| isl_text(one, &parameters, subscripts);
    let address = address.iter().map(text).collect::<isl::Result<Vec<_>>>()?;
    let text =
        format!("[{}] -> {{ {array}[{}] -> [{}] }}", parameters.join(", "), subscripts.join(", "), address.join(", "));
    Map::parse(scop.ctx(), &text)?.align_params(scop.context.space()?)
}

/// Names for subscripts that no parameter has.
pub(super) fn subscript_names(rank: usize, parameters: &[String]) -> Vec<String> {
    let mut prefix = "e".to_owned();
    while parameters.iter().any(|name| name.starts_with(&prefix)) {
        prefix.push('_');
    }
    (0..rank).map(|dimension| format!("{prefix}{dimension}")).collect()
}

/// The extents that are declared, or else known, or else as far as the region accesses the array; `None` if there is no
/// end to that.
pub(super) fn extents(
    scop: &Scop,
    parameters: &[String],
    array: &Array,
    declared: &[Expr],
) -> isl::Result<Option<Vec<PwAff>>> {
    let mut all = Vec::new();
    for (dimension, known) in array.extent.iter().enumerate() {
        all.push(match (declared.get(dimension), known) {
            (Some(declared), _) => {
                let text = format!("[{}] -> {{ [({})] }}", parameters.join(", "), isl_text(declared, parameters, &[])?);
                PwAff::parse(scop.ctx(), &text)?.align_params(scop.context.space()?)?
            }
            (None, Some(known)) => known.clone(),
            (None, None) => match accessed(scop, array, dimension)? {
                Some(extent) => extent,
                None => return Ok(None),
            },
        });
    }
    Ok(Some(all))
}

/// One more than the greatest subscript that is accessed; `None` if there is none.
fn accessed(scop: &Scop, array: &Array, dimension: usize) -> isl::Result<Option<PwAff>> {
    let id = isl::Id::new(scop.ctx(), &array.name)?;
    let space = scop.context.space()?.add_named_tuple_id_ui(id, array.rank())?;
    let elements = scop.reads()?.union(scop.may_writes()?)?.range()?.extract_set(space)?;
    if elements.is_empty()? || !elements.is_bounded()? {
        return Ok(None);
    }
    length(scop, &elements, dimension, 1).map(Some)
}

/// The greatest value of a dimension of a set `{ [v] }`, and some more: `[p] -> { [(l)] }`. Where the set is empty any
/// length does, so the simplest one is taken.
pub(super) fn length(scop: &Scop, set: &Set, dimension: usize, more: i64) -> isl::Result<PwAff> {
    let greatest = set.clone().dim_max(i32::try_from(dimension).unwrap_or(i32::MAX))?;
    let domain = greatest.clone().domain()?;
    let number = |value: i64, domain: Set| PwAff::val_on_domain(domain, isl::Val::int(scop.ctx(), value)?);
    let length = greatest.add(number(more, domain.clone())?)?;
    let simple = length.clone().gist(domain.clone().intersect(scop.context.clone())?)?.coalesce()?;
    if simple.isa_aff()? {
        return Ok(simple);
    }
    length.union_add(number(0, domain.complement()?)?)?.coalesce()
}

/// A box: `[p] -> { A[e] : 0 <= e < extent }`.
pub(super) fn elements(scop: &Scop, name: &str, extent: &[PwAff]) -> isl::Result<Set> {
    let id = isl::Id::new(scop.ctx(), name)?;
    let mut all = Set::universe(scop.context.space()?.add_named_tuple_id_ui(id, extent.len())?)?;
    for (dimension, extent) in extent.iter().enumerate() {
        all = below(all, dimension, extent.clone())?;
    }
    all.intersect_params(scop.context.clone())
}

/// An expression in isl's text, with the names of subscripts.
fn isl_text(expr: &Expr, parameters: &[String], subscripts: &[String]) -> isl::Result<String> {
    let text = |one: &Expr| isl_text(one, parameters, subscripts);
    Ok(match expr {
        Expr::Const(value) => format!("({value})"),
        Expr::Parameter(position) => parameters[*position].clone(),
        Expr::Iterator(subscript) => subscripts
            .get(subscript.0)
            .cloned()
            .ok_or_else(|| isl::Error::invalid("an address has another subscript than its array"))?,
        Expr::Add(a, b) => format!("({} + {})", text(a)?, text(b)?),
        Expr::Mul(factor, a) => format!("({factor} * {})", text(a)?),
        Expr::FloorDiv(a, divisor) => format!("floor({}/{divisor})", text(a)?),
        Expr::Mod(a, divisor) => format!("({} mod {divisor})", text(a)?),
        Expr::Min(_) | Expr::Max(_) | Expr::Select(..) => {
            return Err(isl::Error::invalid("an address of a layout has a minimum, a maximum or a choice"));
        }
    })
}
