//! One region: from nodes to text.

use std::collections::{BTreeMap, BTreeSet};

use polyrs_core::driver::Allowance;
use polyrs_core::isl::{self, Moment};
use polyrs_interface::Outlook;

use super::refusal::{Obstacle, Reason, Step};
use crate::llvm::raise::affine::describe::{Access, Description, describe};
use crate::llvm::raise::affine::polynomial::Symbol;
use crate::llvm::raise::affine::rows::RowTable;
use crate::llvm::raise::code::function::{Action, Code, Rows, Versions};
use crate::llvm::raise::code::ids::{BlockId, LoopId, ValueId};
use crate::llvm::raise::delinearize::arrays::{self, Array, Arrays};
use crate::llvm::raise::delinearize::limits::Limited;
use crate::llvm::raise::delinearize::shape::Stride;
use crate::llvm::raise::delinearize::{limits, rows};
use crate::llvm::raise::emit::emitter::{Body, ERRNO, StandIn};
use crate::llvm::raise::emit::function::emit;
use crate::llvm::raise::emit::needed::{Needed, needed};
use crate::llvm::raise::emit::rows::{RowsFunction, rows_function};
use crate::llvm::raise::emit::runtime_check::{RuntimeCheck, runtime_check};
use crate::llvm::raise::emit::text::{array_name, array_type, index_name, quoted, scalar_name, slot_name, table_name};
use crate::llvm::raise::structure::burden::is_burdened;
use crate::llvm::raise::structure::extent::Extent;
use crate::llvm::raise::structure::members::blocks_of;
use crate::llvm::raise::structure::nodes::ControlNode;
use crate::mlir::lower::facts::{BURDENED, DEAD, STARTS, Start};
use crate::mlir::names::NAMES;
use crate::mlir::schedule::LAYOUT;

/// Where a region is in its function, and what goes in and out there.
pub struct Site {
    /// The nodes.
    pub nodes: Vec<ControlNode>,
    /// The arguments of the new function.
    pub arguments: Vec<Argument>,
    /// The values that are used behind the region, which it stores to slots.
    pub out: Vec<ValueId>,
    /// The tables of pointers to rows.
    pub rows: Vec<RowsCall>,
    /// Where control goes if the check does not hold, if not to the region.
    pub otherwise: Option<BlockId>,
}

/// What finds where rows start and how far apart they are.
#[derive(Clone, Debug)]
pub struct RowsCall {
    /// The function of the module, from the address of the pointer to row zero and indices to two integers.
    pub name: String,
    /// What it finds, and the table.
    pub rows: Rows,
    /// The bytes from the start of the table to the pointer to row zero.
    pub first: i64,
    /// The values that it takes as indices.
    pub indices: Vec<ValueId>,
}

/// A region that was raised.
pub struct RaisedRegion {
    /// Where it is.
    pub site: Site,
    /// The module.
    pub text: String,
    /// The function's name.
    pub name: String,
    /// There is a check.
    pub checked: bool,
    /// What it makes sure of, for people.
    pub assured: Vec<&'static str>,
    /// The parameters of the original function, by their numbers, whose layouts it was told.
    pub annotated: Vec<usize>,
    /// Which loops it has.
    pub outlook: Outlook,
    /// The functions of the module that stand for what calls call, and these calls.
    pub calls: Vec<StandIn<ValueId>>,
}

impl RaisedRegion {
    /// The same in the place of some nodes, of which it is the version that runs if its check holds.
    pub fn at(mut self, nodes: &[ControlNode]) -> Self {
        self.site.nodes = nodes.to_vec();
        self
    }
}

/// An argument of a raised function.
#[derive(Clone, Debug)]
pub enum Argument {
    /// An array: where it starts, its extents but for the first, and its strides.
    Array(ValueId, Vec<Stride>, Vec<Stride>),
    /// An integer, sign-extended to 64 bits.
    Index(ValueId),
    /// The address so many bytes behind the start of a table of pointers to rows.
    Table(ValueId, i64),
    /// A value as it is.
    Scalar(ValueId),
    /// The slot of a value that is used behind the region.
    Slot(ValueId),
}

impl Argument {
    /// The values of the function that it is computed from.
    pub fn values(&self) -> BTreeSet<ValueId> {
        match self {
            Argument::Array(base, extents, strides) => {
                let symbols = extents.iter().chain(strides).flat_map(|size| &size.values);
                let values = symbols.filter_map(|symbol| match symbol {
                    Symbol::Value(value) | Symbol::Sum(value, _) => Some(*value),
                    Symbol::Dim(_) => None,
                });
                values.chain([*base]).collect()
            }
            Argument::Index(value) | Argument::Scalar(value) | Argument::Table(value, _) => BTreeSet::from([*value]),
            Argument::Slot(_) => BTreeSet::new(),
        }
    }
}

/// Questions about a region that LLVM answers.
pub trait Oracle {
    /// Whether accesses to two arrays never touch the same memory.
    fn are_apart(&self, one: &Array, other: &Array, description: &Description) -> bool;

    /// Whether a value is neither undefined nor poison at the end of a block.
    fn is_certain(&self, value: ValueId, block: BlockId) -> bool;

    /// Whether nobody looks at an array any more when some accesses, which are all of a region's, have run: nobody else
    /// does at all, and it is made in each iteration of the loop `around` the region, or once if there is none.
    fn dies(&self, base: ValueId, accesses: &[ValueId], around: Option<LoopId>) -> bool;

    /// What the program says of the layout of a region's arrays, which are arguments of its function.
    fn layouts(&self, _arguments: &[Argument]) -> Layouts {
        Layouts::default()
    }
}

/// What a program says of the layout of a region's arrays.
#[derive(Debug, Default)]
pub struct Layouts {
    /// Directives that name arrays.
    pub text: Option<String>,
    /// Directives about one argument, by its number.
    pub of_arguments: BTreeMap<usize, String>,
    /// The parameters of the function that these are, by their numbers in LLVM IR.
    pub annotated: Vec<usize>,
    /// For each argument its name and others for it; nothing if there are no directives.
    pub names: Vec<Vec<String>>,
}

/// Raises nodes, until the deadline and as far as the allowance goes.
///
/// # Errors
/// The obstacle.
pub fn raise(
    code: &Code,
    nodes: &[ControlNode],
    extent: &Extent,
    name: &str,
    deadline: Option<Moment>,
    allowance: &mut Allowance,
    oracle: &dyn Oracle,
) -> Result<RaisedRegion, Obstacle> {
    let at_start = |reason| Obstacle { reason, location: nodes[0].location(code), block: nodes[0].block(code) };
    let out = extent.results(code);
    if out.iter().any(|value| code.kind(*value).text().is_none()) {
        return Err(at_start(Reason::Type));
    }
    let versions = versions_of(code, nodes).map_err(at_start)?;
    let context = isl::Ctx::new();
    context.set_deadline(deadline);
    allowance.run(&context.clone(), || {
        let mut description = describe(code, nodes, context)?;
        let at = |access: &Access, reason| obstacle(code, access.value, reason);
        let mut arrays = arrays::find(code, &mut description, at)?;
        for load in versions.iter().flat_map(|versions| &versions.assumed) {
            arrays.add_assumed(code, *load).map_err(at_start)?;
        }
        let limits = limits::find(&mut description, &|symbol| arrays::varies(code, symbol)).map_err(at_start)?;
        let needed = needed(code, &description, nodes, &out);
        let body = emit(code, &description, &arrays, &needed, name, nodes)?;
        for computed in &body.computed {
            description.fits(*computed).map_err(at_start)?;
        }
        let before = block_before(code, &nodes[0]);
        let is_doubtful = |value: ValueId| code.is_narrow(value) && !oracle.is_certain(value, before);
        description.assumptions.confirm(is_doubtful).map_err(|reason| Obstacle {
            reason,
            location: None,
            block: before,
        })?;
        let otherwise = versions.map(|versions| versions.otherwise);
        let parts = Parts { code, nodes, name, description, arrays, needed, body, otherwise };
        let (checked, tables) = parts.check(&limits, oracle).map_err(|reason| parts.at_first(reason))?;
        parts.region(checked.as_ref(), &tables, oracle).map_err(at_start)
    })
}

/// The parts of a region.
struct Parts<'a> {
    code: &'a Code,
    nodes: &'a [ControlNode],
    name: &'a str,
    description: Description,
    arrays: Arrays,
    needed: Needed,
    body: Body,
    /// Where control goes if the check does not hold, if not to the region.
    otherwise: Option<BlockId>,
}

impl Parts<'_> {
    /// A reason at the first access.
    fn at_first(&self, reason: Reason) -> Obstacle {
        let first = self.arrays.all.first().and_then(|array| array.accesses.first());
        match first {
            Some(access) => obstacle(self.code, *access, reason),
            None => Obstacle { reason, location: None, block: self.nodes[0].block(self.code) },
        }
    }

    /// The check, if there is anything to check, and what finds rows.
    fn check(&self, limits: &[Limited], oracle: &dyn Oracle) -> Step<(Option<RuntimeCheck>, Tables)> {
        let Self { code, description, arrays, .. } = self;
        // Where the program stops before it has loaded all rows, that is known in the check only.
        if !description.rows.is_empty() && (self.otherwise.is_some() || !limits.is_empty()) {
            return Err(Reason::Base);
        }
        let tables = Tables::of(self.name, description)?;
        let range = |value: ValueId| code.values[value.0].range;
        // Of what is assumed to be unchanged nothing is known; that is why it is assumed.
        let is_known = |array: &Array| !array.accesses.is_empty() && !code.is_start_of_rows(array.base);
        let is_apart =
            |one: &Array, other: &Array| is_known(one) && is_known(other) && oracle.are_apart(one, other, description);
        let checks = (limits, &tables.pointers[..]);
        Ok((runtime_check(&description.assumptions, arrays, checks, &range, &is_apart)?, tables))
    }

    /// All of it.
    fn region(self, checked: Option<&RuntimeCheck>, tables: &Tables, oracle: &dyn Oracle) -> Step<RaisedRegion> {
        let Self { code, nodes, name, description, arrays, needed, body, otherwise } = self;
        let mut indices = body.indices.clone();
        indices.extend(checked.iter().flat_map(|check| &check.indices));
        indices.extend(tables.functions.iter().flat_map(|function| &function.indices));
        let arguments = arguments(&arrays.all, &description.rows, &indices, &body.scalars, &needed.out);
        let layouts = oracle.layouts(&arguments);
        let arrays_of = (&arrays.all[..], tables.pointers.len());
        let signature = |layouts| signature(code, arrays_of, layouts, &indices, &body.scalars, &needed);
        let signatures = [signature(Some(&layouts))?, signature(None)?];
        let accesses: Vec<ValueId> = arrays.all.iter().flat_map(|array| array.accesses.iter().copied()).collect();
        let dies = |array: &Array| {
            let is_found = code.is_start_of_rows(array.base);
            !is_found && array.written && oracle.dies(array.base, &accesses, around(code, &nodes[0]))
        };
        let dead: Vec<usize> = (0..arrays.all.len()).filter(|number| dies(&arrays.all[*number])).collect();
        // Of what is assumed not to change, the original loads it in each iteration.
        let is_burdened = otherwise.is_some() || is_burdened(code, nodes);
        let attributes = attributes(&arrays.all, &dead, is_burdened, &layouts);
        Ok(RaisedRegion {
            text: module(name, &signatures, &attributes, &body, (checked, tables)),
            calls: body.calls,
            name: name.to_owned(),
            checked: checked.is_some(),
            assured: checked.map(|check| check.assured.clone()).unwrap_or_default(),
            annotated: layouts.annotated,
            outlook: busy_loops(code, nodes).outlook(),
            site: Site {
                nodes: nodes.to_vec(),
                arguments,
                out: needed.out,
                rows: tables.calls(&description),
                otherwise,
            },
        })
    }
}

/// The versions of a loop of which nodes have the first one, if there are such.
///
/// # Errors
/// [`Reason::Part`] if they have a part of one, or more: nothing runs it but as a whole.
fn versions_of<'a>(code: &'a Code, nodes: &[ControlNode]) -> Step<Option<&'a Versions>> {
    let blocks = blocks_of(code, nodes);
    let first = |versions: &Versions| {
        (0..code.loops.len()).map(LoopId).find(|number| code.loops[number.0].preheader == Some(versions.before))
    };
    let mut found = None;
    for versions in &code.versions {
        let number = first(versions).ok_or(Reason::Part)?;
        if blocks.contains(&versions.before)
            || blocks.iter().any(|block| code.is_within(code.blocks[block.0].around, number))
        {
            let is_whole = matches!(nodes, [ControlNode::Loop { number: whole, .. }] if *whole == number);
            if !is_whole {
                return Err(Reason::Part);
            }
            found = Some(versions);
        }
    }
    Ok(found)
}

/// The arguments of a raised function, in the order of [`signature`].
fn arguments(
    arrays: &[Array],
    tables: &[RowTable],
    indices: &BTreeSet<ValueId>,
    scalars: &BTreeSet<ValueId>,
    out: &[ValueId],
) -> Vec<Argument> {
    let arrays = arrays.iter().map(|array| Argument::Array(array.base, array.extents.clone(), array.strides.clone()));
    let tables = tables.iter().map(|table| Argument::Table(table.rows.table, table.first));
    let indices = indices.iter().map(|value| Argument::Index(*value));
    let scalars = scalars.iter().map(|value| Argument::Scalar(*value));
    arrays.chain(tables).chain(indices).chain(scalars).chain(out.iter().map(|value| Argument::Slot(*value))).collect()
}

/// The tables of pointers to rows of a region.
struct Tables {
    /// The pointers that are loaded, as arrays.
    pointers: Vec<Array>,
    /// What finds the rows.
    functions: Vec<RowsFunction>,
}

impl Tables {
    fn of(name: &str, description: &Description) -> Step<Self> {
        let unknown: Vec<ValueId> =
            description.rows.iter().flat_map(|table| [table.rows.start, table.rows.spacing]).collect();
        let (mut pointers, mut functions) = (Vec::new(), Vec::new());
        for (number, table) in description.rows.iter().enumerate() {
            let loaded = rows::pointers(&description.assumptions, table)?;
            functions.push(rows_function(name, number, (table, &loaded), &description.assumptions, &unknown)?);
            pointers.push(loaded);
        }
        Ok(Self { pointers, functions })
    }

    fn calls(&self, description: &Description) -> Vec<RowsCall> {
        let call = |(table, function): (&RowTable, &RowsFunction)| RowsCall {
            name: function.name.clone(),
            rows: table.rows,
            first: table.first,
            indices: function.indices.clone(),
        };
        description.rows.iter().zip(&self.functions).map(call).collect()
    }
}

/// The module of a raised function, with its check and what stands for the functions that it calls; the signature with
/// the attributes of arguments, and that without, which the check has.
fn module(
    name: &str,
    [signature, plain]: &[String; 2],
    attributes: &str,
    body: &Body,
    (check, tables): (Option<&RuntimeCheck>, &Tables),
) -> String {
    let mut text = format!(
        "module {{\n  func.func @{}({signature}){attributes} {{\n{}{}    return\n  }}\n",
        quoted(name),
        body.constants,
        within_errno(name, body)
    );
    if let Some(check) = check {
        text += &format!(
            "  func.func @{}({plain}) -> i1 {{\n{}    return %holds : i1\n  }}\n",
            quoted(&format!("{name}_check")),
            check.text
        );
    }
    tables.functions.iter().for_each(|function| text += &function.text);
    let [begin, end] = StandIn::flag(name);
    let flag = [(&begin, "() -> i64"), (&end, "(i64) -> ()")].into_iter().filter(|_| notes_errno(body));
    for (name, kinds) in flag.chain(body.calls.iter().map(|call| (&call.name, call.kinds.as_str()))) {
        text += &format!("  func.func private @{}{kinds}\n", quoted(name));
    }
    text + "}\n"
}

/// Some call notes what it has to say in `errno`.
fn notes_errno(body: &Body) -> bool {
    body.calls.iter().any(|call| call.notes_errno)
}

/// The text of a body, with a flag for what its calls note around it.
fn within_errno(name: &str, body: &Body) -> String {
    if !notes_errno(body) {
        return body.text.clone();
    }
    let [begin, end] = StandIn::flag(name).map(|name| quoted(&name));
    format!(
        "    {ERRNO} = func.call @{begin}() : () -> i64\n{}    func.call @{end}({ERRNO}) : (i64) -> ()\n",
        body.text
    )
}

/// Loops that load or store.
#[derive(Clone, Copy, Debug, Default)]
pub struct BusyLoops {
    /// The most of them on a way, in each other or one after the other.
    pub count: usize,
    /// The most of them in each other.
    pub depth: usize,
}

impl BusyLoops {
    /// What the prefilter has to have seen of them.
    pub fn outlook(self) -> Outlook {
        match self {
            BusyLoops { count: 0, .. } => Outlook::Nothing,
            BusyLoops { count: 1, .. } => Outlook::Single,
            BusyLoops { depth: 1, .. } => Outlook::Row,
            BusyLoops { .. } => Outlook::Nest,
        }
    }
}

/// The loops among nodes that load or store.
pub fn busy_loops(code: &Code, nodes: &[ControlNode]) -> BusyLoops {
    // What cannot be described may load or store.
    let accesses = |value: &ValueId| {
        let action = code.instruction(*value).map(|it| &it.action);
        action.is_some_and(|action| matches!(action, Action::Load | Action::Other(_)) || action.stores())
    };
    let is_busy = |node: &ControlNode| {
        let blocks = blocks_of(code, std::slice::from_ref(node));
        blocks.iter().any(|block| code.blocks[block.0].instructions.iter().any(accesses))
    };
    let mut all = BusyLoops::default();
    for node in nodes {
        let BusyLoops { count, depth } = match node {
            ControlNode::Straight { .. } | ControlNode::Failure { .. } => BusyLoops::default(),
            ControlNode::Opaque { is_loop, .. } => {
                let count = usize::from(*is_loop);
                BusyLoops { count, depth: count }
            }
            ControlNode::If { then, otherwise, .. } => {
                let (one, other) = (busy_loops(code, &then.nodes), busy_loops(code, &otherwise.nodes));
                BusyLoops { count: one.count.max(other.count), depth: one.depth.max(other.depth) }
            }
            ControlNode::Version { branch, .. } => busy_loops(code, &branch.nodes),
            ControlNode::Loop { body, .. } if is_busy(node) => {
                let inner = busy_loops(code, body);
                BusyLoops { count: 1 + inner.count, depth: 1 + inner.depth }
            }
            ControlNode::Loop { .. } => BusyLoops::default(),
        };
        all = BusyLoops { count: all.count + count, depth: all.depth.max(depth) };
    }
    all
}

/// The block at the end of which values from outside are taken.
fn block_before(code: &Code, node: &ControlNode) -> BlockId {
    let block = node.block(code);
    let preheader = match node {
        ControlNode::Loop { number, .. } => code.loops[number.0].preheader,
        _ => None,
    };
    preheader.unwrap_or(block)
}

fn signature(
    code: &Code,
    (arrays, tables): (&[Array], usize),
    layouts: Option<&Layouts>,
    indices: &BTreeSet<ValueId>,
    scalars: &BTreeSet<ValueId>,
    needed: &Needed,
) -> Step<String> {
    let kind = |value: &ValueId| code.kind(*value).text().ok_or(Reason::Type);
    let mut all = Vec::new();
    for (number, array) in arrays.iter().enumerate() {
        let layout = layouts.and_then(|layouts| layouts.of_arguments.get(&number));
        let layout = layout.map(|text| format!(" {{{LAYOUT} = {}}}", quoted(text)));
        all.push(format!("{}: {}{}", array_name(number), array_type(array)?, layout.unwrap_or_default()));
    }
    all.extend((0..tables).map(|number| format!("{}: index", table_name(number))));
    all.extend(indices.iter().map(|value| format!("{}: index", index_name(*value))));
    for value in scalars {
        all.push(format!("{}: {}", scalar_name(*value), kind(value)?));
    }
    for value in &needed.out {
        all.push(format!("{}: memref<{}>", slot_name(*value), kind(value)?));
    }
    Ok(all.join(", "))
}

/// The loop around a region, if there is one.
fn around(code: &Code, node: &ControlNode) -> Option<LoopId> {
    match node {
        ControlNode::Loop { number, .. } => code.loops[number.0].parent,
        other => code.blocks[other.block(code).0].around,
    }
}

/// The attributes for the starts of arrays, for those that die, for what the original does besides, and for layouts.
fn attributes(arrays: &[Array], dead: &[usize], is_burdened: bool, layouts: &Layouts) -> String {
    let start = |array: &Array| if array.exact { Start::Inside } else { Start::Anywhere };
    let words: Vec<String> = arrays.iter().map(|array| format!("\"{}\"", start(array).text())).collect();
    if words.is_empty() {
        return String::new();
    }
    let dead: Vec<String> = dead.iter().map(usize::to_string).collect();
    let dies = if dead.is_empty() { String::new() } else { format!(", {DEAD} = [{}]", dead.join(", ")) };
    let burdened = if is_burdened { format!(", {BURDENED}") } else { String::new() };
    let list = |names: &Vec<String>| names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ");
    let names: Vec<String> = layouts.names.iter().map(|names| format!("[{}]", list(names))).collect();
    let names = if names.is_empty() { String::new() } else { format!(", {NAMES} = [{}]", names.join(", ")) };
    let layout = layouts.text.as_ref().map(|text| format!(", {LAYOUT} = {}", quoted(text))).unwrap_or_default();
    format!(" attributes {{{STARTS} = [{}]{dies}{burdened}{names}{layout}}}", words.join(", "))
}

fn obstacle(code: &Code, value: ValueId, reason: Reason) -> Obstacle {
    let instruction = code.instruction(value);
    Obstacle {
        reason,
        location: instruction.and_then(|instruction| instruction.location.clone()),
        block: instruction.map_or(BlockId(0), |instruction| instruction.block),
    }
}
