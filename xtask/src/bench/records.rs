//! The benchmark `records`: what remarks and records cost a compilation. PolyBench's programs in C, and the kernels of
//! `test/styles` in C++ and Fortran, are compiled with the plugin and without records, once more the same way, and with records;
//! these take turns. The first two show how much is noise.
//!
//! What the plugin does for remarks while nobody listens is told by its log, in a run of its own. Objects must be the same bits.

use super::polybench::phases;
use super::save;
use crate::command::Command;
use crate::project::{Project, llvm_tool};
use crate::suite::clang::own_style;
use crate::suite::kernel::{self, Size};
use crate::suite::styles::{self, Language, STYLES};
use anyhow::{Context, Result, ensure};
use serde_json::json;
use std::path::Path;

/// The styles that stand for C++ and Fortran.
const STYLED: [&str; 2] = ["vector", "f-assumed"];

/// The ways to compile, which take turns.
const WAYS: [(&str, bool); 3] = [("without", false), ("again", false), ("records", true)];

/// What compilers are started with: code that flang makes of arrays of assumed shape, alone, depends on where its own data lie.
const FIXED_ADDRESSES: [&str; 2] = ["setarch", "--addr-no-randomize"];

/// The most that remarks may take of a compilation to which nobody listens, in percent.
const MOST: f64 = 1.0;

/// A file to compile.
struct Input {
    name: String,
    compiler: &'static str,
    arguments: Vec<String>,
}

/// What was measured of a file.
struct Measured {
    name: String,
    /// The least seconds of the processor, by way.
    seconds: [f64; 3],
    /// Seconds that the plugin took for remarks while nobody listened.
    remarks: f64,
    /// All objects are the same bits.
    is_same: bool,
}

/// Measures the chosen inputs; whether objects are the same with records and remarks cost nothing otherwise.
///
/// # Errors
/// When there is no such input, something cannot be compiled, or the results cannot be written.
pub fn run(project: &Project, names: &[String], repeat: u32) -> Result<bool> {
    let inputs = inputs(project, names)?;
    println!(
        "milliseconds of the processor with the plugin, the least of {repeat} runs; remarks: the plugin's for remarks"
    );
    println!("that nobody reads; objects: with records and without");
    println!("{:<22} {:>9} {:>9} {:>9} {:>9}  objects", "file", WAYS[0].0, WAYS[1].0, WAYS[2].0, "remarks");
    let mut all = Vec::new();
    for input in &inputs {
        let one = measure(project, input, repeat)?;
        print!("{:<22}", one.name);
        one.seconds.iter().for_each(|seconds| print!(" {:>9.0}", seconds * 1e3));
        println!(" {:>9.3}  {}", one.remarks * 1e3, if one.is_same { "the same" } else { "DIFFERENT" });
        all.push(one);
    }
    let [plain, again, records] = [0, 1, 2].map(|way| all.iter().map(|one| one.seconds[way]).sum::<f64>());
    let remarks = all.iter().map(|one| one.remarks).sum::<f64>();
    let [noise, cost, share] = [again - plain, records - plain, remarks].map(|part| part / plain * 100.0);
    println!("{plain:.1} s without records; {noise:+.2} % in the second run of the same, {cost:+.2} % with records");
    println!("remarks that nobody reads: {:.1} ms, {share:.4} % of the time without records", remarks * 1e3);
    let rows = all.iter().map(|one| {
        let [plain, again, records] = one.seconds;
        json!({"file": one.name, "without": plain, "again": again, "records": records, "remarks": one.remarks,
               "same": one.is_same})
    });
    let json = json!({"machine": super::machine::describe(project), "rows": rows.collect::<Vec<_>>(),
                      "noise": noise, "records": cost, "remarks": share});
    save(&project.scratch("bench")?.join("records.json"), &(serde_json::to_string_pretty(&json)? + "\n"))?;
    println!("written: target/bench/records.json");
    let is_same = all.iter().all(|one| one.is_same);
    if share > MOST {
        println!("FAIL remarks take more than {MOST} % where nobody reads them");
    }
    Ok(is_same && share <= MOST)
}

/// The inputs of these names; all if there are none.
fn inputs(project: &Project, names: &[String]) -> Result<Vec<Input>> {
    let is_chosen = |name: &str| names.is_empty() || names.iter().any(|one| one == name);
    let mut inputs = Vec::new();
    for kernel in kernel::read_all(&project.root.join("test/polybench"))? {
        if is_chosen(&kernel.name) {
            let mut arguments = own_style(project, &kernel, Size::Large)?;
            arguments.push(project.root.join(format!("test/c/{}.c", kernel.name)).display().to_string());
            inputs.push(Input { name: kernel.name, compiler: "clang", arguments });
        }
    }
    let folder = project.scratch("bench/records")?;
    for kernel in styles::read_all(&project.root.join(styles::FOLDER))? {
        for style in STYLES.iter().filter(|style| STYLED.contains(&style.name())) {
            let name = format!("{}/{}", kernel.name, style.name());
            let order = kernel.orders.first().context("a kernel without an order")?;
            let Some(texts) = styles::sources(&kernel, order, style, false).filter(|_| is_chosen(&name)) else {
                continue;
            };
            let (compiler, end) = match style.language() {
                Language::C => ("clang", "c"),
                Language::Cpp => ("clang++", "cpp"),
                Language::Fortran => ("flang", "f90"),
            };
            let source = folder.join(format!("{}.{end}", name.replace('/', "-")));
            save(&source, &texts.kernel)?;
            inputs.push(Input { name, compiler, arguments: vec![source.display().to_string()] });
        }
    }
    let unknown = names.iter().find(|name| !inputs.iter().any(|input| input.name == **name));
    ensure!(unknown.is_none(), "there is no input {}", unknown.map_or("", String::as_str));
    Ok(inputs)
}

fn measure(project: &Project, input: &Input, repeat: u32) -> Result<Measured> {
    let folder = project.scratch("bench/records")?;
    let stem = input.name.replace('/', "-");
    let object = |way: &str| folder.join(format!("{stem}-{way}.o"));
    let mut seconds = [f64::INFINITY; 3];
    for _ in 0..repeat {
        for ((way, with_records), least) in WAYS.into_iter().zip(&mut seconds) {
            let records = with_records.then(|| folder.join(format!("{stem}.opt.yaml")));
            let command = compilation(project, input, &object(way), records.as_deref());
            *least = least.min(timed(&command, &folder)?);
        }
    }
    let mut logged = Command::new("env").arg("POLYRS_LOG=polyrs::time=info");
    logged = logged.args(compilation(project, input, &object("logged"), None)).directory(&folder);
    let remarks = phases(&logged.checked()?.stderr).into_iter().filter(|(phase, _)| phase == "remark");
    let remarks = remarks.map(|(_, milliseconds)| milliseconds / 1e3).sum();
    let bits = WAYS.map(|(way, _)| std::fs::read(object(way)));
    let [plain, again, records] = bits;
    let plain = plain?;
    let is_same = plain == again? && plain == records?;
    Ok(Measured { name: input.name.clone(), seconds, remarks, is_same })
}

/// What compiles an input. Line tables are there in any case: compilers add them to what has records.
fn compilation(project: &Project, input: &Input, object: &Path, records: Option<&Path>) -> Vec<String> {
    let mut words = FIXED_ADDRESSES.map(str::to_owned).to_vec();
    words.push(llvm_tool(input.compiler).display().to_string());
    words.extend(["-O3", "-march=native", "-gline-tables-only", "-c"].map(str::to_owned));
    words.push(format!("-fpass-plugin={}", project.plugin().display()));
    if let Some(file) = records {
        words.push("-fsave-optimization-record".to_owned());
        words.push("-foptimization-record-passes=poly-schedule".to_owned());
        words.push(format!("-foptimization-record-file={}", file.display()));
    }
    words.extend(input.arguments.iter().cloned());
    words.extend(["-o".to_owned(), object.display().to_string()]);
    words
}

/// Runs a program in a folder, and tells the seconds that it took of the processor.
fn timed(words: &[String], folder: &Path) -> Result<f64> {
    const SCRIPT: &str = "TIMEFORMAT='%3U %3S'; time \"$@\"";
    // The program counts as a child of the shell; the shell itself does not count.
    let shell = Command::new("bash").args(["-c", SCRIPT, "bash"]).args(words).env("LC_ALL", "C");
    let said = shell.directory(folder).checked()?.stderr;
    let times = said.lines().last().context("bash told no time")?;
    let seconds: Vec<f64> = times.split(' ').map(str::parse).collect::<Result<_, _>>().context("bash told no time")?;
    Ok(seconds.iter().sum())
}
