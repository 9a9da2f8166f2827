//! How kernels are emitted.

use polyrs_core::machine::Offload;

/// How kernels are emitted.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub struct Device {
    /// Where their buffers are.
    pub memory: DeviceMemory,
    /// Whether the original stays beside them, for where they cannot run.
    pub keep_original: bool,
    /// What things cost, where that decides whether kernels or the original run.
    pub offload: Option<Offload>,
}

/// Where the buffers of kernels are.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum DeviceMemory {
    /// On the host: kernels work on copies.
    #[default]
    Copied,
    /// On the device already, or where it can access them.
    Resident,
}
