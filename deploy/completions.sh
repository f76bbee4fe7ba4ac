#!/bin/sh
# completions DIR: writes the completions of judge for bash, zsh and fish.
set -eu
mkdir -p "$1"
judge="$1/judge-for-completions"
go build -o "$judge" ./cmd/judge
"$judge" completion bash >"$1/judge.bash"
"$judge" completion zsh >"$1/_judge"
"$judge" completion fish >"$1/judge.fish"
rm "$judge"
