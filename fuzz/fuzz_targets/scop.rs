#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| polyrs_fuzz::scop(text));
