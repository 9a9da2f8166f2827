; opt loads the plugin; the pass says that it does not do LLVM IR yet, and changes nothing.

; RUN: %opt -passes=poly-schedule -S %s 2>%t | FileCheck %s
; RUN: FileCheck %s --check-prefix=WARNING --input-file=%t
; WARNING: warning: poly-schedule: function 'double': LLVM IR is not supported yet and stays as it is

; RUN: %opt -passes=instcombine -S %s 2>&1 | FileCheck %s --check-prefix=OTHER
; RUN: not %opt -passes=poly-reschedule -S %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
; UNKNOWN: unknown {{.*}}'poly-reschedule'

; CHECK-LABEL: define i32 @double
; CHECK: add i32 %x, %x
; OTHER-NOT: warning
; OTHER-LABEL: define i32 @double
; OTHER: shl i32 %x, 1
define i32 @double(i32 %x) {
  %sum = add i32 %x, %x
  ret i32 %sum
}
