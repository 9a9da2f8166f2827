// Diagnostics of every severity; MLIR's C interface only emits errors.

#include "convert.h"

#include "mlir/CAPI/IR.h"
#include "mlir/IR/Diagnostics.h"

void polyHostEmit(MlirLocation location, PolySeverity severity, PolyText text) {
  mlir::Location at = unwrap(location);
  switch (severity) {
  case PolyError:
    mlir::emitError(at) << polyrs::toRef(text);
    return;
  case PolyWarning:
    mlir::emitWarning(at) << polyrs::toRef(text);
    return;
  case PolyRemark:
    mlir::emitRemark(at) << polyrs::toRef(text);
    return;
  }
}
