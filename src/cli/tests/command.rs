//! The command `polyrs`: what each subcommand prints and how it ends.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn example(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("test/scop").join(name)
}

/// Runs the command; the first argument after the subcommand is the region.
fn polyrs(subcommand: &str, file: &Path, more: &[&str]) -> (i32, String, String) {
    finished(command().arg(subcommand).arg(file).args(more).output().unwrap())
}

/// The command, for a machine that is the same everywhere.
fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_polyrs"));
    command.env("POLYRS_MACHINE", "generic");
    command
}

fn finished(output: Output) -> (i32, String, String) {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().expect("no signal"), text(output.stdout), text(output.stderr))
}

/// A file for one test.
fn file(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn bad_input_is_code_2_with_line_and_column() {
    for subcommand in
        ["cat", "dependences", "proximity", "schedule", "explain", "compare", "check", "codegen", "draw", "run"]
    {
        let bad = example("bad/unknown-array.scop");
        let (code, out, err) = polyrs(subcommand, &bad, &[]);
        assert_eq!((code, out.as_str()), (2, ""), "{subcommand}: {err}");
        assert!(err.contains("unknown-array.scop:21:21: error: there is no array `D`"), "{subcommand}: {err}");
        assert!(err.contains("help: expected one of C, A, B"), "{subcommand}: {err}");
        let (code, _, err) = polyrs(subcommand, Path::new("no-such-file.scop"), &[]);
        assert!(code == 2 && err.contains("no-such-file.scop"), "{subcommand}: {err}");
    }
}

#[test]
fn a_machine_is_read_or_refused_with_code_2() {
    let run = |arguments: &[&str]| finished(command().args(arguments).output().unwrap());
    let (code, generic, _) = run(&["machine"]);
    assert!(code == 0 && generic.starts_with("name: generic\n"), "{generic}");
    let (code, with_gpu, _) = run(&["machine", "--machine", "generic+sm_80"]);
    let lines = "parallel-start: 6000\ngpu: sm_80\ngpu-name: A100-SXM4-40GB\ngpu-architecture: sm_80\n";
    assert!(code == 0 && with_gpu.contains(lines) && !generic.contains("gpu"), "{with_gpu}");
    let again = file("again.txt", &with_gpu).display().to_string();
    assert_eq!(run(&["machine", "--machine", &again]), (0, with_gpu, String::new()));
    let machine = file("gpu.txt", "gpu: sm_80\ngpu-block-threads: 4096\n").display().to_string();
    let (code, out, err) = run(&["machine", "--machine", &machine]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("gpu.txt:2:1: error: gpu-block-threads (4096) is more than"), "{err}");
    let (code, _, err) = run(&["machine", "--machine", "host+a100"]);
    assert!(code == 2 && err.contains("error: --machine: no GPU is called `a100`; there are sm_70"), "{err}");
    let machine = file("machine.txt", "cores: 2\ncaches: 1M, 32K\n");
    let (code, out, err) = run(&["machine", "--machine", &machine.display().to_string()]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("machine.txt:2:1: error: caches go from the nearest"), "{err}");
    let gemm = example("basic/gemm.scop");
    let (code, _, err) = polyrs("schedule", &gemm, &["--final", "--machine", "no-such-machine"]);
    assert!(code == 2 && err.contains("no-such-machine"), "{err}");
}

#[test]
fn only_this_machine_can_be_measured() {
    let run = |arguments: &[&str]| finished(command().args(arguments).output().unwrap());
    for other in ["generic", "generic+sm_80", "no-such-machine"] {
        for name in ["machine", "target"] {
            let (code, out, err) = run(&[name, "--measure", &format!("--machine={other}")]);
            assert_eq!((code, out.as_str()), (2, ""), "{other}");
            let problem = "error: --measure is about the machine that this runs on: leave out --machine, or say host";
            assert!(err.starts_with(problem), "{err}");
        }
    }
    let (code, _, err) = run(&["machine", "--measure", "--machine=host+a100"]);
    assert!(code == 2 && err.contains("no GPU is called `a100`"), "{err}");
    if cfg!(debug_assertions) {
        let (code, out, err) = run(&["machine", "--measure"]);
        assert!(code == 1 && out.is_empty() && err.contains("build it with `cargo build --release`"), "{err}");
    }
    let (code, help, _) = run(&["machine", "--help"]);
    assert!(code == 0 && help.contains("--measure") && help.contains("host.machine"), "{help}");
}

#[test]
fn bad_usage_is_code_2() {
    let gemm = example("basic/gemm.scop");
    for more in [&["--no-such-option"][..], &["-p", "ni"], &["-p", "ni=x"], &["-p", "n=3"], &["-p", "ni=0"]] {
        assert_eq!(polyrs("run", &gemm, more).0, 2, "{more:?}");
    }
    assert_eq!(polyrs("schedule", &gemm, &["--tile-sizes", "0"]).0, 2);
    let (code, _, err) = polyrs("schedule", &gemm, &["--tile-sizes", "8"]);
    assert!(code == 2 && err.contains("--tile-sizes is about final trees: `polyrs schedule --final`"), "{err}");
    assert_eq!(polyrs("schedule", &gemm, &["--final", "--tile-sizes", "8"]).0, 0);
}

#[test]
fn help_names_every_subcommand_and_the_exit_codes() {
    let (code, out, _) = finished(command().arg("--help").output().unwrap());
    assert_eq!(code, 0);
    for word in [
        "dependences",
        "doctor",
        "proximity",
        "schedule",
        "explain",
        "kernels",
        "compare",
        "check",
        "codegen",
        "draw",
        "reduce",
        "run",
        "machine",
        "cat",
        "Exit code: 0 good, 1 illegal",
    ] {
        assert!(out.contains(word), "{word}: {out}");
    }
}

#[test]
fn cat_reads_standard_input_and_its_own_output() {
    let text = std::fs::read_to_string(example("basic/gemm.scop")).unwrap();
    let cat = |text: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_polyrs"));
        let mut child = command.args(["cat", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        finished(child.wait_with_output().unwrap())
    };
    let (code, once, _) = cat(&text);
    assert_eq!(code, 0);
    assert_eq!(cat(&once).1, once);
}

#[test]
fn a_schedule_that_is_printed_can_be_checked_run_and_turned_into_code() {
    let gemm = example("basic/gemm.scop");
    let (code, tree, _) = polyrs("schedule", &gemm, &["--final", "--tile-sizes", "4"]);
    assert!(code == 0 && tree.contains("mark: \"parallel\""), "{tree}");
    let saved = file("gemm.yaml", &tree);
    let option = format!("--schedule={}", saved.display());
    assert_eq!(polyrs("check", &gemm, &[&option]), (0, "legal\n".into(), String::new()));
    let (code, out, err) = polyrs("run", &gemm, &[&option, "-p", "ni=5", "-p", "nj=6", "-p", "nk=7"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert_eq!(out.matches("240 instances, 30 elements compared, 0 undefined: same").count(), 2, "{out}");
    let (code, out, _) = polyrs("codegen", &gemm, &[&option]);
    assert!(code == 0 && out.contains("S1(") && out.contains("for ("), "{out}");
}

#[test]
fn an_illegal_schedule_is_code_1_for_both_checkers() {
    let gemm = example("basic/gemm.scop");
    let (_, tree, _) = polyrs("schedule", &gemm, &[]);
    assert!(tree.contains("S1[i, k, j] -> [(k)]"), "{tree}");
    let saved = file("reversed.yaml", &tree.replace("S1[i, k, j] -> [(k)]", "S1[i, k, j] -> [(-k)]"));
    let option = format!("--schedule={}", saved.display());
    let (code, out, err) = polyrs("check", &gemm, &[&option]);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(err.contains("illegal: ") && err.contains("array C") && err.contains("for example S"), "{err}");
    let (code, out, err) = polyrs("run", &gemm, &[&option]);
    assert_eq!(code, 1);
    assert!(
        out.contains("ends with another value") && err.contains("differences from the original order"),
        "{out}{err}"
    );
}

#[test]
fn a_bad_schedule_file_is_code_2() {
    let gemm = example("basic/gemm.scop");
    let saved = file("bad.yaml", "domain: \"{ S0[i, j] }\"\nchild:\n  shedule: \"[]\"\n");
    let option = format!("--schedule={}", saved.display());
    let (code, _, err) = polyrs("check", &gemm, &[&option]);
    assert!(
        code == 2 && err.contains("bad.yaml:3:3: error: `shedule`") && err.contains("did you mean `schedule`"),
        "{err}"
    );
}

#[test]
fn dependences_depend_on_the_mode() {
    let gemm = example("basic/gemm.scop");
    let (code, out, _) = polyrs("dependences", &gemm, &["--input"]);
    assert_eq!(code, 0);
    for key in
        ["parameters: [ni, nj, nk]\n", "\nflow: ", "\ntagged_flow: ", "\nforced: ", "\ntagged_order: ", "\ninput: "]
    {
        assert!(out.contains(key), "{key}: {out}");
    }
    let (_, out, _) = polyrs("dependences", &gemm, &["--no-live-range-reordering"]);
    assert!(!out.contains("forced: ") && !out.contains("input: "), "{out}");
}

#[test]
fn constraints_alone_can_be_scheduled() {
    let (code, constraints, _) = polyrs("schedule", &example("basic/gemm.scop"), &["--constraints"]);
    assert_eq!(code, 0);
    let (code, tree, err) = polyrs("schedule", &file("gemm.sc", &constraints), &[]);
    assert_eq!(code, 0, "{err}");
    assert!(tree.starts_with("domain: ") && tree.contains("permutable: 1"), "{tree}");
    let (code, _, err) = polyrs("schedule", &file("bad.sc", "domain: nothing"), &[]);
    assert!(code == 2 && err.contains("bad.sc:1:9: error: a value in isl notation is missing"), "{err}");
}

#[test]
fn options_of_constraints_come_from_comments_and_from_the_command_line() {
    let text = "domain: { A[i, j] : 0 <= i, j <= 99 }\nvalidity: { A[i, j] -> A[i, j + 1]; A[i, 99] -> A[i + 1, 0] }\n";
    let scheduled = |name: &str, comment: &str, more: &[&str]| {
        let (code, tree, err) = polyrs("schedule", &file(name, &format!("# OPTIONS: {comment}\n{text}")), more);
        assert_eq!(code, 0, "{err}");
        tree
    };
    let coalesced = "A[i, j] -> [(100i + j)]";
    let feautrier = "--schedule-algorithm=feautrier";
    assert!(!scheduled("plain.sc", feautrier, &[]).contains(coalesced));
    assert!(scheduled("coalesced.sc", &format!("{feautrier} --no-schedule-treat-coalescing"), &[]).contains(coalesced));
    let option = ["--option=--no-schedule-treat-coalescing"];
    assert!(scheduled("option.sc", feautrier, &option).contains(coalesced));
    let (code, _, err) = polyrs("schedule", &file("option.sc", "domain: { A[] }\n# OPTIONS: --schedule-x"), &[]);
    assert!(code == 2 && err.contains("option.sc:2:12: error: `--schedule-x` is no option"), "{err}");
    let (code, _, err) = polyrs("schedule", &file("option.sc", "domain: { A[] }\n"), &["--option=--x"]);
    assert!(code == 2 && err.contains("--option: `--x` is no option"), "{err}");
}

#[test]
fn strategies_are_listed_and_printed() {
    let run = |arguments: &[&str]| finished(command().arg("strategies").args(arguments).output().unwrap());
    let (code, list, _) = run(&[]);
    assert!(code == 0 && list.lines().any(|line| line.starts_with("pluto         Bondhugula")), "{list}");
    let (code, pluto, _) = run(&["pluto"]);
    assert!(code == 0 && pluto.contains("[problems.hyperplane]") && !pluto.contains("carry-self-first"), "{pluto}");
    let (code, whole, _) = run(&["unified-cpu", "--whole"]);
    assert!(code == 0 && whole.contains("register-limit = 48") && whole.contains("carry-self-first = true"), "{whole}");
    let input = file("single.sc", "domain: { A[] }\n");
    let strategy = format!("--strategy={}", file("whole.toml", &whole).display());
    assert_eq!(polyrs("schedule", &input, &[&strategy]).0, 0);
    let (code, _, err) = run(&["plato"]);
    assert!(code == 2 && err.contains("no strategy is called plato; there are isl-defaults, ppcg, pluto"), "{err}");
}

#[test]
fn a_strategy_comes_from_a_file() {
    let input = file("pair.sc", "domain: { A[]; B[]; C[] }\nvalidity: { A[] -> B[] }\nproximity: { A[] -> B[] }\n");
    let run = |text: &str, scheduler: &str| {
        let strategy = file("pair.strategy", text);
        let (strategy, scheduler) = (format!("--strategy={}", strategy.display()), format!("--scheduler={scheduler}"));
        polyrs("schedule", &input, &[&strategy, &scheduler])
    };
    let (code, tree, err) = run("preset = \"ppcg\"\nfusion = \"max\" # of the whole\n", "ppcg");
    assert!(code == 0 && tree.contains("sequence:"), "{tree}{err}");
    let (code, _, err) = run("\nfusion = \"some\"\n", "ppcg");
    assert!(code == 2 && err.contains("pair.strategy:2:1: error: unknown variant `some`, expected one of"), "{err}");
    let (code, _, err) = run("", "isl");
    assert!(code == 2 && err.contains("--strategy needs one of our schedulers: isl-defaults, ppcg, pluto"), "{err}");
}

#[test]
fn explanations_name_what_a_member_separates() {
    let text = "domain: { A[i, j] : 0 <= i, j <= 9 }\nvalidity: { A[i, j] -> A[i + 1, j]; A[i, j] -> A[i, j + 1] }\n\
                coincidence: { A[i, j] -> A[i + 1, j]; A[i, j] -> A[i, j + 1] }\n";
    let (code, out, err) = polyrs("explain", &file("grid.sc", text), &[]);
    assert_eq!(code, 0, "{err}");
    for words in [
        "- A: no member 1 of the band can be coincident; in the way: A to A (validity, coincidence)\n",
        "- A: member 1 by the problem `distances`: bound-sum 0, bound-constant 0, parameter-coefficients 0, variable-coefficients 1\n",
        "- A: a band of 2 members, 0 of them coincident; it ends because the schedule is complete\n",
        "- band 0, member 1 is not coincident: {",
        "  - it separates A from A, as in { A[",
    ] {
        assert!(out.contains(words), "{words}: {out}");
    }
    let (code, out, _) = polyrs("explain", &example("basic/gemm.scop"), &["--scheduler=isl"]);
    assert!(code == 0 && out.contains("it separates S1 from S1"), "{out}");
    assert!(out.contains("(through C)") && !out.contains("through A"), "{out}");
    let (_, listed, _) = polyrs("candidates", &example("basic/gemm.scop"), &["--scheduler=isl"]);
    assert!(listed.contains("* ") && out.ends_with(&listed), "{out}");
}

#[test]
fn explanations_say_what_binds_members_also_as_json() {
    let jacobi = example("basic/jacobi-2d.scop");
    let (code, out, err) = polyrs("explain", &jacobi, &["--scheduler=pluto"]);
    let skewed = "member 2 by the problem `hyperplane`: bound-parameters 0 0, bound-constant 2, variable-coefficients 6; bound by ";
    assert!(code == 0 && out.contains(skewed), "{out}{err}");
    let (code, out, err) = polyrs("explain", &jacobi, &["--scheduler=pluto", "--json"]);
    assert_eq!(code, 0, "{err}");
    let all: serde_json::Value = serde_json::from_str(&out).unwrap();
    let events: Vec<&str> =
        all["decisions"].as_array().unwrap().iter().filter_map(|one| one["event"].as_str()).collect();
    assert_eq!(events, ["member", "member", "member", "band"]);
    let second = &all["decisions"][1]["origin"];
    assert_eq!(second["values"][1], serde_json::json!(["bound-constant", [2]]));
    let bounds = second["bound-by"].as_array().unwrap();
    assert!(bounds.len() == 2 && bounds.iter().all(|bound| bound["kinds"][0] == "validity"), "{bounds:?}");
    assert!(all["tree"].as_str().unwrap().starts_with("domain:"), "{out}");
    assert_eq!(all["sequential"].as_array().unwrap().len(), 3, "{out}");
    let chosen = all["candidates"].as_array().unwrap().iter().filter(|one| one["chosen"] == true).count();
    assert_eq!(chosen, 1, "{out}");
}

#[test]
fn explain_says_why_components_are_not_combined() {
    // The report's Example 21: combining the components loses a coincident member of B.
    let trmm = example("papers/verdoolaege2017/listing20-trmm.scop");
    let (code, out, err) = polyrs("explain", &trmm, &["--scheduler=ppcg"]);
    assert_eq!(code, 0, "{err}");
    let reason = "- B, A: not in one band, as what is between A and B would have it: the band would have 1 coincident members, \
                  and one of them has 2 alone (through B)\n";
    assert!(out.contains(reason), "{out}");
    let (_, out, _) = polyrs("explain", &trmm, &["--scheduler=ppcg", "--option=--schedule-whole-component"]);
    assert!(!out.contains("not in one band"), "{out}");
}

#[test]
fn bounds_on_the_work_end_in_code_1() {
    let gemm = example("basic/gemm.scop");
    let (code, _, err) = polyrs("run", &gemm, &["--bound", "100"]);
    assert!(code == 1 && err.contains("more than 100 steps"), "{err}");
    for subcommand in ["dependences", "schedule", "explain", "compare", "codegen"] {
        let (code, _, err) = polyrs(subcommand, &gemm, &["--quota", "10"]);
        assert!(code == 1 && err.contains("quota"), "{subcommand}: {err}");
    }
    let (code, _, err) = polyrs("check", &gemm, &["--quota", "10"]);
    assert!(code == 1 && err.contains("budget"), "{err}");
}

#[test]
fn a_reader_that_stops_early_is_no_failure() {
    let gemm = example("basic/gemm.scop");
    let mut command = Command::new(env!("CARGO_BIN_EXE_polyrs"));
    let mut child = command.arg("cat").arg(gemm).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let (code, _, err) = finished(child.wait_with_output().unwrap());
    assert_eq!((code, err.as_str()), (0, ""));
}
