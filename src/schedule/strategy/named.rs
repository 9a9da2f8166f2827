//! Presets by their names, for callers of the library. The optimizer goes by the strategy that it is given; of this library's own
//! parts, isl's option words ([`super::super::IslOptions`]) and files that name no preset begin with one.

use super::aims::Strategy;
use crate::machine::Machine;

impl Strategy {
    /// What the isl library does by default: the ppcg report's algorithms, with nothing forced.
    pub fn isl_defaults() -> Strategy {
        Strategy::known("isl-defaults", &Machine::generic())
    }

    /// What ppcg does: the outermost member of each band is coincident, and bands are as deep and as coincident as
    /// possible: PPCG sets these options along with forced outer coincidence (7.3.1).
    pub fn ppcg() -> Strategy {
        Strategy::known("ppcg", &Machine::generic())
    }

    /// Bondhugula et al., *A practical automatic polyhedral parallelizer and locality optimizer*, 2008.
    pub fn pluto() -> Strategy {
        Strategy::known("pluto", &Machine::generic())
    }

    /// Acharya et al., *Polyhedral auto-transformation with no integer linear programming*, 2018.
    pub fn pluto_lp_dfp() -> Strategy {
        Strategy::known("pluto-lp-dfp", &Machine::generic())
    }

    /// Feautrier, *Some efficient solutions to the affine scheduling problem*, part II, 1992.
    pub fn feautrier() -> Strategy {
        Strategy::known("feautrier", &Machine::generic())
    }

    /// Zinenko et al., *Unified polyhedral modeling of temporal and spatial locality*, 2017, for CPUs (section 4.7).
    pub fn unified_cpu(machine: &Machine) -> Strategy {
        Strategy::known("unified-cpu", machine)
    }

    /// The same report's strategy for GPUs (section 4.8).
    pub fn unified_gpu() -> Strategy {
        Strategy::known("unified-gpu", &Machine::generic())
    }

    /// A preset that there is.
    fn known(name: &str, machine: &Machine) -> Strategy {
        Strategy::preset(name, machine).unwrap_or_else(Strategy::empty)
    }
}
