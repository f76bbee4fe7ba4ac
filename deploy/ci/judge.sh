#!/usr/bin/env bash
# Runs judge for a job: COMMAND, LOGS, ARGS, OUT, BASELINE and DROP are inputs of action.yml. It ends with the
# exit code of judge, or of the comparison if only that failed.
set -uo pipefail
case ${COMMAND:-run} in
run | score) ;;
*) echo "command: $COMMAND is neither run nor score" >&2; exit 2 ;;
esac
read -ra logs <<<"${LOGS:-}"
read -ra args <<<"${ARGS:-}"
[ "${COMMAND:-run}" = score ] || [ ! -e "${BASELINE:-}/run.json" ] || args+=(--against "$BASELINE")

# Patterns are left to judge, which names those that match nothing.
set -f
mkdir -p "$(dirname "$OUT")"
judge "${COMMAND:-run}" ${logs[@]+"${logs[@]}"} ${args[@]+"${args[@]}"} --out "$OUT" --format junit >"$OUT.junit.xml"
code=$?
[ ! -d "$OUT" ] || mv "$OUT.junit.xml" "$OUT/junit.xml"

if [ "$code" = 0 ] && [ -n "${DROP:-}" ] && [ -e "${BASELINE:-}/run.json" ]; then
	judge compare "$BASELINE" "$OUT" --fail-on-regression --min-effect "$DROP"
	code=$?
fi
[ -z "${GITHUB_OUTPUT:-}" ] || echo "exit-code=$code" >>"$GITHUB_OUTPUT"
exit "$code"
