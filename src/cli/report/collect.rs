//! Finding records in files and folders, and what is known of the compilations that wrote them.

use super::bitstream::{is_binary, to_yaml};
use super::record::Record;
use super::yaml::records;
use crate::failure::Failure;
use polyrs::text_file::why;
use std::fs;
use std::path::{Path, PathBuf};

/// The records of one compilation.
#[derive(Debug)]
pub struct Compilation {
    /// The file that they are from.
    pub file: PathBuf,
    /// The records of our pass.
    pub records: Vec<Record>,
    /// The folder that the compiler ran in, if that is known.
    pub folder: Option<PathBuf>,
    /// How long the pass took, in milliseconds of the processor, if that is known.
    pub milliseconds: Option<u64>,
}

/// The name of the pass in records.
const PASS: &str = "poly-schedule";

/// How names of records end; the second form is binary.
const ENDS: [&str; 2] = [".opt.yaml", ".opt.bitstream"];

/// Deeper folders are not looked at: links may go in circles.
const MOST_LEVELS: usize = 64;

/// Reads files of records, and all that are in folders, in the order of their names. Binary ones are read with the LLVM that is
/// installed to `llvm`.
pub fn read(places: &[PathBuf], llvm: &Path) -> Result<Vec<Compilation>, Failure> {
    let mut files = Vec::new();
    for place in places {
        if place.is_dir() {
            find(place, 0, &mut files)
                .map_err(|error| Failure::Input(format!("error: {}: {}", place.display(), why(&error))))?;
        } else {
            files.push(place.clone());
        }
    }
    files.dedup();
    files.iter().map(|file| read_one(file, Some(llvm))).collect()
}

/// Reads what compilers wrote to a folder. A compiler that was stopped leaves what nobody can read, and a notice says
/// so.
pub fn read_written(folder: &Path) -> Result<(Vec<Compilation>, Vec<String>), Failure> {
    let mut files = Vec::new();
    find(folder, 0, &mut files)
        .map_err(|error| Failure::Input(format!("error: {}: {}", folder.display(), why(&error))))?;
    let (mut compilations, mut notices) = (Vec::new(), Vec::new());
    for file in files {
        match read_one(&file, None) {
            Ok(compilation) => compilations.push(compilation),
            Err(failure) => notices.push(format!("Records that are left out: {failure}")),
        }
    }
    Ok((compilations, notices))
}

/// Adds the files of records in a folder.
fn find(folder: &Path, level: usize, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if ENDS.iter().any(|end| path.to_string_lossy().ends_with(end)) {
            found.push(path);
        } else if entry.file_type()?.is_dir() && level < MOST_LEVELS {
            find(&path, level + 1, found)?;
        }
    }
    Ok(())
}

/// `llvm`: where the reader of binary records is, if there may be some.
fn read_one(file: &Path, llvm: Option<&Path>) -> Result<Compilation, Failure> {
    let wrong = |what: String| Failure::Input(format!("error: {}:{what}", file.display()));
    let bytes = fs::read(file).map_err(|error| wrong(format!(" {}", why(&error))))?;
    let text = match llvm.filter(|_| is_binary(&bytes)) {
        Some(llvm) => to_yaml(file, llvm).map_err(wrong)?,
        None => String::from_utf8_lossy(&bytes).into_owned(),
    };
    let mut records = records(&text).map_err(|error| wrong(error.to_string()))?;
    records.retain(|record| record.pass == PASS);
    let about = fs::read_to_string(about(file)).unwrap_or_default();
    let mut lines = about.lines();
    let folder = lines.next().map(PathBuf::from);
    // The second line has the name of the source.
    let milliseconds = lines.nth(1).and_then(|line| line.parse().ok());
    Ok(Compilation { file: file.to_owned(), records, folder, milliseconds })
}

/// The file with what the plugin says of the compilation (docs/records.md).
fn about(file: &Path) -> PathBuf {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let stem = ENDS.iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name);
    file.with_file_name(format!("{}.folder", stem))
}

#[cfg(test)]
mod tests {
    use super::{read, read_written};
    use std::fs;
    use std::path::Path;

    const RECORD: &str = "--- !Passed\nPass: poly-schedule\nName: Scheduled\nFunction: f\n...\n";

    #[test]
    fn folders_are_searched_and_faults_have_a_place() {
        let folder = std::env::temp_dir().join(format!("polyrs-collect-{}", std::process::id()));
        fs::create_dir_all(folder.join("deep")).unwrap();
        fs::write(folder.join("a.opt.yaml"), RECORD.replace("poly-schedule", "inline")).unwrap();
        fs::write(folder.join("deep/b.opt.yaml"), RECORD).unwrap();
        fs::write(folder.join("deep/b.folder"), "/where\nb.c\n17\n").unwrap();
        fs::write(folder.join("other.yaml"), "nothing").unwrap();
        let all = read(std::slice::from_ref(&folder), Path::new("/nowhere")).unwrap();
        let counts: Vec<usize> = all.iter().map(|one| one.records.len()).collect();
        assert_eq!(counts, [0, 1]);
        assert_eq!((all[1].folder.as_deref(), all[1].milliseconds), (Some("/where".as_ref()), Some(17)));
        assert!(all[0].folder.is_none() && all[0].milliseconds.is_none());
        fs::write(folder.join("bad.opt.yaml"), "--- !Passed\nName: n\n").unwrap();
        let error = read(std::slice::from_ref(&folder), Path::new("/nowhere")).unwrap_err().to_string();
        assert!(error.ends_with("bad.opt.yaml:1: the record has no `Pass`"), "{error}");
        let (rest, notices) = read_written(&folder).unwrap();
        assert_eq!((rest.len(), notices.len()), (2, 1));
        fs::write(folder.join("bad.opt.bitstream"), b"RMRK\0\0").unwrap();
        let error = read(&[folder.join("bad.opt.bitstream")], Path::new("/nowhere")).unwrap_err().to_string();
        // With a reader or without, it is told which file it is.
        assert!(error.contains("bad.opt.bitstream: ") && error.contains("llvm-remarkutil-22"), "{error}");
        fs::remove_dir_all(&folder).unwrap();
    }
}
