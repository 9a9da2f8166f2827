//! Splices that are spoilt on purpose (`passes/host/llvm_fault.cpp`): the checker refuses each, and the function stays
//! as it was.

use std::collections::BTreeSet;
use std::ffi::c_void;

use llvm_sys::core::{LLVMGetNamedFunction, LLVMPrintModuleToString};
use llvm_sys::prelude::{LLVMModuleRef, LLVMValueRef};
use polyrs_interface::{Candidate, Outlook, Sink, Text};

use super::driver::Driver;
use super::ir::owned_text;
use super::options::LlvmOptions;

/// Functions in canonical form.
const INPUT: &str = include_str!("faults.ll");

/// The source of the checker, which has all of its messages.
const CHECKER: &str = include_str!("../../host/llvm_splice_checker.cpp");

/// Kinds of faults, the functions of the input that they are tried on, and what the checker says.
const FAULTS: &[(&str, &str, &str)] = &[
    ("use: poison", "checked", "an instruction takes another value"),
    ("use: poison", "certain", "an instruction takes another value"),
    ("use: another result", "checked", "an instruction takes another value"),
    ("use: what the region computes", "checked", "an instruction takes another value"),
    ("use: what the region computes", "certain", "an instruction takes another value"),
    ("loads: swapped", "checked", "an instruction takes another value"),
    ("load: before the call", "checked", "an instruction takes another value"),
    ("load: before the call", "certain", "an instruction takes another value"),
    ("merge: values swapped", "checked", "an instruction takes another value"),
    ("merge: a way is missing", "checked", "an instruction takes another value"),
    ("PHI: a way is missing", "checked", "a PHI lacks a way"),
    ("PHI: another value", "checked", "a PHI takes another value"),
    ("PHI: a way too many", "checked", "a PHI has a way too many"),
    ("slot: not stored", "checked", "a result is not stored"),
    ("slot: not stored", "certain", "a result is not stored"),
    ("slot: used elsewhere", "certain", "a result is used elsewhere"),
    ("call: arguments swapped", "checked", "the new code takes another value"),
    ("call: arguments swapped", "around", "the new code takes another value"),
    ("call: another function", "certain", "another function is called"),
    ("check: arguments swapped", "checked", "the new code takes another value"),
    ("check: another function", "checked", "another function is called"),
    ("check: inverted", "checked", "the check does not decide"),
    ("check: not frozen", "checked", "the check does not decide"),
    ("check: left out", "checked", "the check does not decide"),
    ("control: not to the call", "certain", "control goes another way"),
    ("control: not behind the region", "checked", "control goes another way"),
    ("control: from within the region", "checked", "the region ends where others come from"),
    ("instruction: gone", "around", "an instruction is gone"),
    ("instruction: in another block", "checked", "an instruction has moved"),
    ("instruction: later in its block", "certain", "an instruction has moved"),
    ("instruction: new", "certain", "an instruction is new"),
    ("instruction: new beside the call", "certain", "an instruction is new"),
    ("instruction: new beside the check", "checked", "an instruction is new"),
    ("instruction: another operand", "certain", "an instruction takes another value"),
    ("instruction: another operand more", "checked", "an instruction has other operands"),
    ("life: a slot does not start", "certain", "a variable is dead where new code gets it"),
    ("life: a slot does not start", "within", "a variable is dead where new code gets it"),
    ("life: a slot starts twice", "certain", "a variable starts to live twice"),
    ("life: a slot ends before it is loaded", "certain", "a result is dead where it is loaded"),
    ("life: a slot has no marks", "certain", "a result is dead where it is loaded"),
    ("life: a variable does not start", "around", "a variable is dead where it was alive"),
    ("life: a variable ends during the call", "within", "a variable ends to live too early"),
];

#[repr(C)]
struct FaultModule {
    opaque: [u8; 0],
}

unsafe extern "C" {
    fn polyFaultOpen(text: Text<'_>) -> *mut FaultModule;
    fn polyFaultModule(opened: *mut FaultModule) -> LLVMModuleRef;
    fn polyFaultManager(opened: *mut FaultModule) -> *mut c_void;
    fn polyFaultClone(function: LLVMValueRef) -> LLVMValueRef;
    fn polyFaultHeard(opened: *mut FaultModule, sink: Sink);
    fn polyFaultClose(opened: *mut FaultModule);
    fn polyFaultChoose(name: Text<'_>) -> bool;
    fn polyFaultIsApplied() -> bool;
}

/// The outcome for a function.
struct Outcome {
    changed: bool,
    /// The module before and afterwards.
    before: String,
    after: String,
    remarks: String,
}

/// Works on a function of the input, and spoils what is spliced.
fn run(fault: &str, function: &str) -> Outcome {
    let options = LlvmOptions::parse("profitability=off machine=generic").expect("good options");
    let name = std::ffi::CString::new(function).expect("no zero in it");
    let mut remarks = String::new();
    // SAFETY: what is opened lives until it is closed, and is used by this thread only; the clone is handed over.
    unsafe {
        assert!(polyFaultChoose(Text::new(fault)), "there is no fault {fault}");
        let opened = polyFaultOpen(Text::new(INPUT));
        assert!(!opened.is_null(), "the input is malformed");
        let module = polyFaultModule(opened);
        let function = LLVMGetNamedFunction(module, name.as_ptr());
        let text = || owned_text(LLVMPrintModuleToString(module));
        let before = text();
        let candidate = Candidate {
            module,
            manager: polyFaultManager(opened),
            function,
            clone: polyFaultClone(function),
            outlook: Outlook::Nest,
            explain: true,
            obstacle: Text::new(""),
        };
        let changed = Driver::new(options).run(&candidate);
        assert!(polyFaultIsApplied(), "{fault}: there is no place for it in {name:?}");
        let after = text();
        polyFaultHeard(opened, Sink::into_string(&mut remarks));
        polyFaultClose(opened);
        Outcome { changed, before, after, remarks }
    }
}

/// The lines of a module that a fault may not change: it may declare a function.
fn lines(module: &str) -> Vec<&str> {
    module.lines().filter(|line| !line.is_empty() && !line.contains("@another(")).collect()
}

#[test]
fn what_is_spliced_well_is_accepted() {
    for function in ["checked", "certain", "around", "within"] {
        let outcome = run("nothing", function);
        assert!(outcome.changed, "{function}: {}", outcome.remarks);
        assert!(!outcome.remarks.contains("internal error"), "{function}: {}", outcome.remarks);
        assert!(outcome.after.contains(&format!("call void @{function}.poly.0(")), "{}", outcome.after);
    }
}

#[test]
fn what_is_spliced_wrongly_is_refused() {
    let mut bad = Vec::new();
    for (fault, function, message) in FAULTS {
        let outcome = run(fault, function);
        let said = format!("refused: internal error: placed wrongly: {message}\n");
        if outcome.changed || !outcome.remarks.contains(&said) {
            bad.push(format!("{fault}, {function}: changed: {}, {}", outcome.changed, outcome.remarks));
        }
        if lines(&outcome.before) != lines(&outcome.after) {
            bad.push(format!("{fault}, {function}: the module is another:\n{}", outcome.after));
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

#[test]
fn each_message_of_the_checker_is_provoked() {
    let code = CHECKER.lines().filter(|line| !line.starts_with("#include"));
    let quoted: BTreeSet<&str> =
        code.filter_map(|line| line.split('"').nth(1)).filter(|text| *text != "placed wrongly: ").collect();
    let provoked: BTreeSet<&str> = FAULTS.iter().map(|(_, _, message)| *message).collect();
    assert_eq!(quoted, provoked);
}
