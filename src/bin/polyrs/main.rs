//! The command `polyrs`.
fn main() {}
