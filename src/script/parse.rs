//! Commands as text.

use super::command::{Command, Start, Step, Word};
use super::error::Wrong;
use super::help::{COMMANDS, usage};
use super::similar::nearest;

/// Longer lines are no commands.
const LONGEST: usize = 4096;

/// Tiles and blocks are not longer.
const LONGEST_TILE: u32 = 1 << 20;

/// Reads a line; `None` where there is nothing but blanks and a comment, which begins with `#` after a blank.
///
/// # Errors
/// What is wrong, with its column.
pub fn parse(line: &str) -> Result<Option<Command>, Wrong> {
    if line.len() > LONGEST {
        return Err(Wrong::at(1, format!("a command is no longer than {LONGEST} bytes")));
    }
    let words = words(line);
    let Some((first, rest)) = words.split_first() else { return Ok(None) };
    let name = first.text.as_str();
    let mut rest = Rest { name, words: rest, end: line.chars().count() + 1 };
    let command = match name {
        "interchange" => Command::Step(Step::Interchange { one: rest.word()?, other: rest.word()? }),
        "tile" => Command::Step(tile(&mut rest)?),
        "fuse" => Command::Step(Step::Fuse { one: rest.word()?, other: rest.word()? }),
        "distribute" => Command::Step(distribute(&mut rest)?),
        "skew" => Command::Step(skew(&mut rest)?),
        "shift" => Command::Step(shift(&mut rest)?),
        "parallel" => Command::Step(Step::Parallel { of: rest.word()? }),
        "register" => Command::Step(register(&mut rest)?),
        "pack" => Command::Step(pack(&mut rest)?),
        "start" => Command::Start(start(&mut rest)?),
        "show" => Command::Show,
        "tree" => Command::Tree,
        "code" => Command::Code,
        "cost" => Command::Cost,
        "check" => Command::Check,
        "undo" => Command::Undo,
        "reset" => Command::Reset,
        "save" => Command::Save(rest.word()?),
        "script" => Command::Script,
        "help" => Command::Help(rest.optional()),
        "quit" | "exit" => Command::Quit,
        _ => return Err(unknown(first)),
    };
    rest.end()?;
    Ok(Some(command))
}

fn unknown(word: &Word) -> Wrong {
    let names = || COMMANDS.iter().map(|command| command.name);
    let wrong = Wrong::at(word.column, format!("`{}` is no command", word.text));
    match nearest(&word.text, names()) {
        Some(near) => wrong.help(format!("is `{near}` meant?")),
        None => wrong.help(format!("there are {}", names().collect::<Vec<_>>().join(", "))),
    }
}

/// The words of a line, up to a comment. Stars and signs may stand apart from what they belong to: `2 * i` is `2*i`.
fn words(line: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut is_open = false;
    for (place, letter) in line.chars().enumerate() {
        if letter.is_whitespace() {
            is_open = false;
        } else if !is_open && letter == '#' {
            break;
        } else if let Some(last) = words.last_mut().filter(|_| is_open) {
            last.text.push(letter);
        } else {
            words.push(Word { text: letter.to_string(), column: place + 1 });
            is_open = true;
        }
    }
    words
}

/// What follows the name of a command.
struct Rest<'w> {
    name: &'w str,
    words: &'w [Word],
    /// The column behind the line.
    end: usize,
}

impl Rest<'_> {
    fn optional(&mut self) -> Option<Word> {
        let (first, rest) = self.words.split_first()?;
        self.words = rest;
        Some(first.clone())
    }

    fn word(&mut self) -> Result<Word, Wrong> {
        let missing = Wrong::at(self.end, format!("something is missing behind `{}`", self.name));
        self.optional().ok_or_else(|| missing.help(usage(self.name)))
    }

    fn keyword(&mut self, keyword: &str) -> Result<(), Wrong> {
        let word = self.word()?;
        if word.text == keyword {
            return Ok(());
        }
        Err(Wrong::at(word.column, format!("`{}` stands where `{keyword}` is expected", word.text))
            .help(usage(self.name)))
    }

    fn end(&self) -> Result<(), Wrong> {
        match self.words.first() {
            None => Ok(()),
            Some(word) => Err(Wrong::at(word.column, format!("`{}` is too much", word.text)).help(usage(self.name))),
        }
    }

    /// The next word is a number, which is taken.
    fn number(&mut self) -> Option<Result<u32, Wrong>> {
        let word = self.words.first().filter(|word| word.text.starts_with(|c: char| c.is_ascii_digit() || c == '-'))?;
        let word = word.clone();
        self.words = &self.words[1..];
        let number = word.text.parse().ok().filter(|number| (1..=LONGEST_TILE).contains(number));
        let wrong = || Wrong::at(word.column, format!("`{}` is no number from 1 to {LONGEST_TILE}", word.text));
        Some(number.ok_or_else(wrong))
    }
}

fn tile(rest: &mut Rest<'_>) -> Result<Step, Wrong> {
    let (mut names, mut sizes) = (Vec::new(), Vec::new());
    let start = rest.words.first().map_or(rest.end, |word| word.column);
    while !rest.words.is_empty() {
        match rest.number() {
            Some(size) => sizes.push(size?),
            None if sizes.is_empty() => names.push(rest.word()?),
            None => break,
        }
    }
    if names.is_empty() {
        return Err(Wrong::at(start, "no loop is named").help(usage("tile")));
    }
    let sizes = match sizes[..] {
        [size] => vec![size; names.len()],
        _ if sizes.len() == names.len() => sizes,
        _ => {
            let message = format!("there are {} loops and {} lengths of tiles", names.len(), sizes.len());
            return Err(Wrong::at(rest.words.first().map_or(rest.end, |word| word.column), message).help(usage("tile")));
        }
    };
    Ok(Step::Tile { loops: names.into_iter().zip(sizes).collect() })
}

fn register(rest: &mut Rest<'_>) -> Result<Step, Wrong> {
    let mut loops = Vec::new();
    while loops.is_empty() || !rest.words.is_empty() && loops.len() < 2 {
        let name = rest.word()?;
        let size = rest.number().ok_or_else(|| {
            let column = rest.words.first().map_or(rest.end, |word| word.column);
            Wrong::at(column, format!("the extent of blocks along `{}` is missing", name.text)).help(usage("register"))
        })??;
        loops.push((name, size));
    }
    Ok(Step::Register { loops })
}

fn distribute(rest: &mut Rest<'_>) -> Result<Step, Wrong> {
    let of = rest.word()?;
    if rest.words.is_empty() {
        return Ok(Step::Distribute { of, between: None });
    }
    rest.keyword("between")?;
    Ok(Step::Distribute { of, between: Some((rest.word()?, rest.word()?)) })
}

fn skew(rest: &mut Rest<'_>) -> Result<Step, Wrong> {
    let of = rest.word()?;
    rest.keyword("by")?;
    let terms = terms(rest)?;
    match &terms[..] {
        [(factor, Some(by))] => Ok(Step::Skew { of, factor: *factor, by: by.clone() }),
        _ => Err(Wrong::at(rest.end, "a loop is skewed by one other, with a factor or without").help(usage("skew"))),
    }
}

fn shift(rest: &mut Rest<'_>) -> Result<Step, Wrong> {
    let of = rest.word()?;
    rest.keyword("by")?;
    Ok(Step::Shift { of, by: terms(rest)? })
}

/// A sum of numbers and names with factors, such as `2*n - 1`.
fn terms(rest: &mut Rest<'_>) -> Result<Vec<(i64, Option<Word>)>, Wrong> {
    let Some(first) = rest.words.first() else { return rest.word().map(|_| Vec::new()) };
    let mut letters: Vec<(char, usize)> = Vec::new();
    for word in rest.words {
        letters.extend(word.text.chars().enumerate().map(|(place, letter)| (letter, word.column + place)));
        // A blank ends a word.
        letters.push((' ', 0));
    }
    let column = first.column;
    rest.words = &[];
    let mut terms = Vec::new();
    let mut tokens = tokens(&letters).into_iter().peekable();
    while tokens.peek().is_some() {
        let mut sign = 1;
        let mut has_sign = false;
        while let Some(word) = tokens.next_if(|word| word.text == "+" || word.text == "-") {
            sign *= if word.text == "-" { -1 } else { 1 };
            has_sign = true;
        }
        if !has_sign && !terms.is_empty() {
            let column = tokens.peek().map_or(column, |word| word.column);
            return Err(Wrong::at(column, "a sign is missing between terms").help(usage(rest.name)));
        }
        terms.push(term(&mut tokens, sign, rest)?);
    }
    Ok(terms)
}

fn term(
    tokens: &mut std::iter::Peekable<std::vec::IntoIter<Word>>,
    sign: i64,
    rest: &Rest<'_>,
) -> Result<(i64, Option<Word>), Wrong> {
    let (mut factor, mut name) = (sign, None);
    loop {
        let word = tokens.next().ok_or_else(|| Wrong::at(rest.end, "a term is missing").help(usage(rest.name)))?;
        if word.text.starts_with(|c: char| c.is_ascii_digit()) {
            let number = word.text.parse::<i32>().ok().and_then(|number| factor.checked_mul(number.into()));
            let number = number.filter(|number| number.unsigned_abs() <= u64::from(LONGEST_TILE));
            factor = number.ok_or_else(|| Wrong::at(word.column, format!("`{}` is no number that fits", word.text)))?;
        } else if name.is_none() && word.text.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            name = Some(word);
        } else {
            return Err(Wrong::at(word.column, format!("`{}` is no term", word.text)).help(usage(rest.name)));
        }
        if tokens.next_if(|word| word.text == "*").is_none() {
            return Ok((factor, name));
        }
    }
}

/// Signs and stars by themselves, and what stands between.
fn tokens(letters: &[(char, usize)]) -> Vec<Word> {
    let mut found: Vec<Word> = Vec::new();
    let mut is_open = false;
    for &(letter, column) in letters {
        let is_single = matches!(letter, '+' | '-' | '*');
        if letter == ' ' {
            is_open = false;
        } else if let Some(last) = found.last_mut().filter(|_| is_open && !is_single) {
            last.text.push(letter);
        } else {
            found.push(Word { text: letter.to_string(), column });
            is_open = !is_single;
        }
    }
    found
}

fn pack(rest: &mut Rest<'_>) -> Result<Step, Wrong> {
    let array = rest.word()?;
    rest.keyword("at")?;
    let at = rest.word()?;
    if rest.words.is_empty() {
        return Ok(Step::Pack { array, at, order: None });
    }
    rest.keyword("order")?;
    let mut order = Vec::new();
    while let Some(word) = rest.optional() {
        let dimension = word.text.parse::<usize>();
        order.push(dimension.map_err(|_| {
            Wrong::at(word.column, format!("`{}` is no number of a dimension, counted from 0", word.text))
        })?);
    }
    Ok(Step::Pack { array, at, order: Some(order) })
}

fn start(rest: &mut Rest<'_>) -> Result<Start, Wrong> {
    let word = rest.word()?;
    Ok(match word.text.as_str() {
        "original" => Start::Original,
        "scheduled" => Start::Scheduled,
        "candidate" => {
            let mut candidate = rest.word()?;
            // Blanks may stand in the place of `+`.
            while let Some(more) = rest.optional() {
                candidate.text = format!("{}+{}", candidate.text, more.text);
            }
            Start::Candidate(candidate)
        }
        "file" => Start::File(rest.word()?),
        other => {
            let near = nearest(other, ["original", "scheduled", "candidate", "file"]);
            let near = near.map(|near| format!("is `{near}` meant? ")).unwrap_or_default();
            let wrong = Wrong::at(word.column, format!("`{other}` is no tree to start with"));
            return Err(wrong.help(format!("{near}{}", usage("start"))));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str, column: usize) -> Word {
        Word { text: text.to_owned(), column }
    }

    fn step(line: &str) -> Step {
        match parse(line) {
            Ok(Some(Command::Step(step))) => step,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn steps_are_read() {
        let expected = Step::Interchange { one: word("i", 13), other: word("S1.j", 15) };
        assert_eq!(step("interchange i S1.j # as memory has it"), expected);
        let loops = vec![(word("i", 6), 32), (word("j", 8), 64)];
        assert_eq!(step("tile i j 32 64"), Step::Tile { loops });
        assert_eq!(step("tile i j 8"), Step::Tile { loops: vec![(word("i", 6), 8), (word("j", 8), 8)] });
        assert_eq!(
            step("register i 4 j#2 16"),
            Step::Register { loops: vec![(word("i", 10), 4), (word("j#2", 14), 16)] }
        );
        for text in ["skew j by 2*i", "skew j by 2 * i", "skew j by i*2", "skew j by +2*i", "skew j by - -2*i"] {
            let Step::Skew { of, factor, by } = step(text) else { panic!("{text}") };
            assert_eq!((of.text.as_str(), factor, by.text.as_str()), ("j", 2, "i"), "{text}");
        }
        let Step::Skew { factor, by, .. } = step("skew j by -i") else { panic!() };
        assert_eq!((factor, by), (-1, word("i", 12)));
        let by = vec![(2, Some(word("n", 14))), (-1, None)];
        assert_eq!(step("shift i by 2*n - 1"), Step::Shift { of: word("i", 7), by });
        let expected = Step::Pack { array: word("B", 6), at: word("k", 11), order: Some(vec![1, 0]) };
        assert_eq!(step("pack B at k order 1 0"), expected);
    }

    #[test]
    fn what_is_no_command_is_none() {
        assert_eq!(parse("   # nothing"), Ok(None));
        assert_eq!(parse(""), Ok(None));
        assert_eq!(parse(" show "), Ok(Some(Command::Show)));
        let candidate = word("order=original+tiles=8", 17);
        assert_eq!(
            parse("start candidate order=original tiles=8"),
            Ok(Some(Command::Start(Start::Candidate(candidate))))
        );
    }

    #[test]
    fn errors_have_columns_and_help() {
        let wrong = |line: &str| {
            let wrong = parse(line).unwrap_err();
            format!("{}: {wrong}", wrong.column.unwrap_or_default())
        };
        assert_eq!(wrong("tlie i 32"), "1: `tlie` is no command; is `tile` meant?");
        assert!(wrong("mow the lawn").starts_with("1: `mow` is no command; there are interchange, tile, "));
        assert_eq!(wrong("interchange i"), "14: something is missing behind `interchange`; interchange LOOP LOOP");
        assert_eq!(wrong("interchange i j k"), "17: `k` is too much; interchange LOOP LOOP");
        assert!(wrong("tile i j").starts_with("9: there are 2 loops and 0 lengths of tiles; "));
        assert!(wrong("tile i j 1 2 3").starts_with("15: there are 2 loops and 3 lengths"));
        assert_eq!(wrong("tile i 0"), "8: `0` is no number from 1 to 1048576");
        assert_eq!(wrong("tile i -4"), "8: `-4` is no number from 1 to 1048576");
        assert!(wrong("tile 32").starts_with("6: no loop is named"));
        assert!(wrong("skew j 2*i").starts_with("8: `2*i` stands where `by` is expected"));
        assert!(wrong("skew j by 2*i + k").starts_with("18: a loop is skewed by one other"));
        assert!(wrong("skew j by 2 i").starts_with("13: a sign is missing"));
        assert!(wrong("skew j by 99999999999*i").starts_with("11: `99999999999` is no number that fits"));
        assert!(wrong("shift i by").starts_with("11: something is missing behind `shift`"));
        assert!(wrong("shift i by *2").starts_with("12: `*` is no term"));
        assert!(wrong("register i j").starts_with("12: the extent of blocks along `i` is missing"));
        assert!(wrong("pack B k").starts_with("8: `k` stands where `at` is expected"));
        assert!(wrong("start schedule").starts_with("7: `schedule` is no tree to start with; is `scheduled` meant?"));
        assert!(wrong(&"x".repeat(5000)).contains("no longer than"));
    }
}
