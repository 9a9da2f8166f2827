// Widths of types by the data layout around an operation; MLIR's C interface has none.

#include "host.h"

#include "mlir/CAPI/IR.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

uint64_t polyHostIndexBits(MlirOperation operation) {
  mlir::Operation *op = unwrap(operation);
  mlir::DataLayout layout = mlir::DataLayout::closest(op);
  return layout.getTypeSizeInBits(mlir::IndexType::get(op->getContext())).getFixedValue();
}
