// Timers around regions, for `polyrs tune`.

#ifndef POLYRS_LLVM_TIMERS_H
#define POLYRS_LLVM_TIMERS_H

#include "llvm_splice.h"

namespace polyrs {

// Whether control goes into a region by one edge and out by one, so that there are places for a timer.
bool hasTimerPlaces(const SplicedRegion &region);

// Measures how long control takes from the end of `entry` to the start of `exit`, adds that up, and has the program
// write the sum, how often it was measured and the region's label in the end, to the file that POLYRS_TUNE_TIMES names.
// Nothing of it where the module means something else by the functions of the C library that this takes.
void addTimer(const SplicedRegion &region);

} // namespace polyrs

#endif
