// From MLIR to LLVM IR in one process: the dialects, passes and translations that lowering needs, which the tools of
// LLVM do not bring along.

#include "llvm_analysis.h"

#include "mlir/CAPI/IR.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/OpenMPToLLVM/ConvertOpenMPToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Target/LLVM/NVVM/Target.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/OpenMP/OpenMPToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"

void polyHostRegisterLoweringPasses() {
  mlir::memref::registerExpandStridedMetadataPass();
  mlir::LLVM::registerDIScopeForLLVMFuncOpPass();
}

void polyHostRegisterLowering(MlirDialectRegistry raw) {
  mlir::DialectRegistry &registry = *unwrap(raw);
  mlir::arith::registerConvertArithToLLVMInterface(registry);
  mlir::cf::registerConvertControlFlowToLLVMInterface(registry);
  mlir::registerConvertFuncToLLVMInterface(registry);
  mlir::registerConvertMathToLLVMInterface(registry);
  mlir::registerConvertMemRefToLLVMInterface(registry);
  mlir::registerConvertOpenMPToLLVMInterface(registry);
  mlir::ub::registerConvertUBToLLVMInterface(registry);
  mlir::vector::registerConvertVectorToLLVMInterface(registry);
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerGPUDialectTranslation(registry);
  mlir::registerNVVMDialectTranslation(registry);
  mlir::NVVM::registerNVVMTargetInterfaceExternalModels(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerOpenMPDialectTranslation(registry);
}

LLVMModuleRef polyHostLlvmTranslate(MlirOperation operation,
                                    LLVMModuleRef like) {
  llvm::Module &target = *llvm::unwrap(like);
  mlir::Operation *module = unwrap(operation);
  auto text = [&](llvm::StringRef value) {
    return mlir::StringAttr::get(module->getContext(), value);
  };
  module->setAttr(mlir::LLVM::LLVMDialect::getDataLayoutAttrName(),
                  text(target.getDataLayoutStr()));
  module->setAttr(mlir::LLVM::LLVMDialect::getTargetTripleAttrName(),
                  text(target.getTargetTriple().str()));
  std::unique_ptr<llvm::Module> result =
      mlir::translateModuleToLLVMIR(module, target.getContext(), "poly");
  if (!result || llvm::verifyModule(*result))
    return nullptr;
  return llvm::wrap(result.release());
}
