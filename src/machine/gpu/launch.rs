//! Which grids and blocks are possible at all.

use super::Gpu;

/// How a kernel is launched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launch {
    /// The blocks along x, y and z.
    pub grid: [u64; 3],
    /// The threads of a block along x, y and z.
    pub block: [u64; 3],
    /// The registers of a thread; zero where that is not known yet.
    pub registers: u32,
    /// The shared memory of a block in bytes.
    pub shared_bytes: u64,
}

/// Why a launch is not possible, with the key of the limit in the file form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// There is nothing along one direction.
    #[error("a {what} has nothing along {axis}: each extent is at least 1")]
    Empty {
        /// `grid` or `block`.
        what: &'static str,
        /// `x`, `y` or `z`.
        axis: char,
    },
    /// Too much along one direction.
    #[error("a {what} has {found} {members} along {axis}, more than the {most} of gpu-{what}")]
    Extent {
        /// `grid` or `block`.
        what: &'static str,
        /// What is counted, `blocks` or `threads`.
        members: &'static str,
        /// `x`, `y` or `z`.
        axis: char,
        /// How much there is.
        found: u64,
        /// How much there may be.
        most: u32,
    },
    /// Too many threads of a block.
    #[error("a block has {found} threads, more than the {most} of gpu-block-threads")]
    Threads {
        /// How many there are; the greatest number for what is beyond it.
        found: u64,
        /// How many there may be.
        most: u32,
    },
    /// Too many registers of a thread.
    #[error("a thread has {found} registers, more than the {most} of gpu-thread-registers")]
    ThreadRegisters {
        /// How many there are.
        found: u32,
        /// How many there may be.
        most: u32,
    },
    /// Too many registers of a block.
    #[error("{threads} threads of a block with {each} registers each find no place in the {all} of gpu-registers")]
    Registers {
        /// The threads of the block.
        threads: u32,
        /// The registers of each.
        each: u32,
        /// The registers of a multiprocessor.
        all: u32,
    },
    /// Too much shared memory of a block.
    #[error("a block has {found} bytes of shared memory, more than the {most} of gpu-shared-most")]
    Shared {
        /// How many bytes there are.
        found: u64,
        /// How many there may be.
        most: u64,
    },
    /// The description itself leaves no place for the block; none that was read from a file does.
    #[error("no block of {threads} threads finds a place on a multiprocessor, by its {resource}")]
    NoPlace {
        /// The threads of the block.
        threads: u32,
        /// What there is too little of.
        resource: super::Resource,
    },
}

impl Gpu {
    /// The launch is possible.
    ///
    /// # Errors
    /// The first limit that it breaks: of the grid, the block, a thread's registers, a block's registers, and its
    /// shared memory.
    pub fn check_launch(&self, launch: &Launch) -> Result<(), LaunchError> {
        check_extents(["grid", "blocks"], launch.grid, self.grid)?;
        check_extents(["block", "threads"], launch.block, self.block)?;
        let found = launch.block.into_iter().fold(1, u64::saturating_mul);
        let threads = u32::try_from(found).ok().filter(|threads| *threads <= self.block_threads);
        let threads = threads.ok_or(LaunchError::Threads { found, most: self.block_threads })?;
        if launch.registers > self.thread_registers {
            return Err(LaunchError::ThreadRegisters { found: launch.registers, most: self.thread_registers });
        }
        if launch.shared_bytes > self.shared_most {
            return Err(LaunchError::Shared { found: launch.shared_bytes, most: self.shared_most });
        }
        let occupancy = self.occupancy(threads, launch.registers, launch.shared_bytes);
        match occupancy.limit {
            _ if occupancy.blocks > 0 => Ok(()),
            super::Resource::Registers => {
                Err(LaunchError::Registers { threads, each: launch.registers, all: self.registers })
            }
            resource => Err(LaunchError::NoPlace { threads, resource }),
        }
    }

    /// A block with this many bytes of shared memory is launched only after the kernel was allowed more than
    /// `shared_default`.
    pub fn needs_more_shared(&self, bytes: u64) -> bool {
        bytes > self.shared_default
    }
}

fn check_extents([what, members]: [&'static str; 2], found: [u64; 3], most: [u32; 3]) -> Result<(), LaunchError> {
    for ((axis, found), most) in ['x', 'y', 'z'].into_iter().zip(found).zip(most) {
        if found == 0 {
            return Err(LaunchError::Empty { what, axis });
        }
        if found > most.into() {
            return Err(LaunchError::Extent { what, members, axis, found, most });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: Launch = Launch { grid: [256, 256, 1], block: [32, 16, 1], registers: 64, shared_bytes: 48 << 10 };

    fn refusal(launch: Launch) -> String {
        Gpu::preset("sm_80").unwrap().check_launch(&launch).unwrap_err().to_string()
    }

    #[test]
    fn launches_up_to_the_limits_are_possible() {
        let gpu = Gpu::preset("sm_80").unwrap();
        let largest = Launch {
            grid: [2_147_483_647, 65_535, 65_535],
            block: [16, 1, 64],
            registers: 64,
            shared_bytes: 163 << 10,
        };
        for launch in [GOOD, largest, Launch { block: [1024, 1, 1], ..GOOD }, Launch { registers: 0, ..GOOD }] {
            assert_eq!(gpu.check_launch(&launch), Ok(()), "{launch:?}");
        }
        assert!(!gpu.needs_more_shared(48 << 10) && gpu.needs_more_shared((48 << 10) + 1));
    }

    #[test]
    fn limits_are_named() {
        assert_eq!(
            refusal(Launch { grid: [1, 65_536, 1], ..GOOD }),
            "a grid has 65536 blocks along y, more than the 65535 of gpu-grid"
        );
        assert_eq!(
            refusal(Launch { grid: [1 << 31, 1, 1], ..GOOD }),
            "a grid has 2147483648 blocks along x, more than the 2147483647 of gpu-grid"
        );
        assert_eq!(
            refusal(Launch { block: [1, 1, 65], ..GOOD }),
            "a block has 65 threads along z, more than the 64 of gpu-block"
        );
        assert_eq!(
            refusal(Launch { block: [32, 33, 1], ..GOOD }),
            "a block has 1056 threads, more than the 1024 of gpu-block-threads"
        );
        assert_eq!(
            refusal(Launch { registers: 256, ..GOOD }),
            "a thread has 256 registers, more than the 255 of gpu-thread-registers"
        );
        assert_eq!(
            refusal(Launch { block: [1024, 1, 1], registers: 65, ..GOOD }),
            "1024 threads of a block with 65 registers each find no place in the 65536 of gpu-registers"
        );
        assert_eq!(
            refusal(Launch { shared_bytes: (163 << 10) + 1, ..GOOD }),
            "a block has 166913 bytes of shared memory, more than the 166912 of gpu-shared-most"
        );
    }

    #[test]
    fn nothing_and_too_much_are_refused() {
        assert_eq!(
            refusal(Launch { grid: [1, 1, 0], ..GOOD }),
            "a grid has nothing along z: each extent is at least 1"
        );
        assert_eq!(
            refusal(Launch { block: [0, 1, 1], ..GOOD }),
            "a block has nothing along x: each extent is at least 1"
        );
        let wide = Gpu { block: [u32::MAX; 3], ..Gpu::preset("sm_80").unwrap() };
        let all = Launch { block: [u32::MAX.into(); 3], ..GOOD };
        assert_eq!(wide.check_launch(&all), Err(LaunchError::Threads { found: u64::MAX, most: 1024 }));
        let contradiction = Gpu { resident_threads: 0, ..Gpu::preset("sm_80").unwrap() };
        let refused = contradiction.check_launch(&GOOD).unwrap_err().to_string();
        assert_eq!(refused, "no block of 512 threads finds a place on a multiprocessor, by its threads");
    }
}
