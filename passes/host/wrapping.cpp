// Flags of the LLVM dialect about wrapping around; they are properties that MLIR's C interface does not reach.

#include "host.h"

#include "mlir/CAPI/IR.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

uint32_t polyHostWrapFlags(MlirOperation operation) {
  if (auto address = dyn_cast<LLVM::GEPOp>(unwrap(operation)))
    return static_cast<uint32_t>(address.getNoWrapFlags());
  if (auto arithmetic =
          dyn_cast<LLVM::IntegerOverflowFlagsInterface>(unwrap(operation)))
    return static_cast<uint32_t>(arithmetic.getOverflowFlags());
  return 0;
}

void polyHostSetWrapFlags(MlirOperation operation, uint32_t flags) {
  if (auto address = dyn_cast<LLVM::GEPOp>(unwrap(operation)))
    address.setNoWrapFlags(static_cast<LLVM::GEPNoWrapFlags>(flags));
  else if (auto arithmetic =
               dyn_cast<LLVM::IntegerOverflowFlagsInterface>(unwrap(operation)))
    arithmetic.setOverflowFlags(
        static_cast<LLVM::IntegerOverflowFlags>(flags));
}
