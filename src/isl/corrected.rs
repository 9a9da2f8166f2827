// The functions of isl whose calls the linker (`--wrap`) sends to our corrections. The build scripts of the packages
// that link isl include this file.

/// See `lexopt.rs`, `reduce.rs`, `context.rs` and `stride.rs`.
const CORRECTED: [&str; 4] = [
    "isl_basic_map_try_find_any_output_div_mod",
    "isl_basic_map_reduce_coefficients",
    "isl_basic_set_sort_divs",
    "isl_set_dim_residue_class_val",
];
