const SOURCE = `Source (one of):
  --kubeconfig FILE      read the API server of a kubeconfig; KUBECONFIG or ~/.kube/config by default
  --context NAME         a context of it other than the current one
  --server URL           one API server of that cluster (https://host:port); repeat it for several
  --metrics-url URL      the complete address of a metrics page; repeat it for several servers
  --file PATH            a metrics text, a debug dump or a capture, a folder of them, or - for standard input
  --simulate             a simulated cluster, which runs on the console's own flow control
  --server-version V     the version that it claims and behaves like, v1.29 to v1.39 (v1.37.2 by default)
  --seed N               another course of events (1 by default); the same seed gives the same
  --demo                 a recording of a real server under load`

export const HELP = {
  general: `APF Console: what API Priority and Fairness does inside a kube-apiserver.

Usage:
  apf-console snapshot [source]                      one frame as JSON
  apf-console watch [source] [--interval S] [--count N]   frames as NDJSON until stopped
  apf-console web [source] [--port N] [--open]       the console in the browser, on 127.0.0.1
  apf-console engine SUBCOMMAND                      questions to the flow-control engine, as JSON
  apf-console --version | --help

${SOURCE}

Exit code: 0 done, 1 done with findings (a server or a file could not be read), 2 cannot run.
The JSON is described in docs/frame.md. Each command explains itself with --help.`,

  snapshot: `Usage: apf-console snapshot [source] [--timeout S]

Reads every server once and prints one frame as JSON (docs/frame.md). Without a source: the current context of the
kubeconfig. Of several pages in files the newest is printed.

${SOURCE}

Options:
  --timeout S            give up after so many seconds (1 to 300, default 30)
  --compact              one line
  --json                 accepted for scripts; the output is always JSON`,

  watch: `Usage: apf-console watch [source] [--interval S] [--count N]

Prints frames as NDJSON, one a line (docs/frame.md), until it is stopped. A server that fails is tried again; what
happens is told on standard error. Without a source: the current context of the kubeconfig.

${SOURCE}

Options:
  --interval S           seconds between two readings (0.5 to 60, default 1)
  --count N              stop after so many frames
  --json                 accepted for scripts; the output is always NDJSON`,

  web: `Usage: apf-console web [source] [--port N] [--open]

Serves the console on 127.0.0.1 and prints an address, which opens in one browser. Without a source: a simulated
cluster.

${SOURCE}

Options:
  --interval S           seconds between two readings (0.5 to 60, default 1)
  --port N               port to listen on (a free one by default)
  --open                 open the browser as well
  --serve-simulation N   let the simulated server answer over HTTP too, on this port of 127.0.0.1 (0 takes a free one):
                         metrics, debug dumps and flow-control objects, as long as it is shown`,

  engine: `Usage: apf-console engine SUBCOMMAND

Reads JSON values from standard input, each a question to the flow-control engine, and prints the answer to each as one
line of JSON as soon as the value is complete. The questions are those that upstream's code is asked in the tests
(docs/conformance.md); what is missing in one is zero. A question that cannot be answered ends the command.`,
} as const
