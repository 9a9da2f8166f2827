// What operations say about their effects; MLIR's C interface does not ask.

#include "host.h"

#include "mlir/CAPI/IR.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

bool polyHostIsMemoryEffectFree(MlirOperation operation) {
  return mlir::isMemoryEffectFree(unwrap(operation));
}

bool polyHostIsSpeculatable(MlirOperation operation) {
  return mlir::isSpeculatable(unwrap(operation));
}
