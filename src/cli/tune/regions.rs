//! The regions of a program: what the compilers wrote of them, and which are worth a search.

use super::times::Time;
use crate::failure::Failure;
use crate::report::collect::{Compilation, read_written};
use crate::report::record::Record;
use polyrs::tuning::{Choice, Entry, Identity, Measured, Offer, Tuned};
use std::collections::BTreeMap;
use std::path::Path;

/// Less of the program's time than this is not worth a search.
const LEAST_SHARE: f64 = 0.01;

/// A shorter run of a region cannot be told from what it takes to measure it, in seconds.
const LEAST_SECONDS: f64 = 50e-6;

/// What the compilers offer for each region, with its place, by its key.
pub fn offers(folder: &Path) -> Result<BTreeMap<String, (Offer, String)>, Failure> {
    let mut all: BTreeMap<String, (Offer, String)> = BTreeMap::new();
    for Compilation { file, records, .. } in read_written(folder)?.0 {
        for record in &records {
            let Some(text) = record.argument("RegionText") else { continue };
            let name = file.with_file_name(Path::new(text).with_extension("candidates"));
            let Ok(text) = std::fs::read_to_string(&name) else { continue };
            let offer =
                Offer::parse(&text).map_err(|what| Failure::Failed(format!("error: {}: {what}", name.display())))?;
            let place = place(record);
            all.entry(offer.key.clone())
                .and_modify(|(_, places)| {
                    if !places.split(", ").any(|one| one == place) {
                        *places = format!("{places}, {place}");
                    }
                })
                .or_insert((offer, place));
        }
    }
    Ok(all)
}

fn place(record: &Record) -> String {
    match &record.place {
        Some(place) if place.line > 0 => format!("{}:{}", place.file, place.line),
        Some(place) => place.file.clone(),
        None => record.function.clone(),
    }
}

/// What a region is, as keys of a file say it.
pub fn identity(offer: &Offer) -> Identity {
    let Offer { key, machine, options, .. } = offer;
    Identity { key: key.clone(), machine: machine.clone(), options: options.clone() }
}

/// Why a region is not worth a search; nothing if it is.
pub fn why_not(offer: &Offer, time: Option<&Time>, whole: f64) -> Option<String> {
    let Some(time) = time.filter(|time| time.count > 0) else {
        return Some("it does not run, or nothing is known of that".to_owned());
    };
    let (seconds, count) = (time.seconds(), time.count);
    let each = seconds / count as f64;
    if time.is_part {
        Some("its time cannot be told from that of loops beside it".to_owned())
    } else if seconds < LEAST_SHARE * whole {
        let share = 100.0 * seconds / whole;
        Some(format!("it takes {share:.1} % of the program's time"))
    } else if each < LEAST_SECONDS {
        Some(format!("a run of it takes {:.1} microseconds only", 1e6 * each))
    } else if offer.candidates.is_empty() && offer.original == offer.default {
        Some("there is no other candidate".to_owned())
    } else {
        None
    }
}

/// The file of choices before anything is measured: what an earlier search of the same program found stays.
pub fn begun(offers: &BTreeMap<String, (Offer, String)>, before: Option<Tuned>, program: &str) -> Tuned {
    let before = before.filter(|before| before.program == program);
    let mut tuned = Tuned::of(program);
    for (offer, place) in offers.values() {
        let identity = identity(offer);
        let known = before.as_ref().and_then(|before| before.regions.iter().find(|entry| entry.is_of(&identity)));
        tuned.regions.push(known.cloned().unwrap_or_else(|| new(offer, place, identity)));
    }
    // Other machines' entries are theirs.
    let own = |entry: &Entry| offers.values().any(|(offer, _)| entry.machine == offer.machine);
    tuned.regions.extend(before.into_iter().flat_map(|before| before.regions).filter(|entry| !own(entry)));
    tuned
}

fn new(offer: &Offer, place: &str, identity: Identity) -> Entry {
    let Identity { key, machine, options } = identity;
    Entry {
        name: offer.region.clone(),
        place: place.to_owned(),
        key,
        machine,
        options,
        choice: Choice::Default,
        note: String::new(),
        original: None,
        default: None,
        chosen: None,
        measured: Vec::new(),
    }
}

/// What may be measured of a region, the original first.
pub fn choices(offer: &Offer) -> Vec<(Choice, u64)> {
    let candidates = offer.candidates.iter().filter_map(|one| Some((one.candidate.parse().ok()?, one.cost)));
    std::iter::once((Choice::Original, offer.original)).chain(candidates).collect()
}

/// What was not measured yet.
pub fn open(offer: &Offer, entry: &Entry) -> Vec<(Choice, u64)> {
    let is_known = |choice: &Choice| entry.measured.iter().any(|known| known.candidate == *choice);
    choices(offer).into_iter().filter(|(choice, _)| !is_known(choice)).collect()
}

/// Notes the time of a choice, or why there is none; of several times the least counts.
pub fn note(entry: &mut Entry, candidate: &Choice, cost: u64, measured: Result<f64, String>) {
    let (seconds, problem) = match measured {
        Ok(seconds) => (Some(seconds), String::new()),
        Err(problem) => (None, problem),
    };
    match entry.measured.iter_mut().find(|known| known.candidate == *candidate) {
        Some(known) => match (known.seconds, seconds) {
            (Some(before), Some(now)) => known.seconds = Some(before.min(now)),
            _ => (known.seconds, known.problem) = (seconds, problem),
        },
        None => entry.measured.push(Measured { candidate: candidate.clone(), cost, seconds, problem }),
    }
    let of = |choice: Choice| entry.measured.iter().find(|one| one.candidate == choice).and_then(|one| one.seconds);
    (entry.original, entry.default) = (of(Choice::Original), of(Choice::Default));
}

/// What was fastest, and its time.
pub fn best(entry: &Entry) -> Option<(&Choice, f64)> {
    let times = entry.measured.iter().filter_map(|one| Some((&one.candidate, one.seconds?)));
    times.min_by(|a, b| a.1.total_cmp(&b.1))
}

#[cfg(test)]
mod tests {
    use super::{begun, best, choices, note, open, why_not};
    use crate::tune::times::Time;
    use polyrs::tuning::{Choice, Offer, Offered};
    use std::collections::BTreeMap;

    fn offer(key: &str) -> Offer {
        let one = |text: &str, cost| Offered { candidate: text.to_owned(), cost };
        Offer {
            region: "f:1".to_owned(),
            key: key.to_owned(),
            machine: "zen".to_owned(),
            options: "11".to_owned(),
            original: 9,
            default: 5,
            candidates: vec![one("order=scheduled", 3), one("order=original+tiles=8", 4)],
        }
    }

    fn offers(keys: &[&str]) -> BTreeMap<String, (Offer, String)> {
        keys.iter().map(|key| ((*key).to_owned(), (offer(key), "x.c:1".to_owned()))).collect()
    }

    #[test]
    fn an_interrupted_search_goes_on_with_what_is_left() {
        let offers = offers(&["aa"]);
        let mut tuned = begun(&offers, None, "./x");
        assert_eq!(open(&offer("aa"), &tuned.regions[0]).len(), 3);
        note(&mut tuned.regions[0], &Choice::Original, 9, Ok(2.0));
        note(&mut tuned.regions[0], &choices(&offer("aa"))[1].0, 3, Err("refused".to_owned()));
        let again = begun(&offers, Some(tuned.clone()), "./x");
        assert_eq!(again, tuned);
        let left = open(&offer("aa"), &again.regions[0]);
        assert_eq!(left, [choices(&offer("aa"))[2].clone()]);
        // Another program, another model.
        assert_eq!(open(&offer("aa"), &begun(&offers, Some(tuned.clone()), "./y").regions[0]).len(), 3);
        assert!(begun(&self::offers(&["bb"]), Some(tuned), "./x").regions[0].measured.is_empty());
    }

    #[test]
    fn other_machines_keep_their_entries() {
        let mut tuned = begun(&offers(&["aa"]), None, "./x");
        tuned.regions[0].machine = "other".to_owned();
        let both = begun(&offers(&["aa"]), Some(tuned), "./x");
        let machines: Vec<_> = both.regions.iter().map(|entry| entry.machine.as_str()).collect();
        assert_eq!(machines, ["zen", "other"]);
    }

    #[test]
    fn the_least_time_counts() {
        let mut entry = begun(&offers(&["aa"]), None, "./x").regions.remove(0);
        for (choice, seconds) in [(Choice::Default, 2.0), (Choice::Original, 3.0), (Choice::Default, 1.5)] {
            note(&mut entry, &choice, 0, Ok(seconds));
        }
        assert_eq!((entry.default, entry.original), (Some(1.5), Some(3.0)));
        assert_eq!(best(&entry), Some((&Choice::Default, 1.5)));
    }

    #[test]
    fn what_takes_no_time_is_left() {
        let time = |nanoseconds, count| Time { nanoseconds, count, ..Time::default() };
        let why = |time: &Time| why_not(&offer("aa"), Some(time), 1.0);
        assert_eq!(why(&time(500_000_000, 10)), None);
        assert!(why(&time(5_000_000, 1)).unwrap().contains("0.5 % of the program's"));
        assert!(why(&time(500_000_000, 100_000)).unwrap().contains("5.0 microseconds"));
        assert!(why(&time(0, 0)).unwrap().contains("does not run"));
        assert!(why(&Time { is_part: true, ..time(500_000_000, 1) }).unwrap().contains("cannot be told"));
        let none = Offer { candidates: Vec::new(), original: 5, ..offer("aa") };
        assert!(why_not(&none, Some(&time(500_000_000, 10)), 1.0).unwrap().contains("no other candidate"));
    }
}
