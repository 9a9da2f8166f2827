; Functions in canonical form, for faults.rs.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; A check decides. Two values of one type are used behind the region, and it starts with PHIs.
define dso_local double @checked(i32 noundef %n, ptr noundef %a, ptr noundef %b, double noundef %start) #0 {
entry:
  br label %for.cond1.preheader

for.cond1.preheader:
  %indvars.iv20 = phi i64 [ 0, %entry ], [ %indvars.iv.next21, %for.inc12 ]
  %s.014 = phi double [ %start, %entry ], [ %s.1.lcssa, %for.inc12 ]
  br label %for.body4

for.body4:
  %indvars.iv = phi i64 [ 0, %for.cond1.preheader ], [ %indvars.iv.next, %for.body4 ]
  %s.112 = phi double [ %s.014, %for.cond1.preheader ], [ %mul5, %for.body4 ]
  %0 = mul nuw nsw i64 %indvars.iv, 40
  %1 = add nuw nsw i64 %0, %indvars.iv20
  %arrayidx = getelementptr inbounds double, ptr %b, i64 %1
  %2 = load double, ptr %arrayidx, align 8
  %mul5 = fmul double %s.112, %2
  %mul6 = fmul double %mul5, 5.000000e-01
  %3 = mul nuw nsw i64 %indvars.iv20, 40
  %4 = add nuw nsw i64 %3, %indvars.iv
  %arrayidx10 = getelementptr inbounds double, ptr %a, i64 %4
  %5 = load double, ptr %arrayidx10, align 8
  %add11 = fadd double %5, %mul5
  store double %add11, ptr %arrayidx10, align 8
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond = icmp ne i64 %indvars.iv.next, 40
  br i1 %exitcond, label %for.body4, label %for.inc12

for.inc12:
  %s.1.lcssa = phi double [ %mul5, %for.body4 ]
  %t.1.lcssa = phi double [ %mul6, %for.body4 ]
  %indvars.iv.next21 = add nuw nsw i64 %indvars.iv20, 1
  %exitcond24 = icmp ne i64 %indvars.iv.next21, 40
  br i1 %exitcond24, label %for.cond1.preheader, label %for.end14

for.end14:
  %s.0.lcssa = phi double [ %s.1.lcssa, %for.inc12 ]
  %t.0.lcssa = phi double [ %t.1.lcssa, %for.inc12 ]
  %call = call i32 @ask(i32 noundef %n)
  switch i32 %call, label %sw.epilog [
    i32 1, label %sw.bb
    i32 5, label %sw.bb15
    i32 9, label %sw.bb16
  ]

sw.bb:
  call void @use(ptr noundef %a)
  br label %sw.epilog

sw.bb15:
  call void @use(ptr noundef %b)
  br label %sw.epilog

sw.bb16:
  %call17 = call i32 @ask(i32 noundef 4)
  br label %sw.epilog

sw.epilog:
  %sub = fsub double %s.0.lcssa, %t.0.lcssa
  ret double %sub
}

declare void @llvm.lifetime.start.p0(ptr captures(none)) #1

declare void @llvm.lifetime.end.p0(ptr captures(none)) #1

declare i32 @ask(i32 noundef)

declare void @use(ptr noundef)

; Nothing is to be checked.
define dso_local double @certain(i32 noundef %n, ptr noalias noundef %a, ptr noalias noundef %b) #0 {
entry:
  call void @use(ptr noundef %a)
  br label %for.cond1.preheader

for.cond1.preheader:
  %indvars.iv13 = phi i64 [ 0, %entry ], [ %indvars.iv.next14, %for.inc12 ]
  br label %for.body4

for.body4:
  %indvars.iv = phi i64 [ 0, %for.cond1.preheader ], [ %indvars.iv.next, %for.body4 ]
  %arrayidx5 = getelementptr inbounds [40 x double], ptr %b, i64 %indvars.iv
  %arrayidx7 = getelementptr inbounds [40 x double], ptr %arrayidx5, i64 0, i64 %indvars.iv13
  %0 = load double, ptr %arrayidx7, align 8
  %arrayidx9 = getelementptr inbounds [40 x double], ptr %a, i64 %indvars.iv13
  %arrayidx11 = getelementptr inbounds [40 x double], ptr %arrayidx9, i64 0, i64 %indvars.iv
  %1 = load double, ptr %arrayidx11, align 8
  %add = fadd double %1, %0
  store double %add, ptr %arrayidx11, align 8
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond = icmp ne i64 %indvars.iv.next, 40
  br i1 %exitcond, label %for.body4, label %for.inc12

for.inc12:
  %s.1.lcssa = phi double [ %0, %for.body4 ]
  %indvars.iv.next14 = add nuw nsw i64 %indvars.iv13, 1
  %exitcond16 = icmp ne i64 %indvars.iv.next14, 40
  br i1 %exitcond16, label %for.cond1.preheader, label %for.end14

for.end14:
  %s.0.lcssa = phi double [ %s.1.lcssa, %for.inc12 ]
  %call = call i32 @ask(i32 noundef %n)
  %cmp15 = icmp sgt i32 %call, 2
  %add16 = fadd double %s.0.lcssa, 1.000000e+00
  %retval.0 = select i1 %cmp15, double %add16, double %s.0.lcssa
  ret double %retval.0
}

; A variable lives before, in and behind the region.
define dso_local void @around(i32 noundef %n, ptr noalias noundef %a) #0 {
entry:
  %row = alloca [40 x double], align 16
  %call11 = call i32 @ask(i32 noundef 0)
  %tobool12 = icmp ne i32 %call11, 0
  br i1 %tobool12, label %for.body.lr.ph, label %for.end19

for.body.lr.ph:
  br label %for.body

for.body:
  %t.013 = phi i32 [ 0, %for.body.lr.ph ], [ %inc18, %for.end14 ]
  call void @llvm.lifetime.start.p0(ptr %row)
  br label %for.cond4.preheader

for.cond4.preheader:
  %indvars.iv15 = phi i64 [ 0, %for.body ], [ %indvars.iv.next16, %for.inc12 ]
  br label %for.body7

for.body7:
  %indvars.iv = phi i64 [ 0, %for.cond4.preheader ], [ %indvars.iv.next, %for.body7 ]
  %arrayidx = getelementptr inbounds [40 x double], ptr %a, i64 %indvars.iv
  %arrayidx9 = getelementptr inbounds [40 x double], ptr %arrayidx, i64 0, i64 %indvars.iv15
  %0 = load double, ptr %arrayidx9, align 8
  %conv = sitofp i32 %t.013 to double
  %add = fadd double %0, %conv
  %arrayidx11 = getelementptr inbounds [40 x double], ptr %row, i64 0, i64 %indvars.iv
  store double %add, ptr %arrayidx11, align 8
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond = icmp ne i64 %indvars.iv.next, 40
  br i1 %exitcond, label %for.body7, label %for.inc12

for.inc12:
  %indvars.iv.next16 = add nuw nsw i64 %indvars.iv15, 1
  %exitcond18 = icmp ne i64 %indvars.iv.next16, 40
  br i1 %exitcond18, label %for.cond4.preheader, label %for.end14

for.end14:
  call void @use(ptr noundef %row)
  call void @use(ptr noundef %a)
  call void @llvm.lifetime.end.p0(ptr %row)
  %inc18 = add nuw nsw i32 %t.013, 1
  %call = call i32 @ask(i32 noundef %inc18)
  %tobool = icmp ne i32 %call, 0
  br i1 %tobool, label %for.body, label %for.cond.for.end19_crit_edge

for.cond.for.end19_crit_edge:
  br label %for.end19

for.end19:
  ret void
}

; The life of one variable ends in the region, that of another one starts there.
define dso_local void @within(i32 noundef %n, ptr noalias noundef %a) #0 {
entry:
  %row = alloca [8 x double], align 16
  %line = alloca [8 x double], align 16
  call void @llvm.lifetime.start.p0(ptr %row)
  br label %for.cond1.preheader

for.cond1.preheader:
  %indvars.iv37 = phi i64 [ 0, %entry ], [ %indvars.iv.next38, %for.inc13 ]
  br label %for.body4

for.cond17.preheader:
  br label %for.cond22.preheader

for.body4:
  %indvars.iv = phi i64 [ 0, %for.cond1.preheader ], [ %indvars.iv.next, %for.body4 ]
  %arrayidx = getelementptr inbounds [8 x double], ptr %a, i64 %indvars.iv
  %arrayidx6 = getelementptr inbounds [8 x double], ptr %arrayidx, i64 0, i64 %indvars.iv37
  %0 = load double, ptr %arrayidx6, align 8
  %arrayidx8 = getelementptr inbounds [8 x double], ptr %a, i64 %indvars.iv37
  %arrayidx10 = getelementptr inbounds [8 x double], ptr %arrayidx8, i64 0, i64 %indvars.iv
  %1 = load double, ptr %arrayidx10, align 8
  %mul = fmul double %0, %1
  %arrayidx12 = getelementptr inbounds [8 x double], ptr %row, i64 0, i64 %indvars.iv
  store double %mul, ptr %arrayidx12, align 8
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond = icmp ne i64 %indvars.iv.next, 8
  br i1 %exitcond, label %for.body4, label %for.inc13

for.inc13:
  %indvars.iv.next38 = add nuw nsw i64 %indvars.iv37, 1
  %exitcond40 = icmp ne i64 %indvars.iv.next38, 8
  br i1 %exitcond40, label %for.cond1.preheader, label %for.cond17.preheader

for.cond22.preheader:
  %indvars.iv45 = phi i64 [ 0, %for.cond17.preheader ], [ %indvars.iv.next46, %for.inc35 ]
  br label %for.body25

for.body25:
  %indvars.iv41 = phi i64 [ 0, %for.cond22.preheader ], [ %indvars.iv.next42, %for.body25 ]
  %arrayidx27 = getelementptr inbounds [8 x double], ptr %row, i64 0, i64 %indvars.iv41
  %2 = load double, ptr %arrayidx27, align 8
  %arrayidx29 = getelementptr inbounds [8 x double], ptr %a, i64 %indvars.iv41
  %arrayidx31 = getelementptr inbounds [8 x double], ptr %arrayidx29, i64 0, i64 %indvars.iv45
  store double %2, ptr %arrayidx31, align 8
  %indvars.iv.next42 = add nuw nsw i64 %indvars.iv41, 1
  %exitcond44 = icmp ne i64 %indvars.iv.next42, 8
  br i1 %exitcond44, label %for.body25, label %for.inc35

for.inc35:
  %indvars.iv.next46 = add nuw nsw i64 %indvars.iv45, 1
  %exitcond48 = icmp ne i64 %indvars.iv.next46, 8
  br i1 %exitcond48, label %for.cond22.preheader, label %for.end37

for.end37:
  call void @llvm.lifetime.end.p0(ptr %row)
  call void @llvm.lifetime.start.p0(ptr %line)
  br label %for.cond44.preheader

for.cond44.preheader:
  %indvars.iv53 = phi i64 [ 0, %for.end37 ], [ %indvars.iv.next54, %for.inc58 ]
  br label %for.body47

for.cond62.preheader:
  br label %for.cond67.preheader

for.body47:
  %indvars.iv49 = phi i64 [ 0, %for.cond44.preheader ], [ %indvars.iv.next50, %for.body47 ]
  %arrayidx49 = getelementptr inbounds [8 x double], ptr %a, i64 %indvars.iv53
  %arrayidx51 = getelementptr inbounds [8 x double], ptr %arrayidx49, i64 0, i64 %indvars.iv49
  %3 = load double, ptr %arrayidx51, align 8
  %mul52 = fmul double %3, 2.000000e+00
  %arrayidx54 = getelementptr inbounds [8 x double], ptr %line, i64 0, i64 %indvars.iv49
  store double %mul52, ptr %arrayidx54, align 8
  %indvars.iv.next50 = add nuw nsw i64 %indvars.iv49, 1
  %exitcond52 = icmp ne i64 %indvars.iv.next50, 8
  br i1 %exitcond52, label %for.body47, label %for.inc58

for.inc58:
  %indvars.iv.next54 = add nuw nsw i64 %indvars.iv53, 1
  %exitcond56 = icmp ne i64 %indvars.iv.next54, 8
  br i1 %exitcond56, label %for.cond44.preheader, label %for.cond62.preheader

for.cond67.preheader:
  %indvars.iv61 = phi i64 [ 0, %for.cond62.preheader ], [ %indvars.iv.next62, %for.inc80 ]
  br label %for.body70

for.body70:
  %indvars.iv57 = phi i64 [ 0, %for.cond67.preheader ], [ %indvars.iv.next58, %for.body70 ]
  %arrayidx72 = getelementptr inbounds [8 x double], ptr %line, i64 0, i64 %indvars.iv57
  %4 = load double, ptr %arrayidx72, align 8
  %arrayidx74 = getelementptr inbounds [8 x double], ptr %a, i64 %indvars.iv57
  %arrayidx76 = getelementptr inbounds [8 x double], ptr %arrayidx74, i64 0, i64 %indvars.iv61
  %5 = load double, ptr %arrayidx76, align 8
  %add = fadd double %5, %4
  store double %add, ptr %arrayidx76, align 8
  %indvars.iv.next58 = add nuw nsw i64 %indvars.iv57, 1
  %exitcond60 = icmp ne i64 %indvars.iv.next58, 8
  br i1 %exitcond60, label %for.body70, label %for.inc80

for.inc80:
  %indvars.iv.next62 = add nuw nsw i64 %indvars.iv61, 1
  %exitcond64 = icmp ne i64 %indvars.iv.next62, 8
  br i1 %exitcond64, label %for.cond67.preheader, label %for.end82

for.end82:
  call void @use(ptr noundef %a)
  ret void
}

attributes #0 = { nounwind }
attributes #1 = { nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
