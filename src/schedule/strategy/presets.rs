//! The strategies of papers, each a file of its own.

/// Their names and files. A file that begins with another one comes after it.
const PRESETS: [(&str, &str); 7] = [
    ("isl-defaults", include_str!("presets/isl-defaults.toml")),
    ("ppcg", include_str!("presets/ppcg.toml")),
    ("pluto", include_str!("presets/pluto.toml")),
    ("pluto-lp-dfp", include_str!("presets/pluto-lp-dfp.toml")),
    ("feautrier", include_str!("presets/feautrier.toml")),
    ("unified-cpu", include_str!("presets/unified-cpu.toml")),
    ("unified-gpu", include_str!("presets/unified-gpu.toml")),
];

/// Their names.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    PRESETS.iter().map(|(name, _)| *name)
}

/// Presets for a target have its name behind theirs.
const TARGETS: [&str; 2] = ["-cpu", "-gpu"];

/// Their names without those of targets, each once.
pub(super) fn families() -> impl Iterator<Item = &'static str> {
    let family = |name: &'static str| TARGETS.iter().find_map(|target| name.strip_suffix(target)).unwrap_or(name);
    let all: Vec<&str> = names().map(family).collect();
    (0..all.len()).filter(|&i| !all[..i].contains(&all[i])).map(|i| all[i]).collect::<Vec<_>>().into_iter()
}

/// The file of a preset.
pub(super) fn text(name: &str) -> Option<&'static str> {
    PRESETS.iter().find(|(other, _)| *other == name).map(|(_, text)| *text)
}
