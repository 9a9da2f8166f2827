// What an option does not take is refused by name, not ignored.

// RUN: not %mlir-opt --poly-schedule="cluster=nothing" %s 2>&1 | FileCheck %s --check-prefix=CLUSTER
// CLUSTER: option 'cluster': 'nothing' is not one of none, chains, basic-block, scc, auto, nor a file with a decision

// A strategy is for our own scheduler.
// RUN: not %mlir-opt --poly-schedule="scheduler=isl strategy=my.yaml" %s 2>&1 | FileCheck %s --check-prefix=STRATEGY
// STRATEGY: option 'strategy': 'my.yaml' is not for this scheduler, but for our own: all but isl and none

// What is available today is taken.
// RUN: %mlir-opt --poly-schedule="target=cpu scheduler=none layout=none cluster=none" %s
// RUN: %mlir-opt --poly-schedule="layout=auto" %s
// RUN: %mlir-opt --poly-schedule="cluster=scc granularity=op" %s
// RUN: %mlir-opt --poly-schedule="target=gpu" %s
// RUN: %mlir-opt --poly-schedule="scheduler=isl" %s
// RUN: %mlir-opt --poly-schedule="scheduler=ppcg" %s
// RUN: %mlir-opt --poly-schedule="scheduler=pluto" %s
// RUN: %mlir-opt --poly-schedule="scheduler=feautrier" %s

func.func @empty() {
  return
}
