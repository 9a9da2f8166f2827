//! The core as a library: a region in, loops out.
//!
//! `cargo run --release --example loops [FILE.scop]` prints the loops of a region as they are and as they become.
//! Without a file the region is a matrix product. `POLYRS_MACHINE=generic` makes them for the same machine everywhere.

use polyrs::codegen;
use polyrs::driver::{Options, optimize};
use polyrs::isl::Ctx;
use polyrs::machine::Choice;
use polyrs::scop::Scop;

type Failure = Box<dyn std::error::Error>;

/// `for i, k, j: C[i][j] += A[i][k] * B[k][j]`. The form is described in `src/model/scop/text/mod.rs`.
const PRODUCT: &str = r#"
scop: product
parameters: [n]
context: "{ : n >= 1 }"
arrays:
  C: { kind: memory, element: f64, extent: [n, n] }
  A: { kind: memory, element: f64, extent: [n, n] }
  B: { kind: memory, element: f64, extent: [n, n] }
statements:
  S:
    text: "C[i][j] += A[i][k] * B[k][j]"
    domain: "{ S[i, k, j] : 0 <= i, j, k < n }"
    accesses:
      - read C_in: "{ S[i, k, j] -> C[i, j] }"
      - read A_in: "{ S[i, k, j] -> A[i, k] }"
      - read B_in: "{ S[i, k, j] -> B[k, j] }"
      - must_write C_out: "{ S[i, k, j] -> C[i, j] }"
schedule:
  domain: "{ S[i, k, j] : 0 <= i, j, k < n }"
  child:
    schedule: "[{ S[i, k, j] -> [(i)] }, { S[i, k, j] -> [(k)] }, { S[i, k, j] -> [(j)] }]"
live_out: "{ C[i, j] : 0 <= i, j < n }"
"#;

/// The loops of a region before and after.
fn loops(text: &str) -> Result<String, Failure> {
    // All that belongs to a region lives in one isl context, which one thread uses.
    let scop = Scop::parse(&Ctx::new(), text)?;
    let before = codegen::generate(&scop, &scop.schedule, &codegen::Options::default())?;

    // Schedules, tiles, maps to threads and vectors, proves the result right, and generates code. A refusal is an error
    // that says which step gave up and why; the region then is to be left as it is.
    let options = Options::new(Choice::of_environment().load()?);
    let found = optimize(&scop, &options, &mut ())?;

    let mut out = format!("// {}, as it is\n{}\n", scop.name, before.to_text(&scop));
    match found.prediction {
        Some(prediction) => out += &format!("// as it becomes, predicted to take {prediction} less time\n"),
        None => out += "// nothing better was found\n",
    }
    out += &found.ast.to_text(&scop);
    // An AST has types of its own, for those who emit other code than text: `polyrs::codegen::Node`.
    Ok(out)
}

fn main() -> Result<(), Failure> {
    match std::env::args().nth(1) {
        Some(file) => print!("{}", loops(&std::fs::read_to_string(file)?)?),
        None => print!("{}", loops(PRODUCT)?),
    }
    Ok(())
}

#[test]
fn a_product_is_tiled() {
    let text = loops(PRODUCT).unwrap();
    let (before, after) = text.split_once("// as it becomes").unwrap();
    assert!(before.contains("for (c2 = 0; c2 < n; c2++) {\n      S(c0, c1, c2);"), "{before}");
    assert!(after.matches("for (").count() > 3, "{after}");
    assert!(loops("scop: nothing").is_err());
}
