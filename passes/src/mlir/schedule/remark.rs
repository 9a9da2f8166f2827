//! What the remark about a region says.

use polyrs_core::driver::{Considered, Joint, StepDown, Target};
use polyrs_core::layout::SizeCondition;

use crate::options::Options;
use crate::options::fuel::FUEL;

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

/// The text behind the region's name and the number of its statements.
pub fn text(joint: &Joint, layouts: &Layouts, emission: &Emission, options: &Options) -> String {
    let found = &joint.optimized;
    let work = if found.too_little_work { " too-little-work=1" } else { "" };
    // A prediction compares with the region that it is of, which is not the original with a layout that was given.
    let effect = match (layouts, found.prediction) {
        (Layouts::Given, _) => " layout=1".to_owned(),
        (_, None) => String::new(),
        (_, Some(prediction)) => {
            let layout = if joint.relaid.is_some() { " layout=1" } else { "" };
            format!("{layout} predicted={prediction}")
        }
    };
    let mut considered = match layouts {
        Layouts::Searched => layouts_considered(&joint.considered),
        Layouts::Own | Layouts::Given => String::new(),
    };
    if !joint.too_large.is_empty() {
        let (names, most) = (joint.too_large.join(" "), options.driver.expansion_bytes);
        considered.push_str(&format!("; more than expansion-bytes={most}: {names}"));
    }
    let tiles = tiles(joint, options);
    let stepped_down = StepDown::list(&found.stepped_down);
    let sizes = match emission {
        Emission::Done { .. } => sizes(layouts.conditions(joint), &found.ast.parameters),
        _ => String::new(),
    };
    format!("{}{tiles}{work}{effect}{}{sizes}{considered}{stepped_down}", found.statistics, outcome(joint, emission))
}

/// For which sizes new code runs, where these are not all.
fn sizes(conditions: &[SizeCondition], parameters: &[String]) -> String {
    let texts: Vec<String> = conditions.iter().map(|one| one.to_text(parameters)).collect();
    match texts.is_empty() {
        true => String::new(),
        false => format!("; where {}, and the code as it is elsewhere", texts.join(" and ")),
    }
}

fn tiles(joint: &Joint, options: &Options) -> String {
    let found = &joint.optimized;
    // A loaded tree does not say what it was made with.
    let sizes = found.candidate.tiles.sizes().unwrap_or(&options.driver.tile_sizes);
    match found.statistics.levels {
        0 => String::new(),
        // Those of kernels depend on how many loops of each run in parallel.
        _ if options.driver.target == Target::Gpu && options.driver.kernel_sizes.tiles.is_none() => String::new(),
        1 => format!(" tile-sizes={sizes}"),
        levels => format!(" tile-sizes={sizes} tile-levels={levels}"),
    }
}

fn outcome(joint: &Joint, emission: &Emission) -> String {
    match emission {
        Emission::NotBetter => {
            let reason = joint.optimized.unprofitable.as_ref();
            let reason = reason.map_or(String::new(), |reason| format!("; {reason}"));
            format!("; left as it is: the best code found is the original{reason}")
        }
        Emission::OutOfFuel => format!("; left as it is: {FUEL} is used up"),
        Emission::Done { fuel, has_guard, read_back } => {
            let number = fuel.map_or(String::new(), |number| format!(" fuel={number}"));
            let guard = if *has_guard { " guard=1" } else { "" };
            match read_back {
                None => format!("{number}{guard}"),
                Some(Ok(())) => format!("{number}{guard} read-back=1"),
                Some(Err(reason)) => format!("{number}{guard} read-back=0; not read back: {reason}"),
            }
        }
    }
}

/// The layout that was chosen, and the best of the others, by what they are expected to bring against the best code
/// with the program's layout.
fn layouts_considered(considered: &[Considered]) -> String {
    let Some(own) = considered.iter().find(|one| one.maps.is_empty()) else { return String::new() };
    let factor = |one: &Considered| {
        let tenths = own.cost.saturating_mul(10) / one.cost.max(1);
        format!("{}.{}x", tenths / 10, tenths % 10)
    };
    let others = considered.iter().filter(|one| !one.is_chosen && !one.maps.is_empty());
    let refused = |one: &Considered| one.refused.as_ref().map_or(String::new(), |why| format!(", refused: {why}"));
    let next = others.map(|one| format!("next: {} with {}{}", factor(one), one.maps, refused(one))).next();
    let chosen = considered.iter().find(|one| one.is_chosen && !one.maps.is_empty());
    match (chosen, next) {
        (None, None) => String::new(),
        (None, Some(next)) => format!("; layout: that of the program ({next})"),
        (Some(chosen), None) => format!("; layout: {} with {}", factor(chosen), chosen.maps),
        (Some(chosen), Some(next)) => format!("; layout: {} with {} ({next})", factor(chosen), chosen.maps),
    }
}
