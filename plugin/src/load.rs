//! The library with the optimizer: found beside the plugin, and loaded once.

use std::ffi::{CStr, OsStr};
use std::fmt::Display;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use libloading::os::unix::{Library, RTLD_LAZY, RTLD_LOCAL};
use polyrs_interface::{LIBRARY, SYMBOL, Table, TableFunction, VERSION};

/// The file of the plugin, as the compiler named it. That may be relative to the folder that the compiler was started
/// in, so it is asked for early.
static PLUGIN: OnceLock<Option<PathBuf>> = OnceLock::new();

static TABLE: OnceLock<Result<&'static Table, String>> = OnceLock::new();

/// Remembers where the plugin is. Called when it is loaded.
pub fn remember() {
    PLUGIN.get_or_init(|| std::path::absolute(own_file()?).ok());
}

/// The table of the library with the optimizer. It is loaded by the first call, and stays.
///
/// # Errors
/// That it is not there, cannot be loaded, or is of another version.
pub fn table() -> Result<&'static Table, String> {
    TABLE.get_or_init(load).clone()
}

fn load() -> Result<&'static Table, String> {
    remember();
    let plugin = PLUGIN.get().and_then(Option::as_ref).ok_or("cannot tell where libpolyrs.so is")?;
    let file = beside(plugin).ok_or_else(|| {
        format!("there is no {LIBRARY} beside {}; both files must come from one installation", plugin.display())
    })?;
    let told = |problem: &dyn Display| {
        // The loader's words begin with the file.
        let (file, problem) = (file.display().to_string(), problem.to_string());
        let words = problem.strip_prefix(&format!("{file}: ")).unwrap_or(&problem);
        format!("cannot load {file}: {words}; {}", help(words))
    };
    // Its symbols are nobody else's. It is linked to have all it needs looked up at once, and fails here if something
    // is missing; MLIR's own 26,000 symbols are looked up as they are needed, which saves half of the time. SAFETY:
    // what runs when the library is loaded is ours and MLIR's.
    let library = unsafe { Library::open(Some(&file), RTLD_LAZY | RTLD_LOCAL) }.map_err(|error| told(&error))?;
    // SAFETY: the function of that name is of that type in every version.
    let function =
        *unsafe { library.get::<TableFunction>(SYMBOL.to_bytes_with_nul()) }.map_err(|error| told(&error))?;
    // It stays loaded.
    std::mem::forget(library);
    let table = function();
    let version = table.version.to_text();
    if version != VERSION {
        return Err(told(&format_args!("it is of version {version}, and libpolyrs.so of version {VERSION}")));
    }
    Ok(table)
}

/// What would help where the library cannot be loaded.
fn help(words: &str) -> &'static str {
    if words.contains("libMLIR") {
        "Debian's package libmlir-22 has MLIR's library"
    } else if words.contains("static TLS") {
        "GLIBC_TUNABLES=glibc.rtld.optional_static_tls=4096 gives the loader more room"
    } else {
        "both files must come from one installation (`polyrs doctor` tells more)"
    }
}

/// The file with the optimizer: beside the plugin, or beside what the plugin is a link to.
fn beside(plugin: &Path) -> Option<PathBuf> {
    let real = plugin.canonicalize().ok();
    let files = std::iter::once(plugin).chain(real.as_deref()).map(|file| file.with_file_name(LIBRARY));
    files.into_iter().find(|file| file.exists())
}

/// The file that this code was loaded from.
fn own_file() -> Option<PathBuf> {
    let mut found = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    let here: *const OnceLock<Option<PathBuf>> = &raw const PLUGIN;
    // SAFETY: any address may be asked for, and there is room for the answer.
    let known = unsafe { libc::dladdr(here.cast(), &raw mut found) };
    if known == 0 || found.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the loader's text ends with a zero, and lives while the plugin is loaded.
    let name = unsafe { CStr::from_ptr(found.dli_fname) };
    Some(PathBuf::from(OsStr::from_bytes(name.to_bytes())))
}
