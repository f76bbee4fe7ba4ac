#!/usr/bin/env bash
# Writes REPORT into a comment of pull request NUMBER, the same comment every time. It needs curl and jq.
# GITHUB_API_URL, GITHUB_REPOSITORY and GITHUB_TOKEN are those of the job.
set -euo pipefail
[ -s "$REPORT" ] || { echo "no report at $REPORT: no comment" >&2; exit 0; }
api=${GITHUB_API_URL:-https://api.github.com}/repos/$GITHUB_REPOSITORY/issues
mark='<!-- judge -->'

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 077
# The token goes through a file: a command line can be read by every process of the machine.
printf 'header = "Authorization: Bearer %s"\nheader = "Accept: application/vnd.github+json"\n' "$GITHUB_TOKEN" >"$work/curl"
call() { curl -fsS --retry 3 -K "$work/curl" "$@"; }

# GitHub takes 65,536 characters; the end of a long report is cut, and says so.
jq -Rs --arg mark "$mark" '
	if length > 60000 then .[:60000] + "\n\nThe report goes on in report.md of the run.\n" else . end
	| {body: ($mark + "\n" + .)}' "$REPORT" >"$work/body"

id=
for page in $(seq 1 20); do
	call "$api/$NUMBER/comments?per_page=100&page=$page" >"$work/page"
	id=$(jq -r --arg mark "$mark" '[.[] | select(.body // "" | startswith($mark)) | .id][0] // empty' "$work/page")
	[ -z "$id" ] || break
	[ "$(jq length "$work/page")" = 100 ] || break
done
if [ -n "$id" ]; then
	call -X PATCH --data-binary "@$work/body" "$api/comments/$id" >/dev/null
else
	call -X POST --data-binary "@$work/body" "$api/$NUMBER/comments" >/dev/null
fi
