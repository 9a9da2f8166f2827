define void @product(ptr noalias %c, ptr noalias %a, ptr noalias %b) {
entry:
  br label %rows
rows:
  %i = phi i64 [ 0, %entry ], [ %i.next, %rows.end ]
  br label %columns
columns:
  %j = phi i64 [ 0, %rows ], [ %j.next, %columns.end ]
  br label %terms
terms:
  %k = phi i64 [ 0, %columns ], [ %k.next, %terms ]
  %pc = getelementptr inbounds [64 x double], ptr %c, i64 %i, i64 %j
  %pa = getelementptr inbounds [64 x double], ptr %a, i64 %i, i64 %k
  %pb = getelementptr inbounds [64 x double], ptr %b, i64 %k, i64 %j
  %vc = load double, ptr %pc
  %va = load double, ptr %pa
  %vb = load double, ptr %pb
  %term = fmul double %va, %vb
  %sum = fadd double %vc, %term
  store double %sum, ptr %pc
  %k.next = add nuw nsw i64 %k, 1
  %k.more = icmp ult i64 %k.next, 64
  br i1 %k.more, label %terms, label %columns.end
columns.end:
  %j.next = add nuw nsw i64 %j, 1
  %j.more = icmp ult i64 %j.next, 64
  br i1 %j.more, label %columns, label %rows.end
rows.end:
  %i.next = add nuw nsw i64 %i, 1
  %i.more = icmp ult i64 %i.next, 64
  br i1 %i.more, label %rows, label %done
done:
  ret void
}
