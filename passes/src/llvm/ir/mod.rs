//! Thin safe wrappers of LLVM's IR.
//!
//! All of them are copies of a pointer with a lifetime: that of the module, or of the [`Analysis`](super::Analysis)
//! whose clone they belong to. As in LLVM itself, the IR changes under shared references; who erases an instruction
//! must not use it any more.

mod block;
mod function;
mod instruction;
mod location;
mod module;
mod text;
mod types;
mod value;

pub use block::BasicBlock;
pub use function::Function;
pub use instruction::Instruction;
pub use location::Location;
pub use module::Module;
pub use types::Type;
pub use value::Value;

pub(in crate::llvm) use text::{borrowed_text, owned_text, sized_text};
