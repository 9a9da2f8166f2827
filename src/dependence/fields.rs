//! Arrays as their fields.
//!
//! Where all accesses to an array have a constant subscript in some dimension, as `f[z][y][x][3]` has, those with
//! different constants never meet. To the dataflow analysis they are different arrays then, which saves it from asking
//! of each pair of accesses, at each depth, whether they do.

use crate::isl::{DimType, Id, Map, Result, UnionMap, UnionSet};
use crate::scop::Scop;
use std::collections::{BTreeMap, BTreeSet};

/// What arrays were cut into.
pub(super) struct Fields {
    /// The arrays by the names of fields.
    arrays: BTreeMap<String, String>,
}

/// A region whose arrays are cut into fields, and what they were.
pub(super) fn cut(scop: &Scop) -> Result<(Scop, Fields)> {
    let mut keys: BTreeMap<String, Option<Constants>> = BTreeMap::new();
    let mut values: BTreeMap<String, BTreeSet<Vec<String>>> = BTreeMap::new();
    for access in scop.statements.iter().flat_map(|statement| &statement.accesses) {
        let (array, constants) = (access.array()?, constants(&access.relation)?);
        match keys.get_mut(&array) {
            None => {
                keys.insert(array, Some(constants));
            }
            Some(known) => {
                if let Some(both) = known {
                    both.retain(|dimension, _| constants.contains_key(dimension));
                }
            }
        }
    }
    let mut cut = scop.clone();
    let dimensions = |array: &str| keys.get(array).and_then(Option::as_ref).filter(|dimensions| !dimensions.is_empty());
    let mut fields = Fields { arrays: BTreeMap::new() };
    for access in scop.statements.iter().flat_map(|statement| &statement.accesses) {
        let array = access.array()?;
        if let Some(dimensions) = dimensions(&array) {
            values.entry(array).or_default().insert(key(&access.relation, dimensions)?);
        }
    }
    values.retain(|_, keys| keys.len() > 1);
    for access in cut.statements.iter_mut().flat_map(|statement| &mut statement.accesses) {
        let array = access.array()?;
        if let (Some(dimensions), true) = (dimensions(&array), values.contains_key(&array)) {
            let name = format!("{array}#{}", key(&access.relation, dimensions)?.join(","));
            let id = Id::new(scop.ctx(), &name)?;
            access.relation = access.relation.clone().set_tuple_id(DimType::Out, id)?;
            fields.arrays.insert(name, array);
        }
    }
    if !fields.arrays.is_empty() {
        cut.live_out = fields.of(&scop.live_out, &cut)?;
    }
    Ok((cut, fields))
}

/// The constant subscripts of an access, by their dimensions.
type Constants = BTreeMap<usize, String>;

fn constants(relation: &Map) -> Result<Constants> {
    let mut found = BTreeMap::new();
    for dimension in 0..relation.dim(DimType::Out)? {
        let value = relation.plain_get_val_if_fixed(DimType::Out, dimension)?;
        if !value.is_nan()? {
            found.insert(dimension, value.to_string());
        }
    }
    Ok(found)
}

fn key(relation: &Map, dimensions: &Constants) -> Result<Vec<String>> {
    let constants = constants(relation)?;
    Ok(dimensions.keys().filter_map(|dimension| constants.get(dimension).cloned()).collect())
}

impl Fields {
    /// How many there are.
    #[cfg(test)]
    pub fn count(&self) -> usize {
        self.arrays.len()
    }

    /// Elements of arrays, `{ A[a] }`, as elements of the fields that are accessed.
    fn of(&self, elements: &UnionSet, cut: &Scop) -> Result<UnionSet> {
        let mut all = elements.clone();
        for (field, array) in &self.arrays {
            let Some(array) = cut.array_by_name(array) else { continue };
            let space = cut.context.space()?.add_named_tuple_id_ui(Id::new(cut.ctx(), &array.name)?, array.rank())?;
            let own = elements.extract_set(space)?.set_tuple_id(Id::new(cut.ctx(), field)?)?;
            all = all.union(own.to_union_set()?)?;
        }
        Ok(all)
    }

    /// Accesses `{ S[i] -> F[a] }` to fields as accesses to their arrays.
    pub fn whole(&self, accesses: UnionMap) -> Result<UnionMap> {
        if self.arrays.is_empty() {
            return Ok(accesses);
        }
        let mut all = UnionMap::empty(accesses.space()?)?;
        for map in accesses.map_list()?.to_vec()? {
            let array = map.tuple_name(DimType::Out)?.and_then(|name| self.arrays.get(&name));
            let map = match array {
                Some(array) => map.set_tuple_id(DimType::Out, Id::new(accesses.ctx(), array)?)?,
                None => map,
            };
            all = all.union(map.to_union_map()?)?;
        }
        all.coalesce()
    }
}
