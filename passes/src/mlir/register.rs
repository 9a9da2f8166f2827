//! Everything that the plugin registers with MLIR.

use crate::mlir::lower::alias::AliasFacts;
use crate::mlir::lower::contract::AllowContract;
use crate::mlir::lower::kernels::facts::KernelFacts;
use crate::mlir::lower::kernels::instructions::DeviceInstructions;
use crate::mlir::lower::kernels::prepare::NameKernels;
use crate::mlir::lower::kernels::show::ShowKernels;
use crate::mlir::lower::kernels::to_loops::KernelsToLoops;
use crate::mlir::lower::kernels::to_runtime::KernelsToRuntime;
use crate::mlir::lower::outline::OutlineParallel;
use crate::mlir::lower::pipelines::{LowerNvptx, LowerOpenmp, LowerX86};
use crate::mlir::lower::scopes::AliasScopes;
use crate::mlir::lower::stack::HoistStackBuffers;
use crate::mlir::lower::threshold::ParallelThreshold;
use crate::mlir::lower::uneven::{MarkUneven, ShareUneven};
use crate::mlir::lower::vector_width::PreferVectorWidth;
use crate::mlir::schedule::Schedule;
use crate::pass::{pipeline_row, row};
use polyrs_host::{PassRow, PipelineRow};

/// The passes. A row's address is the identity of its pass, so rows stay where they are.
static PASSES: [PassRow; 16] = [
    row::<Schedule>(),
    row::<AliasFacts>(),
    row::<AliasScopes>(),
    row::<AllowContract>(),
    row::<OutlineParallel>(),
    row::<HoistStackBuffers>(),
    row::<DeviceInstructions>(),
    row::<KernelFacts>(),
    row::<KernelsToLoops>(),
    row::<KernelsToRuntime>(),
    row::<NameKernels>(),
    row::<ParallelThreshold>(),
    row::<MarkUneven>(),
    row::<ShareUneven>(),
    row::<PreferVectorWidth>(),
    row::<ShowKernels>(),
];

static PIPELINES: [PipelineRow; 3] =
    [pipeline_row::<LowerX86>(), pipeline_row::<LowerOpenmp>(), pipeline_row::<LowerNvptx>()];

/// Registers the passes and pipelines, and their flags where the tool lets us.
pub extern "C" fn register() {
    register_passes();
    for argument in PASSES.iter().map(|pass| pass.argument).chain(PIPELINES.iter().map(|pipeline| pipeline.argument)) {
        polyrs_host::add_flag(&argument.to_text());
    }
}

/// Registers the passes and pipelines, to be reached by name.
pub fn register_passes() {
    for pass in &PASSES {
        polyrs_host::register_pass(pass);
    }
    for pipeline in &PIPELINES {
        polyrs_host::register_pipeline(pipeline);
    }
}
