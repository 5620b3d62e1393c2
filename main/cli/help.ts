import { NEWEST_VERSION } from '../../core/engine/profiles.ts'
import { COVERED_RANGE } from '../../core/metrics/versions.ts'
import { ALERTING } from './helpAlerting.ts'
import { COMPARING } from './helpComparing.ts'

const CREDENTIALS = `Credentials for --metrics-url and --prometheus (files, because other users can read a command line):
  --token-file FILE      a bearer token; read again every minute
  --username NAME --password-file FILE   basic authentication
  --client-certificate FILE --client-key FILE   a client certificate (PEM)
  --certificate-authority FILE   the authority of the server's certificate (PEM)
  --insecure-skip-tls-verify   do not verify that certificate: for test servers only`

const PROMETHEUS = `With --prometheus:
  --prometheus-label NAME=VALUE   only series with this label, such as cluster=prod; repeat it for several
  --instance VALUE       one server of the cluster, by its instance; repeat it for several (all of them by default)
  --cluster-label NAME, --instance-label NAME   the labels that name clusters and servers (found by default)
  --tenant ID            the tenant (X-Scope-OrgID)
  --header-file FILE     further headers, one per line (Name: value)
  --past D               how much of the past the console reads when it connects, up to 24h (1h by default)
                         With --kubeconfig, --context or --server (web, record), only the past is read from Prometheus.`

const SOURCE = `Source (one of):
  --kubeconfig FILE      read the API server of a kubeconfig; KUBECONFIG or ~/.kube/config by default
  --context NAME         a context of it other than the current one
  --server URL           one API server of that cluster (https://host:port); repeat it for several
  --metrics-url URL      the complete address of a metrics page; repeat it for several servers
  --prometheus URL       what a Prometheus, Thanos, Mimir or VictoriaMetrics scraped of API servers (options below)
  --prometheus cluster   the Prometheus in the cluster of the kubeconfig, through its API server; or the service that
                         cluster:NAMESPACE/NAME:PORT names
  --file PATH            a metrics text, a debug dump or a capture, a folder of them, an exported recording (.apfrec), or
                         - for standard input
  --simulate             a simulated cluster, which runs on the console's own flow control
  --server-version V     the version that it reports and emulates, ${COVERED_RANGE} (${NEWEST_VERSION} by default)
  --seed N               random seed (1 by default); the same seed produces the same events
  --algorithm A          its flow control: upstream, or an earlier or alternative design (docs/algorithms.md)
  --recording ID|FILE    a recording (docs/recording.md), at its end or at --at TIME (UTC without a zone)
  --demo                 a recording of a real server under load

${PROMETHEUS}

${CREDENTIALS}`

const ENGINE = `  --max-requests-inflight N, --max-mutating-requests-inflight N   the two limits (400 and 200 by default; of a
                         proxy, those that the upstream reports)
  --server-version V     behave like this version (that of the server by default, else the newest supported one)
  --no-etcd-progress     lists of the latest version are read from etcd, as with an etcd that reports no progress (before
                         3.4.31, 3.5.0 to 3.5.12), and as by default up to 1.30
  --algorithm A          its flow-control algorithm: upstream (default), or one of docs/algorithms.md
  --metrics-port N       serve Prometheus metrics at http://127.0.0.1:N/metrics (0 selects a free port)
  --json                 print each completed request as a line of JSON; everything else goes to standard error

Exit code: 0 done, 2 cannot run.`

const DRAFT = `  --draft FILE…          try these manifests (- for standard input) on the same requests, applied to the objects of the
                         engine as kubectl apply does; a summary lists the differences`

export const HELP = {
  general: `APF Console: inspect API Priority and Fairness in a kube-apiserver.

Usage:
  apf-console snapshot [source]                      one frame as JSON
  apf-console watch [source] [--interval S] [--count N]   frames as NDJSON until stopped
  apf-console fleet --context A --context B …        many clusters side by side, the worst first
  apf-console web [source] [--port N] [--open]       the console in the browser, on 127.0.0.1
  apf-console serve-in-cluster --kubeconfig FILE     the console in a cluster, read-only, with a login
  apf-console permissions [--kubeconfig F | --metrics-url URL]   what the credentials may do, and the missing role
  apf-console proxy [--kubeconfig F | --upstream URL]   a proxy in front of a server, with flow control of its own
  apf-console feed --audit-file F | --httplog F      requests from a server's log, replayed through the console's flow control
  apf-console recordings [ID] [--from T] [--to T]    recordings of the flight recorder
  apf-console record [FILE] [source] [--for D]       records a source without a window
  apf-console replay ID|FILE [--from T] [--to T] [--speed N]   the frames of a recording as NDJSON
  apf-console export ID FILE | KIND [FILE]           a recording as one file; or rules, routes, a dashboard for Prometheus and others
  apf-console import FILE…                           recordings from exported files, output of watch, or captures
  apf-console status [source] [--at T]               what is wrong now, its cause and its remedy: what the Overview says
  apf-console explain LEVEL [source] [--at T]        why the limit of a level is what it is
  apf-console diagnose [source] [--at T]             why requests wait, are rejected or are slow: causes with evidence
  apf-console advise [source] [--nodes N]            what to change: shares, lending, queues, schemas, flags, scraping
  apf-console alerts --recording ID|FILE             when alert rules would have fired and resolved in a recording
  apf-console report ID|FILE [NEWFILE] [--from T] [--to T]   an incident report, as Markdown, HTML or PDF
  apf-console compare ID|FILE --a T..T --b T..T      two periods of a server: differences of every key number
  apf-console shard --queues Q --hand H              hands of queues: collisions, overlaps, better shapes
  apf-console validate FILE…                         problems in flow-control manifests, with their locations
  apf-console convert FILE…                          objects of earlier designs and versions converted to v1, with the losses
  apf-console classify --user U --url PATH           which schema and level a request falls into, why, and its seats
  apf-console impact --edit FILE…                    seats of every level before and after an edit, and what it puts at risk
  apf-console forecast [source] --edit FILE…         waits, rejections and seats of every level after an edit
  apf-console whatif FILE --candidate NAME=EDIT      the same requests under other configurations, limits or versions
  apf-console simulate FILE|NAME                     scenarios, with verdicts and assertions
  apf-console sweep FILE                             a scenario or recorded requests with many settings, on all cores
  apf-console tune FILE | NAME --goal GOAL           the smallest edit that meets goals, as a draft with its evidence
  apf-console diff OLD NEW                           what differs between two configurations
  apf-console drift --config FILE | --kubeconfig F   what differs from the built-in objects, or from elsewhere
  apf-console etcd-proxy --upstream URL --rules FILE…  a proxy in front of an etcd that limits requests by rules
  apf-console qos validate FILE… | explain --rules F  rules that limit requests to etcd: problems, decisions, and why
  apf-console qos class|rule|status|monitor|…        rules and requests of a running etcd-proxy
  apf-console mcp [source]                           these answers as tools of an AI assistant (Model Context Protocol)
  apf-console engine SUBCOMMAND                      query the flow-control engine with JSON
  apf-console completion bash|zsh|fish               completion script for a shell
  apf-console manual                                 this help as a manual page
  apf-console version [--check] [--from URL]         this version; with --check, whether a newer one is available
  apf-console --version | --help

${SOURCE}

Exit code: 0 done, 1 done with findings (a server or a file could not be read), 2 cannot run.
The JSON is described in docs/frame.md. Run a command with --help for its options.`,

  fleet: `Usage: apf-console fleet (--context NAME | --prometheus URL | --metrics-url URL | --recording ID|FILE)… [options]
                          [--output text|json|markdown]

Reads several clusters for a few seconds and prints a table of them, the worst first: state, saturation, rejections, waits
and differences from the built-in objects (docs/fleet.md). A cluster that cannot be read shows the reason in its row.

Sources (repeat them as you like):
  --context NAME         a context of the kubeconfig
  --kubeconfig FILE      the file of these contexts; without --context its current one
  --prometheus URL       every cluster of a Prometheus, Thanos, Mimir or VictoriaMetrics (options below)
  --metrics-url URL      the complete address of a metrics page, as a cluster of its own
  --recording ID|FILE    a recording, at its end or at --at TIME, which applies to all recordings
  --simulate, --demo     a simulated cluster, a recording of a real server

${PROMETHEUS}

${CREDENTIALS}

Options:
  --seconds S            how long to read before printing (10 by default); rejections need two samples. Prometheus is
                         read once
  --interval S           seconds between two scrapes (1 by default)
  --search TEXT          as in the search of the Fleet screen: state:rejecting level:workload-low 'wait>1s'
  --group G              none, state, version or source
  --sort COLUMN          worst, name, servers, saturation, rejected, queued, wait, drift or version
  --servers, --levels    list the servers of each cluster, and the levels of each server
  -o, --output FORMAT    text (default), json or markdown
  --json                 the same as --output json

Exit code: 0 done, 1 a cluster could not be read, 2 cannot run.`,

  snapshot: `Usage: apf-console snapshot [source] [--timeout S]

Reads every server once and prints one frame as JSON (docs/frame.md). Without a source: the current context of the
kubeconfig. If files contain several pages, the newest is printed.

${SOURCE}

Options:
  --timeout S            timeout in seconds (1 to 300, default 30)
  --compact              one line
  --json                 accepted for scripts; the output is always JSON`,

  watch: `Usage: apf-console watch [source] [--interval S] [--count N] [--alert [--fail] [--webhook URL]]

Prints frames as NDJSON, one per line (docs/frame.md), until it is stopped. A server that fails is retried; failures are
reported on standard error. Without a source: the current context of the kubeconfig.

${SOURCE}

Options:
  --interval S           seconds between readings (0.5 to 60, default 1)
  --count N              stop after N frames
  --alert                evaluate the alert rules (docs/alerts.md) and print each alert that fires or resolves as NDJSON
                         instead of the frames
  --fail                 with --alert: stop with exit code 1 as soon as an alert fires that is not silenced
  --silence RULE[:LEVEL] with --alert: mark alerts of this rule, R1 to R12, as silenced; repeat it for several
  --webhook URL          with --alert: post each line of alerts that are not silenced to this address as well
  --json                 accepted for scripts; the output is always NDJSON

Exit code: 0 done, 1 an alert fired (--fail), 2 cannot run.`,

  ...ALERTING,

  recordings: `Usage: apf-console recordings [--output text|json]
       apf-console recordings ID [--from TIME] [--to TIME]

Lists the recordings of the flight recorder (docs/recording.md). With the beginning of an ID, prints the events of that
recording as NDJSON, one per line; first the state at the start of the range, marked "held".

Options:
  --from TIME, --to TIME   this range only, both ends included: 2026-11-20T03:00:00Z
  -o, --output FORMAT    of the list: text (default) or json
  --json                 the same as --output json

Exit code: 0 done, 1 a part of a recording cannot be read, 2 cannot run.`,

  record: `Usage: apf-console record [FILE] [source] [--for D]

Records a source without a window, with debug dumps every 5 s, until it is stopped (docs/recording.md). The result is added
to the recordings of this user, however the command ends; at the end it is also written to FILE. Without a source: the
current context of the kubeconfig. Files, the demo and recordings are not recorded.

${SOURCE}

Options:
  --interval S           seconds between readings (0.5 to 60, default 1)
  --for D                stop after a duration such as 90s, 10m or 2h

Exit code: 0 done, 1 a part of the recording cannot be read, 2 cannot run.`,

  replay: `Usage: apf-console replay ID|FILE [--from TIME] [--to TIME] [--speed N] [--count N]

Prints the frames of a recording as NDJSON, as watch prints those of a source (docs/frame.md): a frame of all servers for
each moment at which one was sampled. ID is the beginning of an ID that recordings lists; FILE was written by export and
is added to the recordings.

Options:
  --from TIME, --to TIME   this range only, both ends included: 2026-11-20T03:00:00Z
  --speed N              play back at N times the recorded speed (0.1 to 1000); without it, no waiting
  --count N              stop after N frames
  --json                 accepted for scripts; the output is always NDJSON

Exit code: 0 done, 1 a part of the recording cannot be read, 2 cannot run.`,

  export: `Usage: apf-console export ID|FILE NEWFILE [--from TIME] [--to TIME] [--anonymise] [--force]
  apf-console export KIND [FILE] [--kube-version V] [options]

Writes a recording, or a range of it, to one file (.apfrec, docs/recording.md) that only you can read. Every console opens
it: --file, --recording, the Connection screen, or dropped on the window. It contains names of users and objects, unless
--anonymise replaces them.

Options of a recording:
  --from TIME, --to TIME   this range only, both ends included: 2026-11-20T03:00:00Z
  --anonymise            replace users, groups, namespaces, names of objects, addresses and everything else that is not part
                         of every Kubernetes cluster; numbers and times stay. A name has the same pseudonym throughout a
                         file, and a different one in each file
  --force                replace a file that exists

With a KIND instead of a recording, it writes the configuration for your monitoring tools (docs/alerts.md) to standard output
or to FILE. The same options always give the same text.

Kind:
  rules                  alert rules R1 to R7 and R9 to R12 for Prometheus 2.42 and later
  recording-rules        rules that precompute expensive expressions over long ranges
  prometheusrule         both as a PrometheusRule of the Prometheus operator
  alertmanager           routes and inhibitions of these alerts
  dashboard              a Grafana dashboard
  mixin                  rules and dashboard as a jsonnet mixin

Options of a kind:
  --kube-version V       the metrics of this version, ${COVERED_RANGE} (the newest by default)
  --prometheus-label NAME=VALUE   only series with this label, such as job=apiserver, in alert rules and dashboard; repeat
                         it for several
  --label NAME=VALUE     a label of the PrometheusRule, such as the release=… that kube-prometheus-stack selects by, or of
                         each alert in rules and mixin; repeat it for several
  --cluster-label NAME   the label that names clusters; without it, there is only one
  --instance-label NAME  the label that names servers (instance by default)
  --interval S           seconds between two scrapes (30 by default)
  --force                replace a file that exists

Exit code: 0 done, 1 a part of the recording cannot be read and is missing from the file, 2 cannot run.`,

  import: `Usage: apf-console import FILE…

Adds exported recordings (.apfrec) to those of this user and prints the ID of each. All other files together become one
recording: output of watch, metrics pages, text formats of Prometheus with timestamps (promtool tsdb dump-openmetrics),
captures, manifests, audit and request logs, folders of them, - for standard input. Importing a file twice adds one recording.
Retention starts at the import.

Exit code: 0 done, 2 cannot run.`,

  report: `Usage: apf-console report ID|FILE [NEWFILE] [--from TIME] [--to TIME] [--format markdown|html|pdf|json]
                          [--anonymise] [--force]

Writes an incident report of a recording, or of a range of it (docs/recording.md): what happened and when, which levels,
who was affected, who used the seats, limits, changes of the configuration, evidence, glossary. NEWFILE is Markdown, or HTML
or PDF with charts if its name ends in .html or .pdf; without it, the report is printed. A PDF requires Chromium, Chrome or
Edge in PATH. The report names users and objects, unless --anonymise replaces them.

Options:
  --from TIME, --to TIME   this range only, both ends included: 2026-11-20T03:00:00Z
  --format FORMAT        markdown (default), html, pdf or json, whatever the name of the file
  --force                replace a file that exists

Exit code: 0 done, 1 a part of the recording cannot be read, 2 cannot run.`,

  permissions: `Usage: apf-console permissions [--kubeconfig FILE] [--context NAME] [--server URL]… | --metrics-url URL…
                              [--output text|json]

Tests what the credentials may do on each server, without side effects, and prints the ClusterRole and the binding for
what is missing (docs/connecting.md). Without a server: the current context of the kubeconfig.

Servers (one of):
  --kubeconfig FILE, --context NAME   the API server of a kubeconfig; KUBECONFIG or ~/.kube/config by default
  --server URL           one API server of that cluster (https://host:port); repeat it for several
  --metrics-url URL      the complete address of a metrics page; repeat it for several servers

${CREDENTIALS}

Options:
  -o, --output FORMAT    text (default) or json
  --json                 the same as --output json

Exit code: 0 every permission for reading is granted, 1 a permission is missing or refused, 2 cannot run.`,

  web: `Usage: apf-console web [source] [--port N] [--open]

Serves the console on 127.0.0.1 and prints an address, which opens one session within 10 minutes. When standard output is
not a terminal, prints the path of a file that only you can read; open it in your browser. Press Enter or send SIGUSR2 for a
new address. Without a source: a simulated cluster.

${SOURCE}

Options:
  --interval S           seconds between readings (0.5 to 60, default 1)
  --port N               port to listen on (a free one by default)
  --open                 also open the browser with that file
  --serve-simulation N   also serve the simulated server over HTTP, on this port of 127.0.0.1 (0 selects a free one):
                         metrics, debug dumps and flow-control objects, while it is connected
  --all-clusters         with --prometheus: every server of every cluster on the Fleet screen, in a few queries
  --metrics-port N       serve Prometheus metrics at http://127.0.0.1:N/metrics (0 selects a free port): the console's own,
                         and those of its engine while a simulation, a proxy or a feed is connected`,

  'serve-in-cluster': `Usage: apf-console serve-in-cluster --kubeconfig FILE [--tls-cert FILE --tls-key FILE --host NAME…]

Serves the console in a pod, read-only. A user who signs in with a bearer token of the cluster sees the API servers of the
kubeconfig, if the API server accepts the token (TokenReview) and its user may read the same (SubjectAccessReview). Without a
certificate, it listens on 127.0.0.1 only, for kubectl port-forward. Manifests and Helm chart: docs/in-cluster.md.

Options:
  --kubeconfig FILE, --context NAME   the user that the console acts as; it needs permission to create both kinds of reviews
  --server URL           one API server of that cluster (https://host:port); repeat it for several
  --interval S           seconds between readings (0.5 to 60, default 1)
  --port N               port to listen on (8443 by default)
  --tls-cert FILE, --tls-key FILE   certificate and key (PEM) of the console; read again when they change
  --host NAME            a host name in the address of the console; repeat it for several. Others are refused
  --base-path PATH       the path of the console on these hosts (/ by default), whether the ingress removes it or not
  --audience NAME        accept only tokens for this audience; repeat it for several (that of the API server by default)
  --metrics-port N       serve /metrics, /livez and /readyz on this port of every address (9464 by default)`,

  proxy: `Usage: apf-console proxy [--kubeconfig FILE] [--context NAME] | --upstream URL [--port N] [--mode M]
                         [--listen HOST[:PORT]] [--tls] [--draft FILE…] [--json]

A reverse proxy in front of an API server, on loopback, whose own flow control decides about each request as a server with
these objects and limits would, and with --mode enforce queues or rejects (429) it; prints its address, and a summary when it is stopped
(docs/proxy.md, docs/live.md). Without an upstream: the current context of the default kubeconfig. Clients act with the
credentials of the kubeconfig, so they need a token over TLS unless you pass --no-token.

Upstream (one of):
  --kubeconfig FILE, --context NAME   the server of a kubeconfig, with its credentials
  --upstream URL         any HTTP server

Who can connect (by default clients on this machine with the token; other machines require TLS and a token):
  --port N               port to listen on (a free one by default)
  --listen HOST[:PORT]   another address of this machine; 0.0.0.0 or [::] for all of them
  --tls                  use TLS with a certificate that the console generates and keeps
  --tls-cert FILE, --tls-key FILE   use TLS with this certificate (PEM)
  --generate-token       require a client token, which the console generates and keeps in a file
  --token-file FILE      require the client token in this file
  --no-token             require no token: every user of this machine acts with the credentials of the kubeconfig
  --allow-exec           let exec, attach, port-forward and proxy pass with these credentials; refused by default
  --client-ca FILE       CA of the client certificates (PEM), for --identity certificate
  --client-kubeconfig FILE   write a kubeconfig for clients (with TLS one is always written)

Options:
  --mode M               observe (default): requests pass, decisions are only computed; enforce: requests wait or are rejected
  --identity I           identity of callers: kubeconfig (default: its user for all), token, certificate or headers
  --objects O            initial objects: those of the upstream (default) or the built-in ones
  --config FILE…         initial objects: these manifests, which are the whole configuration
${DRAFT}
${ENGINE}`,

  feed: `Usage: apf-console feed --audit-file FILE | --audit-webhook-port N | --httplog FILE [--once] [--draft FILE…]
                        [--json]

Replays the requests of an API server through the console's own flow control, which only computes decisions: queues,
waits and rejections are what it would have done (docs/feeds.md, docs/live.md). Follows the file until it is stopped.
With --json, each line is a request; the last one, waits, rates the accuracy of the waits.

Feed (one of):
  --audit-file FILE      the audit log (--audit-log-path), rotated or compressed files of it too
  --audit-webhook-port N receive what the server posts to its audit webhook, on 127.0.0.1 (0 selects a free port)
  --httplog FILE         the log of a server that runs with -v=3

Options:
  --once                 stop at the end of the file
  --kubeconfig FILE, --context NAME   the same server, for its objects, how many objects there are, and how long requests
                         waited and executed (/metrics, every 5 s)
  --config FILE…         initial objects: these manifests, which are the whole configuration
${DRAFT}
${ENGINE}`,

  shard: `Usage: apf-console shard --queues Q --hand H [--elephants 1,4,16] [--flow SCHEMA/DISTINGUISHER]… [--target P]
                        [--output text|json|markdown]

Shows how well shuffle sharding isolates flows: the chance that a given number of elephants (flows that fill their whole
hand) cover every queue of a mouse's hand, the hands of given flows and their overlaps, and the smallest shapes that keep the
chance within a target (docs/sharding.md).

Options:
  --queues Q, --hand H   the shape: queues of the level, and the hand size of each flow
  --length N             longest queue that the level allows (50 by default)
  --elephants N,…        numbers of elephants (1,4,16 by default)
  --flow SCHEMA/DISTINGUISHER   a flow whose hand is shown; repeat it for several
  --target P             chance, between 0 and 1, for the largest number of elephants
  --max-queues N         consider no shape with more queues (1024 by default)
  --trials N             also deals N mice with their elephants, and counts how often they are covered
  --table                the table of the Kubernetes documentation, computed
  -o, --output FORMAT    text (default), json or markdown

Exit code: 0 done, 1 the shape misses the target, 2 cannot run (also for a shape that no server accepts).`,

  validate: `Usage: apf-console validate FILE… [--kube-version V] [--output text|json|github|sarif]

Checks every FlowSchema and PriorityLevelConfiguration in files of YAML or JSON as an API server would, and prints all
problems with their locations (docs/validate.md). An error is what a server of that version rejects; a warning is what it
accepts but is probably a mistake. All files together are one configuration.

FILE is a file, a folder (its .yaml, .yml and .json files, including subfolders) or - for standard input.

Options:
  --kube-version V       the version whose rules apply, ${COVERED_RANGE} (the newest by default)
  -o, --output FORMAT    text (default), json, github (annotations of a workflow) or sarif (2.1.0, for code scanning)
  --json                 the same as --output json

Exit code: 0 no errors, 1 errors, 2 cannot run.`,

  convert: `Usage: apf-console convert FILE… [--output yaml|json]
       apf-console convert --example kep-draft|kep-exempt|1.18 > old.yaml

Prints objects of earlier designs as objects of version v1: RequestPriority and FlowSchema of the draft of KEP-1040, and
manifests of v1alpha1, v1beta1, v1beta2 and v1beta3 (docs/draft-objects.md). What v1 cannot express is reported with a code,
L1 to L10. A rule that cannot be converted is left out, never widened.

FILE is a file, a folder (its .yaml, .yml and .json files, including subfolders) or - for standard input.

Options:
  -o, --output FORMAT    yaml (default; losses go to standard error) or json (objects and losses)
  --kube-version V       the version whose rules the manifests are checked by, ${COVERED_RANGE} (the newest by default)
  --defaults             also the objects that a server of the draft creates while nothing is exempt
  --example NAME         print objects of the proposal, or the levels of Kubernetes 1.18, as they were

Exit code: 0 converted, 1 an object has errors, 2 cannot run.`,

  classify: `Usage: apf-console classify --user U [--group G]… [--verb V] --url PATH [objects] [source] [--output text|json|markdown]
       apf-console classify --kubectl "get pods -n x" [--user U] [objects] [source]
       apf-console classify --request FILE | --test FILE [objects] [source]
       apf-console classify --traffic [--seconds S] [objects] [source]

Shows which flow schema and priority level a request matches and why no earlier schema does, its flow with hash and hand
of queues, and the seats that it takes (docs/classify.md).

Request (one of):
  --user U --url PATH    with --group G (repeat it; filled in from the user's name without), and --verb V (list, create, …)
                         or --method M (GET by default)
  --kubectl TEXT         what a kubectl command sends; --as and --as-group in it, or --user and --group, set the user
  --text TEXT            a curl command, an audit event, a line of a request dump, or GET /path
  --request FILE         JSON {user, groups, method or verb, url}, or a list of them, or RequestInfos of a server's log, as
                         in the KEP, or what --text takes; - for standard input
  --test FILE            a saved test table, whose requests must be classified as expected
  --traffic              the traffic of the source: which schemas match requests, why the others match none, and the flows of
                         its dumps with where the objects send them; for --seconds S (30 by default) from now on, or before
                         --at of a recording

Objects (those of the source by default, else the built-in ones of --kube-version):
  --config FILE…         files and folders of manifests, which are the whole configuration
  --with-built-in        add the built-in objects that they do not contain
  --draft FILE           objects of the draft of KEP-1040 instead (docs/draft-objects.md); prints a table

${SOURCE}

A source also sets the version, the seats of the server, and how many objects and watches each resource has.

Options:
  --kube-version V       behaves like v1.33 or v1.33.4 (that of the source by default, else the newest supported one)
  --server-limit N       seats of the server (those of the source by default, else 600), which bound the seats of a request
  --objects N, --object-size BYTES   number and average size of the objects of that resource
  --watchers N           watches of that resource
  --no-etcd-progress     lists of the latest version are read from etcd, as with an etcd that reports no progress (before
                         3.4.31, 3.5.0 to 3.5.12), and as by default up to 1.30
  -o, --output FORMAT    text (default), json or markdown
  --json                 the same as --output json

Exit code: 0 done, 1 a row of the test table fails or a server would reject an object, 2 cannot run.`,

  ...COMPARING,

  'etcd-proxy': `Usage: apf-console etcd-proxy --upstream URL [--rules FILE…] [--port N] [--listen HOST[:PORT]] [--mode M]
                              [TLS] [--name NAME] [--control-port N] [--grpc-port N] [--metrics-port N] [--json]

A gRPC proxy in front of one member of etcd, on loopback, which delays or rejects requests by rules (docs/etcd-qos.md);
prints its address, and a summary when it is stopped. Without --rules, it uses the rules set with apf-console qos, which are
stored in the state folder. Rule files are read again when they change; files with errors change nothing.

Options:
  --upstream URL         the member: http://127.0.0.1:2379
  --rules FILE…          files or folders of rules, which replace the stored ones
  --mode M               enforce (default), or observe: requests pass, decisions are only computed
  --name NAME            name of the proxy and of its stored rules (default: default)
  --control-port N       port for apf-console qos on loopback (a free one by default)
  --grpc-port N          port for the same over gRPC (a free one by default; apf-console qos proto prints the service)
  --port N               port to listen on (a free one by default)
  --listen HOST[:PORT]   another address of this machine; requires TLS and client certificates
  --metrics-port N       serve Prometheus metrics at http://127.0.0.1:N/metrics (0 selects a free port)
  --json                 print each decision as a line of JSON; everything else goes to standard error

TLS:
  --tls-cert FILE, --tls-key FILE   use TLS with this certificate (PEM)
  --client-ca FILE       require client certificates of this authority (PEM); their common name is the user
  --certificate-authority FILE   the authority of etcd's certificate (PEM)
  --client-certificate FILE --client-key FILE   the client certificate of the proxy for etcd (PEM); requires --client-ca

Exit code: 0 done, 2 cannot run.`,

  qos: `Usage: apf-console qos validate FILE… [--output text|json|github]
       apf-console qos explain --rules FILE --requests FILE [--trace] [--json]
       apf-console qos explain --rules FILE --op OP [--key K] [request] [--json]
       apf-console qos advise --requests FILE [--rules FILE] [--json]
       apf-console qos class add|update|delete|get NAME [class] | list
       apf-console qos rule add|update|delete|get|enable|disable NAME [rule] | list
       apf-console qos rule test --op OP [--key K] [request] [--json]
       apf-console qos mode enforce|observe
       apf-console qos status | tracker list [--by scan|traffic|latency] [--top N] | advise | history [--limit N]
       apf-console qos monitor --type latency|traffic|scanKeyNum --threshold X | --rule NAME [--limit N] [--json]
       apf-console qos export [--revision N] | import FILE… | proto

Rules that limit requests to etcd (docs/etcd-qos.md). validate checks rule files and prints all problems with their
locations. explain decides about recorded requests, on the clock of the recording, or about one request, and prints each
decision with the rule, the class and the numbers that led to it. Nothing is sent to an etcd.

All other subcommands manage an etcd-proxy of this user that runs on this machine. Changes act at once, are checked as a
whole, and are stored; history lists them. rule test decides about a request without charging it. monitor prints requests
above a threshold (ms, bytes, keys), or those that a rule decided, until --limit (99). advise evaluates starter rules, and rules for expensive requests, on
the last five minutes; it changes nothing. All take --proxy NAME; without it, the only one that runs.
A request is expensive if it scans many keys, is large or has a large response, takes long, or hashes a password (Authenticate).

Class (update changes only what is given):
  --qdisc-kind K         tbf (--qps N --burst N), lbf (--qps N), maxinflight (--num N) or window (--limit N --window 100s)
  --cost KIND            requests (default), failedRequests, requestBytes, totalBytes, scannedKeys, wallTimeMs, cpuTimeMs
  --group-by G, --max-groups N   none (default), user, clientIP or prefix:N
  --action delay --max-delay 500ms --max-waiting 50   let requests wait (shaping) instead of refusing them (discarding)

Rule:
  --qclassName C, --priority N   the class, and 1 to 100
  --ops A,B, --methods A,B, --prefixPaths P,Q, --user U, --client-ip IP, --min-retry N   what it selects
  --condition-kind K --condition-threshold X   repeat both for several
  --key-match M, --scope S   overlap (default) or within; class (default) or rule
  --allow-all            accept a rule that selects everything
  --clear A,B            of update: members to remove

FILE is a file, a folder (its .yaml, .yml and .json files, including subfolders) or - for standard input. All rule
files together are one configuration.

Options of explain:
  --rules FILE           a rule file or a folder of them; repeat it for several
  --requests FILE        requests, one JSON object per line, or slow requests in a log of etcd; - for standard input
  --trace                explain for every rule why it applies or does not (always on for one request)
  --json                 decisions as NDJSON; a summary goes to standard error

One request:
  --op OP                Range, Put, DeleteRange, Txn, Authenticate or another operation; or its method, such as KV/Range
  --key K                the key, in UTF-8, with \\xff for a byte that is not text
  --prefix | --range-end K   all keys that begin with it, or those up to an end (\\x00: all that follow)
  --limit N              limit of a Range
  --name U               the user that an Authenticate is about
  --user U, --client-ip IP   the caller
  --request-bytes N      size of the request
  --scan N, --response-bytes N, --latency MS   expected keys scanned, response bytes and milliseconds
  --quota-used F         part of the storage quota in use, 0 to 1
  --retry N              number of previous attempts

Exit code of validate and import: 0 no errors, 1 errors, 2 cannot run. Of others: 0 done, 2 cannot run.`,

  engine: `Usage: apf-console engine SUBCOMMAND

Reads JSON values from standard input, each a query for the flow-control engine, and prints each result as one line of
JSON as soon as the value is complete. The queries are those that the conformance tests run against upstream's code
(docs/conformance.md); missing fields are zero. An invalid query ends the command.`,

  completion: `Usage: apf-console completion bash|zsh|fish

Prints a script for a shell, which then completes commands, options and their values for apf-console and kubectl-apf.
kubectl completes kubectl apf itself, using kubectl_complete-apf.

Shell:
  bash                   source <(apf-console completion bash)
  zsh                    source <(apf-console completion zsh), after compinit
  fish                   apf-console completion fish | source
  words                  no shell: completes a command line, one word per line on standard input; used by these scripts`,

  manual: `Usage: apf-console manual

Prints this help, and that of every command, as a manual page: apf-console manual > apf-console.1; man ./apf-console.1`,

  version: `Usage: apf-console version [--check] [--from URL]

Prints the version. With --check, requests the latest version from an address, compares it, and prints the link: nothing is
downloaded or run. There is no default address: set one on the Connection screen, or give it here.

Options:
  --check                check for a newer version
  --from URL             an https address (or http on this machine) of a JSON file, {"version": "1.2.3", "url": "https://…"}

Exit code: 0 done, 1 there is a newer version, 2 cannot run.`,
} as const
