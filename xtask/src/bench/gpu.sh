#!/bin/sh
# Runs the programs of this folder on the GPU and on the CPU: whether they give the same bits, and how long they take.
#
#     ./run.sh [--sizes=N,...] [PROGRAM...]
#
# It needs a driver of NVIDIA's and nothing else. The table goes to results.tsv, too, and what the runtime says of each
# kernel to traces/. The time of a program is that of its kernel with all that is copied, the best of three runs; that of
# kernels, and what is copied, are the runtime's (POLYRS_GPU_TRACE), which waits for each of them; the last column is that
# of kernels whose blocks share nothing. A run that takes more than LIMIT seconds (60) counts as failed. It fails if any
# result differs or any program does.
cd "$(dirname "$0")" || exit 2
tab=$(printf '\t')
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

say() { printf '%s\n' "$1" | tee -a results.tsv; }

# The last run's seconds in kernels, launches, and megabytes copied in and out.
traced() {
  awk '/: kernel .* us$/ { sum += $(NF - 1) }
       /: on the GPU: / { split($0, words, ": on the GPU: "); split(words[2], n, /[^0-9]+/)
         last = sprintf("%.6f\t%d\t%.3f\t%.3f", sum / 1e6, n[1], n[2] / 1e6, n[3] / 1e6); sum = 0 }
       END { print last == "" ? "-\t-\t-\t-" : last }' "$1"
}

seconds() { sed -n 's/^time: //p' "$1"; }

run() { # program, arguments, mode, more...
  program=$1 arguments=$2 mode=$3
  shift 3
  # Arguments are words.
  # shellcheck disable=SC2086
  POLYRS_GPU=$mode timeout "${LIMIT:-60}" ./"$program" $arguments "$@"
}

one() { # program, arguments to compare with, arguments to measure with
  run "programs/$1" "$2" off --dump=bits >"$scratch/cpu" || return 1
  run "programs/$1" "$2" require --dump=bits >"$scratch/gpu" || return 1
  same=no
  cmp -s "$scratch/cpu" "$scratch/gpu" && same=yes
  run "programs/$1" "$3" off --time --repeat=3 >"$scratch/cpu" || return 1
  run "programs/$1" "$3" require --time --repeat=3 >"$scratch/gpu" || return 1
  POLYRS_GPU_TRACE=1 run "programs/$1" "$3" require --repeat=2 2>"traces/$1-programs" >"$scratch/out" || return 1
  # Where the other one fails, or takes too long, there is nothing to compare with.
  plain=-
  [ -x "plain/$1" ] && POLYRS_GPU_TRACE=1 run "plain/$1" "$3" require --repeat=2 2>"traces/$1-plain" >"$scratch/out" &&
    plain=$(traced "traces/$1-plain" | cut -f 1)
  say "$1$tab$same$tab$(seconds "$scratch/cpu")$tab$(seconds "$scratch/gpu")$tab$(traced "traces/$1-programs")$tab$plain"
  [ $same = yes ]
}

sizes=
case $1 in
--sizes=*)
  sizes=$1
  shift
  ;;
esac
mkdir -p traces
device=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>"$scratch/none" | head -n 1)
: >results.tsv
say "# device: ${device:-unknown}"
say "program${tab}same bits${tab}CPU s${tab}GPU s${tab}kernels s${tab}launches${tab}MB in${tab}MB out${tab}kernels s, nothing shared"
failed=0
while IFS=$tab read -r name compare measure <&3; do
  case " $* " in
  "  " | *" $name "*) ;;
  *) continue ;;
  esac
  [ "$compare" = - ] && compare=
  [ "$measure" = - ] && measure=
  measure=${sizes:-$measure}
  if ! one "$name" "$compare" "$measure"; then
    say "# $name failed"
    failed=$((failed + 1))
  fi
done 3<programs.tsv
say "# failed: $failed"
[ $failed -eq 0 ]
