//! From MLIR or C to a program: mlir-opt, mlir-translate, clang.

use crate::command::Command;
use crate::project::{Project, llvm_tool};
use anyhow::Result;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Lowers affine loops as they stand, with upstream's passes alone.
pub const PLAIN_LOWERING: &[&str] = &[
    "--lower-affine",
    "--convert-scf-to-cf",
    "--convert-math-to-llvm",
    "--convert-math-to-libm",
    "--convert-to-llvm",
    "--reconcile-unrealized-casts",
];

/// Seconds after which a compiler or a kernel counts as hanging.
const TIME_LIMIT: &str = "300";

/// How an MLIR program is made into an LLVM one.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// Distinguishes the files made.
    pub name: &'static str,
    /// Whether the plugin is loaded.
    pub plugin: bool,
    /// The arguments of mlir-opt.
    pub passes: Vec<String>,
}

impl Recipe {
    /// Upstream's lowering, without the plugin.
    pub fn original() -> Self {
        Self { name: "original", plugin: false, passes: owned(PLAIN_LOWERING) }
    }

    /// Scheduled for one thread. The clock must not decide what a busy machine gets, so it is given time; counted
    /// quotas remain.
    pub fn sequential() -> Self {
        let passes =
            owned(&["--poly-schedule=parallel=false size-versions=false time-budget-ms=200000", "--poly-lower-x86"]);
        Self { name: "sequential", plugin: true, passes }
    }

    /// Scheduled for several threads.
    pub fn parallel() -> Self {
        let passes =
            owned(&["--poly-schedule=parallel=true size-versions=false time-budget-ms=200000", "--poly-lower-openmp"]);
        Self { name: "parallel", plugin: true, passes }
    }

    /// Scheduled for several threads by the unified strategy, also where that seems not to gain.
    pub fn unified() -> Self {
        let options = "scheduler=unified profitability=off parallel=true time-budget-ms=200000";
        Self {
            name: "unified",
            plugin: true,
            passes: owned(&[&format!("--poly-schedule={options}"), "--poly-lower-openmp"]),
        }
    }

    /// Scheduled for one thread, with some layout that is possible, if there is one.
    pub fn relaid() -> Self {
        let options = "layout=any profitability=off parallel=false time-budget-ms=200000";
        let passes = owned(&[&format!("--poly-schedule={options}"), "--poly-lower-x86"]);
        Self { name: "relaid", plugin: true, passes }
    }

    /// The same with the layouts that the program has.
    pub fn in_its_layout(self) -> Self {
        self.with("layout=none")
    }

    /// The same with another number of operations below which a parallel loop runs sequentially. Sizes of tests are so
    /// small that hardly any loop would run on threads.
    pub fn parallel_from(mut self, operations: u32) -> Self {
        for pass in self.passes.iter_mut().filter(|pass| *pass == "--poly-lower-openmp") {
            pass.push_str(&format!("=parallel-threshold={operations}"));
        }
        self
    }

    /// The same with the developer's check of the new code: it is read back, and mlir-opt fails if it is not what the
    /// schedule says. The code that comes out is the same.
    pub fn read_back(self) -> Self {
        self.with("read-back=true")
    }

    /// The same with one more option of the scheduling pass.
    fn with(mut self, option: &str) -> Self {
        for pass in self.passes.iter_mut().filter(|pass| pass.starts_with("--poly-schedule=")) {
            pass.push_str(&format!(" {option}"));
        }
        self
    }

    /// The same after some other passes.
    pub fn after(mut self, passes: &[&str]) -> Self {
        self.passes.splice(0..0, owned(passes));
        self
    }
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Builds programs into a scratch folder.
pub struct Builder {
    plugin: PathBuf,
    scratch: PathBuf,
    harness: PathBuf,
    flags: Vec<String>,
    machine: Option<PathBuf>,
}

impl Builder {
    /// Prepares a scratch folder of the given name and compiles the harness into it. `flags` go to clang for every
    /// program.
    ///
    /// # Errors
    /// When the folder cannot be made or the harness does not compile.
    pub fn new(project: &Project, name: &str, flags: &[&str]) -> Result<Self> {
        let scratch = project.scratch(name)?;
        let harness = scratch.join("harness.o");
        Command::new(llvm_tool("clang"))
            .args(["-O2", "-c"])
            .arg(project.root.join("test/polybench/harness.c"))
            .arg("-o")
            .arg(&harness)
            .checked()?;
        Ok(Self { plugin: project.plugin(), scratch, harness, flags: owned(flags), machine: None })
    }

    /// Code is made for the machine that this file describes, and not for the one that the environment names or that
    /// this runs on.
    pub fn machine(self, machine: PathBuf) -> Self {
        Self { machine: Some(machine), ..self }
    }

    /// Programs are made by this plugin, and not by the project's.
    pub fn plugin(self, plugin: PathBuf) -> Self {
        Self { plugin, ..self }
    }

    /// The mlir-opt command of a recipe, without input and output.
    pub fn mlir_opt(&self, recipe: &Recipe) -> Command {
        let mut command = Command::new("timeout").arg(TIME_LIMIT).arg(llvm_tool("mlir-opt"));
        if recipe.plugin {
            command = command
                .env("POLYRS_LOG", "polyrs::time=info")
                .arg(format!("--load-pass-plugin={}", self.plugin.display()));
        }
        if let Some(machine) = &self.machine {
            command = command.env("POLYRS_MACHINE", machine);
        }
        command.args(&recipe.passes)
    }

    /// Builds `source` by a recipe. Returns the program and what mlir-opt said.
    ///
    /// # Errors
    /// When a tool fails; the message has its words.
    pub fn build_mlir(&self, source: &Path, recipe: &Recipe) -> Result<(PathBuf, String)> {
        let (ir, said) = self.lower(source, recipe)?;
        let program = self.file(source, recipe, "");
        self.link_ir(&ir, &[], &[], &program)?;
        Ok((program, said))
    }

    /// A file that a recipe makes of `source`.
    pub fn file(&self, source: &Path, recipe: &Recipe, ending: &str) -> PathBuf {
        self.named(source, recipe.name, ending)
    }

    fn named(&self, source: &Path, name: &str, ending: &str) -> PathBuf {
        let stem = source.file_stem().unwrap_or_default().to_string_lossy();
        self.scratch.join(format!("{stem}-{name}{ending}"))
    }

    /// The folder that programs are built in.
    pub fn scratch(&self) -> &Path {
        &self.scratch
    }

    /// Makes LLVM IR of `source`. Returns its file and what mlir-opt said.
    ///
    /// # Errors
    /// When a tool fails; the message has its words.
    pub fn lower(&self, source: &Path, recipe: &Recipe) -> Result<(PathBuf, String)> {
        let (lowered, ir) = (self.file(source, recipe, ".llvm.mlir"), self.file(source, recipe, ".ll"));
        let said = self.mlir_opt(recipe).arg(source).arg("-o").arg(&lowered).checked()?.stderr;
        Command::new(llvm_tool("mlir-translate")).arg("--mlir-to-llvmir").arg(&lowered).arg("-o").arg(&ir).checked()?;
        Ok((ir, said))
    }

    /// Links LLVM IR and other inputs.
    ///
    /// # Errors
    /// When the compiler fails.
    pub fn link_ir(&self, ir: &Path, inputs: &[PathBuf], flags: &[&str], program: &Path) -> Result<()> {
        let input = ["-Wno-override-module", "-fopenmp", "-x", "ir"];
        let command = Command::new(llvm_tool("clang")).args(input).arg(ir).args(["-x", "none"]).args(inputs);
        self.link(command.args(flags), program).map(drop)
    }

    /// Links objects and libraries.
    ///
    /// # Errors
    /// When the linker fails.
    pub fn link_objects(&self, objects: &[PathBuf], flags: &[&str], program: &Path) -> Result<()> {
        self.link(Command::new(llvm_tool("clang")).arg("-fopenmp").args(objects).args(flags), program).map(drop)
    }

    /// Builds a C program with further flags.
    ///
    /// # Errors
    /// When the compiler fails.
    pub fn build_c(&self, source: &Path, name: &str, flags: &[impl AsRef<OsStr>]) -> Result<PathBuf> {
        let program = self.named(source, name, "");
        self.link(Command::new(llvm_tool("clang")).args(flags).arg(source), &program)?;
        Ok(program)
    }

    /// Builds a C program with the plugin loaded into clang. Returns the program and what clang said, the plugin's
    /// remarks included.
    ///
    /// # Errors
    /// When the compiler fails.
    pub fn build_c_with_plugin(
        &self,
        source: &Path,
        name: &str,
        flags: &[String],
        options: &str,
    ) -> Result<(PathBuf, String)> {
        let program = self.named(source, name, "");
        let said = self.link(self.clang_with_plugin(source, flags, options), &program)?;
        Ok((program, said))
    }

    /// Compiles a C file as [`Self::build_c_with_plugin`] does, and links nothing. Returns the object file, whose name
    /// ends with `.o`, and what clang said.
    ///
    /// # Errors
    /// When the compiler fails.
    pub fn compile_c_with_plugin(
        &self,
        source: &Path,
        name: &str,
        flags: &[String],
        options: &str,
    ) -> Result<(PathBuf, String)> {
        let object = self.named(source, name, ".o");
        let command = self.clang_with_plugin(source, flags, options).args(&self.flags);
        let said = command.args(["-c", "-o"]).arg(&object).checked()?.stderr;
        Ok((object, said))
    }

    /// The clang command with the plugin loaded, without what it makes.
    fn clang_with_plugin(&self, source: &Path, flags: &[String], options: &str) -> Command {
        let mut command = Command::new("timeout").arg(TIME_LIMIT).arg(llvm_tool("clang"));
        command = command.env("POLYRS_LOG", "polyrs::time=info");
        if let Some(machine) = &self.machine {
            command = command.env("POLYRS_MACHINE", machine);
        }
        let plugin = format!("-fpass-plugin={}", self.plugin.display());
        let remarks = ["", "-missed", "-analysis"].map(|kind| format!("-Rpass{kind}=poly-schedule"));
        let command = command.args(&[plugin, "-mllvm".to_owned(), format!("-poly-schedule={options}")]);
        command.args(&remarks).arg("-fopenmp").args(flags).arg(source)
    }

    /// What the compiler said.
    fn link(&self, command: Command, program: &Path) -> Result<String> {
        let command = command.args(&self.flags).args(["-x", "none"]).arg(&self.harness);
        Ok(command.args(["-lm", "-o"]).arg(program).checked()?.stderr)
    }
}

/// Runs a built program and returns what it prints.
///
/// # Errors
/// When it fails or does not end.
pub fn execute(program: &Path, arguments: &[&str], threads: usize) -> Result<String> {
    execute_in(program, arguments, threads, &[])
}

/// Runs a built program with some variables set, and returns what it prints.
///
/// # Errors
/// As [`execute`].
pub fn execute_in(
    program: &Path,
    arguments: &[&str],
    threads: usize,
    environment: &[(&'static str, String)],
) -> Result<String> {
    let command = Command::new("timeout").arg(TIME_LIMIT).arg(program).args(arguments);
    let command = command.env("OMP_NUM_THREADS", threads.to_string()).env("OMP_DYNAMIC", "false");
    let command = environment.iter().fold(command, |command, (name, value)| command.env(name, value));
    Ok(command.checked()?.stdout)
}

#[cfg(test)]
mod tests {
    use super::Recipe;

    #[test]
    fn the_scheduling_pass_is_told_to_read_back() {
        let plain = Recipe::parallel().passes;
        let told = Recipe::parallel().read_back().passes;
        assert_eq!(told[0], format!("{} read-back=true", plain[0]));
        assert_eq!(told[1..], plain[1..]);
    }

    #[test]
    fn passes_before_come_before() {
        let recipe = Recipe::sequential().after(&["--convert-linalg-to-affine-loops"]);
        assert_eq!(recipe.passes[0], "--convert-linalg-to-affine-loops");
        assert_eq!(recipe.passes[1..], Recipe::sequential().passes);
    }
}
