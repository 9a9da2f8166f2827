# Verdoolaege and Janssens 2017 (ppcg report), Example 33, (123) and (124).
domain: { A[i] : 0 <= i <= 9; B[i] : 0 <= i <= 9 }
validity: { A[0] -> B[i] : 0 <= i <= 9; B[i] -> A[1 + i] : 0 <= i <= 8 }
