/** Help of the commands that find problems. */
export const ALERTING = {
  status: `Usage: apf-console status [source] [--seconds N] [--at TIME] [--output text|json|markdown]

Prints what the Overview says (docs/diagnosis.md): the most severe thing that is wrong now with its evidence, the first
cause and its remedy. The exit code serves scripts and probes.

Source: as of apf-console watch (--kubeconfig, --metrics-url, --prometheus, --recording, --simulate, --demo, …).

Options:
  --seconds N            read N seconds of pages, 20 to 600 (20 by default)
  --interval S           seconds between two scrapes (1 by default)
  -o, --output FORMAT    text (default), json or markdown
  --json                 the same as --output json

Exit code: 0 nothing waits or is rejected, 1 something is wrong or cannot be judged, 2 cannot run.`,

  explain: `Usage: apf-console explain LEVEL [source] [--at TIME] [--output text|json|markdown]

Explains why the current limit of a priority level is what it is (docs/allocation.md): what the recomputation of all limits
gave it and which bound decided, what it lends or borrows, and the seats that this follows from, on every server.

Source: as of apf-console watch (--kubeconfig, --metrics-url, --prometheus, --recording, --simulate, --demo, …).

Options:
  -o, --output FORMAT    text (default), json or markdown
  --json                 the same as --output json

Exit code: 0 done, 1 a server could not be read, 2 cannot run.`,

  diagnose: `Usage: apf-console diagnose [source] [--seconds N] [--at TIME] [--client NAME] [--all] [--draft]
                            [--output text|json|markdown]

Explains why requests wait, are rejected or are slow (docs/diagnosis.md): causes ordered by evidence, each with the facts for
and against it, what would refute it, and a remedy. The console's own side (no samples, stale samples, clocks, missing
metrics) is excluded first. It reads the source for a while; the past of the source counts too.

Source: as of apf-console watch (--kubeconfig, --metrics-url, --prometheus, --recording, --simulate, --demo, …). Of a recording,
the ten minutes before its end or before --at TIME are examined.

Options:
  --seconds N            read N seconds of pages, 20 to 600 (120 by default)
  --interval S           seconds between two scrapes (1 by default)
  --client NAME          whether that client (a user, or a service account as NAMESPACE:NAME) is delayed, where, and behind
                         whom, or limits itself
  --all                  also the causes that a fact contradicts, each with that fact, and those that the data do not show
  --draft                print the manifests of the first finding that has some, for apf-console impact --edit -
  -o, --output FORMAT    text (default), json or markdown
  --json                 the same as --output json

Exit code: 0 nothing waits or is rejected, 1 a cause was found, the client is delayed or the data are insufficient,
2 cannot run.`,

  advise: `Usage: apf-console advise [source] [--seconds N] [--at TIME] [--nodes N] [--draft N] [--output text|json|markdown]

Suggests changes based on actual usage (docs/advice.md): shares and queues of levels in need, seats that levels never use,
flow schemas that no request matches, flags of the servers, metric families that Prometheus can do without. Each suggestion
has its evidence, the period it is based on, the unknowns, and a draft or settings to copy. Nothing is applied.

Source: as of apf-console watch (--kubeconfig, --metrics-url, --prometheus, --recording, --simulate, --demo, …). A
recording is read in full, up to --at TIME. Advice on limits requires at least five minutes of samples; a week is better.

Options:
  --seconds N            read N seconds of pages, 20 to 86400 (330 by default); the past of the source counts too
  --interval S           seconds between two scrapes (1 by default)
  --nodes N              nodes of the cluster, to compare the flags of the servers with common values for that size
  --draft N              print the manifests of suggestion N, for apf-console impact --edit -
  -o, --output FORMAT    text (default), json or markdown
  --json                 the same as --output json

Exit code: 0 no edit is needed now, 1 an edit helps, 2 cannot run.`,

  alerts: `Usage: apf-console alerts --recording ID|FILE [--from TIME] [--to TIME] [--fail] [--json]
       apf-console alerts --recording ID|FILE --at TIME [--fail] [--json]

Evaluates the alert rules R1 to R12 (docs/alerts.md) on a recording and lists the instants at which each alert would have
fired and resolved, with its numbers, cause and remedy; then the rules that could not be evaluated, and why. Hold times
begin with the range. With --at, prints the state of the rules at an instant, evaluated on the 15 min before it.

Options:
  --recording ID|FILE    the beginning of an ID that recordings lists, or a file that export wrote
  --from TIME, --to TIME   this range only, both ends included: 2026-11-20T03:00:00Z
  --at TIME              the state of the rules at this instant
  --silence RULE[:LEVEL] mark alerts of this rule, R1 to R12, as silenced; repeat it for several
  --fail                 exit with 1 if an alert fired that is not silenced; with --at, if one is firing
  --json                 one change per line, as NDJSON; with --at, rules and alerts as one object

Exit code: 0 done, 1 an alert fired (--fail) or a part of the recording cannot be read, 2 cannot run.`,

  mcp: `Usage: apf-console mcp [source]

Serves an AI assistant on standard input and output (Model Context Protocol, docs/mcp.md): the tools status, verdict (what
diagnose prints), explain, classify, impact, forecast and report. Each call runs that command on the source named here, now
or at an instant of its recordings. All tools read only. Clients start this command themselves; it ends with its input.

Source: as of apf-console watch (--kubeconfig, --metrics-url, --prometheus, --recording, --simulate, --demo, …); the current
context of the kubeconfig by default. Calls cannot name another one, nor read files.

Exit code: 0 the input ended, 2 cannot run.`,
} as const
