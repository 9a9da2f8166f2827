//! What the remark about a region says.

use polyrs_core::driver::{BestAlternative, Considered, Joint, Optimized, Target, Tiles};
use polyrs_core::layout::SizeCondition;
use polyrs_core::schedule_tree::Statistics;

use super::refusal::stepped_down;
use crate::options::Options;
use crate::options::fuel::FUEL;
use crate::remark::{Key, Name, Remark};

/// Who chose the layout of a region.
pub enum Layouts {
    /// Nobody: it is that of the program.
    Own,
    /// The user, with maps.
    Given,
    /// The joint search; it may be that of the program.
    Searched,
}

impl Layouts {
    /// For which sizes the code is that was found; with another layout than the program's that was said with the layout.
    pub fn conditions<'j>(&self, joint: &'j Joint) -> &'j [SizeCondition] {
        match self {
            Layouts::Own | Layouts::Searched if joint.relaid.is_none() => &joint.optimized.pays_where,
            _ => &[],
        }
    }
}

/// What became of what was found.
pub enum Emission {
    /// The code is as good as it was.
    NotBetter,
    /// No more regions were to be rewritten.
    OutOfFuel,
    /// There is new code.
    Done {
        /// Its number among the regions that were rewritten, if they are counted.
        fuel: Option<u64>,
        /// The original runs where a condition does not hold.
        has_guard: bool,
        /// It was read back, or why not.
        read_back: Option<Result<(), String>>,
    },
}

/// A region, for its remark.
pub struct Subject<'r> {
    /// The name.
    pub name: &'r str,
    /// How many statements it has.
    pub statements: usize,
    /// How many loops are around the innermost of them.
    pub depth: usize,
}

/// The remark about a region for which something was found.
pub fn remark(
    Subject { name, statements, depth }: Subject<'_>,
    joint: &Joint,
    layouts: &Layouts,
    emission: &Emission,
    options: &Options,
) -> Remark {
    let found = &joint.optimized;
    let mut remark = Remark::new(match emission {
        Emission::NotBetter => Name::LeftNotBetter,
        Emission::OutOfFuel => Name::LeftOutOfFuel,
        Emission::Done { .. } => Name::Scheduled,
    });
    remark = remark.text("scop: ").argument(Key::Region, name).text(": ").argument(Key::Statements, statements);
    remark = remark.text(format!(" statement{}; ", if statements == 1 { "" } else { "s" }));
    remark = tiles(counts(remark, &found.statistics), joint, options);
    if found.too_little_work {
        remark = word(remark, Key::TooLittleWork, 1);
    }
    remark = effect(remark, joint, layouts);
    remark = outcome(remark, joint, layouts, emission);
    if let Emission::Done { .. } = emission {
        remark = sizes(remark, layouts.conditions(joint), &found.ast.parameters);
    }
    if let Layouts::Searched = layouts {
        remark = layouts_considered(remark, &joint.considered);
    }
    if !joint.too_large.is_empty() {
        let (names, most) = (joint.too_large.join(" "), options.driver.expansion_bytes);
        remark = remark.text("; more than expansion-bytes=").argument(Key::ExpansionBytes, most);
        remark = remark.text(": ").argument(Key::TooLarge, names);
    }
    costs(stepped_down(remark, &found.stepped_down), found, emission).hidden(Key::Depth, depth)
}

/// `key=value`, as programs read it from the text.
fn word(remark: Remark, key: Key, value: impl std::fmt::Display) -> Remark {
    let word = match key {
        Key::TileSizes => " tile-sizes=",
        Key::TileLevels => " tile-levels=",
        Key::TooLittleWork => " too-little-work=",
        Key::ReadBack => " read-back=",
        other => return remark.text(format!(" {}=", other.word().to_lowercase())).argument(key, value),
    };
    remark.text(word).argument(key, value)
}

/// The numbers of a tree.
fn counts(remark: Remark, statistics: &Statistics) -> Remark {
    statistics.named().enumerate().fold(remark, |remark, (place, (name, count))| {
        let remark = remark.text(format!("{}{name}=", if place == 0 { "" } else { " " }));
        match count_key(name) {
            Some(key) => remark.argument(key, count),
            None => remark.text(count.to_string()),
        }
    })
}

/// The key of a number of a tree.
fn count_key(name: &str) -> Option<Key> {
    Key::ALL.iter().map(|(key, _)| *key).find(|key| key.word().eq_ignore_ascii_case(name))
}

/// What the new code is expected to bring. A prediction compares with the region that it is of, which is not the
/// original with a layout that was given.
fn effect(remark: Remark, joint: &Joint, layouts: &Layouts) -> Remark {
    match (layouts, joint.optimized.prediction) {
        (Layouts::Given, _) => word(remark, Key::Layout, 1),
        (_, None) => remark,
        (_, Some(prediction)) => {
            let remark = if joint.relaid.is_some() { word(remark, Key::Layout, 1) } else { remark };
            word(remark, Key::Predicted, prediction)
        }
    }
}

/// The costs that the driver compared, for records alone.
fn costs(remark: Remark, found: &Optimized, emission: &Emission) -> Remark {
    let best = found.unprofitable.as_ref().and_then(|reason| reason.best_alternative);
    match (emission, found.prediction, best) {
        (Emission::NotBetter, _, Some(BestAlternative { original, other })) => {
            remark.hidden(Key::OriginalCost, original).hidden(Key::OtherCost, other)
        }
        (Emission::Done { .. } | Emission::OutOfFuel, Some(prediction), _) => {
            remark.hidden(Key::OriginalCost, prediction.before).hidden(Key::Cost, prediction.after)
        }
        _ => remark,
    }
}

/// For which sizes new code runs, where these are not all.
fn sizes(remark: Remark, conditions: &[SizeCondition], parameters: &[String]) -> Remark {
    if conditions.is_empty() {
        return remark;
    }
    let told = conditions.iter().enumerate().fold(remark, |remark, (place, condition)| {
        let joint = if place == 0 { "; where " } else { " and " };
        remark.text(joint).argument(Key::Condition, condition.to_text(parameters))
    });
    told.text(", and the code as it is elsewhere")
}

fn tiles(remark: Remark, joint: &Joint, options: &Options) -> Remark {
    let found = &joint.optimized;
    // A loaded tree does not say what it was made with.
    let sizes = found.candidate.tiles.sizes().unwrap_or(&options.driver.tile_sizes);
    match found.statistics.levels {
        0 => remark,
        // Those of kernels depend on how many loops of each run in parallel.
        _ if options.driver.target == Target::Gpu && options.driver.kernel_sizes.tiles.is_none() => remark,
        1 if matches!(found.candidate.tiles, Tiles::Diamonds(_)) => {
            word(remark, Key::TileSizes, &found.candidate.tiles)
        }
        1 => word(remark, Key::TileSizes, sizes),
        levels => word(word(remark, Key::TileSizes, sizes), Key::TileLevels, levels),
    }
}

fn outcome(remark: Remark, joint: &Joint, layouts: &Layouts, emission: &Emission) -> Remark {
    match emission {
        Emission::NotBetter => {
            let remark = remark.text("; left as it is: the best code found is the original");
            let Some(unprofitable) = &joint.optimized.unprofitable else { return remark };
            let remark = remark.text("; ").argument(Key::Reason, unprofitable.reason());
            remark.text(" (machine: ").argument(Key::Machine, &unprofitable.machine).text(")")
        }
        Emission::OutOfFuel => remark.text("; left as it is: ").argument(Key::Reason, format!("{FUEL} is used up")),
        Emission::Done { fuel, has_guard, read_back } => {
            let remark = fuel.iter().fold(remark, |remark, number| word(remark, Key::Fuel, number));
            let remark = if *has_guard { word(remark, Key::Guard, 1) } else { remark };
            let is_own = joint.relaid.is_none() && !matches!(layouts, Layouts::Given);
            let remark = if is_own && joint.optimized.same_as_original {
                remark.text("; in the order that it has")
            } else {
                remark
            };
            match read_back {
                None => remark,
                Some(Ok(())) => word(remark, Key::ReadBack, 1),
                Some(Err(reason)) => {
                    word(remark, Key::ReadBack, 0).text("; not read back: ").argument(Key::Reason, reason)
                }
            }
        }
    }
}

/// The layout that was chosen, and the best of the others, by what they are expected to bring against the best code
/// with the program's layout.
fn layouts_considered(remark: Remark, considered: &[Considered]) -> Remark {
    let Some(own) = considered.iter().find(|one| one.maps.is_empty()) else { return remark };
    let factor = |one: &Considered| {
        let tenths = own.cost.saturating_mul(10) / one.cost.max(1);
        format!("{}.{}x", tenths / 10, tenths % 10)
    };
    let others = considered.iter().filter(|one| !one.is_chosen && !one.maps.is_empty());
    let refused = |one: &Considered| one.refused.as_ref().map_or(String::new(), |why| format!(", refused: {why}"));
    let next = others.map(|one| format!("next: {} with {}{}", factor(one), one.maps, refused(one))).next();
    let chosen = considered.iter().find(|one| one.is_chosen && !one.maps.is_empty());
    let layouts = match (chosen, next) {
        (None, None) => return remark,
        (None, Some(next)) => format!("that of the program ({next})"),
        (Some(chosen), None) => format!("{} with {}", factor(chosen), chosen.maps),
        (Some(chosen), Some(next)) => format!("{} with {} ({next})", factor(chosen), chosen.maps),
    };
    remark.text("; layout: ").argument(Key::Layouts, layouts)
}

#[cfg(test)]
mod tests {
    use super::{count_key, counts};
    use crate::remark::{Name, Remark};
    use polyrs_core::schedule_tree::Statistics;

    #[test]
    fn numbers_of_trees_are_arguments() {
        let all = Statistics { kernels: 1, packed: 2, bands: 3, ..Statistics::default() };
        for (name, _) in all.named() {
            assert!(count_key(name).is_some(), "{name} has no key");
        }
        assert_eq!(counts(Remark::new(Name::Scheduled), &all).to_text(), all.to_string());
    }
}
