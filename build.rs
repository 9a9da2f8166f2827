//! Puts our corrections in place of functions of isl that are wrong; see `src/isl/lexopt.rs`, `context.rs`, `reduce.rs` and `stride.rs`.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for function in [
        "isl_basic_map_try_find_any_output_div_mod",
        "isl_basic_map_reduce_coefficients",
        "isl_basic_set_sort_divs",
        "isl_set_dim_residue_class_val",
    ] {
        println!("cargo:rustc-link-arg=-Wl,--wrap={function}");
    }
}
