//! From schedule constraints to the graph.

use crate::isl::{self, ConstraintRows, DimType, Map, MultiAff, PwMultiAff, ScheduleConstraints, Set, Space, UnionMap};
use crate::proximity::ReferenceGroup;
use crate::schedule::error::Result;
use crate::schedule::explain::names;
use crate::schedule::graph::compress;
use crate::schedule::graph::contiguity::Contiguity;
use crate::schedule::graph::gist::Context;
use crate::schedule::graph::{Cache, Edge, Graph, Kinds, Node, ProximityRelation, References, Statement};
use crate::schedule::near;
use crate::schedule::strategy::{Near, Strategy};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

impl Graph {
    /// A node for each space of the domain, an edge for each relation between two of them. Constraints on instances of
    /// other spaces are left out. Relations that are equal become one edge, whatever they ask for. What is near because
    /// of groups of references, in their order, takes the place of the constraints' own proximity, if the strategy looks at that.
    /// What no problem chooses is not near.
    pub fn from_constraints(
        constraints: &ScheduleConstraints,
        groups: &[ReferenceGroup],
        strategy: &Strategy,
    ) -> Result<Graph> {
        let mut relations = relations(constraints)?;
        match !groups.is_empty() && strategy.is_near_by_groups() {
            true => relations.extend(relations_of(groups, strategy)),
            false => relations.extend(near_relations(constraints, strategy)?),
        }
        let context = constraints.context()?;
        let mut model = constraints.domain()?.space()?.align_params(context.space()?)?;
        for relation in &relations {
            model = model.align_params(relation.pairs.space()?)?;
        }
        let context = context.align_params(model.clone())?;
        // { S[i] }, with the context's equalities
        let domain = constraints.domain()?.align_params(model.clone())?.intersect_params(context.clone())?;
        let mut builder = Builder::new(Context::new(context)?, model.dim(DimType::Param)?);
        for set in domain.set_list()?.to_vec()? {
            builder.add_node(set, groups, strategy)?;
        }
        for Relation { asked, pairs } in relations {
            for map in pairs.align_params(model.clone())?.map_list()?.to_vec()? {
                builder.add_map(map, &asked)?;
            }
        }
        let mut graph = Graph::new(builder.parameters, builder.nodes, builder.edges);
        graph.weigh(strategy);
        Ok(graph)
    }
}

impl Graph {
    /// Gives edges the weights that the strategy gives pairs of statements.
    fn weigh(&mut self, strategy: &Strategy) {
        if strategy.weights.are_equal() {
            return;
        }
        let names = names(self);
        for edge in &mut self.edges {
            edge.weight = strategy.weights.of(&names[edge.source], &names[edge.target]);
        }
    }
}

/// What pairs are asked for.
#[derive(Default)]
struct Asked {
    kinds: Kinds,
    /// The group that asks for it.
    proximity: Option<ProximityRelation>,
    /// The choices that they belong to.
    near: BTreeSet<Near>,
}

/// Pairs `{ S[i] -> T[j] }`, and what they are asked for.
struct Relation {
    asked: Asked,
    pairs: UnionMap,
}

impl Relation {
    fn new(kinds: Kinds, pairs: UnionMap) -> Relation {
        Relation { asked: Asked { kinds, ..Asked::default() }, pairs }
    }

    /// Pairs that are near for the problems with some choices.
    fn near(near: BTreeSet<Near>, pairs: UnionMap) -> Relation {
        let kinds = Kinds { proximity: true, ..Kinds::default() };
        Relation { asked: Asked { kinds, proximity: None, near }, pairs }
    }
}

/// The relations of all kinds but proximity, in the order in which they become edges.
fn relations(constraints: &ScheduleConstraints) -> Result<Vec<Relation>> {
    let none = Kinds::default();
    Ok(vec![
        Relation::new(Kinds { validity: true, ..none }, constraints.validity()?),
        Relation::new(Kinds { coincidence: true, ..none }, constraints.coincidence()?),
        Relation::new(Kinds { condition: true, ..none }, constraints.conditional_validity_condition()?),
        Relation::new(Kinds { conditioned: true, ..none }, constraints.conditional_validity()?),
    ])
}

/// What the constraints say is near: for all problems, and for those that choose.
fn near_relations(constraints: &ScheduleConstraints, strategy: &Strategy) -> Result<Vec<Relation>> {
    let (all, mut relations) = (constraints.proximity()?, Vec::new());
    for choice in strategy.near_choices() {
        relations.push(Relation::near(BTreeSet::from([choice.clone()]), near::of_choice(&all, choice)?));
    }
    if strategy.takes_all_near() {
        // Pairs with tags are between no nodes.
        relations.insert(0, Relation::near(BTreeSet::from([Near::default()]), all));
    }
    Ok(relations)
}

/// The relations of groups of references to arrays that some problem looks at.
fn relations_of(groups: &[ReferenceGroup], strategy: &Strategy) -> Vec<Relation> {
    let choices = strategy.near_choices();
    let mut relations = Vec::new();
    for one in groups.iter().filter(|one| strategy.takes_array(&one.array)) {
        let of_group = |spatial: bool| Some(ProximityRelation { group: one.alike, spatial });
        let chosen = choices.iter().filter(|choice| choice.takes_array(&one.array)).map(|choice| (*choice).clone());
        let mut temporal = Relation::near(chosen.chain([Near::default()]).collect(), one.temporal.clone());
        temporal.asked.proximity = of_group(false);
        let mut spatial = Relation::new(Kinds { spatial: true, ..Kinds::default() }, one.spatial.clone());
        spatial.asked.proximity = of_group(true);
        relations.extend([temporal, spatial]);
    }
    relations
}

struct Builder {
    /// Parameter values that matter.
    context: Context,
    parameters: usize,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// Nodes by name and size of their tuple.
    by_name: BTreeMap<(Option<String>, usize), Vec<usize>>,
    /// Edges by their ends.
    by_ends: BTreeMap<(usize, usize), Vec<usize>>,
    /// The edges, if any, that relations became: mostly the same relation asks for several things, and what is done to
    /// it is costly.
    known: BTreeMap<(usize, usize, Signature), Option<usize>>,
}

/// The constraints of a relation as they are written down, in a fixed order.
type Signature = Vec<ConstraintRows>;

/// None: some numbers do not fit.
fn signature(map: &Map) -> Result<Option<Signature>> {
    let mut signature = Vec::new();
    for disjunct in map.basic_map_list()?.to_vec()? {
        let Some(mut rows) = disjunct.constraint_rows()? else { return Ok(None) };
        rows.equalities.sort_unstable();
        rows.inequalities.sort_unstable();
        signature.push(rows);
    }
    signature.sort_unstable();
    Ok(Some(signature))
}

impl Builder {
    fn new(context: Context, parameters: usize) -> Builder {
        Builder {
            context,
            parameters,
            nodes: Vec::new(),
            edges: Vec::new(),
            by_name: BTreeMap::new(),
            by_ends: BTreeMap::new(),
            known: BTreeMap::new(),
        }
    }

    fn add_node(&mut self, domain: Set, groups: &[ReferenceGroup], strategy: &Strategy) -> Result<()> {
        let mut statement = compress::statement(domain, self.nodes.len(), strategy)?;
        for group in groups {
            let space = group.access.space()?.domain()?;
            if statement.space.tuple_is_equal(DimType::SET, &space, DimType::SET)? {
                statement.references.push(References::new(group, &statement, &strategy.weights)?);
            }
        }
        let counted: Vec<_> = statement.references.iter().map(References::counted).collect();
        statement.contiguity = Contiguity::of(&counted, statement.variables);
        let key = key(&statement.space)?;
        self.by_name.entry(key).or_default().push(self.nodes.len());
        self.nodes.push(Node::new(Rc::new(statement), self.parameters)?);
        Ok(())
    }

    /// The node that lives in a (set) space.
    fn find(&self, space: &Space) -> Result<Option<usize>> {
        for &node in self.by_name.get(&key(space)?).into_iter().flatten() {
            if self.nodes[node].statement.space.tuple_is_equal(DimType::SET, space, DimType::SET)? {
                return Ok(Some(node));
            }
        }
        Ok(None)
    }

    /// Adds a relation in a single space: `{ S[i] -> T[j] }`, or for conditions perhaps `{ [S[i] -> R[]] -> [T[j] ->
    /// Q[]] }`.
    fn add_map(&mut self, map: Map, asked: &Asked) -> Result<()> {
        let tagged = match asked.kinds.condition || asked.kinds.conditioned {
            // { [S[i] -> T[j]] -> [R[] -> Q[]] }
            true if map.can_zip()? => Some(map.clone().zip()?),
            true => Some(near::with_tag(map.clone(), "untagged")?),
            false => None,
        };
        let map = match &tagged {
            Some(tagged) => tagged.clone().domain()?.unwrap_map()?,
            None => map,
        };
        let space = map.space()?;
        let ends = (self.find(&space.clone().domain()?)?, self.find(&space.range()?)?);
        let (Some(source), Some(target)) = ends else { return Ok(()) };
        let (from, to) = (self.nodes[source].statement.clone(), self.nodes[target].statement.clone());
        let tagged = tagged.map(|tagged| compress_tagged(tagged, &from, &to)).transpose()?;
        let known = signature(&map)?.map(|signature| (source, target, signature));
        if let Some(edge) = known.as_ref().and_then(|known| self.known.get(known)) {
            if let Some(edge) = edge {
                self.edges[*edge].ask(asked, tagged);
            }
            return Ok(());
        }
        let (map, points) = self.context.simplify(map)?;
        let points = points.filter(|_| from.compression.is_none() && to.compression.is_none());
        let map = compress(map, &from, &to)?;
        if map.plain_is_empty()? {
            self.known.extend(known.map(|known| (known, None)));
            return Ok(());
        }
        let mut edge = Edge {
            source,
            target,
            map,
            kinds: Kinds::default(),
            conditions: Vec::new(),
            conditioned: Vec::new(),
            local: false,
            proximity: Vec::new(),
            near: BTreeSet::new(),
            weight: 1,
            cache: Rc::new(Cache::of(points)),
        };
        edge.ask(asked, tagged);
        let index = self.add_edge(edge)?;
        self.known.extend(known.map(|known| (known, Some(index))));
        Ok(())
    }

    /// Adds an edge, or what it asks for to one with the same relation; which one that is.
    fn add_edge(&mut self, edge: Edge) -> Result<usize> {
        let same_ends = self.by_ends.entry((edge.source, edge.target)).or_default();
        for &index in same_ends.iter() {
            let other = &mut self.edges[index];
            // Comparing relations takes longer, and what is compared first is of use later.
            if may_be_equal(other, &edge) && other.map.plain_is_equal(&edge.map)? {
                other.kinds = other.kinds.union(edge.kinds);
                other.conditions.extend(edge.conditions);
                other.conditioned.extend(edge.conditioned);
                other.proximity.extend(edge.proximity);
                other.near.extend(edge.near);
                return Ok(index);
            }
        }
        let index = self.edges.len();
        same_ends.push(index);
        self.edges.push(edge);
        Ok(index)
    }
}

/// Two edges with the same ends may have the same relation.
fn may_be_equal(one: &Edge, other: &Edge) -> bool {
    match (one.exact(), other.exact()) {
        (Ok(one), Ok(other)) => one == other,
        // Relations have to be told apart by themselves.
        _ => true,
    }
}

impl Edge {
    /// Asks for something more.
    fn ask(&mut self, asked: &Asked, tagged: Option<Map>) {
        self.kinds = self.kinds.union(asked.kinds);
        self.proximity.extend(asked.proximity);
        self.near.extend(asked.near.iter().cloned());
        let tags = if asked.kinds.condition { &mut self.conditions } else { &mut self.conditioned };
        tags.extend(tagged);
    }
}

fn key(space: &Space) -> Result<(Option<String>, usize)> {
    Ok((space.tuple_name(DimType::SET)?, space.dim(DimType::SET)?))
}

/// `{ S[i] -> T[j] }` to `{ C[x] -> D[y] }`.
fn compress(map: Map, from: &Statement, to: &Statement) -> isl::Result<Map> {
    let mut map = map;
    if let Some(compression) = &from.compression {
        map = map.preimage_domain_pw_multi_aff(compression.expand.clone())?;
    }
    if let Some(compression) = &to.compression {
        map = map.preimage_range_pw_multi_aff(compression.expand.clone())?;
    }
    Ok(map)
}

/// `{ [S[i] -> T[j]] -> [R[] -> Q[]] }` to `{ [C[x] -> D[y]] -> [R[] -> Q[]] }`.
fn compress_tagged(tagged: Map, from: &Statement, to: &Statement) -> isl::Result<Map> {
    if from.compression.is_none() && to.compression.is_none() {
        return Ok(tagged);
    }
    tagged.preimage_domain_pw_multi_aff(expand(from)?.product(expand(to)?)?)
}

/// `{ C[x] -> S[i] }`, the identity without compression.
fn expand(statement: &Statement) -> isl::Result<PwMultiAff> {
    match &statement.compression {
        Some(compression) => Ok(compression.expand.clone()),
        None => PwMultiAff::from_multi_aff(MultiAff::identity(statement.space.clone().map_from_set()?)?),
    }
}
