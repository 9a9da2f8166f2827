//! The library with the optimizer: found beside the plugin, and loaded once.

use std::ffi::{CStr, CString, OsStr, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

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
    let file = beside(plugin)
        .ok_or_else(|| format!("there is no {LIBRARY} in the folder of {}, which needs it", plugin.display()))?;
    let told = |problem: &str| format!("cannot load {}: {problem}", file.display());
    let name = CString::new(file.as_os_str().as_bytes()).map_err(|_| told("a zero in its name"))?;
    // Its symbols are nobody else's. It is linked to have all it needs looked up at once, and fails here if something
    // is missing; MLIR's own 26,000 symbols are looked up as they are needed, which saves half of the time. SAFETY: a
    // name that ends with a zero; what runs when the library is loaded is ours and MLIR's.
    let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_LOCAL) };
    if library.is_null() {
        return Err(told(&last_error()));
    }
    // SAFETY: the library stays loaded, and the name ends with a zero.
    let symbol = unsafe { libc::dlsym(library, SYMBOL.as_ptr()) };
    if symbol.is_null() {
        return Err(told(&last_error()));
    }
    // SAFETY: the function of that name is of that type in every version.
    let function: TableFunction = unsafe { std::mem::transmute::<*mut c_void, TableFunction>(symbol) };
    let table = function();
    let version = table.version.to_text();
    if version != VERSION {
        return Err(told(&format!("it is of version {version}, and libpolyrs.so of version {VERSION}")));
    }
    Ok(table)
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

/// The loader's message.
fn last_error() -> String {
    // SAFETY: the text is the loader's, of this thread, and copied before the loader is called again.
    let text = unsafe { libc::dlerror() };
    if text.is_null() {
        return "the loader does not say why".to_owned();
    }
    // SAFETY: as above; it ends with a zero.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
