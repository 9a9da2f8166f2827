// Records of what the pass does to one module, in a folder that the environment names, whatever the flags of the
// compiler. A compiler that writes records itself goes on to do so, and there are no others.

#include "plugin.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LLVMRemarkStreamer.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

// What this process has taken of its processors.
static std::chrono::nanoseconds taken() {
  sys::TimePoint<> now;
  std::chrono::nanoseconds user, system;
  sys::Process::GetTimeUsage(now, user, system);
  return user + system;
}

struct PolyLlvmRecords {
  LLVMContext &context;
  std::string source;
  SmallString<128> path;
  std::unique_ptr<raw_fd_ostream> stream;
  std::chrono::nanoseconds start = taken();

  // The folder from which the names of sources start, where it is not that of the compiler: flang names a source by its
  // file alone.
  SmallString<128> folder;

  // Says where sources are and how long the pass took.
  void sayWhere() {
    SmallString<128> name(path);
    sys::path::replace_extension(name, ""); // .yaml
    sys::path::replace_extension(name, "folder");
    if (folder.empty() && sys::fs::current_path(folder))
      return;
    std::error_code error;
    raw_fd_ostream out(name, error);
    if (!error)
      out << folder << '\n' << source << '\n' << (taken() - start).count() / 1000000 << '\n';
    // Whoever reads records can do without.
    out.clear_error();
  }
};

// The folder that the source of the first function is in, or is named from, if there is one of this name here: the name
// may have been changed for debuggers.
static StringRef folderOf(const Module &module) {
  for (const Function &function : module)
    if (const DISubprogram *subprogram = function.getSubprogram()) {
      StringRef folder = subprogram->getDirectory();
      if (sys::path::is_absolute(folder) && sys::fs::is_directory(folder))
        return folder;
    }
  return {};
}

PolyLlvmRecords *polyHostLlvmOpenRecords(LLVMModuleRef module, PolyText pass,
                                         PolyText folder, PolySink sink) {
  auto fail = [&](std::string text) {
    sink.write(sink.context, polyrs::toText(text));
    return nullptr;
  };
  Module &here = *unwrap(module);
  LLVMContext &context = here.getContext();
  if (context.getLLVMRemarkStreamer())
    return nullptr;
  StringRef into = polyrs::toRef(folder);
  if (auto error = sys::fs::create_directories(into))
    return fail("cannot make " + into.str() + ": " + error.message());
  auto records = std::make_unique<PolyLlvmRecords>(
      PolyLlvmRecords{context, here.getSourceFileName(), {}, nullptr, taken(), folderOf(here)});
  SmallString<128> pattern(into);
  sys::path::append(pattern, sys::path::filename(records->source) + "-%%%%%%%%.opt.yaml");
  int descriptor = -1;
  if (auto error = sys::fs::createUniqueFile(pattern, descriptor, records->path))
    return fail("cannot write to " + into.str() + ": " + error.message());
  records->stream = std::make_unique<raw_fd_ostream>(descriptor, /*shouldClose=*/true);
  if (auto error = setupLLVMOptimizationRemarks(context, *records->stream, polyrs::toRef(pass), "yaml",
                                                /*RemarksWithHotness=*/false))
    return fail(toString(std::move(error)));
  return records.release();
}

void polyHostLlvmCloseRecords(PolyLlvmRecords *open) {
  std::unique_ptr<PolyLlvmRecords> records(open);
  finalizeLLVMOptimizationRemarks(records->context);
  records->stream->close();
  // A full disk is no reason to stop the compiler: the file ends too early, and its reader says so.
  records->stream->clear_error();
  records->sayWhere();
}
