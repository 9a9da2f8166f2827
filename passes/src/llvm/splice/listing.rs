//! The facts of new functions as a whole that LLVM is told, one line for each fact, with the reason why it holds: the
//! part of `dump=facts` that lowering in MLIR does not know.

use std::collections::BTreeMap;
use std::fmt::Write;

use polyrs_interface::ARGUMENT;

/// The attribute that says what the processor can do.
const FEATURES: &str = "\"target-features\"=\"";

/// The text for a reason where there is none.
const UNKNOWN: &str = "no reason is known";

/// Reads what `polyHostLlvmListFacts` wrote. `features` are the target's features of the original.
pub fn of(lines: &str, features: &str) -> String {
    let mut text = String::new();
    for global in lines.split("global ").skip(1) {
        let (name, facts) = global.split_once('\n').unwrap_or((global, ""));
        let facts: Vec<(&str, &str)> = facts.lines().filter_map(|line| line.split_once('\t')).collect();
        // LLVM's own functions are what its manual says.
        if facts.is_empty() || name.starts_with("llvm.") {
            continue;
        }
        let shown = if name.is_empty() { "a variable without a name" } else { name };
        let _ = writeln!(text, "# facts of {shown} in the module");
        let original: Vec<&str> =
            facts.iter().filter(|(place, _)| *place == "original").map(|(_, fact)| *fact).collect();
        if !original.is_empty() {
            let _ = writeln!(text, "fact: {}: the original has them", original.join(" "));
        }
        let mut counted: BTreeMap<String, usize> = BTreeMap::new();
        for (place, fact) in facts.into_iter().filter(|(place, _)| *place != "original") {
            *counted.entry(line(name, place, fact, features)).or_default() += 1;
        }
        for (line, count) in counted {
            let _ = if count == 1 { writeln!(text, "fact: {line}") } else { writeln!(text, "fact: {count} x {line}") };
        }
    }
    text
}

/// A fact, where it is said, and its reason.
fn line(name: &str, place: &str, fact: &str, features: &str) -> String {
    if place == "function" {
        if let Some(all) = fact.strip_prefix(FEATURES).map(|all| all.trim_end_matches('"')) {
            let more = all.strip_prefix(features).unwrap_or(all).trim_start_matches(',');
            return format!("{FEATURES}{more}\" besides the original's: {}", of_features(more));
        }
        return format!("{fact}: {}", of_function(name, fact));
    }
    let reason = match place.split_once(' ') {
        Some(("argument", _)) => of_argument(name, fact),
        Some(("call", callee)) if is_openmp(callee) => OPENMP,
        Some(("call", _)) => "the original's call has it",
        _ => UNKNOWN,
    };
    format!("{fact} of {place}: {reason}")
}

/// Why something holds for a function or variable.
fn of_function(name: &str, fact: &str) -> &'static str {
    let word = fact.split(['=', '(']).next().unwrap_or(fact).trim_matches('"');
    match word {
        _ if is_openmp(name) => OPENMP,
        ARGUMENT => "its loops are the optimizer's already",
        "constant" => "it tells OpenMP's library where it is called, and nobody writes to it",
        "disable-tail-calls" => "nothing is stated, but two executions must not become one, for which scopes hold",
        "dso_local" => "it is defined here, and this module alone can name it",
        "memory" => "it computes what an operation does that neither reads nor writes memory, errno included",
        "noinline" => {
            "nothing is stated, but it is optimized apart from its caller, and its scopes hold for one execution"
        }
        "nounwind" => "what is raised does not throw, nor does OpenMP's library",
        _ => UNKNOWN,
    }
}

/// Why features of the target are there that the original does not have.
fn of_features(features: &str) -> &'static str {
    match features {
        "+prefer-no-gather,+prefer-no-scatter" => {
            "they are wishes that hold for any processor: short loops are not to gather and scatter"
        }
        "+prefer-no-gather,+prefer-no-scatter,-prefer-256-bit" => {
            "they are wishes that hold for any processor: short loops are not to gather and scatter, and vectors are as \
             long as blocks were made for"
        }
        _ => UNKNOWN,
    }
}

/// Why something holds for an argument.
fn of_argument(name: &str, fact: &str) -> &'static str {
    if fact == "noalias" && name.ends_with("..omp_par") {
        "OpenMP's library passes the numbers of threads in memory of its own"
    } else {
        UNKNOWN
    }
}

const OPENMP: &str = "LLVM says so of OpenMP's library";

/// Whether a function is one of OpenMP's library.
fn is_openmp(name: &str) -> bool {
    name.starts_with("__kmpc_") || name.starts_with("omp_")
}

#[cfg(test)]
mod tests {
    use super::{UNKNOWN, of};

    #[test]
    fn each_fact_has_a_reason() {
        let lines = "global f\nfunction\tdso_local\nfunction\tnounwind\noriginal\tminsize\noriginal\tcold\n\
                     function\t\"target-features\"=\"+a,+prefer-no-gather,+prefer-no-scatter\"\n\
                     argument 1\tnoalias\ncall g\tcold\ncall g\tcold\nglobal llvm.sin\nfunction\tcold\n";
        let text = of(lines, "+a");
        let has = |line: &str| assert!(text.lines().any(|found| found.starts_with(line)), "{text}");
        has("fact: minsize cold: the original has them");
        has("fact: nounwind: what is raised does not throw");
        has("fact: \"target-features\"=\"+prefer-no-gather,+prefer-no-scatter\" besides");
        has("fact: 2 x cold of call g: the original's call has it");
        has(&format!("fact: noalias of argument 1: {UNKNOWN}"));
        assert!(!text.contains("llvm.sin"), "{text}");
    }
}
