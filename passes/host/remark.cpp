// MLIR's optimization remarks, which tools write to records: `mlir-opt --remark-format=yaml --remarks-filter=...`.

#include "llvm.h"

#include "mlir/CAPI/IR.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"

#include <mutex>

// Begins a remark, which is emitted when it goes; nothing if the engine's filter leaves it out.
static mlir::remark::detail::InFlightRemark begin(PolyRemarkKind kind, mlir::Location at,
                                                  mlir::remark::RemarkOpts options) {
  switch (kind) {
  case PolyPassed:
    return mlir::remark::passed(at, options);
  case PolyMissed:
    return mlir::remark::missed(at, options);
  case PolyAnalysed:
    return mlir::remark::analysis(at, options);
  case PolyWarned:
    break;
  }
  return mlir::remark::failed(at, options);
}

void polyHostRemark(const PolyRemarkRow *remark, MlirOperation operation, MlirLocation location) {
  mlir::Location at = unwrap(location);
  if (!at->getContext()->getRemarkEngine())
    return;
  // Records have lines of files only.
  if (auto line = at->findInstanceOf<mlir::FileLineColLoc>())
    at = line;
  // The engine keeps names by reference, some to its end: those of the table and of attributes live so long.
  auto options =
      mlir::remark::RemarkOpts::name(polyrs::toRef(remark->name)).category(polyrs::toRef(remark->pass));
  llvm::StringRef symbol = mlir::SymbolTable::getSymbolAttrName();
  if (auto name = unwrap(operation)->getAttrOfType<mlir::StringAttr>(symbol))
    options = options.function(name.getValue());
  // The engine has no lock, and the pass runs on several functions at once.
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  mlir::remark::detail::InFlightRemark built = begin(remark->kind, at, options);
  for (size_t place = 0; built && place < remark->count; ++place) {
    const PolyPiece &piece = remark->pieces[place];
    llvm::StringRef key = polyrs::toRef(piece.key);
    built << mlir::remark::detail::Remark::Arg(key.empty() ? "String" : key, polyrs::toRef(piece.value));
  }
}
