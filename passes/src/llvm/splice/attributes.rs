//! Attributes that the new functions do not get from the function that they were made from.
//!
//! All others are passed on, those that are not known here included: most say how code is to be made (`noredzone`,
//! `"target-cpu"`), how it is protected (`sspstrong`, `fn_ret_thunk_extern`, `"zero-call-used-regs"`), or what must not
//! be added to it (`nosanitize_coverage`, `"no-builtins"`), and hold for code that was moved out of a function as for
//! the rest.

use polyrs_interface::Text;

/// The names of LLVM's own attributes that are left.
const LEFT: &[&str] = &[
    // How the function is called, and what its callers may rely on: the new functions have one caller each, and
    // parameters and results of their own.
    "allockind",
    "allocsize",
    "alwaysinline",
    "builtin",
    "coro_elide_safe",
    "coro_only_destroy_when_complete",
    "inlinehint",
    "nobuiltin",
    "noduplicate",
    "noinline",
    "nomerge",
    "nonlazybind",
    "noreturn",
    "preallocated",
    "returns_twice",
    // How it is entered: by jump tables, thunks, or in spite of indirect branch tracking. OpenMP's library calls
    // parallel bodies by their address.
    "hybrid_patchable",
    "jumptable",
    "nocf_check",
    // What the code does. A local array of the original is memory of others to the new function, and the OpenMP library
    // synchronizes and calls back. LLVM finds out by itself what holds.
    "memory",
    "nocallback",
    "nocreateundeforpoison",
    "nodivergencesource",
    "nofree",
    "norecurse",
    "nosync",
    "speculatable",
    "willreturn",
];

/// How the names of other attributes start that are left.
const LEFT_TEXTS: &[&str] = &[
    // Hooks, records and space for patches at entry and exit: the original has its own, and must not be counted twice.
    "counting-function",
    "fentry-call",
    "function-instrument",
    "instrument-function-",
    "loader-replaceable",
    "marked_for_windows_hot_patching",
    "mnop-mcount",
    "mrecord-mcount",
    "patchable-function",
    "xray-",
    // How the function is called: by whom, with which registers and stack, under which name.
    "async_entry",
    "cmse_nonsecure_entry",
    "no_callee_saved_registers",
    "no_caller_saved_registers",
    "save-reg-params",
    "thunk",
    "vector-function-abi-variant",
    "wasm-",
    // A call of it is an error, a warning, or one of an allocation or of `printf`.
    "alloc-",
    "dontcall-",
    "modular-format",
    // What is assumed of the code, such as that it does not use OpenMP.
    "llvm.assume",
    // Profiles of samples know functions by name; these have none, which would make them cold.
    "profile-sample-accurate",
    "sample-profile-",
    "use-sample-profile",
];

/// Whether a new function gets an attribute of its original; `is_text` where LLVM knows it as a text.
pub(super) extern "C" fn is_passed_on(name: Text<'_>, is_text: bool) -> bool {
    let name = name.bytes();
    if is_text {
        return !LEFT_TEXTS.iter().any(|start| name.starts_with(start.as_bytes()));
    }
    !LEFT.iter().any(|left| left.as_bytes() == name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use llvm_sys::core::{LLVMGetEnumAttributeKindForName, LLVMGetLastEnumAttributeKind};

    use polyrs_interface::obstacles::ATTRIBUTES;

    use super::{LEFT, is_passed_on};
    use polyrs_interface::Text;

    /// The attributes of functions that are passed on.
    const PASSED_ON: &[&str] = &[
        "alignstack",
        "cold",
        "disable_sanitizer_instrumentation",
        "fn_ret_thunk_extern",
        "hot",
        "minsize",
        "mustprogress",
        "noimplicitfloat",
        "noprofile",
        "noredzone",
        "nosanitize_bounds",
        "nosanitize_coverage",
        "nounwind",
        "null_pointer_is_valid",
        "optdebug",
        "optforfuzzing",
        "optsize",
        "safestack",
        "shadowcallstack",
        "skipprofile",
        "speculative_load_hardening",
        "ssp",
        "sspreq",
        "sspstrong",
        "uwtable",
        "vscale_range",
    ];

    /// The attributes that only parameters and results have.
    const OF_PARAMETERS: &[&str] = &[
        "align",
        "allocalign",
        "allocptr",
        "byref",
        "byval",
        "captures",
        "dead_on_return",
        "dead_on_unwind",
        "dereferenceable",
        "dereferenceable_or_null",
        "elementtype",
        "immarg",
        "inalloca",
        "initializes",
        "inreg",
        "nest",
        "noalias",
        "noext",
        "nofpclass",
        "nonnull",
        "noundef",
        "range",
        "readnone",
        "readonly",
        "returned",
        "signext",
        "sret",
        "swiftasync",
        "swifterror",
        "swiftself",
        "writable",
        "writeonly",
        "zeroext",
    ];

    fn kind(name: &str) -> u32 {
        // SAFETY: the name is passed with its length.
        unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) }
    }

    #[test]
    fn each_attribute_of_llvm_was_thought_of() {
        let obstacles: Vec<&str> = ATTRIBUTES.iter().map(|(name, _)| *name).collect();
        let all = [LEFT, PASSED_ON, OF_PARAMETERS, &obstacles].concat();
        let unknown: Vec<&&str> = all.iter().filter(|name| kind(name) == 0).collect();
        assert!(unknown.is_empty(), "LLVM has no attributes {unknown:?}");
        let known: BTreeSet<u32> = all.iter().map(|name| kind(name)).collect();
        assert_eq!(known.len(), all.len(), "an attribute is in two lists");
        // SAFETY: asks for a number, which is that of no attribute but one more.
        let end = unsafe { LLVMGetLastEnumAttributeKind() };
        let missing: Vec<u32> = (1..end).filter(|kind| !known.contains(kind)).collect();
        assert!(
            missing.is_empty(),
            "attributes by number (llvm/IR/Attributes.inc) that nobody has thought of: {missing:?}"
        );
        assert!(PASSED_ON.iter().all(|name| is_passed_on(Text::new(name), false)));
        assert!(!LEFT.iter().any(|name| is_passed_on(Text::new(name), false)));
    }

    #[test]
    fn texts_are_told_by_how_they_start() {
        for name in
            ["target-cpu", "no-builtins", "no-builtin-memset", "zero-call-used-regs", "probe-stack", "never-seen"]
        {
            assert!(is_passed_on(Text::new(name), true), "{name}");
        }
        for name in ["patchable-function-entry", "instrument-function-entry-inlined", "xray-instruction-threshold"] {
            assert!(!is_passed_on(Text::new(name), true), "{name}");
        }
    }
}
