# Verdoolaege and Janssens 2017 (ppcg report), Example 28, (94) and (95), between instances of a statement S.
domain: [n] -> { S[i, j] : 0 <= i < n and 0 <= j < n }
context: [n] -> { : n = 1024 }
validity: [n] -> { S[i, j] -> S[i + 1, j] : 0 <= i < n - 1 and 0 <= j < n }
proximity: [n] -> { S[i, j] -> S[i + 1, j] : 0 <= i < n - 1 and 0 <= j < n }
coincidence: [n] -> { S[i, j] -> S[i + 1, j] : 0 <= i < n - 1 and 0 <= j < n }
