#!/usr/bin/env bash
# One run in 16 shards: a Slurm array, a task a shard.
#   sbatch deploy/slurm-array.sh logs/log.jsonl
#   judge merge runs/shard-* --out runs/whole    # when all are done
#SBATCH --job-name=judge
#SBATCH --array=0-15
#SBATCH --cpus-per-task=2
#SBATCH --mem=512M
#SBATCH --requeue
set -uo pipefail

log=${1:?name the log}
out=runs/shard-${SLURM_ARRAY_TASK_ID:?run this by sbatch}

judge run "$log" --config judge.yaml --shard auto --out "$out" --resume-or-start
code=$?
case $code in
3 | 4) # the endpoint, or too few judgements: again, where it stopped, a few times
	if [ "${SLURM_RESTART_COUNT:-0}" -lt 5 ]; then
		scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"
	fi
	;;
esac
exit "$code"
