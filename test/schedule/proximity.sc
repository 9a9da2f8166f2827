# Verdoolaege and Janssens 2017 (ppcg report), Listing 18 with no bounds on n and m, as Example 14 has it, (70).
domain: [n, m] -> { A[]; B[i] : 0 <= i < n; C[]; D[i] : 0 <= i < m }
validity: [n, m] -> { A[] -> B[i] : 0 <= i < n; C[] -> D[i] : 0 <= i < m }
proximity: [n, m] -> { A[] -> B[i] : 0 <= i < n; C[] -> D[i] : 0 <= i < m }
