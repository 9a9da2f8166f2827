//! What the code around kernels needs at the level of the module: the runtime's functions, texts, and slots.

use melior::Context;
use melior::ir::attribute::{FlatSymbolRefAttribute, IntegerAttribute, StringAttribute, TypeAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{FunctionType, IntegerType};
use melior::ir::{Attribute, BlockRef, Location, OperationRef, Region, Type, Value};
use std::collections::BTreeSet;

use crate::mlir::ir::Builder;
use crate::mlir::ir::operation::{attribute, is, only_block, operations, string_attribute};
use crate::mlir::lower::symbols::Symbols;

/// The module, to which symbols are added.
pub struct Globals<'c, 'a> {
    context: &'c Context,
    body: BlockRef<'c, 'a>,
    location: Location<'c>,
    symbols: Symbols,
}

/// A function of the runtime: its name, and the types of its arguments and its result, if it has one.
pub struct Entry {
    name: &'static str,
    arguments: &'static [&'static str],
    result: Option<&'static str>,
}

const POINTER: &str = "!llvm.ptr";

/// `polyrs_gpu_begin_if(worth, slot, region, ptx, bytes)`.
pub const BEGIN: Entry =
    Entry { name: "polyrs_gpu_begin_if", arguments: &["i32", POINTER, POINTER, POINTER, "i64"], result: Some(POINTER) };

/// `polyrs_gpu_buffer(run, host, bytes, flags)`.
pub const BUFFER: Entry =
    Entry { name: "polyrs_gpu_buffer", arguments: &[POINTER, POINTER, "i64", "i32"], result: Some(POINTER) };

/// `polyrs_gpu_launch(run, kernel, grid x, y, z, block x, y, z, shared bytes, arguments)`.
pub const LAUNCH: Entry = Entry {
    name: "polyrs_gpu_launch",
    arguments: &[POINTER, POINTER, "i64", "i64", "i64", "i64", "i64", "i64", "i64", POINTER],
    result: None,
};

/// `polyrs_gpu_end(run)`.
pub const END: Entry = Entry { name: "polyrs_gpu_end", arguments: &[POINTER], result: Some("i32") };

impl<'c, 'a> Globals<'c, 'a> {
    /// Those of a module; nothing if it has no body.
    pub fn new(context: &'c Context, module: OperationRef<'c, 'a>) -> Option<Self> {
        let body = only_block(module, 0)?;
        Some(Self { context, body, location: module.location(), symbols: Symbols::new(body) })
    }

    /// The context.
    pub fn context(&self) -> &'c Context {
        self.context
    }

    /// The type that a text names.
    pub fn kind(&self, text: &str) -> Result<Type<'c>, String> {
        Type::parse(self.context, text).ok_or_else(|| format!("there is no type {text}"))
    }

    /// A pointer of the host's.
    pub fn pointer(&self) -> Result<Type<'c>, String> {
        self.kind(POINTER)
    }

    /// Calls a function of the runtime.
    pub fn call(
        &mut self,
        entry: &Entry,
        arguments: &[Value<'c, 'a>],
        at: Builder<'c, 'a>,
    ) -> Result<OperationRef<'c, 'a>, String> {
        let kinds = entry.arguments.iter().map(|text| self.kind(text)).collect::<Result<Vec<_>, _>>()?;
        let result: Vec<_> = entry.result.map(|text| self.kind(text)).transpose()?.into_iter().collect();
        let kind: Type<'c> = FunctionType::new(self.context, &kinds, &result).into();
        let kind = TypeAttribute::new(kind).into();
        if self.symbols.take(entry.name) {
            let attributes = [
                ("sym_name", StringAttribute::new(self.context, entry.name).into()),
                ("function_type", kind),
                ("sym_visibility", StringAttribute::new(self.context, "private").into()),
            ];
            self.add("func.func", &attributes)?;
        }
        let known = self.symbol(entry.name).filter(|known| is(*known, "func.func"));
        if known.and_then(|known| attribute(known, "function_type")) != Some(kind) {
            return Err(format!("the module has another @{} than the runtime", entry.name));
        }
        let callee = FlatSymbolRefAttribute::new(self.context, entry.name).into();
        at.build("func.call", arguments, &result, &[("callee", callee)]).map_err(|error| error.to_string())
    }

    /// The address of a new constant text, with a zero at its end.
    pub fn text(&mut self, name: &str, text: &str, at: Builder<'c, 'a>) -> Result<Value<'c, 'a>, String> {
        let text = format!("{text}\0");
        let kind = self.kind(&format!("!llvm.array<{} x i8>", text.len()))?;
        let value = StringAttribute::new(self.context, &text).into();
        self.global(name, kind, value, &[("constant", Attribute::unit(self.context))], at)
    }

    /// The address of a new variable as wide as a pointer, zero at first.
    pub fn slot(&mut self, name: &str, at: Builder<'c, 'a>) -> Result<Value<'c, 'a>, String> {
        let kind = IntegerType::new(self.context, 64).into();
        self.global(name, kind, IntegerAttribute::new(kind, 0).into(), &[], at)
    }

    fn global(
        &mut self,
        base: &str,
        kind: Type<'c>,
        value: Attribute<'c>,
        more: &[(&str, Attribute<'c>)],
        at: Builder<'c, 'a>,
    ) -> Result<Value<'c, 'a>, String> {
        let names = std::iter::once(base.to_owned()).chain((1..).map(|number| format!("{base}.{number}")));
        let name = self.symbols.first_free(names);
        let linkage = Attribute::parse(self.context, "#llvm.linkage<internal>").ok_or("there is no linkage")?;
        let word = IntegerType::new(self.context, 32).into();
        let mut attributes = vec![
            ("sym_name", StringAttribute::new(self.context, &name).into()),
            ("global_type", TypeAttribute::new(kind).into()),
            ("linkage", linkage),
            ("value", value),
            ("addr_space", IntegerAttribute::new(word, 0).into()),
        ];
        attributes.extend_from_slice(more);
        self.add("llvm.mlir.global", &attributes)?;
        let symbol = FlatSymbolRefAttribute::new(self.context, &name).into();
        at.value("llvm.mlir.addressof", &[], self.pointer()?, &[("global_name", symbol)])
            .map_err(|error| error.to_string())
    }

    /// Adds an operation with one empty region to the module.
    fn add(&self, name: &str, attributes: &[(&str, Attribute<'c>)]) -> Result<(), String> {
        let builder = Builder::at_end(self.context, self.body, self.location);
        let added = builder.build_with(name, &[], &[], attributes, vec![Region::new()]);
        added.map(drop).map_err(|error| error.to_string())
    }

    /// The code for the device of this name, if there is any.
    pub fn binary(&self, name: &str) -> Option<OperationRef<'c, 'a>> {
        self.symbol(name).filter(|operation| is(*operation, "gpu.binary"))
    }

    fn symbol(&self, name: &str) -> Option<OperationRef<'c, 'a>> {
        let mut all = operations(self.body).into_iter();
        all.find(|operation| string_attribute(*operation, "sym_name").as_deref() == Some(name))
    }

    /// Removes the code of all names, which is in constants now.
    pub fn forget_binaries(&self, names: &BTreeSet<String>) {
        for binary in names.iter().filter_map(|name| self.binary(name)) {
            // SAFETY: a symbol has no results, and launches of its kernels are calls now.
            unsafe { crate::mlir::ir::operation::erase(binary) }
        }
    }
}
