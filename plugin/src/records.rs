//! Records of our own, in the folder that the environment variable `POLYRS_RECORDS` names (docs/records.md).

use llvm_sys::prelude::LLVMModuleRef;
use polyrs_interface::{ARGUMENT, RECORDS, Sink, Text};

use polyrs_plugin_host::raw::{self as host, PolyLlvmRecords};

/// Records that are being written, until this is dropped.
pub struct Records {
    open: *mut PolyLlvmRecords,
}

impl Records {
    /// Begins to write records of what is done to a module, if the environment asks for them.
    ///
    /// # Errors
    /// Why the folder cannot be written to.
    ///
    /// # Safety
    /// The module is alive until this is dropped.
    pub unsafe fn open(module: LLVMModuleRef) -> Result<Self, String> {
        let none = Self { open: std::ptr::null_mut() };
        let Some(folder) = std::env::var_os(RECORDS).filter(|folder| !folder.is_empty()) else { return Ok(none) };
        let Some(folder) = folder.to_str() else { return Err(format!("{RECORDS}: the name of the folder is no text")) };
        let mut error = String::new();
        // SAFETY: passed on to the caller; the texts live during the call.
        let open = unsafe {
            let (pass, folder) = (Text::new(ARGUMENT), Text::new(folder));
            host::polyHostLlvmOpenRecords(module, pass, folder, Sink::into_string(&mut error))
        };
        if error.is_empty() { Ok(Self { open }) } else { Err(format!("{RECORDS}: {error}")) }
    }
}

impl Drop for Records {
    fn drop(&mut self) {
        if !self.open.is_null() {
            // SAFETY: they are open, and closed once.
            unsafe { host::polyHostLlvmCloseRecords(self.open) }
        }
    }
}
