#!/bin/sh
# choose-judge.sh finds out which model to trust as a judge of your agent: it probes several models
# with faults planted in your own logs, and prints one table. Run it again after an interruption:
# what was answered is not asked again.
#
#   examples/choose-judge.sh 'qwen3:8b llama3.1:8b' traces/*.jsonl
#
# A model is NAME, at BASE_URL, or NAME@URL. Settings, with their defaults:
#   BASE_URL=http://127.0.0.1:11434/v1   the server of models without an URL
#   BUDGET=0                             most requests of all models together, 0 for no limit
#   OUT=choose-judge                     where everything is kept
#   JUDGE=judge                          the command
set -eu

base=${BASE_URL:-http://127.0.0.1:11434/v1}
budget=${BUDGET:-0}
out=${OUT:-choose-judge}
judge=${JUDGE:-judge}

if [ $# -lt 2 ]; then
	echo "usage: $0 'MODEL MODEL ...' LOG..." >&2
	exit 2
fi
models=$1
shift
mkdir -p "$out"

# 1. Which servers can be asked? A model that cannot is left out. The list is made once, so that a
# probe that is continued has the same judges.
if [ ! -f "$out/judge.yaml" ]; then
	echo "judges:" > "$out/judge.yaml.new"
	usable=0
	for model in $models; do
		name=${model%%@*}
		url=$base
		case $model in *@*) url=${model#*@} ;; esac
		if "$judge" doctor --model "$name" --base-url "$url" > "$out/doctor-$(echo "$name" | tr -c 'A-Za-z0-9.\n' -).txt"; then
			printf '  - {model: "%s", base_url: "%s"}\n' "$name" "$url" >> "$out/judge.yaml.new"
			usable=$((usable + 1))
		else
			echo "$name at $url cannot be asked, see $out" >&2
		fi
	done
	if [ "$usable" -eq 0 ]; then
		echo "no model can be asked" >&2
		exit 3
	fi
	mv "$out/judge.yaml.new" "$out/judge.yaml"
fi

# 2. The same faults for all of them. An earlier try is continued.
set +e
if [ -f "$out/probe/run.json" ]; then
	"$judge" probe --resume "$out/probe" > "$out/screen.txt"
else
	"$judge" probe "$@" --config "$out/judge.yaml" --budget "$budget" --out "$out/probe" > "$out/screen.txt"
fi
code=$?
set -e
case $code in
0 | 4 | 100) ;;
*)
	echo "stopped (exit $code); run the same command again to go on" >&2
	exit $code
	;;
esac

# 3. One table, for reading and for publishing.
"$judge" report "$out/probe" --no-gates --format markdown > "$out/table.md" || true
cat "$out/screen.txt"
echo "the tables are in $out/table.md"
exit $code
