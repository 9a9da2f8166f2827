//! Attributes of functions that must stay as they are: the plugin looks for them, and the optimizer hands on all
//! others.

/// Attributes of functions that must stay as they are, and why.
pub const ATTRIBUTES: &[(&str, &str)] = &[
    ("optnone", "the function must not be optimized"),
    ("naked", "the function is naked"),
    ("presplitcoroutine", "the function is a coroutine"),
    ("strictfp", "the floating-point environment is observed"),
    ("convergent", "the function is convergent"),
    ("sanitize_alloc_token", "the code is instrumented by a sanitizer"),
    ("sanitize_address", "the code is instrumented by a sanitizer"),
    ("sanitize_hwaddress", "the code is instrumented by a sanitizer"),
    ("sanitize_memory", "the code is instrumented by a sanitizer"),
    ("sanitize_memtag", "the code is instrumented by a sanitizer"),
    ("sanitize_numerical_stability", "the code is instrumented by a sanitizer"),
    ("sanitize_thread", "the code is instrumented by a sanitizer"),
    ("sanitize_type", "the code is instrumented by a sanitizer"),
    ("sanitize_realtime", "the code is instrumented by a sanitizer"),
    ("sanitize_realtime_blocking", "the code is instrumented by a sanitizer"),
];

/// The same for attributes with names that are texts.
pub const TEXT_ATTRIBUTES: &[(&str, &str)] = &[
    ("interrupt", "the function is an interrupt handler"),
    ("aarch64_pstate_sm_body", "the function runs in streaming mode"),
    ("aarch64_pstate_sm_compatible", "the function runs in streaming mode"),
    ("aarch64_pstate_sm_enabled", "the function runs in streaming mode"),
    ("aarch64_in_za", "the function shares registers of the matrix extension"),
    ("aarch64_in_zt0", "the function shares registers of the matrix extension"),
    ("aarch64_inout_za", "the function shares registers of the matrix extension"),
    ("aarch64_inout_zt0", "the function shares registers of the matrix extension"),
    ("aarch64_new_za", "the function shares registers of the matrix extension"),
    ("aarch64_new_zt0", "the function shares registers of the matrix extension"),
    ("aarch64_out_za", "the function shares registers of the matrix extension"),
    ("aarch64_out_zt0", "the function shares registers of the matrix extension"),
    ("aarch64_preserves_za", "the function shares registers of the matrix extension"),
    ("aarch64_preserves_zt0", "the function shares registers of the matrix extension"),
    ("aarch64_za_state_agnostic", "the function shares registers of the matrix extension"),
];
