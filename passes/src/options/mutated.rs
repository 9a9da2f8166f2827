//! Options are read or refused, whatever they say: thousands of texts made from good ones, the same in each run.

use std::panic::catch_unwind;

use crate::llvm::options::LlvmOptions;
use crate::options::Options;
use fastrand::Rng;

/// Texts that are tried.
const TEXTS: usize = 4000;

/// Words that mean something to some option.
const WORDS: &[&str] = &[
    "=",
    ";",
    " ",
    ",",
    "/",
    "-",
    "0",
    "1",
    "18446744073709551616",
    "9223372036854775807",
    "true",
    "false",
    "on",
    "auto",
    "none",
    "machine=generic",
    "dump=",
    "raised",
    "\"",
    "\u{e9}",
    "\u{0}",
    "\n",
    "32,32/8",
    "tile-sizes=",
    "wavefront=",
];

fn mutated(numbers: &mut Rng) -> String {
    // Files are not read here: their readers have tests of their own.
    let rows = Options::ROWS.iter().filter(|row| !row.metavar.to_text().contains("FILE"));
    let good: Vec<String> = rows.map(|row| format!("{}={}", row.name.to_text(), row.initial.to_text())).collect();
    let mut words: Vec<&str> =
        (0..1 + numbers.usize(..4)).map(|_| good[numbers.usize(..good.len())].as_str()).collect();
    words.insert(numbers.usize(..words.len()), WORDS[numbers.usize(..WORDS.len())]);
    let mut text: Vec<char> = words.join([" ", ";", ""][numbers.usize(..3)]).chars().collect();
    for _ in 0..numbers.usize(..4) {
        let at = numbers.usize(..text.len() + 1);
        let end = (at + numbers.usize(..6)).min(text.len());
        let times = if numbers.usize(..50) == 0 { 20_000 } else { 1 };
        let word = WORDS[numbers.usize(..WORDS.len())].repeat(times);
        text.splice(at..end, word.chars());
    }
    text.into_iter().collect()
}

#[test]
fn mutated_options_never_panic() {
    let mut numbers = Rng::with_seed(1);
    let (mut good, mut bad) = (0, 0);
    for _ in 0..TEXTS {
        let text = mutated(&mut numbers);
        match catch_unwind(|| LlvmOptions::parse(&text).map_err(|error| error.to_string())) {
            Ok(Ok(_)) => good += 1,
            Ok(Err(error)) => {
                bad += 1;
                assert!(!error.is_empty(), "{text}");
            }
            Err(_) => panic!("{text:?}"),
        }
    }
    assert!(good > 100 && bad > 100, "{good} good, {bad} bad");
}
