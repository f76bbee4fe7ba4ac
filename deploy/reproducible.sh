#!/bin/sh
# Builds judge twice, in two directories with a cache each, as a release does, and compares the bytes.
# GOOS and GOARCH say for which system. OUT keeps the program.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for copy in one another-directory; do
	git clone -q . "$work/$copy"
	(cd "$work/$copy" && GOCACHE="$work/cache" CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o "$work/judge-$copy" ./cmd/judge)
	rm -rf "$work/cache"
done
cmp "$work/judge-one" "$work/judge-another-directory"
sha256sum "$work/judge-one" | cut -d' ' -f1
[ -z "${OUT:-}" ] || cp "$work/judge-one" "$OUT"
