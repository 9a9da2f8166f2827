//! MLIR inside of a tool of LLVM's.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Once;

use melior::Context;
use melior::diagnostic::DiagnosticHandlerId;
use melior::dialect::DialectRegistry;
use melior::ir::Module;
use melior::pass::{PassManager, conversion, gpu, transform};
use melior::utility::parse_pass_pipeline;
use mlir_sys::{
    MlirDialectHandle, mlirDialectHandleInsertDialect, mlirGetDialectHandle__affine__, mlirGetDialectHandle__arith__,
    mlirGetDialectHandle__cf__, mlirGetDialectHandle__func__, mlirGetDialectHandle__llvm__,
    mlirGetDialectHandle__math__, mlirGetDialectHandle__memref__, mlirGetDialectHandle__nvvm__,
    mlirGetDialectHandle__omp__, mlirGetDialectHandle__scf__, mlirGetDialectHandle__ub__,
    mlirGetDialectHandle__vector__,
};

use crate::mlir::register::register_passes;
use polyrs_host::{mlirGetDialectHandle__gpu__, raw as host};

static PASSES: Once = Once::new();

/// The dialects that the lowering pipelines go through.
const DIALECTS: [unsafe extern "C" fn() -> MlirDialectHandle; 13] = [
    mlirGetDialectHandle__affine__,
    mlirGetDialectHandle__arith__,
    mlirGetDialectHandle__cf__,
    mlirGetDialectHandle__func__,
    mlirGetDialectHandle__gpu__,
    mlirGetDialectHandle__llvm__,
    mlirGetDialectHandle__math__,
    mlirGetDialectHandle__memref__,
    mlirGetDialectHandle__nvvm__,
    mlirGetDialectHandle__omp__,
    mlirGetDialectHandle__scf__,
    mlirGetDialectHandle__ub__,
    mlirGetDialectHandle__vector__,
];

/// A context with what raised regions, schedules and the lowering pipelines need, and without threads.
pub fn new_context() -> Context {
    PASSES.call_once(|| {
        register_passes();
        register_lowering_passes();
    });
    let registry = DialectRegistry::new();
    for handle in DIALECTS {
        // SAFETY: the functions return handles that live for ever; the registry is alive.
        unsafe { mlirDialectHandleInsertDialect(handle(), registry.to_raw()) }
    }
    // SAFETY: the registry is alive.
    unsafe { host::polyHostRegisterLowering(registry.to_raw()) }
    let context = Context::new_with_registry(&registry, false);
    context.load_all_available_dialects();
    context
}

/// Registers the passes of upstream that the lowering pipelines are made of.
fn register_lowering_passes() {
    conversion::register_gpu_ops_to_nvvm_ops();
    conversion::register_finalize_mem_ref_to_llvm();
    conversion::register_lower_affine();
    conversion::register_math_to_llvm();
    conversion::register_math_to_libm();
    conversion::register_open_mp_to_llvm();
    conversion::register_reconcile_unrealized_casts();
    conversion::register_scf_to_control_flow();
    conversion::register_scf_to_open_mp();
    conversion::register_to_llvm();
    conversion::register_vector_to_llvm();
    gpu::register_gpu_kernel_outlining_pass();
    gpu::register_gpu_module_to_binary_pass();
    gpu::register_gpu_nvvm_attach_target();
    transform::register_canonicalizer();
    transform::register_cse();
    // SAFETY: registers upstream's passes, once.
    unsafe { host::polyHostRegisterLoweringPasses() }
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

    /// The messages so far that start with a text.
    pub fn about(&self, start: &str) -> Vec<String> {
        self.texts.borrow().iter().filter(|text| text.starts_with(start)).cloned().collect()
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
