//! `polyrs try`: the examples of docs/try.md, scripts, and the protocol.

use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs `polyrs try` at the root: the code, what it prints, and its errors.
fn run(arguments: &[&str], input: &str) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_polyrs"));
    command.current_dir(root()).env("POLYRS_MACHINE", "generic").arg("try").args(arguments);
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipes.spawn().unwrap();
    // Who ends early does not read on.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().expect("no signal"), text(output.stdout), text(output.stderr))
}

/// A file for one test.
fn file(name: &str, text: &str) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

const GEMM: &str = "test/scop/basic/gemm.scop";
const SEIDEL: &str = "test/scop/basic/seidel-2d.scop";

/// The answers, the greeting first.
fn answers(region: &str, input: &str) -> Vec<Value> {
    let (code, out, err) = run(&[region, "--json"], input);
    assert_eq!((code, err.as_str()), (0, ""));
    out.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"))).collect()
}

/// An example with what the command answers today.
fn played(block: &[String]) -> Vec<String> {
    let arguments: Vec<&str> = block[0].strip_prefix("$ polyrs try ").unwrap().split_whitespace().collect();
    let commands: Vec<&str> = block.iter().filter_map(|line| line.strip_prefix("> ")).collect();
    let (code, out, err) = run(&arguments, &(commands.join("\n") + "\n"));
    assert_eq!((code, err.as_str()), (0, ""), "{block:?}");
    let mut lines = vec![block[0].clone()];
    if !arguments.contains(&"--json") {
        lines.extend(out.lines().map(str::to_owned));
        return lines;
    }
    let mut answers = out.lines();
    lines.extend(answers.next().map(str::to_owned));
    for command in commands {
        lines.push(format!("> {command}"));
        lines.extend(answers.next().map(str::to_owned));
    }
    lines
}

#[test]
fn the_examples_of_the_document_are_what_it_says() {
    let path = root().join("docs/try.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (mut made, mut examples) = (Vec::new(), 0);
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(first) = line.strip_prefix("    ").filter(|line| line.starts_with("$ polyrs try ")) else {
            made.push(line.to_owned());
            continue;
        };
        let mut block = vec![first.to_owned()];
        while let Some(next) = lines.next_if(|line| line.starts_with("    ")) {
            block.push(next[4..].to_owned());
        }
        examples += 1;
        made.extend(played(&block).into_iter().map(|line| format!("    {line}")));
    }
    assert_eq!(examples, 3);
    let made = made.join("\n") + "\n";
    if std::env::var_os("POLYRS_BLESS").is_some() {
        std::fs::write(&path, made).unwrap();
    } else {
        assert_eq!(made, text, "POLYRS_BLESS=1 writes docs/try.md anew");
    }
}

#[test]
fn answers_are_objects_with_the_documented_fields() {
    let input = "show\n{\"id\": [7], \"command\": \"interchange i j\"}\n\"tlie i 3\"\n\n{\"command\": 1, \"id\": 2}\n{\n\"quit\"\n";
    let all = answers(SEIDEL, input);
    let [greeting, shown, refused, wrong, unread, broken, quit] = &all[..] else { panic!("{all:#?}") };
    let name = |name: &str, depth: usize| {
        json!({"name": name, "kind": "loop", "depth": depth, "statements": ["S0"], "independent": false,
               "parallel": false, "private": [], "vector": false})
    };
    let loops = json!([name("k", 0), name("i", 1), name("j", 2)]);
    let expected = json!({
        "protocol": 1, "version": env!("CARGO_PKG_VERSION"), "region": "seidel", "parameters": ["t", "n"],
        "arrays": ["A"], "statements": [{"name": "S0", "text": "", "iterators": ["k", "i", "j"]}], "loops": loops
    });
    assert_eq!(*greeting, expected);
    let output = "k\n  i\n    j\n      S0";
    let cost = &shown["cost"];
    assert!(cost.as_u64().is_some_and(|cost| cost > 0), "{shown}");
    let expected = json!({"protocol": 1, "command": "show", "accepted": true, "cost": cost, "speedup": 1.0,
                          "output": output, "loops": loops});
    assert_eq!(*shown, expected);
    let end = |reference: &str, i: i64, j: i64| json!({"statement": "S0", "text": "", "reference": reference, "point": {"k": 0, "i": i, "j": j}});
    let reason = &refused["reason"];
    assert!(reason.as_str().is_some_and(|reason| reason.starts_with("S0(k=0, i=1, j=2) writes A[1][2], which S0(")));
    let expected = json!({
        "id": [7], "protocol": 1, "command": "interchange i j", "accepted": false, "reason": reason,
        "dependence": {"kind": "flow", "array": "A", "element": "A[1][2]", "source": end("w0", 1, 2),
                       "target": end("r0", 2, 1), "parameters": {"t": 4, "n": 4}, "order": "reversed"},
        "cost": cost, "speedup": 1.0
    });
    assert_eq!(*refused, expected);
    let expected = json!({"protocol": 1, "command": "tlie i 3", "accepted": false, "reason": "`tlie` is no command",
                          "help": "is `tile` meant?", "column": 1, "cost": cost, "speedup": 1.0});
    assert_eq!(*wrong, expected);
    assert_eq!((&unread["id"], &unread["accepted"]), (&json!(2), &json!(false)));
    assert!(broken["reason"].as_str().is_some_and(|reason| reason.starts_with("this is no JSON")), "{broken}");
    assert_eq!((&quit["accepted"], &quit["command"]), (&json!(true), &json!("quit")));
}

#[test]
fn steps_change_costs_and_loops() {
    let all = answers(GEMM, "parallel i\nundo\n");
    assert_eq!(all[1]["loops"][0]["parallel"], json!(true));
    assert!(all[1]["speedup"].as_f64().unwrap() > 1.0, "{}", all[1]);
    assert_eq!(all[2]["loops"], all[0]["loops"]);
    assert_eq!(all[2]["speedup"], json!(1.0));
}

#[test]
fn a_script_ends_where_a_step_is_refused() {
    let script = file("refused.try", "# first\nskew j by i\nparallel k\ninterchange i j\n");
    let (code, out, err) = run(&[SEIDEL, &script], "");
    assert_eq!(code, 1);
    assert!(out.starts_with("> skew j by i\nlegal; ") && out.ends_with("> parallel k\n"), "{out}");
    let place = format!("{script}:3:1: error: S0(");
    assert!(err.starts_with(&place) && err.contains("nothing would say which one runs first"), "{err}");
    let (code, out, err) = run(&[SEIDEL, &script, "--keep-going"], "");
    assert!(
        code == 1 && out.contains("> interchange i j\nlegal; ") && err.contains("not all steps were done"),
        "{err}"
    );
    let script = file("wrong.try", "\n tile i jj 3\n");
    let (code, _, err) = run(&[SEIDEL, &script], "");
    assert_eq!(code, 2);
    assert!(err.starts_with(&format!("{script}:2:9: error: no loop is called `jj`\n  help: is `j` meant?")), "{err}");
    let (code, out, _) = run(&[SEIDEL, &script, "--json"], "");
    assert!(code == 2 && out.lines().count() == 2, "{out}");
    let (code, _, err) = run(&[SEIDEL, "no-such-script"], "");
    assert!(code == 2 && err.contains("no-such-script"), "{err}");
    let (code, _, err) = run(&["-"], "");
    assert!(code == 2 && err.contains("cannot both be standard input"), "{err}");
}

#[test]
fn a_tree_that_was_saved_is_one_to_begin_with() {
    let tree = Path::new(env!("CARGO_TARGET_TMPDIR")).join("saved tree.yaml").display().to_string().replace(' ', "-");
    let (code, out, err) = run(&[GEMM], &format!("distribute i\ntile S1.i S1.j k 8\nsave {tree}\n"));
    assert!(code == 0 && out.ends_with(&format!("the tree is in {tree}\n")), "{out}{err}");
    let (code, out, _) = run(&[GEMM], &format!("start file {tree}\nshow\n"));
    assert!(code == 0 && out.contains("legal; ") && out.contains("\n  k.tile\n"), "{out}");
    let (code, out, _) = run(&[GEMM, "-"], "save /no/such/folder/tree\nstart file /no/such/tree\n");
    assert!(code == 0 && out.matches("error: column ").count() == 2, "{out}");
}
