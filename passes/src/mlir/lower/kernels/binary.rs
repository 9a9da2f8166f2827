//! The device's code of a region, as upstream's passes leave it, and how launches name it.

use melior::ir::attribute::ArrayAttribute;
use melior::ir::{Attribute, AttributeLike, OperationRef};
use mlir_sys::{mlirSymbolRefAttrGetLeafReference, mlirSymbolRefAttrGetRootReference};
use polyrs_host::mlirGPUObjectAttrGetObject;

use crate::mlir::ir::operation::attribute;

/// The PTX of a `gpu.binary`.
pub fn ptx(binary: OperationRef<'_, '_>) -> Option<String> {
    let objects = ArrayAttribute::try_from(attribute(binary, "objects")?).ok()?;
    let object = objects.element(0).ok()?;
    let text = bytes(object)?;
    std::str::from_utf8(text).ok().filter(|text| text.contains(".entry")).map(str::to_owned)
}

/// The contents of an object; nothing for other attributes.
fn bytes<'c>(object: Attribute<'c>) -> Option<&'c [u8]> {
    // SAFETY: the attribute is alive, and its kind is tested before the access; its contents live as long as the
    // context.
    unsafe {
        if !polyrs_host::mlirAttributeIsAGPUObjectAttr(object.to_raw()) {
            return None;
        }
        let text = mlirGPUObjectAttrGetObject(object.to_raw());
        Some(std::slice::from_raw_parts(text.data.cast(), text.length))
    }
}

/// The module and the function that a launch names.
pub fn kernel(launch: OperationRef<'_, '_>) -> Option<(String, String)> {
    let symbol = attribute(launch, "kernel")?.to_raw();
    // SAFETY: `kernel` of a launch is a reference to a symbol, whose texts live as long as the context.
    let text = |text: mlir_sys::MlirStringRef| unsafe {
        std::str::from_utf8(std::slice::from_raw_parts(text.data.cast(), text.length)).ok().map(str::to_owned)
    };
    // SAFETY: as above.
    let (root, leaf) =
        unsafe { (mlirSymbolRefAttrGetRootReference(symbol), mlirSymbolRefAttrGetLeafReference(symbol)) };
    Some((text(root)?, text(leaf)?))
}

/// The functions that PTX calls and does not have, of a library that is not there.
pub fn missing(ptx: &str) -> Vec<&str> {
    let lines = ptx.lines().filter(|line| line.starts_with(".extern .func"));
    let mut names: Vec<&str> = lines.filter_map(|line| line.split_whitespace().last()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::missing;

    #[test]
    fn functions_of_a_library_are_found() {
        let ptx =
            ".version 7.0\n.extern .func  (.param .b64 func_retval0) __nv_exp\n(\n)\n;\n.visible .entry f_0(\n)\n";
        assert_eq!(missing(ptx), ["__nv_exp"]);
        assert!(missing(".visible .entry f_0()").is_empty());
    }
}
