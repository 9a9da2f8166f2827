//! MLIR inside of a tool of LLVM's.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Once;

use melior::Context;
use melior::diagnostic::DiagnosticHandlerId;
use melior::dialect::DialectRegistry;
use melior::ir::Module;
use melior::pass::PassManager;
use melior::utility::parse_pass_pipeline;

use crate::llvm::host;
use crate::mlir::register::register_passes;

static PASSES: Once = Once::new();

/// A context with what raised regions, schedules and the lowering pipelines need, and without threads.
pub fn new_context() -> Context {
    PASSES.call_once(|| {
        register_passes();
        // SAFETY: registers upstream's passes, once.
        unsafe { host::polyHostRegisterLoweringPasses() }
    });
    let registry = DialectRegistry::new();
    // SAFETY: the registry is alive.
    unsafe { host::polyHostRegisterLoweringDialects(registry.to_raw()) }
    let context = Context::new_with_registry(&registry, false);
    context.load_all_available_dialects();
    context
}

/// Runs a textual pipeline on a module.
///
/// # Errors
/// That it is no pipeline, or that it failed; why that is, is among the messages of the context.
pub fn run_pipeline(context: &Context, module: &mut Module<'_>, text: &str) -> Result<(), String> {
    let manager = PassManager::new(context);
    parse_pass_pipeline(manager.as_operation_pass_manager(), text).map_err(|error| error.to_string())?;
    manager.run(module).map_err(|error| error.to_string())
}

/// Collects what a context reports, which would else go to standard error.
pub struct Messages<'c> {
    context: &'c Context,
    handler: Option<DiagnosticHandlerId>,
    texts: Rc<RefCell<Vec<String>>>,
}

impl<'c> Messages<'c> {
    /// Listens until it is dropped.
    pub fn listen(context: &'c Context) -> Self {
        let texts = Rc::new(RefCell::new(Vec::new()));
        let heard = Rc::clone(&texts);
        let handler = context.attach_diagnostic_handler(move |diagnostic| {
            heard.borrow_mut().push(diagnostic.to_string());
            true
        });
        Self { context, handler: Some(handler), texts }
    }

    /// The messages so far.
    pub fn text(&self) -> String {
        self.texts.borrow().join("; ")
    }
}

impl Drop for Messages<'_> {
    fn drop(&mut self) {
        if let Some(handler) = self.handler.take() {
            self.context.detach_diagnostic_handler(handler);
        }
    }
}
