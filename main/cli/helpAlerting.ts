import { COVERED_RANGE } from '../../core/metrics/versions.ts'

/** Help of the commands that look for trouble. */
export const ALERTING = {
  diagnose: `Usage: apf-console diagnose [source] [--seconds N] [--at TIME] [--all] [--draft] [--output text|json]

Answers why requests wait, are rejected or are slow (docs/diagnosis.md): causes in the order of their evidence, each with what
speaks for it and against it, what would refute it, and a remedy. The console's own side (no samples, stale samples, clocks,
missing metrics) is excluded first. It reads the source for a while; a past that the source has counts.

Source: as of apf-console watch (--kubeconfig, --metrics-url, --prometheus, --recording, --simulate, --demo, …). Of a recording,
the ten minutes before its end or before --at TIME are examined.

Options:
  --seconds N            pages of so many seconds, 20 to 600 (120 by default)
  --interval S           seconds between two scrapes (1 by default)
  --all                  also the causes that are excluded, each with the fact that excludes it
  --draft                print the manifests of the first finding that has some, for apf-console impact --edit -
  -o, --output FORMAT    text (default) or json
  --json                 the same as --output json

Exit code: 0 nothing waits or is rejected, 1 a cause was found or nothing can be said, 2 cannot run.`,

  alerts: `Usage: apf-console alerts --recording ID|FILE [--from TIME] [--to TIME] [--fail] [--json]

Evaluates the alert rules R1 to R12 (docs/alerts.md) on a recording and lists the instants at which each alert would have
fired and resolved, with its numbers, cause and remedy; then the rules that could not be evaluated, and why. Hold times
begin with the range.

Options:
  --recording ID|FILE    the beginning of an ID that recordings lists, or a file that export wrote
  --from TIME, --to TIME   of this range only, both included: 2026-11-20T03:00:00Z
  --silence RULE[:LEVEL] mark alerts of this rule, R1 to R12, as silenced; repeat it for several
  --fail                 exit code 1 if an alert fired that is not silenced
  --json                 one change per line, as NDJSON

Exit code: 0 done, 1 an alert fired (--fail) or a part of the recording cannot be read, 2 cannot run.`,

  mixin: `Usage: apf-console mixin KIND [FILE] [--kube-version V] [options]

Writes what the console knows for the tools that you run (docs/alerts.md), to standard output or to FILE. The same options
always give the same text.

Kind:
  rules                  alert rules R1 to R7 and R9 to R12 for Prometheus 2.42 and later
  recording-rules        rules that make expressions over long ranges cheap
  prometheusrule         both as a PrometheusRule of the Prometheus operator
  alertmanager           routes and inhibitions of these alerts
  dashboard              a Grafana dashboard
  jsonnet                rules and dashboard as a mixin

Options:
  --kube-version V       the metrics of this version, ${COVERED_RANGE} (the newest by default)
  --prometheus-label NAME=VALUE   only series with this label, such as job=apiserver, in alert rules and dashboard; repeat
                         it for several
  --cluster-label NAME   the label that names clusters; without it, there is only one
  --instance-label NAME  the label that names servers (instance by default)
  --interval S           seconds between two scrapes (30 by default)
  --force                replace a file that exists

Exit code: 0 done, 2 cannot run.`,
} as const
