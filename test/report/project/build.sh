# The report's browser test builds this. One file does not compile: what came before is in the report.
clang -O3 -c kernels.c -o kernels.o
clang -O3 -c refused.c -o refused.o
clang -O3 -c bad.c -o bad.o
