//! The kernels of a suite: one TOML file each, beside the programs.

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use std::path::Path;

/// A program with a kernel, and the sizes it is run at. The files have more, for the checks of the programs themselves.
#[derive(Deserialize, Clone, Debug, PartialEq)]
pub struct Kernel {
    /// Its name; the programs are `<name>.mlir` and `../c/<name>.c`.
    pub name: String,
    /// Names of the sizes, in the order of the values below.
    pub sizes: Vec<String>,
    /// Sizes for tests, tiny.
    pub mini: Vec<u64>,
    /// Sizes for tests: several tiles in each dimension, none of them whole.
    pub small: Vec<u64>,
    /// Sizes for benchmarks whose data caches hold; none where nobody measures at such sizes.
    #[serde(default)]
    pub medium: Vec<u64>,
    /// Sizes for benchmarks.
    pub large: Vec<u64>,
    /// What the arrays hold.
    #[serde(rename = "type")]
    pub element: Element,
}

/// The type of an array's elements.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Element {
    /// Double precision.
    F64,
    /// Single precision.
    F32,
    /// 32-bit integers.
    I32,
    /// 64-bit integers.
    I64,
}

/// Which of a kernel's sizes to run at.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// Tiny, for tests
    Mini,
    /// Several tiles, for tests
    Small,
    /// PolyBench's MEDIUM: caches hold the data
    Medium,
    /// As benchmarks have it
    Large,
}

impl Size {
    /// The macro that gives a C program these sizes.
    pub fn c_macro(self) -> &'static str {
        match self {
            Self::Mini => "TEST_MINI",
            Self::Small => "TEST_SMALL",
            Self::Medium => "MEDIUM_DATASET",
            Self::Large => "LARGE_DATASET",
        }
    }
}

impl Kernel {
    /// The values of the sizes.
    pub fn values(&self, size: Size) -> &[u64] {
        match size {
            Size::Mini => &self.mini,
            Size::Small => &self.small,
            Size::Medium => &self.medium,
            Size::Large => &self.large,
        }
    }

    /// The harness's argument that sets the sizes of an MLIR program; none where all shapes are static.
    pub fn sizes_argument(&self, size: Size) -> Option<String> {
        let values: Vec<String> = self.values(size).iter().map(u64::to_string).collect();
        (!values.is_empty()).then(|| format!("--sizes={}", values.join(",")))
    }

    /// The name of the function that holds the kernel.
    pub fn function(&self) -> String {
        format!("kernel_{}", self.name.replace('-', "_"))
    }

    fn parse(text: &str) -> Result<Self> {
        let kernel: Self = toml::from_str(text)?;
        for size in [Size::Mini, Size::Small, Size::Medium, Size::Large] {
            let is_missing = size == Size::Medium && kernel.medium.is_empty();
            ensure!(
                is_missing || kernel.values(size).len() == kernel.sizes.len(),
                "{} sizes are named, {size:?} has {}",
                kernel.sizes.len(),
                kernel.values(size).len()
            );
        }
        Ok(kernel)
    }
}

/// Reads all kernels of a suite, sorted by name.
///
/// # Errors
/// When the folder or a file cannot be read, or holds no kernel.
pub fn read_all(suite: &Path) -> Result<Vec<Kernel>> {
    let folder = suite.join("kernels");
    let mut kernels = Vec::new();
    for entry in std::fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let text = std::fs::read_to_string(&path)?;
        let kernel = Kernel::parse(&text).with_context(|| path.display().to_string())?;
        ensure!(
            path.file_stem().is_some_and(|stem| stem == kernel.name.as_str()),
            "{}: the kernel's name is {}",
            path.display(),
            kernel.name
        );
        kernels.push(kernel);
    }
    ensure!(!kernels.is_empty(), "{} holds no kernel", folder.display());
    kernels.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(kernels)
}

/// Keeps the kernels that are asked for by name; all if none is.
///
/// # Errors
/// When a name is not a kernel's.
pub fn choose(kernels: Vec<Kernel>, names: &[String]) -> Result<Vec<Kernel>> {
    if let Some(unknown) = names.iter().find(|name| kernels.iter().all(|kernel| kernel.name != **name)) {
        let known: Vec<&str> = kernels.iter().map(|kernel| kernel.name.as_str()).collect();
        bail!("there is no kernel `{unknown}`; there are {}", known.join(", "));
    }
    Ok(kernels.into_iter().filter(|kernel| names.is_empty() || names.contains(&kernel.name)).collect())
}

#[cfg(test)]
mod tests {
    use super::{Element, Kernel, Size, choose};

    const GEMM: &str = r#"
        name = "gemm"
        sizes = ["NI", "NJ"]
        mini = [19, 23]
        small = [61, 71]
        large = [1000, 1100]
        type = "f64"
    "#;

    #[test]
    fn a_kernel_is_read() {
        let kernel = Kernel::parse(GEMM).unwrap();
        assert_eq!(kernel.element, Element::F64);
        assert_eq!(kernel.sizes_argument(Size::Mini).as_deref(), Some("--sizes=19,23"));
        let shapes = Kernel { sizes: Vec::new(), mini: Vec::new(), ..kernel.clone() };
        assert_eq!(shapes.sizes_argument(Size::Mini), None);
        assert_eq!(Kernel { name: "heat-3d".into(), ..kernel }.function(), "kernel_heat_3d");
    }

    #[test]
    fn a_missing_size_and_a_missing_key_are_errors() {
        assert!(Kernel::parse(&GEMM.replace("[61, 71]", "[61]")).is_err());
        assert!(Kernel::parse(&GEMM.replace("mini = [19, 23]", "")).is_err());
    }

    #[test]
    fn kernels_are_chosen_by_name() {
        let kernels = || vec![Kernel::parse(GEMM).unwrap()];
        assert_eq!(choose(kernels(), &[]).unwrap().len(), 1);
        assert_eq!(choose(kernels(), &["gemm".into()]).unwrap().len(), 1);
        assert!(choose(kernels(), &["gem".into()]).is_err());
    }
}
