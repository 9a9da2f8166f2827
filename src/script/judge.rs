//! Whether a tree is right, what it costs, and what its code is.

use super::dependence::{Forbidding, forbidding};
use super::error::{NotDone, Wrong};
use super::nest::Nest;
use super::write::schedule;
use crate::check::coverage::check_coverage;
use crate::check::interpret::{Trial, trial};
use crate::check::legality::{self, Assumptions, CheckError, Violation};
use crate::codegen::{self, Ast};
use crate::cost;
use crate::dependence::{Dependences, Mode};
use crate::footprint::{PACKED_BYTES, packed, packed_bytes};
use crate::isl::{self, Schedule};
use crate::machine::Machine;
use crate::schedule_tree::band::mark;
use crate::schedule_tree::{Mark, PackedArray, has_copies};
use crate::scop::{ArrayKind, Scop};
use crate::transform::{Conflicts, independent, with_vectors};

/// Why a tree is not taken.
#[derive(Debug, Clone)]
pub(super) enum Refusal {
    /// It is not right.
    Illegal {
        /// What the checker says.
        violations: Vec<Violation>,
        /// The dependence behind that, if one was found.
        dependence: Option<Box<Forbidding>>,
    },
    /// It is not what was asked for, or cannot be.
    Wrong(Wrong),
    /// Nobody knows: a bound on the work struck, or something failed.
    Open(String),
}

/// What is known of a region.
pub(super) struct Judge<'s> {
    pub scop: &'s Scop,
    machine: Machine,
    dependences: Dependences,
    conflicts: Conflicts,
}

impl Refusal {
    /// The arrays of the region's own, other than memory, that alone stand in the way; `None` if there are others, or none.
    pub fn temporaries(&self, scop: &Scop) -> Option<Vec<String>> {
        let Refusal::Illegal { violations, .. } = self else { return None };
        let mut found: Vec<String> = Vec::new();
        for violation in violations {
            let array = violation.array.as_ref()?;
            scop.array_by_name(array).filter(|array| array.kind != ArrayKind::Memory)?;
            if !found.contains(array) {
                found.push(array.clone());
            }
        }
        (!found.is_empty()).then_some(found)
    }
}

impl From<isl::Error> for Refusal {
    fn from(error: isl::Error) -> Self {
        Refusal::Open(error.to_string())
    }
}

impl From<codegen::Error> for Refusal {
    fn from(error: codegen::Error) -> Self {
        Refusal::Open(error.to_string())
    }
}

impl From<NotDone> for Refusal {
    fn from(not_done: NotDone) -> Self {
        match not_done {
            NotDone::Wrong(wrong) => Refusal::Wrong(wrong),
            NotDone::Isl(error) => error.into(),
        }
    }
}

impl<'s> Judge<'s> {
    /// What is known of a region.
    ///
    /// # Errors
    /// Those of isl.
    pub fn new(scop: &'s Scop, machine: Machine) -> isl::Result<Self> {
        let mode = Mode { live_range_reordering: false, false_for_proximity: true };
        let dependences = Dependences::compute(scop, mode)?;
        let conflicts = Conflicts::new(scop, &dependences)?;
        Ok(Judge { scop, machine, dependences, conflicts })
    }

    /// The tree of a nest, with marks where loops make vectors.
    ///
    /// # Errors
    /// Those of isl.
    pub fn finished(&self, nest: &Nest) -> isl::Result<Schedule> {
        with_vectors(&self.conflicts, &schedule(nest)?)
    }

    /// For each loop of a tree, in order, whether its iterations are independent.
    ///
    /// # Errors
    /// Those of isl.
    pub fn independent(&self, tree: &Schedule) -> isl::Result<Vec<bool>> {
        independent(&self.conflicts, tree)
    }

    /// The tree computes what the region does.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn legal(&self, tree: &Schedule) -> Result<(), Refusal> {
        let quota = self.scop.ctx().remaining();
        match legality::check(self.scop, tree, &Assumptions { dead: None, quota }) {
            Ok(()) => Ok(()),
            Err(CheckError::Illegal(violations)) => {
                // What cannot be told as points is said as the checker has it.
                let dependence = forbidding(self.scop, &self.dependences, tree, &violations).ok().flatten();
                Err(Refusal::Illegal { violations, dependence: dependence.map(Box::new) })
            }
            Err(CheckError::Unsupported(what)) => {
                Err(Refusal::Wrong(Wrong::new(format!("the checker does not know {what}"))))
            }
            Err(open) => Err(Refusal::Open(open.to_string())),
        }
    }

    /// What a tree seems to cost.
    ///
    /// # Errors
    /// Those of isl.
    pub fn cost(&self, tree: &Schedule) -> isl::Result<u64> {
        cost::cost(self.scop, tree, &self.machine)
    }

    /// The code of a tree.
    ///
    /// # Errors
    /// Those of code generation.
    pub fn code(&self, tree: &Schedule) -> Result<Ast, codegen::Error> {
        codegen::generate(self.scop, tree, &codegen::Options::default())
    }

    /// Runs the code of a tree at small sizes, and proves copies of tiles right, which the checker does not look at; the
    /// number of sizes.
    ///
    /// # Errors
    /// The code does something else than the region, or is not proved.
    pub fn tried(&self, tree: &Schedule) -> Result<usize, Refusal> {
        let ast = self.code(tree)?;
        let sizes = match trial(self.scop, &ast) {
            Trial::Same(sizes) => sizes,
            Trial::Different(what) => return Err(Refusal::Open(format!("internal error: the code is wrong: {what}"))),
        };
        if ast.root.has_shared() {
            let proved = check_coverage(self.scop, tree, &ast, self.scop.ctx().remaining());
            proved.map_err(|open| Refusal::Open(format!("it is not proved that copies hold what is read: {open}")))?;
        }
        Ok(sizes)
    }

    /// Each packed array has a tile of constant size, which fits, and code reads from it.
    ///
    /// # Errors
    /// One has none; code that is not right.
    pub fn packed(&self, tree: &Schedule) -> Result<(), Refusal> {
        if !has_copies(tree)? {
            return Ok(());
        }
        let mut bytes = 0_i64;
        let mut lacking: Option<String> = None;
        tree.root()?.for_each_descendant_top_down(&mut |node| {
            let Some(Mark::Packed { arrays }) = mark(node)? else { return Ok(true) };
            let below = node.clone().first_child()?;
            let names: Vec<String> = (0..below.schedule_depth()?).map(|depth| format!("polyrs_t{depth}_")).collect();
            for array in &arrays {
                let footprints = packed(self.scop, &below, &names, std::slice::from_ref(array))?;
                bytes = footprints.iter().fold(bytes, |all, one| all.saturating_add(packed_bytes(self.scop, one)));
                if footprints.is_empty() {
                    lacking = Some(self.why_not(array));
                }
            }
            Ok(true)
        })?;
        if let Some(message) = lacking {
            let help = "tile the loops in it and around it, and pack inside of the loops over tiles";
            return Err(Refusal::Wrong(Wrong::new(message).help(help)));
        }
        if bytes > PACKED_BYTES {
            let message = format!("packed tiles would take {bytes} bytes, and may take {PACKED_BYTES} together");
            return Err(Refusal::Wrong(Wrong::new(message).help("smaller tiles help")));
        }
        self.tried(tree).map(|_| ())
    }

    fn why_not(&self, array: &PackedArray) -> String {
        let name = &array.name;
        let is_written = self.scop.statements.iter().any(|statement| statement.writes(name).unwrap_or(false));
        match is_written {
            true => format!("nothing is packed of `{name}`: only what nothing in the loop writes can be"),
            false => {
                format!("nothing is packed of `{name}`: the loop reads no tile of it whose size is the same each time")
            }
        }
    }
}
