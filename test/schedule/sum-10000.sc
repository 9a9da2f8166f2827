# Verdoolaege and Janssens 2017 (ppcg report), Listing 15 with n = 10000, as Example 13 has it.
domain: { S[i, j] : 0 <= i < 10000 and 0 <= j < 10000 }
validity: { S[i, j] -> S[i, j + 1] : 0 <= i < 10000 and 0 <= j < 9999; S[i, 9999] -> S[i + 1, 0] : 0 <= i < 9999 }
proximity: { S[i, j] -> S[i, j + 1] : 0 <= i < 10000 and 0 <= j < 9999; S[i, 9999] -> S[i + 1, 0] : 0 <= i < 9999 }
coincidence: { S[i, j] -> S[i, j + 1] : 0 <= i < 10000 and 0 <= j < 9999; S[i, 9999] -> S[i + 1, 0] : 0 <= i < 9999 }
