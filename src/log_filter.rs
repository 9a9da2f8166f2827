//! The environment variable that says what is logged.

/// Its name.
pub const VARIABLE: &str = "POLYRS_LOG";

/// The levels, from few words to many.
const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// What is wrong with a value of the variable, with what would help. Whoever reads logs says so and goes on without: no
/// log is worth a build.
pub fn complaint(value: &str) -> Option<String> {
    let wrong = value.split(',').map(str::trim).filter(|part| !part.is_empty()).find(|part| !is_known(part))?;
    let levels = LEVELS.join(", ");
    Some(format!("{VARIABLE}: '{wrong}' is no level ({levels}) and no part of polyrs such as polyrs::isl=trace"))
}

/// A level, or a module of ours with one behind it or not.
fn is_known(part: &str) -> bool {
    let is_level = |word: &str| LEVELS.iter().any(|level| word.eq_ignore_ascii_case(level));
    let is_ours = |name: &str| name == "polyrs" || name.starts_with("polyrs_") || name.starts_with("polyrs::");
    match part.split_once('=') {
        // A filter on spans and fields is the filter's own to judge.
        _ if part.contains('[') && part.contains(']') => true,
        Some((name, level)) => is_ours(name) && is_level(level),
        None => is_level(part) || is_ours(part),
    }
}

#[cfg(test)]
mod tests {
    use super::complaint;

    #[test]
    fn levels_and_parts_are_known() {
        for good in ["", "debug", "DEBUG", "warn,polyrs::isl=trace", "polyrs_core=info", "polyrs", "[region]=debug"] {
            assert_eq!(complaint(good), None, "{good}");
        }
        for bad in ["loud", "polyrs=loud", "isl=trace", "debug,a=b=c", "a[b", "1"] {
            let said = complaint(bad).unwrap();
            assert!(said.contains("polyrs::isl=trace"), "{bad}: {said}");
        }
    }
}
