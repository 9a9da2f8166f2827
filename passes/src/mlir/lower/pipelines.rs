//! The pipelines `poly-lower-x86`, `poly-lower-openmp` and `poly-lower-nvptx`, down to the LLVM dialect.

use super::alias::ASSUME_NOALIAS;
use super::dump::{DUMP, DUMP_ALL, Shown, shows};
use super::kernels::facts::STARTS;
use super::threshold::{THRESHOLD, threshold};
use super::vector_width::parse_width;
use crate::options::machine::MACHINE;
use crate::options::value::option;
use crate::options::{OptionError, Values};
use crate::pass::Pipeline;
use polyrs_host::OptionRow;

const OPTIONS: &[OptionRow] = &[ASSUME_NOALIAS, VECTOR_WIDTH, DUMP];

const VECTOR_WIDTH: OptionRow = option(
    "prefer-vector-width",
    "128|256|512",
    "",
    "The vector width in bits that LLVM is told to prefer (default: its own choice)",
);

/// Those of the pipeline for threads.
const THREAD_OPTIONS: &[OptionRow] = &[ASSUME_NOALIAS, VECTOR_WIDTH, THRESHOLD, MACHINE, DUMP];

/// The pipeline `poly-lower-x86`: one thread; parallel loops become sequential ones.
pub struct LowerX86;

impl Pipeline for LowerX86 {
    const ARGUMENT: &'static str = "poly-lower-x86";
    const DESCRIPTION: &'static str = "Lower affine, scf, memref, arith, math, vector and func to the LLVM dialect, \
                                       for one thread";
    const OPTIONS: &'static [OptionRow] = OPTIONS;

    fn expand(values: &Values) -> Result<String, OptionError> {
        Ok(one_thread(values)?.join(","))
    }
}

fn one_thread(values: &Values) -> Result<Vec<String>, OptionError> {
    let mut passes = vec!["func.func(poly-hoist-stack-buffers)".to_owned()];
    passes.extend(facts(values)?);
    passes.extend(width(values)?);
    passes.extend(PREPARE.map(str::to_owned));
    passes.extend(["convert-scf-to-cf"].map(str::to_owned));
    passes.extend(FINISH.map(str::to_owned));
    passes.push(scopes(values)?);
    Ok(passes)
}

/// The pipeline `poly-lower-nvptx`: kernels become PTX in a constant, and calls of the runtime start them; the rest goes
/// through one of the other two.
pub struct LowerNvptx;

impl Pipeline for LowerNvptx {
    const ARGUMENT: &'static str = "poly-lower-nvptx";
    const DESCRIPTION: &'static str = "Lower kernels of poly-schedule=target=gpu to PTX in the program, launched by \
                                       libpolyrs_gpu, and the rest as the other pipelines";
    const OPTIONS: &'static [OptionRow] =
        &[CHIP, LIBDEVICE, OPENMP, STARTS, ASSUME_NOALIAS, VECTOR_WIDTH, THRESHOLD, MACHINE, DUMP_ALL];

    fn expand(values: &Values) -> Result<String, OptionError> {
        let chip = chip(values)?;
        let library = libdevice(values)?.map_or(String::new(), |file| format!(" l={file}"));
        let mut passes = ["lower-affine", "poly-name-kernels", "gpu-kernel-outlining"].map(str::to_owned).to_vec();
        passes.push(format!("nvvm-attach-target{{chip={chip} O=3{library}}}"));
        let assume = values.boolean("assume-noalias")?;
        let starts = values.text("starts");
        let facts = format!("poly-kernel-facts{{assume-noalias={assume} starts={starts}}}");
        passes.push(format!("gpu.module({},{facts})", KERNELS.join(",")));
        passes.extend(shows(values, Shown::Kernels)?.then(|| "poly-show-kernels".to_owned()));
        passes.extend(["gpu-module-to-binary{format=isa}", "poly-kernels-to-runtime"].map(str::to_owned));
        passes.extend(if values.boolean("openmp")? { several_threads(values)? } else { one_thread(values)? });
        Ok(passes.join(","))
    }
}

/// Without a version of PTX, LLVM takes the oldest that knows the chip.
pub const CHIP: OptionRow =
    option("chip", "sm_NN", "sm_70", "The oldest device that the kernels run on; the driver compiles them for others");

const OPENMP: OptionRow =
    option("openmp", "true|false", "false", "Run parallel loops of the CPU on OpenMP's threads, as poly-lower-openmp");

/// Linked into kernels.
pub const LIBDEVICE: OptionRow =
    option("libdevice", "FILE", "", "NVIDIA's libdevice.10.bc, for kernels with exp, pow and the like (default: CPU)");

/// Kernels become code of LLVM, with indices as wide as those of the host. What the conversion for devices does not
/// know of `math`, the general one may.
const KERNELS: [&str; 9] = [
    "expand-strided-metadata",
    "lower-affine",
    "convert-scf-to-cf",
    "convert-gpu-to-nvvm{index-bitwidth=64}",
    "poly-device-instructions",
    "convert-math-to-llvm",
    "canonicalize",
    "cse",
    "reconcile-unrealized-casts",
];

/// The chips that LLVM 22 knows whose code runs on all newer ones, from the oldest on that drivers of today run.
const CHIPS: [&str; 15] = [
    "sm_70", "sm_72", "sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90", "sm_100", "sm_101", "sm_103",
    "sm_110", "sm_120", "sm_121",
];

/// The oldest device.
///
/// # Errors
/// There is no such chip.
pub fn chip(values: &Values) -> Result<&str, OptionError> {
    let chip = values.text("chip");
    if CHIPS.contains(&chip) {
        return Ok(chip);
    }
    let allowed = format!("one of {}", CHIPS.join(", "));
    Err(OptionError::Value { option: "chip".to_owned(), value: chip.to_owned(), allowed })
}

/// The file of the library of functions, if there is one.
///
/// # Errors
/// Upstream's pass could not take its path, or it is no bitcode.
pub fn libdevice(values: &Values) -> Result<Option<String>, OptionError> {
    let Some(file) = values.optional("libdevice") else { return Ok(None) };
    // Upstream's options have no quotes that hold all of these.
    if file.contains(|c: char| c.is_whitespace() || c.is_control() || ",{}\"'".contains(c)) {
        let allowed = "a path without blanks, commas, quotes and braces".to_owned();
        return Err(OptionError::Value { option: "libdevice".to_owned(), value: file, allowed });
    }
    // Else it is an error of each region.
    let mut start = [0; 4];
    let read = std::fs::File::open(&file).and_then(|mut open| std::io::Read::read_exact(&mut open, &mut start));
    if read.is_err() || start != *b"BC\xC0\xDE" {
        let allowed = "a file of LLVM bitcode, such as NVIDIA's libdevice.10.bc".to_owned();
        return Err(OptionError::Value { option: "libdevice".to_owned(), value: file, allowed });
    }
    Ok(Some(file))
}

/// The pipeline `poly-lower-openmp`: parallel loops run on OpenMP's threads.
pub struct LowerOpenmp;

impl Pipeline for LowerOpenmp {
    const ARGUMENT: &'static str = "poly-lower-openmp";
    const DESCRIPTION: &'static str = "Lower affine, scf, memref, arith, math, vector and func to the LLVM dialect, \
                                       with parallel loops through OpenMP";
    const OPTIONS: &'static [OptionRow] = THREAD_OPTIONS;

    fn expand(values: &Values) -> Result<String, OptionError> {
        Ok(several_threads(values)?.join(","))
    }
}

fn several_threads(values: &Values) -> Result<Vec<String>, OptionError> {
    let mut passes = facts(values)?;
    let threshold = threshold(values)?;
    passes.push(format!("func.func(poly-parallel-threshold{{parallel-threshold={threshold}}})"));
    passes.push("func.func(poly-mark-uneven)".to_owned());
    passes.push("func.func(poly-hoist-stack-buffers{threads=true})".to_owned());
    passes.extend(["lower-affine", "poly-outline-parallel"].map(str::to_owned));
    passes.extend(width(values)?);
    passes.extend(["convert-scf-to-openmp", "poly-share-uneven", "canonicalize"].map(str::to_owned));
    passes.extend(PREPARE.map(str::to_owned));
    // Vectors go while there are no branches: where two blocks are alike but for a buffer, upstream's pass makes one of them, whose
    // branches are LLVM's already and cannot hand on what is no type of LLVM's.
    passes.push("convert-vector-to-llvm".to_owned());
    passes.extend(["finalize-memref-to-llvm", "convert-scf-to-cf", "convert-openmp-to-llvm"].map(str::to_owned));
    passes.extend(FINISH.map(str::to_owned));
    passes.push(scopes(values)?);
    Ok(passes)
}

/// Views become arithmetic on descriptors, which may bring affine maps of its own.
const PREPARE: [&str; 3] = ["lower-affine", "expand-strided-metadata", "lower-affine"];

/// The end of both pipelines, for functions that may be LLVM's by then. Those of `math` that LLVM has no instruction or
/// intrinsic for are called.
const FINISH: [&str; 5] = [
    "convert-vector-to-llvm",
    "convert-math-to-llvm",
    "convert-math-to-libm",
    "convert-to-llvm",
    "reconcile-unrealized-casts",
];

fn facts(values: &Values) -> Result<Vec<String>, OptionError> {
    let assume = values.boolean("assume-noalias")?;
    Ok(vec![format!("func.func(poly-alias-facts{{assume-noalias={assume}}})")])
}

/// The facts as LLVM's loads and stores carry them.
fn scopes(values: &Values) -> Result<String, OptionError> {
    let show = if shows(values, Shown::Facts)? { "{dump=facts}" } else { "" };
    Ok(format!("poly-alias-scopes{show}"))
}

fn width(values: &Values) -> Result<Option<String>, OptionError> {
    if values.text("prefer-vector-width").is_empty() {
        return Ok(None);
    }
    let bits = parse_width(values, "prefer-vector-width")?;
    Ok(Some(format!("func.func(poly-prefer-vector-width{{bits={bits}}})")))
}
