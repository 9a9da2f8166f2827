//! The pass `poly-alias-scopes`: tells LLVM's loads and stores what is known of the arguments that they go through.
//!
//! That two arguments are apart says that no memory which is written in the function is accessed through both. It does
//! not say that they are different objects, nor that they differ at all if both are only read, and it says nothing of
//! what others access. Alias scopes mean exactly that, for one execution of the function: a store through `b` that is
//! not in the scope of `a` touches nothing that an access in that scope touches.
//!
//! LLVM does not keep executions apart once a function was inlined into a loop, or calls itself and was made a loop: a
//! load may then be moved out of that loop over a store of another execution. So a function with scopes is not inlined
//! and makes no tail calls, and only functions with loops get scopes. In the body of a parallel loop they hold for the
//! whole loop ([`super::facts::BODY`]): that may be inlined where it is called.

use melior::Context;
use melior::ir::attribute::{ArrayAttribute, StringAttribute};
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRefMut};
use melior::ir::{Attribute, BlockLike, BlockRef, OperationRef};
use mlir_sys::{MlirDialectHandle, mlirGetDialectHandle__llvm__};

use super::arguments::Arguments;
use super::dump::{DUMP, Shown, shows};
use super::facts::{self, BODY, BURDENED, DEAD, FACTS, STARTS};
use super::pointer::accesses;
use super::{flags, listing};
use crate::mlir::ir::Builder;
use crate::mlir::ir::operation::{attribute, blocks, is, name, nested, operations, regions};
use crate::mlir::names::{NAMES, PART};
use crate::options::{OptionError, Values};
use crate::pass::{Outcome, Pass};
use polyrs_host::OptionRow;

/// The pass `poly-alias-scopes`.
pub struct AliasScopes;

impl Pass for AliasScopes {
    const ARGUMENT: &'static str = "poly-alias-scopes";
    const DESCRIPTION: &'static str = "State on LLVM's loads and stores what poly-alias-facts found, after conversion \
                                       to the LLVM dialect";
    const OPERATION: &'static str = "builtin.module";
    const OPTIONS: &'static [OptionRow] = &[DUMP];
    const DIALECTS: &'static [unsafe extern "C" fn() -> MlirDialectHandle] = &[mlirGetDialectHandle__llvm__];
    /// Whether facts are shown.
    type Options = bool;

    fn parse(values: &Values) -> Result<bool, OptionError> {
        shows(values, Shown::Facts)
    }

    fn run<'c>(context: &'c Context, module: OperationRef<'c, '_>, show: &bool) -> Outcome {
        let mut outcome = Outcome::Unchanged;
        for function in nested(module).into_iter().filter(|operation| is(*operation, "llvm.func")) {
            let Some(entry) = regions(function).first().and_then(|body| blocks(*body).first().copied()) else {
                continue;
            };
            let stated = facts::of(function);
            let arguments = stated.as_ref().and_then(|stated| Arguments::new(stated, entry));
            if let Some(arguments) = &arguments {
                flags::weaken(function, arguments);
                if let Err(error) = arguments.tag(context, function, entry) {
                    return Outcome::Failed(error.to_string());
                }
            }
            if *show {
                eprint!("{}", listing::of(function, entry, arguments.as_ref()));
            }
            for name in [FACTS, BODY, STARTS, DEAD, BURDENED, NAMES, PART]
                .into_iter()
                .filter(|name| attribute(function, name).is_some())
            {
                facts::remove(function, name);
                outcome = Outcome::Changed;
            }
        }
        outcome
    }
}

impl<'c, 'a> Arguments<'c, 'a> {
    /// States of each load and store what it is apart from, of what the function writes or it writes itself.
    fn tag(
        &self,
        context: &'c Context,
        function: OperationRef<'c, 'a>,
        entry: BlockRef<'c, 'a>,
    ) -> Result<(), melior::Error> {
        let all = nested(function);
        if attribute(function, BODY).is_none() && (!has_loops(function) || is_inlined_always(function)) {
            return Ok(());
        }
        let mut written: Vec<Attribute<'c>> = Vec::new();
        for (pointer, _) in all.iter().flat_map(|operation| accesses(*operation)).filter(|(_, writes)| *writes) {
            written.extend(self.fact(pointer).and_then(|(_, fact)| fact.scope));
        }
        let mut used: Vec<Attribute<'c>> = Vec::new();
        for operation in all {
            let Some((own, apart)) = self.of_operation(operation, &written) else { continue };
            if apart.is_empty() {
                continue;
            }
            for scope in own.iter().chain(&apart) {
                if !used.contains(scope) {
                    used.push(*scope);
                }
            }
            append(context, operation, "alias_scopes", own);
            append(context, operation, "noalias_scopes", apart);
        }
        if used.is_empty() || attribute(function, BODY).is_some() {
            return Ok(());
        }
        keep_whole(context, function);
        let first = operations(entry).first().copied();
        let Some(builder) = first.and_then(|first| Builder::before(context, first)) else { return Ok(()) };
        // In the order of arguments.
        let order: Vec<_> = self.facts.iter().filter_map(|fact| fact.scope).collect();
        used.sort_by_key(|scope| order.iter().position(|known| known == scope));
        for scope in used {
            builder.build("llvm.intr.experimental.noalias.scope.decl", &[], &[], &[("scope", scope)])?;
        }
        Ok(())
    }

    /// The scopes of an operation, and those that it is apart from with all of its pointers.
    fn of_operation(
        &self,
        operation: OperationRef<'c, 'a>,
        written: &[Attribute<'c>],
    ) -> Option<(Vec<Attribute<'c>>, Vec<Attribute<'c>>)> {
        let pointers = accesses(operation);
        let facts: Option<Vec<_>> =
            pointers.iter().map(|(pointer, _)| self.fact(*pointer).map(|(_, fact)| fact)).collect();
        let facts = facts.filter(|facts| !facts.is_empty())?;
        let own: Option<Vec<_>> = facts.iter().map(|fact| fact.scope).collect();
        let mut own = own?;
        own.dedup();
        let present: Vec<_> = self.facts.iter().filter_map(|fact| fact.scope).collect();
        let is_apart = |scope: &Attribute<'c>| {
            facts.iter().all(|fact| {
                let own_written = fact.scope.is_some_and(|own| written.contains(&own));
                fact.apart.contains(scope) && (own_written || written.contains(scope))
            })
        };
        let mut apart: Vec<Attribute<'c>> = Vec::new();
        for scope in present.into_iter().filter(is_apart) {
            if !apart.contains(&scope) {
                apart.push(scope);
            }
        }
        Some((own, apart))
    }
}

/// Whether a function has a loop: a branch back in the order of blocks, or one of OpenMP's.
fn has_loops(function: OperationRef<'_, '_>) -> bool {
    let body = regions(function).first().map(|body| blocks(*body)).unwrap_or_default();
    let is_back = |(number, block): (usize, &BlockRef<'_, '_>)| {
        let last = block.terminator();
        let targets =
            last.into_iter().flat_map(|last| (0..last.successor_count()).filter_map(move |it| last.successor(it).ok()));
        targets.into_iter().any(|target| body[..=number].contains(&target))
    };
    body.iter().enumerate().any(is_back) || nested(function).into_iter().any(|inner| name(inner).starts_with("omp."))
}

/// Whether the user wants a function to be inlined.
fn is_inlined_always(function: OperationRef<'_, '_>) -> bool {
    let listed = attribute(function, "passthrough").map_or_else(String::new, |list| list.to_string());
    attribute(function, "always_inline").is_some() || listed.contains("alwaysinline")
}

/// Lets no two executions of a function become parts of one.
fn keep_whole<'c>(context: &'c Context, function: OperationRef<'c, '_>) {
    // SAFETY: the function is alive, and no other reference changes it meanwhile.
    unsafe { OperationRefMut::from_raw(function.to_raw()) }.set_attribute("no_inline", Attribute::unit(context));
    if nested(function).into_iter().any(|inner| is(inner, "llvm.call")) {
        let text = |text| Attribute::from(StringAttribute::new(context, text));
        let pair = ArrayAttribute::new(context, &[text("disable-tail-calls"), text("true")]).into();
        append(context, function, "passthrough", vec![pair]);
    }
}

/// Adds to a list of an operation.
fn append<'c>(context: &'c Context, operation: OperationRef<'c, '_>, name: &str, more: Vec<Attribute<'c>>) {
    let mut all: Vec<Attribute<'c>> = attribute(operation, name).map(facts::elements).unwrap_or_default();
    all.extend(more);
    let list = ArrayAttribute::new(context, &all).into();
    // SAFETY: the operation is alive, and no other reference changes it meanwhile.
    unsafe { OperationRefMut::from_raw(operation.to_raw()) }.set_attribute(name, list);
}
