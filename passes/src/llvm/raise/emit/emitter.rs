//! The means that a function's text is written with: names, constants, lines.

use std::collections::{BTreeMap, BTreeSet};

use super::needed::Needed;
use super::text::{self, scalar_name};
use crate::llvm::raise::affine::describe::Description;
use crate::llvm::raise::affine::fits::Computed;
use crate::llvm::raise::affine::polynomial::Polynomial;
use crate::llvm::raise::code::function::{Code, Constant, Source, SourceLocation, Type};
use crate::llvm::raise::code::ids::{BlockId, ValueId};
use crate::llvm::raise::delinearize::arrays::Arrays;
use crate::llvm::raise::refusal::{Obstacle, Reason, Step};
use crate::llvm::raise::structure::nodes::ControlNode;

/// Writes the body of a function.
pub(super) struct Emitter<'a> {
    pub(super) code: &'a Code,
    pub(super) description: &'a Description,
    pub(super) arrays: &'a Arrays,
    pub(super) needed: &'a Needed,
    /// The name of the function.
    pub(super) function: &'a str,
    /// What stands for callees.
    pub(super) calls: Vec<StandIn<ValueId>>,
    /// The names of values of the region computed so far.
    pub(super) names: BTreeMap<ValueId, String>,
    /// The constants met so far: type and value, by name.
    constants: BTreeMap<(String, String), String>,
    /// The values from outside that are used as integers of index type.
    pub(super) indices: BTreeSet<ValueId>,
    /// The values from outside that are used as they are.
    pub(super) scalars: BTreeSet<ValueId>,
    /// The bounds and conditions, with the places where they are computed.
    pub(super) computed: Vec<Computed>,
    body: String,
    pub(super) indent: usize,
    fresh: usize,
}

/// A declaration that stands for the function that a call of the program calls.
#[derive(Clone, Debug)]
pub struct StandIn<C> {
    /// Its name in the module.
    pub name: String,
    /// Its type in MLIR.
    pub kinds: String,
    /// The call in LLVM.
    pub call: C,
    /// It takes the address of a flag, too, and notes there what the call says in `errno`.
    pub notes_errno: bool,
}

impl<C> StandIn<C> {
    /// The same for the same call in other terms.
    pub fn with_call<D>(self, of: impl FnOnce(C) -> D) -> StandIn<D> {
        StandIn { name: self.name, kinds: self.kinds, call: of(self.call), notes_errno: self.notes_errno }
    }
}

impl StandIn<()> {
    /// The functions of a region that give the address of such a flag, and take it in the end.
    pub fn flag(region: &str) -> [String; 2] {
        ["begin", "end"].map(|part| format!("{region}.errno.{part}"))
    }
}

/// The name of the address of the flag in which calls note what they have to say in `errno`, of 64 bits.
pub const ERRNO: &str = "%errno";

/// The text that was written.
pub struct Body {
    /// The constants, to stand first.
    pub constants: String,
    /// The rest.
    pub text: String,
    /// The values from outside that are used as integers of index type.
    pub indices: BTreeSet<ValueId>,
    /// The values from outside that are used as they are.
    pub scalars: BTreeSet<ValueId>,
    /// What stands for callees.
    pub calls: Vec<StandIn<ValueId>>,
    /// The bounds and conditions that it computes.
    pub computed: Vec<Computed>,
}

impl<'a> Emitter<'a> {
    /// Nothing is written yet.
    pub(super) fn new(
        code: &'a Code,
        description: &'a Description,
        arrays: &'a Arrays,
        needed: &'a Needed,
        function: &'a str,
    ) -> Self {
        Emitter {
            code,
            description,
            arrays,
            needed,
            function,
            calls: Vec::new(),
            names: BTreeMap::new(),
            constants: BTreeMap::new(),
            indices: BTreeSet::new(),
            scalars: BTreeSet::new(),
            computed: Vec::new(),
            body: String::new(),
            indent: 2,
            fresh: 0,
        }
    }

    /// Ends with what was written.
    pub(super) fn finish(self) -> Body {
        let mut constants = String::new();
        for ((kind, value), name) in &self.constants {
            // The type of truth values is not written.
            let kind = if kind == "i1" { String::new() } else { format!(" : {kind}") };
            constants += &format!("    {name} = arith.constant {value}{kind}\n");
        }
        let Emitter { body: text, indices, scalars, calls, computed, .. } = self;
        Body { constants, text, indices, scalars, calls, computed }
    }

    /// The obstacle at a value, or at the first of some nodes.
    pub(super) fn obstacle(&self, reason: Reason, value: ValueId, nodes: &[ControlNode]) -> Obstacle {
        let instruction = self.code.instruction(value);
        let block = instruction.map(|instruction| instruction.block);
        Obstacle {
            reason,
            location: instruction.and_then(|instruction| instruction.location.clone()),
            block: block.or_else(|| nodes.first().map(|node| node.block(self.code))).unwrap_or(BlockId(0)),
        }
    }

    /// A line of text, with its place in the source.
    pub(super) fn line(&mut self, text: &str, location: Option<&SourceLocation>) {
        self.body += &"  ".repeat(self.indent);
        self.body += text;
        if let Some(location) = location {
            self.body += &format!(" loc({}:{}:{})", text::quoted(&location.file), location.line, location.column);
        }
        self.body.push('\n');
    }

    /// A line of text that opens a loop.
    pub(super) fn open(&mut self, text: &str) {
        self.line(text, None);
        self.indent += 1;
    }

    /// The end of a loop.
    pub(super) fn close(&mut self, location: Option<&SourceLocation>) {
        self.indent -= 1;
        self.line("}", location);
    }

    /// A name that no value has.
    pub(super) fn fresh(&mut self) -> String {
        self.fresh += 1;
        format!("%t{}", self.fresh)
    }

    /// Notes that a polynomial's values are used as indices.
    pub(super) fn uses(&mut self, polynomial: &Polynomial) {
        self.indices.extend(polynomial.values());
    }

    /// The type of a value in MLIR.
    pub(super) fn kind(&self, value: ValueId) -> Step<String> {
        self.code.kind(value).text().ok_or(Reason::Type)
    }

    /// The name of an operand.
    pub(super) fn name(&mut self, value: ValueId) -> Step<String> {
        if let Source::Constant(constant) = self.code.values[value.0].source {
            return self.constant(value, constant);
        }
        if self.description.inside.contains(&value) {
            return self.names.get(&value).cloned().ok_or(Reason::Type);
        }
        self.kind(value)?;
        self.scalars.insert(value);
        Ok(scalar_name(value))
    }

    /// The name of a constant.
    pub(super) fn constant(&mut self, value: ValueId, constant: Constant) -> Step<String> {
        self.number(self.code.kind(value), constant)
    }

    /// The name of a constant of a type.
    pub(super) fn number(&mut self, kind: Type, constant: Constant) -> Step<String> {
        let name = kind.text().ok_or(Reason::Type)?;
        let text = match (constant, kind) {
            (Constant::Int(number), Type::Int(1)) => (number != 0).to_string(),
            (Constant::Int(number), _) => number.to_string(),
            (Constant::Float(bits), kind) => {
                let digits = usize::try_from(kind.bytes().ok_or(Reason::Type)?).map_err(|_| Reason::Type)? * 2;
                format!("0x{bits:0digits$X}")
            }
            (Constant::Any, Type::Int(1)) => "false".to_owned(),
            (Constant::Any, Type::Int(_)) => "0".to_owned(),
            (Constant::Any, _) => "0.0".to_owned(),
        };
        let number = self.constants.len();
        let name = self.constants.entry((name, text)).or_insert_with(|| format!("%c{number}"));
        Ok(name.clone())
    }

    /// The types of values, by commas.
    pub(super) fn kinds(&self, values: &[ValueId]) -> Step<String> {
        let kinds: Step<Vec<String>> = values.iter().map(|value| self.kind(*value)).collect();
        Ok(kinds?.join(", "))
    }
}
