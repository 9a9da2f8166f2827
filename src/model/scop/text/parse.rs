//! From text to a region.

use super::error::{ParseError, Position};
use super::fields::{Fields, named, suggestion};
use super::limits;
use super::notation::{Parameters, Source, is_name, text_of};
use super::tree;
use super::yaml::{Data, Node, load};
use crate::isl::{self, DimType};
use crate::scop::{Access, AccessKind, Array, ArrayKind, Role, Scop, Statement};

/// Reads a region.
pub(super) fn scop(ctx: &isl::Ctx, text: &str) -> Result<Scop, ParseError> {
    let root = load(text)?;
    let keys = ["scop", "parameters", "context", "arrays", "statements", "schedule", "live_out"];
    let fields = Fields::new(&root, "a region", &keys)?;
    let parameters = parameters(fields.get("parameters"))?;
    let space = parameters.space(ctx).map_err(|e| root.at.isl(e))?;
    let mut reader =
        Reader { source: Source { ctx, text }, parameters, space, arrays: Vec::new(), references: Vec::new() };

    let name = text_of(fields.require("scop")?, "a name")?.to_owned();
    let context = reader.context(fields.get("context"), root.at)?;
    reader.arrays(fields.require("arrays")?)?;
    let statements = reader.statements(fields.require("statements")?)?;
    let live_out = reader.live_out(fields.require("live_out")?)?;
    let tree = fields.require("schedule")?;
    let schedule = tree::read(&reader.source, tree, &reader.parameters)?;
    let mut scop = Scop { name, context, arrays: reader.arrays, statements, schedule, live_out };
    check_schedule_domain(&scop, tree.at, &reader.parameters)?;
    scop.note_used().map_err(|e| root.at.isl(e))?;
    Ok(scop)
}

fn parameters(node: Option<&Node>) -> Result<Parameters, ParseError> {
    let Some(node) = node else { return Ok(Parameters::new(Vec::new())) };
    let Data::List(items) = &node.data else {
        return Err(node.at.error(format!("expected a list of names, found {}", node.kind())));
    };
    if let Some(item) = items.get(limits::ENTRIES) {
        return Err(item.at.error(format!("there are more than {} parameters", limits::ENTRIES)));
    }
    let mut names: Vec<String> = Vec::new();
    for item in items {
        let name = name_of(text_of(item, "a name")?, item, "parameter")?;
        if names.contains(&name) {
            return Err(item.at.error(format!("the parameter `{name}` is there twice")));
        }
        names.push(name);
    }
    Ok(Parameters::new(names))
}

fn name_of(name: &str, node: &Node, what: &str) -> Result<String, ParseError> {
    if is_name(name) {
        return Ok(name.to_owned());
    }
    let error = node.at.error(format!("`{name}` cannot be the name of a {what}"));
    Err(error.help("names are of letters, digits and `_`, and do not start with a digit"))
}

/// The tree orders exactly the instances of the statements, kills included.
fn check_schedule_domain(scop: &Scop, at: Position, parameters: &Parameters) -> Result<(), ParseError> {
    let (expected, found) = (|| {
        let expected = scop.domain()?.union(scop.kill_domain()?)?;
        let found = scop.schedule.domain()?.intersect_params(scop.context.clone())?;
        isl::Result::Ok((expected, found))
    })()
    .map_err(|e| at.isl(e))?;
    for (more, less, words) in
        [(&expected, &found, "leaves out"), (&found, &expected, "has beyond the statements' domains")]
    {
        let rest = more.clone().subtract(less.clone()).map_err(|e| at.isl(e))?;
        if !rest.is_empty().map_err(|e| at.isl(e))? {
            let rest = rest.coalesce().and_then(|r| r.gist_params(scop.context.clone())).map_err(|e| at.isl(e))?;
            let rest = parameters.strip(&rest.to_string());
            let error = at.error(format!("the domain of the schedule {words} {rest}"));
            return Err(error.help("it must be the union of the statements' domains"));
        }
    }
    Ok(())
}

struct Reader<'t> {
    source: Source<'t>,
    parameters: Parameters,
    space: isl::Space,
    arrays: Vec<Array>,
    /// The references so far, each with its line.
    references: Vec<(String, usize)>,
}

impl Reader<'_> {
    fn set(&self, node: &Node) -> Result<isl::Set, ParseError> {
        let set = self.parameters.read(&self.source, node, "a set", isl::Set::parse)?;
        self.aligned(set, node, |set| set.space(), isl::Set::align_params)
    }

    /// Checks that the parameters are known and puts them in the order of the region.
    fn aligned<T>(
        &self,
        object: T,
        node: &Node,
        space: impl Fn(&T) -> isl::Result<isl::Space>,
        align: impl Fn(T, isl::Space) -> isl::Result<T>,
    ) -> Result<T, ParseError> {
        self.parameters.check(&space(&object).map_err(|e| node.at.isl(e))?, node.at)?;
        align(object, self.space.clone()).map_err(|e| node.at.isl(e))
    }

    fn context(&self, node: Option<&Node>, root: Position) -> Result<isl::Set, ParseError> {
        let Some(node) = node else {
            return isl::Set::universe(self.space.clone()).map_err(|e| root.isl(e));
        };
        let context = self.set(node)?;
        if !context.is_params().map_err(|e| node.at.isl(e))? {
            let error = node.at.error("the context speaks of the parameters alone");
            return Err(error.help("write it without a tuple, as `{ : n > 0 }`"));
        }
        Ok(context)
    }

    fn arrays(&mut self, node: &Node) -> Result<(), ParseError> {
        for (name, key, value) in named(node, "a mapping of arrays")? {
            let name = name_of(name, key, "array")?;
            let fields = Fields::new(value, "an array", &["kind", "element", "extent"])?;
            let kind = fields.require("kind")?;
            let word = text_of(kind, "an array's kind")?;
            let words = ["memory", "local", "scalar"];
            let kind = ArrayKind::from_word(word)
                .ok_or_else(|| kind.at.error(format!("`{word}` is no kind of array")).help(suggestion(word, &words)))?;
            let element = fields.require("element")?;
            let element = text_of(element, "an element type")?.parse().map_err(|e: String| element.at.error(e))?;
            let extent = fields.require("extent")?;
            let Data::List(items) = &extent.data else {
                return Err(extent.at.error(format!("expected a list of extents, found {}", extent.kind())));
            };
            let extent = items.iter().map(|item| self.extent(item)).collect::<Result<_, _>>()?;
            self.arrays.push(Array::new(name, extent, element, kind));
        }
        Ok(())
    }

    fn extent(&self, node: &Node) -> Result<Option<isl::PwAff>, ParseError> {
        let text = text_of(node, "an extent")?;
        if text == "?" {
            return Ok(None);
        }
        let reader = |ctx: &isl::Ctx, complete: &str| match text.trim_start().starts_with(['{', '[']) {
            true => isl::PwAff::parse(ctx, complete),
            false => isl::PwAff::parse(ctx, &self.parameters.complete(&format!("{{ [({text})] }}"))),
        };
        let extent = self.parameters.read(&self.source, node, "an expression of the parameters", reader)?;
        if extent.dim(DimType::In).map_err(|e| node.at.isl(e))? > 0 {
            return Err(node.at.error("an extent depends on the parameters alone"));
        }
        let extent = self.aligned(extent, node, |e| e.space(), isl::PwAff::align_params)?;
        let most = extent.clone().max_val().and_then(|most| most.sgn()).map_err(|e| node.at.isl(e))?;
        if most < 0 {
            let error = node.at.error(format!("the extent `{text}` is negative"));
            return Err(error.help("an extent is a number of elements; write `?` where it is not known"));
        }
        Ok(Some(extent))
    }

    fn statements(&mut self, node: &Node) -> Result<Vec<Statement>, ParseError> {
        named(node, "a mapping of statements")?.into_iter().map(|entry| self.statement(entry)).collect()
    }

    fn statement(&mut self, (name, key, value): (&str, &Node, &Node)) -> Result<Statement, ParseError> {
        let name = name_of(name, key, "statement")?;
        let keys = ["text", "domain", "accesses", "side_effect", "may_trap", "copy", "reduction", "block", "parts"];
        let fields = Fields::new(value, "a statement", &keys)?;
        let node = fields.require("domain")?;
        let domain = self.set(node)?;
        self.check_tuple(&name, domain.tuple_name().map_err(|e| node.at.isl(e))?, node, "the domain")?;
        let text = match fields.get("text") {
            Some(node) => text_of(node, "a text")?.to_owned(),
            None => String::new(),
        };
        let accesses = match fields.get("accesses") {
            Some(node) => self.accesses(node, &name, &domain)?,
            None => Vec::new(),
        };
        let (side_effect, may_trap) = (fields.flag("side_effect")?, fields.flag("may_trap")?);
        let copy = fields.flag("copy")?;
        let moves = |kind| accesses.iter().filter(|access: &&Access| access.kind == kind).count() == 1;
        if copy && !(accesses.len() == 2 && moves(AccessKind::Read) && moves(AccessKind::MustWrite)) {
            let text = format!("`{name}` is no copy: one has one read and one must_write");
            return Err(fields.require("copy")?.at.error(text));
        }
        let reduction = fields.get("reduction");
        let kind =
            reduction.map(|node| text_of(node, "a part of a reduction")?.parse().map_err(|e: String| node.at.error(e)));
        let reduction_part = kind.transpose()?;
        let block = fields.get("block").map(block_of).transpose()?;
        let parts = fields.get("parts").map(parts_of).transpose()?.unwrap_or(1);
        let statement = Statement {
            name,
            domain,
            accesses,
            side_effect,
            may_trap,
            copy,
            reduction: reduction_part,
            block,
            parts,
            text,
        };
        match reduction {
            Some(node) => is_reduction(&statement, node).map(|()| statement),
            None => Ok(statement),
        }
    }

    fn check_tuple(&self, name: &str, found: Option<String>, node: &Node, what: &str) -> Result<(), ParseError> {
        match found {
            Some(found) if found == name => Ok(()),
            Some(found) => Err(node.at.error(format!("{what} of statement `{name}` has instances of `{found}`"))),
            None => {
                let error = node.at.error(format!("{what} of statement `{name}` does not name its instances"));
                Err(error.help(format!("write `{{ {name}[...] ... }}`")))
            }
        }
    }

    fn accesses(&mut self, node: &Node, statement: &str, domain: &isl::Set) -> Result<Vec<Access>, ParseError> {
        let Data::List(items) = &node.data else {
            return Err(node.at.error(format!("expected a list of accesses, found {}", node.kind())));
        };
        let mut accesses = Vec::new();
        for item in items {
            match named(item, "an access such as `read R0: \"{ S[i] -> A[i] }\"`")?.as_slice() {
                [(head, key, value)] => accesses.push(self.access(head, key, value, (statement, domain))?),
                _ => return Err(item.at.error("each access is an item of its own").help("start each with `- `")),
            }
        }
        Ok(accesses)
    }

    fn access(
        &mut self,
        head: &str,
        key: &Node,
        value: &Node,
        (statement, domain): (&str, &isl::Set),
    ) -> Result<Access, ParseError> {
        let Some((word, reference)) = head.split_once(' ') else {
            return Err(key.at.error(format!("`{head}` has no reference")).help("write for example `read R0`"));
        };
        let words = ["read", "may_write", "must_write", "kill"];
        let kind = AccessKind::from_word(word)
            .ok_or_else(|| key.at.error(format!("`{word}` is no kind of access")).help(suggestion(word, &words)))?;
        let (reference, scaled) = match reference.strip_suffix(" scaled") {
            Some(_) if kind != AccessKind::Read => {
                return Err(key.at.error(format!("a {kind} is not scaled")).help("only what is read is"));
            }
            Some(reference) => (reference, true),
            None => (reference, false),
        };
        let (reference, delay) = match reference.split_once(" delay ") {
            Some((reference, delay)) => (reference, delay_of(kind, delay.trim(), key)?),
            None => (reference, 1),
        };
        let reference = name_of(reference.trim(), key, "reference")?;
        if let Some((_, line)) = self.references.iter().find(|(name, _)| *name == reference) {
            return Err(key
                .at
                .error(format!("the reference `{reference}` is there twice; the first is in line {line}")));
        }
        self.references.push((reference.clone(), key.at.line));

        let relation = self.parameters.read(&self.source, value, "a relation", isl::Map::parse)?;
        let relation = self.aligned(relation, value, |map| map.space(), isl::Map::align_params)?;
        let space = relation.space().map_err(|e| value.at.isl(e))?;
        let name = |kind| space.tuple_name(kind).map_err(|e| value.at.isl(e));
        let size = |kind| space.dim(kind).map_err(|e| value.at.isl(e));
        self.check_tuple(statement, name(DimType::In)?, value, &format!("the access {reference}"))?;
        let expected = domain.dim(DimType::SET).map_err(|e| value.at.isl(e))?;
        if size(DimType::In)? != expected {
            let found = size(DimType::In)?;
            let message = format!("instances of `{statement}` have {expected} dimensions in its domain, {found} here");
            return Err(value.at.error(message));
        }
        self.check_array(name(DimType::Out)?, size(DimType::Out)?, value)?;
        Ok(Access { reference, kind, relation, delay, scaled })
    }

    fn check_array(&self, name: Option<String>, rank: usize, node: &Node) -> Result<(), ParseError> {
        let Some(name) = name else {
            return Err(node.at.error("the elements have no array name").help("write `A[i]` for an element of `A`"));
        };
        let Some(array) = self.arrays.iter().find(|a| a.name == name) else {
            let known: Vec<&str> = self.arrays.iter().map(|a| a.name.as_str()).collect();
            return Err(node.at.error(format!("there is no array `{name}`")).help(suggestion(&name, &known)));
        };
        if array.rank() != rank {
            let expected = array.rank();
            return Err(node.at.error(format!("`{name}` has {expected} dimensions, its elements have {rank} here")));
        }
        Ok(())
    }

    fn live_out(&self, node: &Node) -> Result<isl::UnionSet, ParseError> {
        let set = self.parameters.read(&self.source, node, "a union set", isl::UnionSet::parse)?;
        let set = self.aligned(set, node, |set| set.space(), isl::UnionSet::align_params)?;
        for part in set.set_list().and_then(|list| list.to_vec()).map_err(|e| node.at.isl(e))? {
            let name = part.tuple_name().map_err(|e| node.at.isl(e))?;
            self.check_array(name, part.dim(DimType::SET).map_err(|e| node.at.isl(e))?, node)?;
        }
        Ok(set)
    }
}

/// How many operations lead from what is read to what is written.
fn delay_of(kind: AccessKind, text: &str, key: &Node) -> Result<u32, ParseError> {
    if kind != AccessKind::Read {
        return Err(key.at.error(format!("a {kind} has no delay")).help("only what is read is waited for"));
    }
    match text.parse() {
        Ok(delay) if delay > 0 => Ok(delay),
        _ => Err(key
            .at
            .error(format!("`{text}` is no number of operations"))
            .help("write for example `read R0 delay 3`")),
    }
}

/// A number of parts.
fn parts_of(node: &Node) -> Result<u32, ParseError> {
    let text = text_of(node, "a number of parts")?;
    let parts = text.parse().ok().filter(|parts| *parts > 0);
    parts.ok_or_else(|| node.at.error(format!("`{text}` is no number of parts")))
}

/// The number of a basic block.
fn block_of(node: &Node) -> Result<usize, ParseError> {
    let text = text_of(node, "the number of a basic block")?;
    text.parse().map_err(|_| node.at.error(format!("`{text}` is no number of a basic block")))
}

/// The accesses of a statement are those of its part in a reduction.
fn is_reduction(statement: &Statement, node: &Node) -> Result<(), ParseError> {
    let name = &statement.name;
    let gathers = statement.gathered().map_err(|e| node.at.isl(e))?.is_some();
    let fits = match statement.reduction.map(|reduction| reduction.role) {
        Some(Role::Neutral) => statement.accesses.len() == 1 && statement.accesses[0].kind == AccessKind::MustWrite,
        Some(Role::Combine) => gathers && statement.accesses.len() == 3,
        Some(Role::Update) => gathers,
        None => true,
    };
    if fits && !statement.copy {
        return Ok(());
    }
    Err(node.at.error(format!(
        "`{name}` has other accesses: one read and one must_write of the same element, and reads of other elements (one, if it combines); a must_write alone, if it is neutral"
    )))
}
