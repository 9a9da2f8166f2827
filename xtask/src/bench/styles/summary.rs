//! What the times of styles come to.

use super::Measured;
use crate::suite::styles::raised::Raised;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Up to this ratio of the slowest style to the fastest a loop has one speed.
pub const EVEN: f64 = 1.15;

/// From here down a ratio is a loss.
const LOSS: f64 = 0.95;

/// The fastest and the slowest style of an order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The fastest, and its seconds.
    pub best: (&'static str, f64),
    /// The slowest, and its seconds.
    pub worst: (&'static str, f64),
}

impl Spread {
    fn of(times: impl Iterator<Item = (&'static str, f64)>) -> Option<Self> {
        let mut spread: Option<Self> = None;
        for one in times {
            let found = spread.get_or_insert(Self { best: one, worst: one });
            if one.1 < found.best.1 {
                found.best = one;
            }
            if one.1 > found.worst.1 {
                found.worst = one;
            }
        }
        spread
    }

    /// How many times slower the slowest is.
    pub fn ratio(&self) -> f64 {
        self.worst.1 / self.best.1
    }

    fn is_even(&self) -> bool {
        self.ratio() <= EVEN
    }
}

/// A kernel's order in all styles.
#[derive(Clone, Debug)]
pub struct Nest {
    /// The kernel.
    pub kernel: String,
    /// Kernel and order.
    pub name: String,
    /// By the compilers alone.
    pub plain: Spread,
    /// With the plugin.
    pub ours: Spread,
}

/// What all times come to.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The kernels' orders.
    pub nests: Vec<Nest>,
    /// How many programs there are, and how many of them were raised whole, by style, in order.
    pub styles: Vec<(&'static str, usize, usize)>,
    /// Programs slower than by the compiler alone, and their ratio, the slowest first.
    pub losses: Vec<(String, f64)>,
    /// How often each refusal was the first one, the most frequent first.
    pub refusals: Vec<(String, usize)>,
    /// Programs with other results.
    pub wrong: Vec<String>,
}

impl Summary {
    pub(super) fn of(all: &[Measured]) -> Self {
        let mut nests: Vec<Nest> = Vec::new();
        let mut styles: Vec<(&'static str, usize, usize)> = Vec::new();
        let mut refusals: BTreeMap<&str, usize> = BTreeMap::new();
        for one in all {
            let name = one.nest();
            if !nests.iter().any(|nest| nest.name == name) {
                let same = || all.iter().filter(|other| other.nest() == name);
                let plain = Spread::of(same().map(|other| (other.style, other.plain)));
                let ours = Spread::of(same().map(|other| (other.style, other.ours)));
                if let (Some(plain), Some(ours)) = (plain, ours) {
                    nests.push(Nest { kernel: one.kernel.clone(), name, plain, ours });
                }
            }
            let at = styles.iter().position(|(style, ..)| *style == one.style).unwrap_or_else(|| {
                styles.push((one.style, 0, 0));
                styles.len() - 1
            });
            styles[at].1 += 1;
            match &one.raised {
                Raised::Whole => styles[at].2 += 1,
                Raised::Not(words) => *refusals.entry(words).or_default() += 1,
            }
        }
        let named = |one: &Measured| format!("{}/{}", one.nest(), one.style);
        let losses = all.iter().filter(|one| one.ratio() < LOSS).map(|one| (named(one), one.ratio()));
        let mut losses: Vec<(String, f64)> = losses.collect();
        losses.sort_by(|one, other| one.1.total_cmp(&other.1));
        let mut refusals: Vec<_> = refusals.into_iter().map(|(words, count)| (words.to_owned(), count)).collect();
        refusals.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let wrong = all.iter().filter(|one| !one.is_same).map(named).collect();
        Self { nests, styles, losses, refusals, wrong }
    }

    /// How many programs there are, and how many of them were raised whole.
    pub fn raised(&self) -> (usize, usize) {
        self.styles.iter().fold((0, 0), |sum, (_, all, whole)| (sum.0 + all, sum.1 + whole))
    }

    /// How many orders there are, how many have one speed, and the same for kernels of which all orders have.
    pub fn even(&self, spread: impl Fn(&Nest) -> Spread) -> [usize; 4] {
        let mut kernels: BTreeMap<&str, bool> = BTreeMap::new();
        for nest in &self.nests {
            *kernels.entry(&nest.kernel).or_insert(true) &= spread(nest).is_even();
        }
        let orders = self.nests.iter().filter(|nest| spread(nest).is_even()).count();
        [self.nests.len(), orders, kernels.len(), kernels.values().filter(|even| **even).count()]
    }

    /// As it is printed after a run.
    pub fn to_text(&self) -> String {
        let mut text = self.headline();
        let _ = writeln!(text, "{:<28} {:>34} {:>6} {:>34} {:>6}", "", "with the plugin", "x", "alone", "x");
        for Nest { name, plain, ours, .. } in &self.nests {
            let spelled = |spread: &Spread| {
                let ends = [spread.best, spread.worst].map(|(style, time)| format!("{style} {:.2}", time * 1e3));
                format!("{:>34} {:>6.2}", ends.join(" .. "), spread.ratio())
            };
            let _ = writeln!(text, "{name:<28} {} {}", spelled(ours), spelled(plain));
        }
        for (name, ratio) in &self.losses {
            let _ = writeln!(text, "below {LOSS}: {name} {ratio:.3}");
        }
        for (words, count) in &self.refusals {
            let _ = writeln!(text, "not raised whole, {count:>3}: {words}");
        }
        for (style, all, whole) in &self.styles {
            let _ = writeln!(text, "{style:<14} {whole:>3} of {all:>3} raised whole");
        }
        for name in &self.wrong {
            let _ = writeln!(text, "OTHER RESULTS: {name}");
        }
        text
    }

    /// The numbers above all others.
    pub fn headline(&self) -> String {
        let (all, whole) = self.raised();
        let mut text = format!("{whole} of {all} programs raised whole ({:.1} %)\n", percent(whole, all));
        for (who, [orders, even, kernels, whole]) in
            [("with the plugin", self.even(|nest| nest.ours)), ("alone", self.even(|nest| nest.plain))]
        {
            let _ = writeln!(
                text,
                "{who}: the slowest style is at most {EVEN} times slower than the fastest in {even} of {orders} loop \
                 nests, and in all of a kernel's in {whole} of {kernels} kernels"
            );
        }
        let _ = writeln!(text, "{} programs below {LOSS} of the compiler alone", self.losses.len());
        text
    }

    /// As it is in the file.
    pub fn to_json(&self) -> Value {
        let spread = |spread: &Spread| json!({"best": spread.best, "worst": spread.worst, "ratio": spread.ratio()});
        let nests = self
            .nests
            .iter()
            .map(|nest| json!({"name": nest.name, "default": spread(&nest.ours), "clang": spread(&nest.plain)}));
        let (all, whole) = self.raised();
        json!({
            "programs": all, "raised_whole": whole, "nests": nests.collect::<Vec<_>>(),
            "even": {"default": self.even(|nest| nest.ours), "clang": self.even(|nest| nest.plain)},
            "losses": self.losses, "refusals": self.refusals, "other_results": self.wrong,
        })
    }
}

/// A share in percent.
fn percent(part: usize, whole: usize) -> f64 {
    let [part, whole] = [part, whole].map(|count| f64::from(u32::try_from(count).unwrap_or(u32::MAX)));
    if whole > 0.0 { 100.0 * part / whole } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::Summary;
    use crate::bench::styles::Measured;
    use crate::suite::styles::Language;
    use crate::suite::styles::raised::Raised;

    #[test]
    fn styles_of_a_loop_are_compared() {
        let one = |order: &str, style: &'static str, plain: f64, ours: f64, raised: Raised| Measured {
            kernel: "gemm".into(),
            order: order.into(),
            style,
            language: Language::C,
            plain,
            ours,
            raised,
            is_rewritten: true,
            is_same: style != "c",
        };
        let refused = || Raised::Not("a call".into());
        let all = [
            one("ikj", "a", 2.0, 1.0, Raised::Whole),
            one("ikj", "b", 4.0, 1.1, Raised::Whole),
            one("ijk", "a", 2.0, 1.0, Raised::Whole),
            one("ijk", "c", 2.0, 3.0, refused()),
        ];
        let summary = Summary::of(&all);
        assert_eq!(summary.raised(), (4, 3));
        assert_eq!(summary.even(|nest| nest.ours), [2, 1, 1, 0]);
        assert_eq!(summary.even(|nest| nest.plain), [2, 1, 1, 0]);
        assert_eq!(summary.nests[1].ours.worst, ("c", 3.0));
        assert_eq!(summary.refusals, [("a call".to_owned(), 1)]);
        assert_eq!(summary.losses.len(), 1);
        assert_eq!(summary.wrong, ["gemm/ijk/c"]);
        assert!(summary.to_text().contains("3 of 4 programs raised whole (75.0 %)"));
        assert!(Summary::of(&[]).to_text().starts_with("0 of 0"));
    }
}
