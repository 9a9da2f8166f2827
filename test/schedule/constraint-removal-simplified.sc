# Verdoolaege and Janssens 2017 (ppcg report), Example 33, (125): simplified with respect to the instances, the constraints
# have A(0) before A(0), and there is no schedule.
domain: { A[i] : 0 <= i <= 9; B[i] : 0 <= i <= 9 }
validity: { A[0] -> B[i]; B[i] -> A[1 + i] }
