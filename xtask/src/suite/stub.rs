//! Programs with PTX in them, run without a GPU.
//!
//! The driver is the stand-in of the runtime's tests (`test/runtime/Inputs/stub_driver.c`), for which a kernel is a
//! function of the program. These functions are made of the LLVM dialect that PTX is generated from: the same code, but
//! for the numbers of block and thread, which come from loops around it. So everything is run as it is on a device but
//! for LLVM's code generator: what the host copies and launches, parameters and their order, sizes of grids.

use super::build::{Builder, Recipe};
use super::callers::{callers, host_code, kernels};
use crate::command::Command;
use crate::project::{Project, llvm_tool};
use crate::runtime;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// The stand-in, and the runtime.
pub struct Stub {
    driver: PathBuf,
    runtime: PathBuf,
}

/// A program with kernels, if it has any.
pub struct Built {
    pub program: PathBuf,
    /// What mlir-opt said.
    pub said: String,
    /// How many kernels it has.
    pub kernels: usize,
    /// Files with its PTX.
    pub ptx: Vec<PathBuf>,
}

impl Stub {
    /// Compiles both.
    ///
    /// # Errors
    /// When a tool fails.
    pub fn new(project: &Project, scratch: &Path) -> Result<Self> {
        runtime::build(project)?;
        let driver = scratch.join("stub_driver.so");
        let source = project.root.join("test/runtime/Inputs/stub_driver.c");
        let flags = ["-O1", "-shared", "-fPIC", "-pthread"];
        Command::new(llvm_tool("clang")).args(flags).arg(source).arg("-ldl").arg("-o").arg(&driver).checked()?;
        Ok(Self { driver, runtime: runtime::archive(project) })
    }

    /// The variables with which kernels run, and nothing else does.
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        vec![("POLYRS_GPU", "require".to_owned()), ("POLYRS_GPU_DRIVER", self.driver.display().to_string())]
    }

    /// The same with a driver whose copies to the host fail, when all kernels of a region have run: the CPU starts over.
    pub fn failing_environment(&self) -> Vec<(&'static str, String)> {
        let mut all = self.environment();
        all[0].1 = "always".to_owned();
        all.push(("STUB_FAIL", "cuMemcpyDtoHAsync_v2:each".to_owned()));
        all
    }

    /// Builds `source` by a recipe that ends with `--poly-lower-nvptx`.
    ///
    /// # Errors
    /// When a tool fails; the message has its words.
    pub fn build(&self, builder: &Builder, source: &Path, recipe: &Recipe) -> Result<Built> {
        let mut told = recipe.clone();
        told.passes.last_mut().context("a recipe without passes")?.push_str("=dump=kernels");
        let (ir, said) = builder.lower(source, &told)?;
        let program = builder.file(source, recipe, "");
        let (inputs, kernels, dumps) = self.inputs(&said, &program)?;
        builder.link_ir(&ir, &inputs, LIBRARIES, &program)?;
        let ptx = write_ptx(&ir, &dumps)?;
        Ok(Built { program, said, kernels, ptx })
    }

    /// Builds a C program with kernels.
    ///
    /// # Errors
    /// When a tool fails; the message has its words.
    pub fn build_c(&self, builder: &Builder, source: &Path, name: &str, flags: &[String]) -> Result<Built> {
        let (object, said) = builder.compile_c_with_plugin(source, name, flags, OPTIONS)?;
        let program = object.with_extension("");
        let (mut inputs, kernels, dumps) = self.inputs(&said, &program)?;
        let ptx = write_ptx_of_object(&object, &dumps)?;
        inputs.insert(0, object);
        builder.link_objects(&inputs, LIBRARIES, &program)?;
        Ok(Built { program, said, kernels, ptx })
    }

    /// What is linked with a program: its kernels as functions, and the runtime; how many kernels there are; and the
    /// folder for what is made of them.
    fn inputs(&self, said: &str, program: &Path) -> Result<(Vec<PathBuf>, usize, PathBuf)> {
        let dumps = program.with_extension("dumps");
        let _ = std::fs::remove_dir_all(&dumps);
        std::fs::create_dir_all(&dumps)?;
        let (mut inputs, mut kernels) = (Vec::new(), 0);
        for (number, module) in modules(said).iter().enumerate() {
            let (objects, count) = compile(module, &dumps.join(format!("module{number}")))?;
            inputs.extend(objects);
            kernels += count;
        }
        inputs.push(self.runtime.clone());
        Ok((inputs, kernels, dumps))
    }
}

/// What programs with kernels are linked with.
const LIBRARIES: &[&str] = &["-rdynamic", "-ldl", "-pthread"];

/// What the plugin is told for C.
const OPTIONS: &str = "target=gpu time-budget-ms=200000 dump=kernels";

/// Writes the PTX that is in LLVM IR to a folder: a file for each module of the device's, `NAME.ptx`.
///
/// # Errors
/// When a file cannot be read or written.
pub fn write_ptx(ir: &Path, folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for (name, text) in constants(&std::fs::read_to_string(ir)?) {
        let file = folder.join(format!("{name}.ptx"));
        std::fs::write(&file, text)?;
        files.push(file);
    }
    Ok(files)
}

/// Writes the PTX that is in an object file to a folder: `0.ptx`, `1.ptx` and so on.
fn write_ptx_of_object(object: &Path, folder: &Path) -> Result<Vec<PathBuf>> {
    let bytes = std::fs::read(object)?;
    let mut files = Vec::new();
    // Texts end with a zero.
    for text in bytes.split(|byte| *byte == 0).filter_map(|text| std::str::from_utf8(text).ok()) {
        if text.contains(".version ") && text.contains(".entry ") {
            let file = folder.join(format!("{}.ptx", files.len()));
            std::fs::write(&file, text)?;
            files.push(file);
        }
    }
    Ok(files)
}

/// The PTX in constants of LLVM IR, by the name of the module of the device's that it is made of.
fn constants(ir: &str) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for line in ir.lines() {
        let name = line.strip_prefix('@').and_then(|rest| rest.split_once("_ptx = internal constant "));
        let Some((name, text)) = name.and_then(|(name, rest)| Some((name, rest.split_once("c\"")?.1))) else {
            continue;
        };
        let mut parts = text.trim_end_matches('"').split('\\');
        let mut plain = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (code, rest) = part.split_at(part.len().min(2));
            plain.extend(u8::from_str_radix(code, 16).ok().filter(|code| *code != 0).map(char::from));
            plain += rest;
        }
        all.push((name.to_owned(), plain));
    }
    all
}

/// The bodies of all `gpu.module`s among what the compiler said.
fn modules(said: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut lines = said.lines();
    while lines.by_ref().any(|line| line.starts_with("gpu.module @")) {
        let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "}").collect();
        all.push(body.join("\n"));
    }
    all
}

/// Compiles the kernels of a module, and what calls them for each block and thread.
fn compile(body: &str, base: &Path) -> Result<(Vec<PathBuf>, usize)> {
    let file = |ending: &str| base.with_extension(ending);
    std::fs::write(file("mlir"), format!("module {{\n{body}\n}}\n"))?;
    let translated =
        Command::new(llvm_tool("mlir-translate")).arg("--mlir-to-llvmir").arg(file("mlir")).checked()?.stdout;
    let kernels = kernels(&translated)?;
    // Nobody launches what calls functions that are not there.
    if translated.lines().any(|line| line.contains(" call ") && line.contains("@__nv_")) {
        return Ok((Vec::new(), kernels.len()));
    }
    std::fs::write(file("ll"), host_code(&translated, &kernels))?;
    std::fs::write(file("c"), callers(&kernels))?;
    let mut objects = Vec::new();
    for source in ["ll", "c"] {
        let object = base.with_extension(format!("{source}.o"));
        let flags = ["-O1", "-c", "-Wno-override-module", "-ffp-contract=off"];
        Command::new(llvm_tool("clang")).args(flags).arg(file(source)).arg("-o").arg(&object).checked()?;
        objects.push(object);
    }
    Ok((objects, kernels.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_of_the_device_are_found() {
        let text =
            "x.mlir: remark: a\n# kernels\ngpu.module @a [x] {\n  one\n}\n\n# kernels\ngpu.module @b {\n  two\n}\n";
        assert_eq!(modules(text), ["  one", "  two"]);
    }

    #[test]
    fn constants_with_ptx_are_read() {
        let ir =
            "@f_kernels_ptx = internal constant [9 x i8] c\"// a\\0A\\09b\\00\"\n@f_1_name = internal constant c\"\"\n";
        assert_eq!(constants(ir), [("f_kernels".to_owned(), "// a\n\tb".to_owned())]);
    }
}
