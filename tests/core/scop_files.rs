//! The `.scop` files under `test/scop`: good ones round-trip, those under `bad/` give the error beside them.
//!
//! `POLYRS_BLESS=1` writes the expected errors anew.

use crate::regions::{below, files, root};
use polyrs::isl::Ctx;
use polyrs::scop::Scop;

#[test]
fn good_files_round_trip() {
    for file in files() {
        let text = std::fs::read_to_string(&file).unwrap();
        let ctx = Ctx::new();
        let scop = Scop::parse(&ctx, &text).unwrap_or_else(|e| panic!("{}:{e}", file.display()));
        let printed = scop.to_text().unwrap();
        let again =
            Scop::parse(&ctx, &printed).unwrap_or_else(|e| panic!("{}: printed:{e}\n{printed}", file.display()));
        assert_eq!(scop.difference(&again).unwrap(), None, "{}", file.display());
    }
}

#[test]
fn bad_files_give_the_expected_error() {
    let bad = below(&root().join("bad"));
    assert!(!bad.is_empty(), "no .scop file under {}", root().join("bad").display());
    let bless = std::env::var_os("POLYRS_BLESS").is_some_and(|v| v == "1");
    for file in bad {
        let text = std::fs::read_to_string(&file).unwrap();
        let error = match Scop::parse(&Ctx::new(), &text) {
            Ok(_) => panic!("{} is good", file.display()),
            Err(error) => format!("{error}\n"),
        };
        let expected = file.with_extension("err");
        if bless {
            std::fs::write(&expected, &error).unwrap();
        }
        let expected = std::fs::read_to_string(&expected).unwrap_or_else(|e| panic!("{}: {e}", expected.display()));
        assert_eq!(error, expected, "{}", file.display());
    }
}
