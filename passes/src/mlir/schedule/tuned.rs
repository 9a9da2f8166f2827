//! What a file of choices says of a region (`tuned=FILE`), and what `polyrs tune` is told of it.

use polyrs_core::driver::{Candidate, Joint, Target};
use polyrs_core::isl::Moment;
use polyrs_core::scop::Scop;
use polyrs_core::tuning::{Choice, Found, Identity, Offer, offer};

use crate::options::Options;
use crate::remark::{Key, Name, Remark};

/// What is to be done to a region, and what the remark about it says of that.
#[derive(Default)]
pub struct Advice {
    /// Which region it is; nothing where nobody asks, or nobody can tell.
    identity: Option<Identity>,
    choice: Option<Choice>,
    /// The name of the file.
    file: String,
    /// Why nothing is done that the file says.
    pub refused: Option<String>,
}

impl Advice {
    /// For a region with a layout of its own.
    pub fn of(scop: &Scop, options: &Options) -> Advice {
        let tuning = &options.tuning;
        // Another tree is asked for, or kernels, which have no candidates.
        let is_said = options.load_schedule.is_some() || options.driver.candidate.is_some();
        if !tuning.is_asked() || is_said || options.driver.target != Target::Cpu {
            return Advice::default();
        }
        let Ok(identity) = Identity::of(scop, &options.driver) else { return Advice::default() };
        let mut advice = Advice::default();
        if let Some(file) = &tuning.file {
            let (tuned, name) = &**file;
            advice.file.clone_from(name);
            match tuned.find(&scop.name, &identity) {
                Found::Choice(choice) => advice.choice = Some(choice),
                Found::Stale(why) => advice.refused = Some(why),
                Found::Nothing => {}
            }
        }
        Advice { identity: Some(identity), ..advice }
    }

    /// It stays as it is.
    pub fn keeps_original(&self) -> bool {
        self.choice == Some(Choice::Original)
    }

    /// What is taken without a search, and whether it is for the layout that is chosen.
    pub fn candidate(&self) -> Option<(&Candidate, bool)> {
        match &self.choice {
            Some(Choice::Candidate(candidate)) => Some((candidate, false)),
            Some(Choice::Relaid(candidate)) => Some((candidate, true)),
            Some(Choice::Default | Choice::Original) | None => None,
        }
    }

    /// The remark about a region that stays as it is because the file says so.
    pub fn left(&self, region: &str) -> Remark {
        let remark = Remark::new(Name::LeftTuned).text("scop: ").argument(Key::Region, region);
        self.tell(remark.text(": left as it is"))
    }

    /// A remark, and behind it what was taken of the file, or why nothing was.
    pub fn tell(&self, remark: Remark) -> Remark {
        let Some(identity) = &self.identity else { return remark };
        let remark = remark.hidden(Key::Model, &identity.key);
        match (&self.refused, &self.choice) {
            (Some(why), _) => remark.text(format!("; not as {} says: ", self.file)).argument(Key::NotTuned, why),
            (None, Some(choice)) => remark.text(format!("; as {} says: ", self.file)).argument(Key::Tuned, choice),
            (None, None) => remark,
        }
    }
}

/// The candidates of a region that may be measured, if that is asked for: they are looked for when all else is done, with
/// time of their own.
pub fn offered(scop: &Scop, joint: &Joint, options: &Options) -> Option<Offer> {
    let most = options.tuning.candidates?;
    if options.driver.target != Target::Cpu {
        return None;
    }
    let ctx = scop.ctx();
    ctx.set_deadline(Moment::after(options.time_budget));
    offer(scop, &options.driver, joint, most)
}
