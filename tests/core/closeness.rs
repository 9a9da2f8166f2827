//! Whether two trees say the same, and whether one has bands at least as good as another's.
//!
//! Trees are compared in a simple form: domain, context and mark nodes left out, sequences within sequences and sets
//! within sets spliced, children that no instance reaches left out. A *scalar* member, one that is an integer constant
//! for each statement, becomes the sequence that it stands for, or nothing where it orders nothing.

use polyrs::isl::{DimType, MultiUnionPwAff, NodeType, Result, Schedule, ScheduleNode, UnionMap, UnionPwAff, UnionSet};
use polyrs::schedule_tree::Band;
use std::collections::BTreeMap;

/// How closely [`difference`] looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Closeness {
    /// Under a leaf of what is expected anything may be found.
    pub outermost_only: bool,
    /// The children of a sequence may come in any order, as those of a set, and those of a set within a sequence may be
    /// among its own: that the order is right is checked elsewhere.
    pub any_order: bool,
    /// The members of a permutable band may come in any order.
    pub any_member_order: bool,
    /// The flags of bands may be anything.
    pub ignore_flags: bool,
}

/// The first difference between two trees, none if they say the same.
///
/// Bands say the same when they have as many members, the same flags (whether a single member is permutable does not
/// matter), and at each member, statement by statement, functions that differ by a constant or by parameters alone.
/// Where these differences are not the same for all statements, both functions must give the same order to all pairs of
/// instances that the outer bands leave together. Sequences and sets that order nothing, since the outer bands leave
/// nothing of different children together, may be left out if there is nothing below them. Sequences say the same when
/// the same instances are under the same children in the same order; sets in any order.
pub fn difference(found: &Schedule, expected: &Schedule, closeness: Closeness) -> Result<Option<String>> {
    let domain = expected.domain()?;
    if !found.domain()?.is_equal(&domain)? {
        return Ok(Some(format!("the domain is {}, expected {domain}", found.domain()?)));
    }
    let (mut found, mut expected) = (Shape::of(&found.root()?, &domain)?, Shape::of(&expected.root()?, &domain)?);
    if closeness.any_order {
        (found, expected) = (found.without_order(), expected.without_order());
    }
    Comparison { closeness, outer: Vec::new() }.shapes(&found, &expected, &domain)
}

/// The first statement whose bands in `found` are worse than in `expected`, with how; none if there is none.
///
/// Along the path to each statement, from the outside: after each band of what is expected, what is found has at least
/// as many members, and as many coincident members, in as many bands.
pub fn lack_of_members(found: &Schedule, expected: &Schedule) -> Result<Option<String>> {
    let domain = expected.domain()?;
    let (found, expected) = (Shape::of(&found.root()?, &domain)?, Shape::of(&expected.root()?, &domain)?);
    for statement in domain.set_list()?.to_vec()? {
        let statement = statement.to_union_set()?;
        let (have, want) = (found.widths(&statement)?, expected.widths(&statement)?);
        for bands in 1..=want.len() {
            let sum = |widths: &[(usize, usize)]| {
                widths.iter().take(bands).fold((0, 0), |sum, width| (sum.0 + width.0, sum.1 + width.1))
            };
            let (have_sum, want_sum) = (sum(&have), sum(&want));
            if have_sum.0 < want_sum.0 || have_sum.1 < want_sum.1 {
                return Ok(Some(format!(
                    "{statement} has bands of (members, coincident) {have:?}, expected at least {want:?}"
                )));
            }
        }
    }
    Ok(None)
}

/// A tree in its simple form.
enum Shape {
    Leaf,
    Band { band: Band, child: Box<Shape> },
    Children { ordered: bool, children: Vec<(UnionSet, Shape)> },
}

impl Shape {
    /// The tree under a node for the instances in `domain`, all of which reach it.
    fn of(node: &ScheduleNode, domain: &UnionSet) -> Result<Shape> {
        match node.node_type()? {
            NodeType::Leaf => Ok(Shape::Leaf),
            NodeType::Band => {
                let mut band = Band::read(node)?;
                for member in &mut band.members {
                    *member = member.clone().intersect_domain(domain.clone())?;
                }
                Shape::of_band(band, &node.clone().first_child()?, domain)
            }
            kind @ (NodeType::Sequence | NodeType::Set) => {
                let mut children = Vec::new();
                for child in node.children()? {
                    let part = child.filter()?.intersect(domain.clone())?;
                    if !part.is_empty()? {
                        let shape = Shape::of(&child.first_child()?, &part)?;
                        children.push((part, shape));
                    }
                }
                Ok(Shape::of_children(kind == NodeType::Sequence, children))
            }
            NodeType::Filter => Shape::of(&node.clone().first_child()?, &node.filter()?.intersect(domain.clone())?),
            _ => Shape::of(&node.clone().first_child()?, domain),
        }
    }

    fn of_children(ordered: bool, children: Vec<(UnionSet, Shape)>) -> Shape {
        let mut spliced = Vec::new();
        for (filter, shape) in children {
            match shape {
                Shape::Children { ordered: same, children } if same == ordered => spliced.extend(children),
                shape => spliced.push((filter, shape)),
            }
        }
        match spliced.pop() {
            Some((_, only)) if spliced.is_empty() => only,
            Some(last) => {
                spliced.push(last);
                Shape::Children { ordered, children: spliced }
            }
            None => Shape::Leaf,
        }
    }

    /// Children of children made children, and nothing said of their order.
    fn without_order(self) -> Shape {
        match self {
            Shape::Leaf => Shape::Leaf,
            Shape::Band { band, child } => Shape::Band { band, child: Box::new(child.without_order()) },
            Shape::Children { children, .. } => {
                let children = children.into_iter().map(|(filter, child)| (filter, child.without_order()));
                Shape::of_children(false, children.collect())
            }
        }
    }

    /// A band above a node, split at its scalar members.
    fn of_band(mut band: Band, below: &ScheduleNode, domain: &UnionSet) -> Result<Shape> {
        for (i, member) in band.members.iter().enumerate() {
            let Some(parts) = scalar_parts(member, domain)? else { continue };
            let inner = Band {
                members: band.members.split_off(i + 1),
                coincident: band.coincident.split_off(i + 1),
                permutable: band.permutable,
            };
            band.members.pop();
            band.coincident.pop();
            if let [_] = parts.as_slice() {
                band.members.extend(inner.members);
                band.coincident.extend(inner.coincident);
                return Shape::of_band(band, below, domain);
            }
            let mut children = Vec::new();
            for part in parts {
                let mut inner = inner.clone();
                for member in &mut inner.members {
                    *member = member.clone().intersect_domain(part.clone())?;
                }
                let shape = Shape::of_band(inner, below, &part)?;
                children.push((part, shape));
            }
            return Ok(Shape::under(band, Shape::of_children(true, children)));
        }
        let child = Shape::of(below, domain)?;
        Ok(Shape::under(band, child))
    }

    fn under(band: Band, child: Shape) -> Shape {
        if band.members.is_empty() { child } else { Shape::Band { band, child: Box::new(child) } }
    }

    fn describe(&self) -> String {
        match self {
            Shape::Leaf => "nothing".to_owned(),
            Shape::Band { band, .. } => format!("a band of {:?}", band.members),
            Shape::Children { ordered, children } => {
                let filters: Vec<&UnionSet> = children.iter().map(|(filter, _)| filter).collect();
                format!("a {} of {filters:?}", if *ordered { "sequence" } else { "set" })
            }
        }
    }

    /// The numbers of members and coincident members of each band above a statement.
    fn widths(&self, statement: &UnionSet) -> Result<Vec<(usize, usize)>> {
        let (mut widths, mut shape) = (Vec::new(), self);
        loop {
            shape = match shape {
                Shape::Leaf => return Ok(widths),
                Shape::Band { band, child } => {
                    widths.push((band.members.len(), band.coincident.iter().filter(|c| **c).count()));
                    child
                }
                Shape::Children { children, .. } => {
                    let mut next = None;
                    for (filter, child) in children {
                        // An index set may be split; its parts are alike in what this is asked for.
                        if next.is_none() && !filter.is_disjoint(statement)? {
                            next = Some(child);
                        }
                    }
                    match next {
                        Some(child) => child,
                        None => return Ok(widths),
                    }
                }
            };
        }
    }
}

/// The parts of the domain where a member has each of its values, in their order, if it is an integer constant for each
/// statement.
fn scalar_parts(member: &UnionPwAff, domain: &UnionSet) -> Result<Option<Vec<UnionSet>>> {
    let mut parts: BTreeMap<i64, UnionSet> = BTreeMap::new();
    for statement in domain.set_list()?.to_vec()? {
        let statement = statement.to_union_set()?;
        let function = member.clone().intersect_domain(statement.clone())?;
        if function.clone().domain()?.is_empty()? {
            return Ok(None);
        }
        let (least, most) = (function.clone().min_val()?, function.max_val()?);
        if !least.is_int()? || !most.is_int()? || least.to_i64()? != most.to_i64()? {
            return Ok(None);
        }
        let value = least.to_i64()?;
        let part = match parts.remove(&value) {
            Some(part) => statement.union(part)?,
            None => statement,
        };
        parts.insert(value, part);
    }
    Ok(Some(parts.into_values().collect()))
}

struct Comparison {
    closeness: Closeness,
    /// The members of the bands further out.
    outer: Vec<UnionPwAff>,
}

impl Comparison {
    fn shapes(&mut self, found: &Shape, expected: &Shape, domain: &UnionSet) -> Result<Option<String>> {
        match (found, expected) {
            (_, Shape::Leaf) if self.closeness.outermost_only => Ok(None),
            (Shape::Leaf, Shape::Leaf) => Ok(None),
            (Shape::Band { band: f, child: below_f }, Shape::Band { band: e, child: below_e }) => {
                if let Some(difference) = self.bands(f, e, domain)? {
                    return Ok(Some(difference));
                }
                let depth = self.outer.len();
                self.outer.extend(e.members.iter().cloned());
                let below = self.shapes(below_f, below_e, domain)?;
                self.outer.truncate(depth);
                Ok(below)
            }
            (
                Shape::Children { ordered: ordered_f, children: f },
                Shape::Children { ordered: ordered_e, children: e },
            ) if ordered_f == ordered_e && f.len() == e.len() => {
                for (i, (filter, below_e)) in e.iter().enumerate() {
                    let candidates = if *ordered_e { &f[i..=i] } else { &f[..] };
                    let mut matching = None;
                    for (candidate, below_f) in candidates {
                        if candidate.is_equal(filter)? {
                            matching = Some(below_f);
                        }
                    }
                    let Some(below_f) = matching else { return Ok(Some(mismatch(found, expected))) };
                    if let Some(difference) = self.shapes(below_f, below_e, filter)? {
                        return Ok(Some(difference));
                    }
                }
                Ok(None)
            }
            (Shape::Leaf, Shape::Children { children, .. }) | (Shape::Children { children, .. }, Shape::Leaf) => {
                let same = self.order_nothing(children, domain)?;
                Ok((!same).then(|| mismatch(found, expected)))
            }
            _ => Ok(Some(mismatch(found, expected))),
        }
    }

    /// There is nothing below the children, and the outer bands leave nothing of different ones together.
    fn order_nothing(&self, children: &[(UnionSet, Shape)], domain: &UnionSet) -> Result<bool> {
        let mut apart = self.together(domain)?;
        for (filter, below) in children {
            if !matches!(below, Shape::Leaf) {
                return Ok(false);
            }
            apart = apart.subtract(UnionMap::from_domain_and_range(filter.clone(), filter.clone())?)?;
        }
        apart.is_empty()
    }

    /// The pairs that the outer bands leave together.
    fn together(&self, domain: &UnionSet) -> Result<UnionMap> {
        let mut pairs = UnionMap::from_domain_and_range(domain.clone(), domain.clone())?;
        for member in &self.outer {
            pairs = pairs.eq_at(MultiUnionPwAff::from_union_pw_aff(member.clone())?)?;
        }
        Ok(pairs)
    }

    fn bands(&self, found: &Band, expected: &Band, domain: &UnionSet) -> Result<Option<String>> {
        if found.members.len() != expected.members.len() {
            let members = format!("a band has members {:?}, expected {:?}", found.members, expected.members);
            return Ok(Some(members));
        }
        // The positions in `found` of the members expected.
        let mut places: Vec<usize> = Vec::new();
        for (i, e) in expected.members.iter().enumerate() {
            let any = self.closeness.any_member_order && expected.permutable;
            let mut place = None;
            for j in if any { 0..found.members.len() } else { i..i + 1 } {
                if place.is_none() && !places.contains(&j) && self.members_agree(&found.members[j], e, domain)? {
                    place = Some(j);
                }
            }
            match place {
                Some(place) => places.push(place),
                None => return Ok(Some(format!("the members are {:?}, expected {e}", found.members))),
            }
        }
        if self.closeness.ignore_flags {
            return Ok(None);
        }
        let at = format!("the band of {:?}", found.members);
        let coincident: Vec<bool> = places.iter().map(|place| found.coincident[*place]).collect();
        if coincident != expected.coincident {
            return Ok(Some(format!("{at} is coincident {coincident:?}, expected {:?}", expected.coincident)));
        }
        if found.members.len() > 1 && found.permutable != expected.permutable {
            return Ok(Some(format!("{at} is permutable: {}, expected {}", found.permutable, expected.permutable)));
        }
        Ok(None)
    }

    fn members_agree(&self, found: &UnionPwAff, expected: &UnionPwAff, domain: &UnionSet) -> Result<bool> {
        let mut shifts: Vec<UnionSet> = Vec::new();
        for statement in domain.set_list()?.to_vec()? {
            let shift = found.clone().sub(expected.clone())?.intersect_domain(statement.to_union_set()?)?;
            let shift = UnionMap::from_multi_union_pw_aff(MultiUnionPwAff::from_union_pw_aff(shift)?)?;
            for map in shift.map_list()?.to_vec()? {
                // The dimensions of the statement must not matter: { [] -> [shift] } has one value.
                let n = map.dim(DimType::In)?;
                let map = map.project_out(DimType::In, 0, n)?;
                if !map.is_single_valued()? {
                    return Ok(false);
                }
                shifts.push(map.range()?.to_union_set()?);
            }
        }
        let Some((first, rest)) = shifts.split_first() else { return Ok(true) };
        let mut same = true;
        for shift in rest {
            // Where both statements are executed at all.
            let (a, b) = (first.clone().params()?, shift.clone().params()?);
            same &= first.clone().intersect_params(b)?.is_equal(&shift.clone().intersect_params(a)?)?;
        }
        Ok(same || self.orders_agree(found, expected, domain)?)
    }

    fn orders_agree(&self, found: &UnionPwAff, expected: &UnionPwAff, domain: &UnionSet) -> Result<bool> {
        let pairs = self.together(domain)?;
        let before = |member: &UnionPwAff| pairs.clone().lex_lt_at(MultiUnionPwAff::from_union_pw_aff(member.clone())?);
        before(found)?.is_equal(&before(expected)?)
    }
}

fn mismatch(found: &Shape, expected: &Shape) -> String {
    format!("there is {}, expected {}", found.describe(), expected.describe())
}

#[cfg(test)]
mod tests {
    use super::*;
    use polyrs::isl::Ctx;

    const DOMAIN: &str = "{ S[i, j] : 0 <= i, j < 9; T[i, j] : 0 <= i, j < 9 }";

    fn tree(ctx: &Ctx, child: &str) -> Schedule {
        Schedule::parse(ctx, &format!("{{ domain: \"{DOMAIN}\", child: {child} }}")).unwrap()
    }

    fn band(members: &str, flags: &str, child: &str) -> String {
        let child = if child.is_empty() { String::new() } else { format!(", child: {child}") };
        format!("{{ schedule: \"[{members}]\"{flags}{child} }}")
    }

    fn children(kind: &str, children: &[(&str, &str)]) -> String {
        let one = |(name, child): &(&str, &str)| {
            let child = if child.is_empty() { String::new() } else { format!(", child: {child}") };
            format!("{{ filter: \"{{ {name}[i, j] }}\"{child} }}")
        };
        format!("{{ {kind}: [ {} ] }}", children.iter().map(one).collect::<Vec<_>>().join(", "))
    }

    fn differ(found: &str, expected: &str, closeness: Closeness) -> bool {
        let ctx = Ctx::new();
        difference(&tree(&ctx, found), &tree(&ctx, expected), closeness).unwrap().is_some()
    }

    fn same(found: &str, expected: &str) -> bool {
        !differ(found, expected, Closeness::default())
    }

    const SEQUENCE: [(&str, &str); 2] = [("S", ""), ("T", "")];

    #[test]
    fn constants_may_be_shifted_where_no_order_changes() {
        let plain = band("{ S[i, j] -> [(i)]; T[i, j] -> [(i)] }", "", "");
        assert!(same(&band("{ S[i, j] -> [(i + 3)]; T[i, j] -> [(i + 3)] }", "", ""), &plain));
        assert!(!same(&band("{ S[i, j] -> [(i)]; T[i, j] -> [(i + 1)] }", "", ""), &plain));
        assert!(!same(&band("{ S[i, j] -> [(2i)]; T[i, j] -> [(2i)] }", "", ""), &plain));
        let apart = |shift| band(&format!("{{ S[i, j] -> [(i)]; T[i, j] -> [({shift} + i)] }}"), "", "");
        assert!(same(&apart(9), &apart(20)) && !same(&apart(8), &apart(20)));
    }

    #[test]
    fn scalar_members_are_sequences() {
        let scalar = "{ S[i, j] -> [(0)]; T[i, j] -> [(1)] }";
        let (i, j) = ("{ S[i, j] -> [(i)]; T[i, j] -> [(i)] }", "{ S[i, j] -> [(j)]; T[i, j] -> [(j)] }");
        let sequence = children("sequence", &SEQUENCE);
        assert!(same(&band(&format!("{i}, {j}, {scalar}"), "", ""), &band(&format!("{i}, {j}"), "", &sequence)));
        let inner = |name| band(&format!("{{ {name}[i, j] -> [(j)] }}"), "", "");
        let (s, t) = (inner("S"), inner("T"));
        let below = children("sequence", &[("S", &s), ("T", &t)]);
        assert!(same(&band(&format!("{i}, {scalar}, {j}"), "", ""), &band(i, "", &below)));
        assert!(same(&band(&format!("{i}, {{ S[i, j] -> [(4)]; T[i, j] -> [(4)] }}"), "", ""), &band(i, "", "")));
        assert!(!same(&sequence, &children("sequence", &[("T", ""), ("S", "")])));
    }

    #[test]
    fn what_orders_nothing_may_be_left_out() {
        let apart =
            |shift: i32, below: &str| band(&format!("{{ S[i, j] -> [(i)]; T[i, j] -> [(i + {shift})] }}"), "", below);
        let sequence = children("sequence", &SEQUENCE);
        assert!(same(&apart(9, &sequence), &apart(9, "")) && same(&apart(9, ""), &apart(9, &sequence)));
        assert!(!same(&apart(8, &sequence), &apart(8, "")));
    }

    #[test]
    fn flags_and_order_count_unless_told_otherwise() {
        let members = "{ S[i, j] -> [(i)]; T[i, j] -> [(i)] }, { S[i, j] -> [(j)]; T[i, j] -> [(j)] }";
        let (plain, wide) = (band(members, "", ""), band(members, ", permutable: 1, coincident: [1, 0]", ""));
        assert!(!same(&plain, &wide));
        assert!(!differ(&plain, &wide, Closeness { ignore_flags: true, ..Closeness::default() }));
        let (one, other) = (children("sequence", &SEQUENCE), children("sequence", &[("T", ""), ("S", "")]));
        assert!(!differ(&one, &other, Closeness { any_order: true, ..Closeness::default() }));
        assert!(same(&children("set", &SEQUENCE), &children("set", &[("T", ""), ("S", "")])));
        let swapped = band(
            "{ S[i, j] -> [(j)]; T[i, j] -> [(j)] }, { S[i, j] -> [(i)]; T[i, j] -> [(i)] }",
            ", permutable: 1, coincident: [0, 1]",
            "",
        );
        assert!(!same(&swapped, &wide));
        assert!(!differ(&swapped, &wide, Closeness { any_member_order: true, ..Closeness::default() }));
        assert!(!same(&children("set", &SEQUENCE), &one));
        let nested = band(members, "", &one);
        assert!(!same(&nested, &plain));
        assert!(!differ(&nested, &plain, Closeness { outermost_only: true, ..Closeness::default() }));
    }

    #[test]
    fn bands_are_compared_from_the_outside() {
        let lacks = |found: &str, expected: &str| {
            let ctx = Ctx::new();
            lack_of_members(&tree(&ctx, found), &tree(&ctx, expected)).unwrap().is_some()
        };
        let (i, j) = ("{ S[i, j] -> [(i)]; T[i, j] -> [(i)] }", "{ S[i, j] -> [(j)]; T[i, j] -> [(j)] }");
        let wide = |flags| band(&format!("{i}, {j}"), &format!(", coincident: [{flags}]"), "");
        let split = |outer, inner| {
            let inner = band(j, &format!(", coincident: [{inner}]"), "");
            band(i, &format!(", coincident: [{outer}]"), &inner)
        };
        assert!(!lacks(&wide("1, 0"), &split(1, 0)) && lacks(&split(1, 0), &wide("1, 0")));
        assert!(!lacks(&split(1, 1), &split(0, 1)) && lacks(&split(0, 1), &split(1, 0)));
        assert!(lacks(&wide("0, 0"), &split(0, 1)));
    }
}
