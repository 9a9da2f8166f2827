//! The same loops in many styles of real code: written once in a neutral notation (`test/styles`), printed in each
//! style, compiled with and without the plugin, and compared.

mod bridge;
mod c;
mod c_storage;
mod driver;
mod expression;
mod forms;
mod fortran;
pub mod notation;
pub mod program;
pub mod raised;
mod read;
mod sections;
#[cfg(test)]
mod tests;
mod walk;

pub use forms::{Language, STYLES, Style};

use crate::project::files;
use anyhow::{Context, Result, ensure};
use notation::{Kernel, Order};
use std::path::Path;

/// Where the kernels are.
pub const FOLDER: &str = "test/styles";

/// The kernels of a folder, in the order of their names.
///
/// # Errors
/// When a file cannot be read or is no kernel.
pub fn read_all(folder: &Path) -> Result<Vec<Kernel>> {
    let mut kernels = Vec::new();
    for file in files(folder, "loops")? {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&file)?;
        kernels.push(read::kernel(&name, &text).with_context(|| file.display().to_string())?);
    }
    ensure!(!kernels.is_empty(), "{} has no kernels", folder.display());
    Ok(kernels)
}

/// The texts of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sources {
    /// The function, a file of its own.
    pub kernel: String,
    /// The Fortran that lies between, for styles of Fortran.
    pub bridge: Option<String>,
    /// What calls it.
    pub driver: String,
}

/// The texts of an order in a style; none where the style has nothing of its own to say about it.
pub fn sources(kernel: &Kernel, order: &Order, style: &Style, small: bool) -> Option<Sources> {
    let numbers = driver::Numbers { kernel, small };
    match *style {
        Style::C(_, language, form) => Some(Sources {
            kernel: c::source(kernel, order, language, form, small)?,
            bridge: None,
            driver: driver::of_c(numbers, language, form),
        }),
        Style::Fortran(_, shape) => Some(Sources {
            kernel: fortran::source(kernel, order, shape)?,
            bridge: Some(bridge::module(kernel, shape)),
            driver: bridge::program(numbers),
        }),
    }
}
