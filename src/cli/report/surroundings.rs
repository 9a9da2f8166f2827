//! What compilers are told, by way of their environment, so that they write records.

use crate::doctor::installed_plugin;
use crate::failure::Failure;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the plugin writes records (docs/records.md).
const RECORDS: &str = "POLYRS_RECORDS";

/// What changes the options of clang, and of flang, in this order.
const OVERRIDES: [&str; 2] = ["CCC_OVERRIDE_OPTIONS", "FCC_OVERRIDE_OPTIONS"];

/// A remark of no pass: whoever asks for some has the compiler keep track of lines, which changes no code.
const LINES: &str = "-Rpass-analysis=^polyrs-report$";

/// A folder for records, which is empty at first and goes away in the end unless it is to be kept.
pub struct Folder {
    path: PathBuf,
    is_kept: bool,
}

impl Folder {
    /// The folder to keep, or one of its own.
    pub fn new(kept: Option<&Path>) -> Result<Self, Failure> {
        let own = || std::env::temp_dir().join(format!("polyrs-report-{}", std::process::id()));
        let path = kept.map_or_else(own, Path::to_owned);
        let fail = |what: &str| Failure::Input(format!("error: {}: {what}", path.display()));
        fs::create_dir_all(&path).map_err(|error| fail(&error.to_string()))?;
        let mut entries = fs::read_dir(&path).map_err(|error| fail(&error.to_string()))?;
        if entries.next().is_some() {
            return Err(fail("the folder is not empty: old records would be in the report"));
        }
        let path = path.canonicalize().map_err(|error| fail(&error.to_string()))?;
        Ok(Folder { path, is_kept: kept.is_some() })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !self.is_kept {
            // What is left of it is in the folder for temporary files.
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

/// The environment of compilers.
pub struct Surroundings {
    records: PathBuf,
    /// The plugin, if it is to be added.
    plugin: Option<PathBuf>,
}

impl Surroundings {
    /// With the plugin that is asked for, or the one that is installed with this command; without one, compilers have
    /// to load it by themselves.
    pub fn new(asked: Option<&Path>, folder: &Folder) -> Result<Self, Failure> {
        let plugin = installed_plugin(asked);
        let plugin = match (plugin, asked) {
            (None, Some(file)) => {
                let help = "give --plugin the file libpolyrs.so, which has libpolyrs_mlir.so beside it";
                return Err(Failure::Input(format!("error: {}: there is no plugin\nhelp: {help}", file.display())));
            }
            (None, None) => {
                eprintln!("note: the plugin was not found, so the build has to load it itself (or say --plugin FILE)");
                None
            }
            (Some(plugin), _) => Some(without_blanks(plugin, folder)?),
        };
        Ok(Surroundings { records: folder.path().to_owned(), plugin })
    }

    /// Sets what a command and all that it starts are told.
    pub fn apply(&self, command: &mut Command) {
        command.env(RECORDS, &self.records);
        for variable in OVERRIDES {
            command.env(variable, self.edits(std::env::var_os(variable)));
        }
    }

    /// Edits of command lines, behind those that somebody else asks for.
    fn edits(&self, known: Option<OsString>) -> OsString {
        // The first character says that edits are not told on standard error, which builds may look at.
        let mut edits = known.filter(|known| !known.is_empty()).unwrap_or_else(|| "#".into());
        let mut add = |edit: &str| {
            edits.push(" ");
            edits.push(edit);
        };
        if let Some(plugin) = &self.plugin {
            let load = format!("-fpass-plugin={}", plugin.display());
            // Who has the plugin already gets this one, once.
            add(&format!("s/^-fpass-plugin=.*libpolyrs[.]so$/{load}/"));
            add(&format!("x{load}"));
            add(&format!("+{load}"));
        }
        add(&format!("+{LINES}"));
        // Of those that only link, or stop at preprocessing.
        add("+-Qunused-arguments");
        edits
    }
}

/// A name for a plugin that has no blanks in it, between which edits stand.
fn without_blanks(plugin: PathBuf, folder: &Folder) -> Result<PathBuf, Failure> {
    let has_blanks = |path: &Path| path.to_str().is_none_or(|text| text.contains(char::is_whitespace));
    if !has_blanks(&plugin) {
        return Ok(plugin);
    }
    let link = folder.path().join("libpolyrs.so");
    if has_blanks(&link) {
        let what =
            "compilers cannot be told of a plugin whose path has blanks, where that for temporary files has some, too";
        return Err(Failure::Input(format!("error: {}: {what}", plugin.display())));
    }
    std::os::unix::fs::symlink(&plugin, &link)
        .map_err(|error| Failure::Failed(format!("error: {}: {error}", link.display())))?;
    Ok(link)
}

#[cfg(test)]
mod tests {
    use super::{Folder, Surroundings, without_blanks};
    use std::path::PathBuf;

    #[test]
    fn edits_add_the_plugin_once_behind_those_of_others() {
        let of = |plugin: Option<&str>| Surroundings { records: "/r".into(), plugin: plugin.map(PathBuf::from) };
        let lines = "+-Rpass-analysis=^polyrs-report$ +-Qunused-arguments";
        assert_eq!(of(None).edits(None), *format!("# {lines}"));
        let all = format!(
            "+-g s/^-fpass-plugin=.*libpolyrs[.]so$/-fpass-plugin=/p/libpolyrs.so/ x-fpass-plugin=/p/libpolyrs.so \
             +-fpass-plugin=/p/libpolyrs.so {lines}"
        );
        assert_eq!(of(Some("/p/libpolyrs.so")).edits(Some("+-g".into())), *all);
    }

    #[test]
    fn a_plugin_in_a_folder_with_blanks_gets_another_name() {
        let kept = std::env::temp_dir().join(format!("polyrs-surroundings-{}", std::process::id()));
        let folder = Folder::new(Some(&kept)).unwrap();
        assert_eq!(without_blanks("/p/libpolyrs.so".into(), &folder).unwrap(), PathBuf::from("/p/libpolyrs.so"));
        let link = without_blanks("/p q/libpolyrs.so".into(), &folder).unwrap();
        assert_eq!(link.read_link().unwrap(), PathBuf::from("/p q/libpolyrs.so"));
        assert!(Folder::new(Some(&kept)).is_err_and(|error| error.to_string().contains("not empty")));
        std::fs::remove_dir_all(&kept).unwrap();
    }
}
