// Values that are not allowed: the tool fails before anything runs, and says what is allowed.

// RUN: not %mlir-opt --poly-schedule="target=fpga" %s 2>%t | count 0
// RUN: FileCheck %s --check-prefix=TARGET --input-file=%t
// TARGET: error: poly-schedule: option 'target': 'fpga' is not one of cpu, gpu

// RUN: not %mlir-opt --poly-schedule="parallel=1" %s 2>&1 | FileCheck %s --check-prefix=BOOLEAN
// BOOLEAN: option 'parallel': '1' is not one of true, false

// RUN: not %mlir-opt --poly-schedule="tile=" %s 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: option 'tile': '' is not one of true, false

// RUN: not %mlir-opt --poly-schedule="profitability=true" %s 2>&1 | FileCheck %s --check-prefix=SWITCH
// SWITCH: option 'profitability': 'true' is not one of on, off

// RUN: not %mlir-opt --poly-schedule="tile-sizes=32,0" %s 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: option 'tile-sizes': '32,0' is not a list of whole numbers from 1 to 9223372036854775807

// RUN: not %mlir-opt --poly-schedule="tile-sizes=32,,32" %s 2>&1 | FileCheck %s --check-prefix=HOLE
// HOLE: option 'tile-sizes': '32,,32' is not a list of whole numbers

// RUN: not %mlir-opt --poly-schedule="tile-sizes=99999999999999999999" %s 2>&1 | FileCheck %s --check-prefix=HUGE
// HUGE: option 'tile-sizes': '99999999999999999999' is not a list of whole numbers

// RUN: not %mlir-opt --poly-schedule="tile-sizes=32/4/8" %s 2>&1 | FileCheck %s --check-prefix=LEVELS
// LEVELS: option 'tile-sizes': '32/4/8' is not a list of levels from the largest tiles to the smallest

// RUN: not %mlir-opt --poly-schedule="time-budget-ms=-5" %s 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: option 'time-budget-ms': '-5' is not a whole number

// RUN: not %mlir-opt --poly-schedule="dump=scop,tree" %s 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: option 'dump': 'tree' is not one of scop, dependences, constraints, schedule, ast

// RUN: not %mlir-opt --pass-pipeline="builtin.module(func.func(poly-schedule{check=maybe}))" %s 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PIPELINE
// PIPELINE: option 'check': 'maybe' is not one of true, false

func.func @empty() {
  return
}
