; The options of the pass, on the pipeline or on the command line; the second wins over the first.

; RUN: %opt -passes=poly-schedule -S %s 2>&1 | FileCheck %s
; RUN: %opt '-passes=poly-schedule<parallel=true;tile=false>' -S %s 2>&1 | FileCheck %s
; RUN: %opt '-poly-schedule=parallel=true tile-sizes=32,32' -passes=poly-schedule -S %s 2>&1 | FileCheck %s
; RUN: %opt '-poly-schedule=tile=never' '-passes=poly-schedule<tile=true>' -S %s 2>&1 | FileCheck %s
; CHECK-LABEL: define i32 @double
; CHECK: add i32 %x, %x

; RUN: not %opt '-passes=poly-schedule<parallel=perhaps>' -disable-output %s 2>&1 | FileCheck %s --check-prefix=VALUE
; RUN: not %opt '-poly-schedule=parallel=perhaps' -passes=poly-schedule -disable-output %s 2>&1 | FileCheck %s --check-prefix=VALUE
; VALUE: error: poly-schedule: option 'parallel': 'perhaps' is not one of true, false

; RUN: not %opt '-passes=poly-schedule<paralel=true>' -disable-output %s 2>&1 | FileCheck %s --check-prefix=NAME
; NAME: error: poly-schedule: unknown option 'paralel' (did you mean 'parallel'?); the options are target, scheduler, {{.*}}parallel

; RUN: not %opt -passes=poly-reschedule -disable-output %s 2>&1 | FileCheck %s --check-prefix=PASS
; RUN: not %opt '-passes=poly-schedule<tile=true' -disable-output %s 2>&1 | FileCheck %s --check-prefix=PASS
; PASS: unknown {{.*}}'poly-{{(re)?}}schedule

; RUN: %opt -passes=instcombine -S %s 2>&1 | FileCheck %s --check-prefix=OTHER
; OTHER-LABEL: define i32 @double
; OTHER: shl i32 %x, 1
define i32 @double(i32 %x) {
  %sum = add i32 %x, %x
  ret i32 %sum
}
