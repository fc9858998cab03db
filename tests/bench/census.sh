#!/usr/bin/env bash
# CPU of a census against one `git status`, on 3,000 and on 100,000 files; both in turns in one run, since only the
# ratio means something on a machine that does other work too. By hand:
#
#     cargo build --release && tests/bench/census.sh target/release/git-segue status
#
# The words behind the program are the command that takes a census. Budget: at most 1.1 times `git status`.
set -euo pipefail

program=$(realpath "$1")
shift
rounds=${ROUNDS:-15}
ground=$(mktemp -d)
trap 'rm -rf "$ground"' EXIT
export HOME=$ground GIT_CONFIG_NOSYSTEM=1 GIT_OPTIONAL_LOCKS=0
git config --global user.name Ada
git config --global user.email ada@example.com

# A repository of $2 files, ten in a folder, fifty folders in one of the next level, with some paths of each kind dirty.
make_repository() {
    git init -q -b main "$1"
    cd "$1"
    for ((n = 0; n < $2; n++)); do
        printf 'M 644 inline part%d/folder%d/file%d.txt\ndata %d\n%s\n' \
            $((n / 500)) $((n / 10)) "$n" $((${#n} + 5)) "file $n"
    done | {
        printf 'commit refs/heads/main\ncommitter Ada <ada@example.com> 1796040000 +0000\ndata 5\nfirst\n'
        cat
    } | git fast-import --quiet
    git checkout -q -f main
    # Out of the second in which the index was written, so that nobody has to read files for racy times.
    sleep 1.1
    GIT_OPTIONAL_LOCKS=1 git status --porcelain >/dev/null
    for n in 11 21 31; do
        echo changed >>"part0/folder${n%1}/file$n.txt"
        echo new >"part0/folder${n%1}/new.txt"
    done
    rm part0/folder4/file40.txt
    mkdir untracked && echo new >untracked/file
}

# Seconds of CPU, user and system, of the words given, with all their children.
cpu() {
    local TIMEFORMAT='%3U %3S'
    { time "$@" >/dev/null 2>&1; } 2>&1 | awk '{ print $1 + $2 }'
}

median() {
    sort -n | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'
}

for files in 3000 100000; do
    make_repository "$ground/$files" "$files"
    "$program" "$@" >/dev/null
    : >"$ground/git" >"$ground/ours"
    for ((round = 0; round < rounds; round++)); do
        cpu git status --porcelain=v2 --branch --no-renames >>"$ground/git"
        cpu "$program" "$@" >>"$ground/ours"
    done
    awk -v files="$files" -v git="$(median <"$ground/git")" -v ours="$(median <"$ground/ours")" \
        'BEGIN { printf "%6d files: git status %.3f s, census %.3f s, %.2f times\n", files, git, ours, ours / git }'
done
