//! Functions.

use std::fmt;

use llvm_sys::core::{
    LLVMCountParams, LLVMGetEnumAttributeAtIndex, LLVMGetEnumAttributeKindForName, LLVMGetFirstBasicBlock,
    LLVMGetLinkage, LLVMGetNextBasicBlock, LLVMGetParam, LLVMGetStringAttributeAtIndex, LLVMGetStringAttributeValue,
    LLVMIsDeclaration,
};
use llvm_sys::debuginfo::LLVMGetSubprogram;
use llvm_sys::prelude::LLVMValueRef;
use llvm_sys::{LLVMAttributeFunctionIndex, LLVMLinkage};

use super::{BasicBlock, Value, sized_text};

/// A function, defined or declared.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Function<'f>(Value<'f>);

impl<'f> Function<'f> {
    /// # Safety
    /// A function that lives for `'f`.
    pub unsafe fn new(raw: LLVMValueRef) -> Self {
        // SAFETY: passed on to the caller.
        Self(unsafe { Value::new(raw) })
    }

    /// LLVM's pointer.
    pub fn raw(self) -> LLVMValueRef {
        self.0.raw()
    }

    /// The function's address.
    pub fn value(self) -> Value<'f> {
        self.0
    }

    /// The symbol.
    pub fn name(self) -> String {
        self.0.name()
    }

    /// Whether there is no body.
    pub fn is_declaration(self) -> bool {
        // SAFETY: the function is alive.
        unsafe { LLVMIsDeclaration(self.raw()) != 0 }
    }

    /// Whether the body is only there to be inlined, and another module has the function.
    pub fn is_available_externally(self) -> bool {
        // SAFETY: the function is alive.
        unsafe { LLVMGetLinkage(self.raw()) == LLVMLinkage::LLVMAvailableExternallyLinkage }
    }

    /// The blocks in their order in the function; the first is where control enters.
    pub fn blocks(self) -> impl Iterator<Item = BasicBlock<'f>> {
        let wrap = |raw: llvm_sys::prelude::LLVMBasicBlockRef| {
            // SAFETY: a block of the function.
            (!raw.is_null()).then(|| unsafe { BasicBlock::new(raw) })
        };
        // SAFETY: the function and its blocks are alive.
        let first = wrap(unsafe { LLVMGetFirstBasicBlock(self.raw()) });
        // SAFETY: as above.
        std::iter::successors(first, move |block| wrap(unsafe { LLVMGetNextBasicBlock(block.raw()) }))
    }

    /// The arguments.
    pub fn arguments(self) -> impl ExactSizeIterator<Item = Value<'f>> {
        // SAFETY: the function is alive, and the numbers are those of its arguments.
        unsafe { (0..LLVMCountParams(self.raw())).map(move |number| Value::new(LLVMGetParam(self.raw(), number))) }
    }

    /// Whether debug information says where the function comes from.
    pub fn has_debug_information(self) -> bool {
        // SAFETY: the function is alive.
        unsafe { !LLVMGetSubprogram(self.raw()).is_null() }
    }

    /// Whether the function itself has an attribute of LLVM's, such as `noimplicitfloat`.
    pub fn has_attribute(self, name: &str) -> bool {
        // SAFETY: the function is alive, and the name is passed with its length.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            debug_assert!(kind != 0, "LLVM has no attribute {name}");
            !LLVMGetEnumAttributeAtIndex(self.raw(), LLVMAttributeFunctionIndex, kind).is_null()
        }
    }

    /// Whether the first parameter is the place of what the function returns.
    pub fn returns_through_first(self) -> bool {
        const NAME: &str = "sret";
        // SAFETY: the function is alive, and the name is passed with its length; the first parameter has the index 1.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(NAME.as_ptr().cast(), NAME.len());
            LLVMCountParams(self.raw()) > 0 && !LLVMGetEnumAttributeAtIndex(self.raw(), 1, kind).is_null()
        }
    }

    /// The value of an attribute of the function such as `"target-cpu"`, if it has it.
    pub fn string_attribute(self, name: &str) -> Option<String> {
        // SAFETY: the function is alive, and the name is passed with its length.
        unsafe {
            let size = u32::try_from(name.len()).ok()?;
            let found =
                LLVMGetStringAttributeAtIndex(self.raw(), LLVMAttributeFunctionIndex, name.as_ptr().cast(), size);
            if found.is_null() {
                return None;
            }
            let mut size = 0;
            let text = LLVMGetStringAttributeValue(found, &raw mut size);
            Some(sized_text(text, usize::try_from(size).unwrap_or(0)))
        }
    }
}

impl fmt::Debug for Function<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@{}", self.name())
    }
}
