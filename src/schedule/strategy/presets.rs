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

/// The file of a preset.
pub(super) fn text(name: &str) -> Option<&'static str> {
    PRESETS.iter().find(|(other, _)| *other == name).map(|(_, text)| *text)
}
