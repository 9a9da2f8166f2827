// Records of mlir-opt have the names and arguments that those of clang have: docs/records.md. `polyrs report` reads them.
// Texts are printed as they are without records.

// RUN: rm -rf %t && mkdir %t && cp %s %t/in.mlir
// RUN: cd %t && %mlir-opt --poly-schedule --mlir-disable-threading in.mlir -o new.mlir --remark-format=yaml --remarks-output-file=new.opt.yaml --remarks-filter=poly-schedule 2> said
// RUN: FileCheck %s --check-prefix=YAML < %t/new.opt.yaml
// RUN: cd %t && %mlir-opt --poly-schedule --mlir-disable-threading in.mlir -o plain.mlir 2> plain.said && cmp new.mlir plain.mlir && cmp said plain.said
// RUN: cd %t && polyrs report new.opt.yaml -o new.html 2>&1 | FileCheck %s --check-prefix=REPORT

// YAML:      --- !Passed
// YAML-NEXT: Pass:            poly-schedule
// YAML-NEXT: Name:            Scheduled
// YAML-NEXT: DebugLoc:        { File: in.mlir, Line: [[#@LINE+28]], Column: 3 }
// YAML-NEXT: Function:        transposed
// YAML-NEXT: Args:
// YAML-NEXT:   - String:          'scop: '
// YAML-NEXT:   - Region:
// YAML-NEXT:   - String:          ': '
// YAML-NEXT:   - Statements:      '1'
// YAML:        - Depth:           '2'
// YAML:      --- !Missed
// YAML-NEXT: Pass:            poly-schedule
// YAML-NEXT: Name:            NotLifted
// YAML:      Function:        calls
// YAML:      - Reason:

// REPORT: new.html: 2 loop nests (1 transformed, 0 left, 1 refused)

// A filter of names (as a whole) or kinds leaves others out, and binary records are read, too. Of several remarks about one place the policy
// `final` keeps one, to the end of the program.

// RUN: cd %t && %mlir-opt --poly-schedule in.mlir -o new.mlir --remark-format=bitstream --remarks-output-file=new.opt.bitstream --remarks-filter-passed=poly-schedule
// RUN: cd %t && polyrs report new.opt.bitstream -o new.html 2>&1 | FileCheck %s --check-prefix=PASSED
// PASSED: new.html: 1 loop nest (1 transformed, 0 left, 0 refused)
// RUN: cd %t && %mlir-opt --poly-schedule in.mlir -o new.mlir --remark-format=yaml --remarks-output-file=none.opt.yaml --remarks-filter=licm
// RUN: not grep poly-schedule %t/none.opt.yaml
// RUN: cd %t && %mlir-opt --poly-schedule in.mlir -o new.mlir --remark-format=yaml --remark-policy=final --remarks-output-file=final.opt.yaml --remarks-filter=poly-schedule
// RUN: grep "Function: *transposed" %t/final.opt.yaml

func.func @transposed(%A: memref<2000x2000xf64>, %B: memref<2000x2000xf64>) {
  affine.for %i = 0 to 2000 {
    affine.for %j = 0 to 2000 {
      %x = affine.load %B[%i, %j] : memref<2000x2000xf64>
      %y = affine.load %A[%j, %i] : memref<2000x2000xf64>
      %z = arith.addf %x, %y : f64
      affine.store %z, %A[%j, %i] : memref<2000x2000xf64>
    }
  }
  return
}

func.func private @f(f64) -> f64

func.func @calls(%A: memref<100xf64>) {
  affine.for %i = 0 to 100 {
    affine.for %j = 0 to 100 {
      %x = affine.load %A[%j] : memref<100xf64>
      %y = func.call @f(%x) : (f64) -> f64
      affine.store %y, %A[%j] : memref<100xf64>
    }
  }
  return
}
