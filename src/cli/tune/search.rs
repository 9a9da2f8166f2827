//! The search: candidates of all regions are built and measured, one of each region at a time.

use super::program::{Program, Run, Said, Wanted};
use super::progress::{Progress, seconds, time};
use super::regions::{best, identity, note, open, why_not};
use super::times::{Done, Time, by_key};
use crate::failure::Failure;
use polyrs::tuning::{Choice, Entry, Offer, Tuned};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What is slower than the best by so much is measured once.
const HOPELESS: f64 = 2.0;

/// What is not faster than the default by so much is noise.
pub const GAIN: f64 = 1.03;

/// After so many builds the default is measured again.
const BETWEEN_DEFAULTS: usize = 6;

/// How often both programs are built in the end, in turns.
const ROUNDS: usize = 2;

/// What bounds a search.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How often a program is run.
    pub repeat: usize,
    /// What it prints does not count.
    pub ignore_output: bool,
}

/// A search.
pub struct Search<'a> {
    pub program: Program<'a>,
    pub offers: BTreeMap<String, (Offer, String)>,
    /// What is known so far, and where it is written.
    pub tuned: Tuned,
    pub file: &'a Path,
    pub limits: Limits,
    pub progress: &'a Progress,
    /// What the program prints as it should.
    said: Option<Said>,
    /// How long the default takes as a whole, with timers.
    whole: f64,
    /// The keys of what is searched.
    active: Vec<String>,
}

/// The programs side by side.
pub struct Final {
    /// How long they take, in seconds: by default, and with the choices.
    pub default: f64,
    pub chosen: f64,
}

impl<'a> Search<'a> {
    /// Begins; nothing is measured yet.
    pub fn new(
        program: Program<'a>,
        (offers, tuned): (BTreeMap<String, (Offer, String)>, Tuned),
        file: &'a Path,
        limits: Limits,
        progress: &'a Progress,
    ) -> Self {
        Search { program, offers, tuned, file, limits, progress, said: None, whole: 0.0, active: Vec::new() }
    }

    /// Measures the program that was built, which does what is done by default, and finds out what is worth a search.
    ///
    /// # Errors
    /// The program fails, or prints something else each time.
    pub fn measure_default(&mut self) -> Result<(), Failure> {
        let mut runs = Vec::new();
        for _ in 0..self.limits.repeat.max(2) {
            let run = self.program.run()?;
            if let Some(fault) = run.said.fault() {
                let said = self.program.last_words();
                return Err(Failure::Failed(format!("{said}error: the program cannot be measured: {fault}")));
            }
            let is_other = self.said.as_ref().is_some_and(|said| *said != run.said);
            if is_other && !self.limits.ignore_output {
                return Err(Failure::Failed(
                    "error: the program prints something else each time, so that nobody could tell wrong results\n\
                     help: have it print results alone, or say --ignore-output"
                        .to_owned(),
                ));
            }
            self.said = Some(run.said.clone());
            runs.push(run);
        }
        if runs.iter().all(|run| run.rows.is_empty()) {
            return Err(Failure::Failed(
                "error: the program says nothing of its regions\nhelp: the build has to make the program that is run, and \
                 the program has to end by itself (exit, or return from main)"
                    .to_owned(),
            ));
        }
        self.whole = runs.iter().map(|run| run.seconds).fold(f64::INFINITY, f64::min);
        let least = self.least(&runs);
        self.active.clear();
        for (key, (offer, _)) in &self.offers {
            let Some(entry) = self.tuned.entry_mut(&identity(offer)) else { continue };
            entry.note = why_not(offer, least.get(key), self.whole).unwrap_or_default();
            if let Some(time) = least.get(key).filter(|time| time.count > 0) {
                note(entry, &Choice::Default, offer.default, Ok(time.seconds()));
            }
            if entry.note.is_empty() {
                self.active.push(key.clone());
            }
        }
        self.save()
    }

    /// Measures candidates until there are none, or time is up.
    ///
    /// # Errors
    /// The build fails.
    pub fn run(&mut self) -> Result<(), Failure> {
        let mut slowest = Duration::ZERO;
        let mut steps = 0;
        loop {
            let trial = self.next_trial();
            if trial.is_empty() {
                return Ok(());
            }
            let needed = slowest + self.final_time(slowest);
            if self.progress.left() < needed {
                self.progress.tell("time is up; `polyrs tune` again goes on");
                return Ok(());
            }
            if steps > 0 && steps % BETWEEN_DEFAULTS == 0 {
                self.measure(&BTreeMap::new())?;
            }
            let before = self.progress.elapsed();
            self.measure(&trial)?;
            slowest = slowest.max(self.progress.elapsed() - before);
            steps += 1;
            self.say(&trial, slowest);
        }
    }

    /// What the last comparison takes.
    fn final_time(&self, step: Duration) -> Duration {
        step * u32::try_from(2 * ROUNDS).unwrap_or(4)
    }

    /// The next candidate of each region that has one left.
    fn next_trial(&self) -> BTreeMap<String, (Choice, u64)> {
        let next = |key: &String| {
            let offer = &self.offers[key].0;
            let first = open(offer, self.entry(key)?).into_iter().next()?;
            Some((key.clone(), first))
        };
        self.active.iter().filter_map(next).collect()
    }

    fn entry(&self, key: &str) -> Option<&Entry> {
        let identity = identity(&self.offers.get(key)?.0);
        self.tuned.regions.iter().find(|entry| entry.is_of(&identity))
    }

    /// Builds and runs the program with candidates of some regions, and the default of all others.
    fn measure(&mut self, trial: &BTreeMap<String, (Choice, u64)>) -> Result<(), Failure> {
        let choices = trial.iter().map(|(key, (choice, _))| (key.clone(), choice.clone())).collect();
        let file = self.trial_file(&choices)?;
        self.program.build(Wanted::Timers(Some(&file)))?;
        let mut runs: Vec<Run> = Vec::new();
        let mut problem = None;
        for _ in 0..self.limits.repeat {
            let run = self.program.run()?;
            problem = self.is_wrong(&run.said);
            runs.push(run);
            if problem.is_some() || self.is_hopeless(trial, &runs) {
                break;
            }
        }
        if let Some(problem) = &problem {
            self.complain(trial, problem);
        }
        let least = self.least(&runs);
        for key in &self.active.clone() {
            let (choice, cost) = trial.get(key).cloned().unwrap_or((Choice::Default, self.offers[key].0.default));
            let time = least.get(key).cloned().unwrap_or_default();
            let measured = match &problem {
                Some(problem) => Err(problem.clone()),
                None => judged(&choice, &time)?,
            };
            let is_default = choice == Choice::Default;
            let identity = identity(&self.offers[key].0);
            if let Some(entry) = self.tuned.entry_mut(&identity).filter(|_| !is_default || measured.is_ok()) {
                note(entry, &choice, cost, measured);
            }
        }
        self.save()
    }

    /// The least times of each region.
    fn least(&self, runs: &[Run]) -> BTreeMap<String, Time> {
        let mut least: BTreeMap<String, Time> = BTreeMap::new();
        for (key, time) in runs.iter().flat_map(|run| by_key(&run.rows)) {
            let known = least.entry(key).or_insert_with(|| time.clone());
            known.nanoseconds = known.nanoseconds.min(time.nanoseconds);
        }
        least
    }

    /// All candidates are far slower than what there is.
    fn is_hopeless(&self, trial: &BTreeMap<String, (Choice, u64)>, runs: &[Run]) -> bool {
        let least = self.least(runs);
        let is_slow = |key: &String| {
            let known = self.entry(key).and_then(best).map_or(f64::INFINITY, |(_, seconds)| seconds);
            least.get(key).is_none_or(|time| time.seconds() > HOPELESS * known)
        };
        !trial.is_empty() && trial.keys().all(is_slow)
    }

    /// What is wrong with what a program printed.
    fn is_wrong(&self, said: &Said) -> Option<String> {
        if let Some(fault) = said.fault() {
            return Some(fault);
        }
        let is_other = self.said.as_ref().is_some_and(|known| known != said);
        (is_other && !self.limits.ignore_output).then(|| "the program prints something else than by default".to_owned())
    }

    fn complain(&self, trial: &BTreeMap<String, (Choice, u64)>, problem: &str) {
        let mut text = format!("WARNING: {problem} with these choices, which are not used:");
        for (key, (choice, _)) in trial {
            text += &format!("\n  {} {choice}", self.offers[key].0.region);
        }
        self.progress.tell(&text);
    }

    /// Writes a file with choices, which is not the user's.
    fn trial_file(&self, choices: &BTreeMap<String, Choice>) -> Result<PathBuf, Failure> {
        let mut trial = self.tuned.clone();
        for entry in &mut trial.regions {
            entry.choice = choices.get(&entry.key).cloned().unwrap_or(Choice::Default);
        }
        let file = self.program.folder.path().join("trial.tuned");
        write(&file, &trial)?;
        Ok(file)
    }

    /// Writes what is known.
    pub fn save(&self) -> Result<(), Failure> {
        write(self.file, &self.tuned)
    }

    /// Says how far it is.
    fn say(&self, trial: &BTreeMap<String, (Choice, u64)>, step: Duration) {
        let rest = self.active.iter().filter_map(|key| Some(open(&self.offers[key].0, self.entry(key)?).len())).max();
        let steps = u32::try_from(rest.unwrap_or(0)).unwrap_or(u32::MAX);
        let left = step.saturating_mul(steps).saturating_add(self.final_time(step)).min(self.progress.left());
        for (key, (choice, _)) in trial {
            let (Some(entry), offer) = (self.entry(key), &self.offers[key].0) else { continue };
            let all = offer.candidates.len() + 1;
            let number = all - open(offer, entry).len();
            let by_default = entry.default.unwrap_or(f64::NAN);
            let took = entry.measured.iter().find(|one| one.candidate == *choice);
            let took = match took.and_then(|one| one.seconds) {
                Some(took) => format!("{} ({:.2} of the default)", seconds(took), took / by_default),
                None => took.map_or("not measured", |one| one.problem.as_str()).to_owned(),
            };
            let best = best(entry).map(|(choice, seconds)| format!("{:.2} with {choice}", seconds / by_default));
            let (best, left) = (best.unwrap_or_default(), time(left));
            self.progress.say(&format!(
                "{}: candidate {number} of {all}: {took}; best so far {best}; {left} left",
                offer.region
            ));
        }
    }

    /// What seems to gain: the best of each region, where that is faster than the default by more than noise.
    fn proposals(&self) -> BTreeMap<String, Choice> {
        let gains = |key: &String| {
            let entry = self.entry(key)?;
            let (choice, seconds) = best(entry)?;
            let gains = *choice != Choice::Default && seconds * GAIN <= entry.default?;
            gains.then(|| (key.clone(), choice.clone()))
        };
        self.active.iter().filter_map(gains).collect()
    }

    /// Compares the whole program with what seems to gain and by default, in turns, and takes it if it is faster.
    ///
    /// # Errors
    /// A build fails.
    pub fn decide(&mut self) -> Result<Option<Final>, Failure> {
        let proposals = self.proposals();
        let mut result = None;
        if !proposals.is_empty() {
            self.progress.say("the best of all regions together, beside the default");
            result = self.compare(&proposals)?;
        }
        let gains = result.as_ref().is_some_and(|one| one.chosen * GAIN <= one.default);
        let least = 100.0 * (GAIN - 1.0);
        for key in self.active.clone() {
            let identity = identity(&self.offers[&key].0);
            let Some(entry) = self.tuned.entry_mut(&identity) else { continue };
            let proposal = proposals.get(&key).cloned();
            entry.note = match (&proposal, gains) {
                (Some(best), false) => {
                    format!("{best} was faster, but the program as a whole was not by {least:.0} %")
                }
                _ => String::new(),
            };
            entry.choice = proposal.filter(|_| gains).unwrap_or(Choice::Default);
            let chosen = entry.measured.iter().find(|one| one.candidate == entry.choice);
            entry.chosen = chosen.and_then(|one| one.seconds);
        }
        self.save()?;
        Ok(result)
    }

    /// The times of both programs, the least of all runs; nothing where one of them is wrong.
    fn compare(&mut self, proposals: &BTreeMap<String, Choice>) -> Result<Option<Final>, Failure> {
        let file = self.trial_file(proposals)?;
        let mut times = Final { default: f64::INFINITY, chosen: f64::INFINITY };
        for round in 0..2 * ROUNDS {
            let is_chosen = round % 2 == 1;
            self.program.build(Wanted::Plain(is_chosen.then_some(file.as_path())))?;
            for _ in 0..self.limits.repeat {
                let run = self.program.run()?;
                if let Some(problem) = self.is_wrong(&run.said) {
                    self.progress.tell(&format!("WARNING: {problem} in the last comparison: nothing is taken"));
                    return Ok(None);
                }
                let least = if is_chosen { &mut times.chosen } else { &mut times.default };
                *least = least.min(run.seconds);
            }
        }
        Ok(Some(times))
    }

    /// Builds the program as it is to be used, with what the file says.
    ///
    /// # Errors
    /// The build fails.
    pub fn build_chosen(&mut self) -> Result<(), Failure> {
        let file = std::path::absolute(self.file).unwrap_or_else(|_| self.file.to_owned());
        self.program.build(Wanted::Plain(Some(&file)))
    }

    /// Whether there is anything to search.
    pub fn is_open(&self) -> bool {
        !self.active.is_empty()
    }
}

/// The time of a choice, if it was followed.
fn judged(choice: &Choice, time: &Time) -> Result<Result<f64, String>, Failure> {
    if time.count == 0 {
        return Ok(Err("the region did not run".to_owned()));
    }
    if time.done.contains(&Done::Refused) {
        return Ok(Err("the pass could not follow it".to_owned()));
    }
    if time.done.iter().any(|done| *done != Done::Choice(choice.to_string())) {
        return Err(Failure::Failed(
            "error: the build did not compile everything anew\nhelp: have it do so (make -B, ninja -t clean && ninja), \
             without a cache of compilations (CCACHE_DISABLE=1)"
                .to_owned(),
        ));
    }
    Ok(Ok(time.seconds()))
}

/// Writes a file of choices, as a whole or not at all.
fn write(file: &Path, tuned: &Tuned) -> Result<(), Failure> {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}", std::process::id()));
    let part = file.with_file_name(name);
    let wrong = |error| Failure::Failed(format!("error: {}: {error}", file.display()));
    std::fs::write(&part, tuned.to_text()).map_err(wrong)?;
    std::fs::rename(&part, file).map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::judged;
    use crate::tune::times::{Done, Time};
    use polyrs::tuning::Choice;

    #[test]
    fn a_time_is_of_what_was_chosen() {
        let of = |done| judged(&Choice::Original, &Time { nanoseconds: 5, count: 1, done, is_part: false });
        assert!(of(vec![Done::Choice("original".to_owned())]).unwrap().is_ok());
        assert!(of(vec![Done::Refused]).unwrap().is_err());
        assert!(of(vec![Done::Nothing]).unwrap_err().to_string().contains("did not compile everything anew"));
        assert!(judged(&Choice::Original, &Time::default()).unwrap().is_err());
    }
}
