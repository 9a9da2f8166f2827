//! What README.md tells users of packages to type: the tests type it, too.

use crate::command::tail;
use crate::project::Project;
use anyhow::{Context, Result, bail};

/// The page that begins with the package, whose commands are typed as well.
pub const FIRST_PAGE: &str = "docs/first-ten-minutes.md";

/// The heading of the section.
const HEADING: &str = "## As a package";

/// What a program prints that found its result right.
const RIGHT: &str = "the product is right";

/// The commands.
pub struct Commands {
    /// What installs the package and the compilers.
    pub install: String,
    /// What compiles and runs an example for each host.
    pub examples: Vec<Example>,
}

/// An example for one host.
pub struct Example {
    /// Its name, from the comment before it.
    pub name: String,
    /// What is typed, without what all of them begin with.
    pub commands: String,
}

impl Example {
    /// Whether what was said shows that the plugin took the loops, and that the program ran and found its results
    /// right.
    ///
    /// # Errors
    /// What is missing.
    pub fn judge(&self, said: &str) -> Result<()> {
        let is_taken = |line: &str| ["remark: ", "scop: ", "product", "tiled=1"].iter().all(|word| line.contains(word));
        if !said.lines().any(is_taken) {
            bail!("{}: no remark says that the loops were taken:\n{}", self.name, tail(said, 15));
        }
        if !said.lines().any(|line| line == RIGHT) {
            bail!("{}: the program did not find its result right:\n{}", self.name, tail(said, 15));
        }
        Ok(())
    }
}

/// Reads them.
///
/// # Errors
/// When README.md cannot be read, or has no such section.
pub fn commands(project: &Project) -> Result<Commands> {
    let file = project.root.join("README.md");
    let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    parse(&text).with_context(|| file.display().to_string())
}

/// The first block of the section installs, the second one has the examples.
fn parse(text: &str) -> Result<Commands> {
    let lines = text.lines().skip_while(|line| *line != HEADING).skip(1);
    let section: Vec<&str> = lines.take_while(|line| !line.starts_with("## ")).collect();
    let mut blocks = blocks(&section).into_iter();
    let (Some(install), Some(examples)) = (blocks.next(), blocks.next()) else {
        bail!("the section `{HEADING}` should have two blocks of commands");
    };
    Ok(Commands { install: install.join("\n"), examples: split(&examples)? })
}

/// Runs of indented lines.
fn blocks<'a>(lines: &[&'a str]) -> Vec<Vec<&'a str>> {
    let mut blocks: Vec<Vec<&str>> = Vec::new();
    let mut inside = false;
    for line in lines {
        let code = line.strip_prefix("    ");
        match (code, blocks.last_mut()) {
            (Some(code), Some(block)) if inside => block.push(code),
            (Some(code), _) => blocks.push(vec![code]),
            (None, _) => {}
        }
        inside = code.is_some();
    }
    blocks
}

/// Each begins with a comment that names it.
fn split(lines: &[&str]) -> Result<Vec<Example>> {
    let mut examples: Vec<Example> = Vec::new();
    for line in lines {
        if let Some(name) = line.strip_prefix("# ") {
            examples.push(Example { name: name.to_owned(), commands: String::new() });
        } else {
            let example = examples.last_mut().with_context(|| format!("`{line}` should follow a comment"))?;
            example.commands.push_str(line);
            example.commands.push('\n');
        }
    }
    Ok(examples)
}

#[cfg(test)]
mod tests {
    use super::{HEADING, commands, parse};
    use crate::project::Project;

    #[test]
    fn commands_are_read() {
        let text = format!(
            "# x\n\n    no\n\n{HEADING}\n\nSo:\n\n    a\n    b\n\nand\n\n    # C\n    c 1\n    c 2\n    # D\n    d\n\n## y\n\n    no\n"
        );
        let found = parse(&text).unwrap();
        assert_eq!(found.install, "a\nb");
        let examples: Vec<(&str, &str)> =
            found.examples.iter().map(|it| (it.name.as_str(), it.commands.as_str())).collect();
        assert_eq!(examples, [("C", "c 1\nc 2\n"), ("D", "d\n")]);
        assert!(parse("# x\n\n    a\n").is_err());
    }

    #[test]
    fn the_readme_has_an_example_for_each_host() {
        let found = commands(&Project::find().unwrap()).unwrap();
        let names: Vec<&str> = found.examples.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["C", "Fortran", "MLIR", "CMake"]);
        assert!(found.install.contains(concat!("/polyrs_", env!("CARGO_PKG_VERSION"), "_amd64.deb ")));
    }
}
