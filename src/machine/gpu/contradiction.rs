//! Values that cannot be true together.

use super::Gpu;

/// Why a description is of no GPU.
pub(in crate::machine) struct Contradiction {
    /// The keys of the file form that it is about.
    pub keys: &'static [&'static str],
    /// What is wrong.
    pub problem: String,
}

impl Gpu {
    /// The first contradiction: a limit that cannot be reached because of another value, so that no choice of sizes
    /// could rely on it.
    pub(in crate::machine) fn contradiction(&self) -> Option<Contradiction> {
        self.of_threads().or_else(|| self.of_registers()).or_else(|| self.of_memory())
    }

    fn of_threads(&self) -> Option<Contradiction> {
        let Gpu { warp, block_threads, resident_threads, .. } = self;
        if !resident_threads.is_multiple_of(*warp) {
            let problem = format!("gpu-resident-threads ({resident_threads}) is no multiple of gpu-warp ({warp})");
            return Some(Contradiction { keys: &["gpu-resident-threads", "gpu-warp"], problem });
        }
        (block_threads > resident_threads).then(|| Contradiction {
            keys: &["gpu-block-threads", "gpu-resident-threads"],
            problem: format!(
                "gpu-block-threads ({block_threads}) is more than gpu-resident-threads ({resident_threads})"
            ),
        })
    }

    fn of_registers(&self) -> Option<Contradiction> {
        let Gpu { registers, partitions, warp, thread_registers, .. } = self;
        let most = self.registers_of_warp(*thread_registers);
        (most > u64::from(registers / (*partitions).max(1))).then(|| Contradiction {
            keys: &["gpu-registers", "gpu-partitions", "gpu-warp", "gpu-thread-registers", "gpu-register-unit"],
            problem: format!(
                "a warp of {warp} threads with gpu-thread-registers ({thread_registers}) takes {most} registers, \
                 more than a partition's share of gpu-registers ({registers})"
            ),
        })
    }

    fn of_memory(&self) -> Option<Contradiction> {
        let Gpu { shared, shared_default, shared_most, l1, line_bytes, sector_bytes, .. } = self;
        if shared > l1 {
            let problem = format!("gpu-shared ({shared}) is more than gpu-l1 ({l1}), which it is cut out of");
            return Some(Contradiction { keys: &["gpu-shared", "gpu-l1"], problem });
        }
        if shared_default > shared_most {
            let problem = format!("gpu-shared-default ({shared_default}) is more than gpu-shared-most ({shared_most})");
            return Some(Contradiction { keys: &["gpu-shared-default", "gpu-shared-most"], problem });
        }
        let taken = self.shared_of_block(*shared_most);
        if taken > *shared {
            let problem = format!(
                "a block with gpu-shared-most ({shared_most}) takes {taken} bytes with what is reserved, more than \
                 gpu-shared ({shared})"
            );
            let keys = &["gpu-shared", "gpu-shared-most", "gpu-shared-reserved", "gpu-shared-unit"];
            return Some(Contradiction { keys, problem });
        }
        (sector_bytes > line_bytes).then(|| Contradiction {
            keys: &["gpu-sector-bytes", "gpu-line-bytes"],
            problem: format!("gpu-sector-bytes ({sector_bytes}) is more than gpu-line-bytes ({line_bytes})"),
        })
    }
}
