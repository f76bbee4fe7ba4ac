#!/usr/bin/env bash
# install VERSION DIR: puts judge into DIR, and DIR on the PATH of the next steps of a job. The archive
# comes from the project's releases and must have the checksum that stands beside it there.
set -euo pipefail
version=$1 dir=$2
releases=${JUDGE_RELEASES:-https://github.com/judgekit/judge/releases}

if [ "$version" = installed ]; then
	command -v judge
	exit 0
fi
case $(uname -s) in
Linux) os=linux ;;
Darwin) os=darwin ;;
MINGW* | MSYS* | CYGWIN*) os=windows ;;
*) echo "no release for $(uname -s): go install github.com/judgekit/judge/cmd/judge@$version" >&2; exit 1 ;;
esac
case $(uname -m) in
x86_64 | amd64) arch=amd64 ;;
arm64 | aarch64) arch=arm64 ;;
*) echo "no release for $(uname -m): go install github.com/judgekit/judge/cmd/judge@$version" >&2; exit 1 ;;
esac
if [ "$version" = latest ]; then
	# The page of the latest release redirects to the page of its tag.
	version=$(curl -fsSLI -o /dev/null -w '%{url_effective}' "$releases/latest")
	version=${version##*/}
fi
kind=tar.gz
[ "$os" = windows ] && kind=zip
archive=judge_${version#v}_${os}_${arch}.$kind

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
curl -fsSL --retry 3 -o "$work/$archive" "$releases/download/$version/$archive"
curl -fsSL --retry 3 -o "$work/checksums.txt" "$releases/download/$version/checksums.txt"
sum=sha256sum
command -v sha256sum >/dev/null || sum="shasum -a 256"
(cd "$work" && grep "  $archive\$" checksums.txt >own.txt && $sum -c own.txt) ||
	{ echo "$archive does not have the checksum of its release" >&2; exit 1; }
mkdir -p "$dir"
if [ "$kind" = zip ]; then
	unzip -qo "$work/$archive" -d "$dir"
else
	tar -xzf "$work/$archive" -C "$dir"
fi
[ -z "${GITHUB_PATH:-}" ] || echo "$dir" >>"$GITHUB_PATH"
"$dir/judge" version
