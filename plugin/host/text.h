// Texts that cross between C++ and Rust, as both libraries of the plugin need them.
//
// Mirrored by `plugin/interface/src/lib.rs`.

#ifndef POLYRS_TEXT_H
#define POLYRS_TEXT_H

#include "llvm/ADT/StringRef.h"

#include <cstddef>
#include <cstdint>
#include <string>

extern "C" {

// A text that is not terminated by a zero byte.
struct PolyText {
  const char *data;
  size_t size;
};

// Where the Rust side writes a text that only lives during the call.
struct PolySink {
  void *context;
  void (*write)(void *context, PolyText text);
};

// The result of a run.
enum PolyStatus : uint32_t {
  PolyUnchanged = 0,
  PolyChanged = 1,
  PolyFailed = 2,
};
}

namespace polyrs {

// Metadata of the variable of zeros that a clone's loads under conditions load elsewhere (`ways.cpp`).
inline constexpr llvm::StringLiteral zerosMark("poly.zeros");

inline llvm::StringRef toRef(PolyText text) { return {text.data, text.size}; }

inline PolyText toText(llvm::StringRef text) {
  return {text.data(), text.size()};
}

// A sink that appends to a string.
inline PolySink toSink(std::string &target) {
  return {&target, [](void *context, PolyText text) {
            static_cast<std::string *>(context)->append(text.data, text.size);
          }};
}

} // namespace polyrs

#endif
