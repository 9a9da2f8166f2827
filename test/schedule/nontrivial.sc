# Verdoolaege and Janssens 2017 (ppcg report), Example 12, (58) and (59).
domain: { S[i, j] : 0 <= i <= 10 }
proximity: { S[i, j] -> S[1 + i, j] : 0 <= i <= 9 and 0 <= j <= 10 }
