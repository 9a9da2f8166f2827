//! The code that runs where a layout that was chosen does not pay: it is worked on after the rest of its function.
//!
//! The search for layouts began with the best code for the region as it is, and that answer is known still
//! ([`polyrs_core::driver::Memory`]). What a region gets depends on the operations that it may take, so that the code beside a layout
//! keeps those of the search in mind, as the value of its mark: with what is left to the function after the search it would be
//! another region.

use melior::Context;
use melior::ir::OperationRef;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRefMut};
use melior::ir::r#type::IntegerType;
use polyrs_core::driver::Budget;

use crate::mlir::ir::operation::{attribute, nested};
use crate::mlir::marker::WITHOUT_LAYOUT;
use crate::mlir::region::LiftedRegion;

/// The operations of a function that hold such code.
pub fn places<'c, 'a>(function: OperationRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    nested(function).into_iter().filter(|operation| attribute(*operation, WITHOUT_LAYOUT).is_some()).collect()
}

/// Says how many operations there were for the region whose code is new.
pub fn remember(context: &Context, function: OperationRef<'_, '_>, budget: Budget) {
    let Ok(operations) = i64::try_from(budget.operations()) else { return };
    let value = IntegerAttribute::new(IntegerType::new(context, 64).into(), operations).into();
    for place in places(function).into_iter().filter(|place| remembered(*place).is_none()) {
        // SAFETY: the operation is alive, and no other reference changes it meanwhile.
        unsafe { OperationRefMut::from_raw(place.to_raw()) }.set_attribute(WITHOUT_LAYOUT, value);
    }
}

/// The operations that there were for a region when a layout was looked for, if it is such code.
pub fn budget_of(region: &LiftedRegion<'_, '_>) -> Option<Budget> {
    let mut around = region.anchor.parent_operation();
    while let Some(operation) = around {
        if attribute(operation, WITHOUT_LAYOUT).is_some() {
            return remembered(operation);
        }
        around = operation.parent_operation();
    }
    None
}

fn remembered(place: OperationRef<'_, '_>) -> Option<Budget> {
    let value = IntegerAttribute::try_from(attribute(place, WITHOUT_LAYOUT)?).ok()?.value();
    u64::try_from(value).ok().map(Budget::new)
}

/// Takes the marks away.
pub fn forget(places: Vec<OperationRef<'_, '_>>) {
    for place in places {
        // SAFETY: the operation is alive, and no other reference changes it meanwhile.
        let _ = unsafe { OperationRefMut::from_raw(place.to_raw()) }.remove_attribute(WITHOUT_LAYOUT);
    }
}
