import { ALGORITHMS } from '../../core/engine/profiles.ts'
import { COVERED_RANGE } from '../../core/metrics/versions.ts'
import { TUNE_EVALUATIONS, TUNE_SEEDS } from '../../core/bounds.ts'

/** Help of the commands that compare one configuration or server with another. */
export const COMPARING = {
  impact: `Usage: apf-console impact [--config OLD…] [--edit NEW…] [--server-limit N] [--new-server-limit N] [source]
                           [--output text|json|markdown]

Shows every level before and after an edit: shares, seats, the widest request, what can wait, and with a source also the limits
that follow from the present demand (docs/impact.md); then the guard rails: what the edit puts at risk (docs/guard-rails.md).

Edit:
  --edit FILE…           files and folders of manifests, or - for standard input, applied as kubectl apply does: fields
                         that a manifest leaves out keep their values
  --patch                the manifests are strategic merge patches, also to objects of --config; so is one with a
                         directive such as $patch
  --whole                the edit is the whole configuration: objects that it does not contain are deleted

Objects before it (one of; the built-in ones of --kube-version by default):
  --config FILE…         files and folders of manifests, which are the whole configuration
  --kubeconfig FILE, --context NAME   those of a cluster

Source of the present demand (one of):
  --kubeconfig FILE, --context NAME, --server URL   the API server of a kubeconfig
  --metrics-url URL      the complete address of a metrics page; repeat it for several servers
  --prometheus URL       what a Prometheus scraped (apf-console snapshot --help has its options)
  --file PATH            a metrics text, a debug dump or a capture
  --recording ID|FILE    a recording, at its end or at --at TIME
  --simulate, --demo     a simulated cluster, a recording of a real server
                         The objects of files, recordings, simulations and the demo are those that the edit changes
                         unless --config names others.

Options:
  --server-limit N       seats of one server: --max-requests-inflight and --max-mutating-requests-inflight together (as
                         the source reports it, else 600)
  --new-server-limit N   the same after a restart with other flags, with or without an edit
  --kube-version V       behaves like v1.33 or v1.33.4 (that of the cluster by default, else the newest supported one)
  --test FILE            a saved test table, whose requests must keep matching what they match
  -o, --output FORMAT    text (default), json or markdown
  --json                 the same as --output json

Exit code: 0 done, 1 a guard rail blocks the edit, a server would reject an object or could not be read, 2 cannot run.`,

  compare: `Usage: apf-console compare ID|FILE [ID|FILE] [periods] [--api-server NAME] [--output text|json|markdown]
       apf-console compare --prometheus URL periods [--api-server NAME]

Compares two periods of each server, A and B, as the Compare screen does (docs/compare.md): mean seats, limits and queues,
rejected and dispatched requests and the longest wait, of the server and of each level, those that changed most first; then
other differences: objects, version, process, seats. With two recordings, A is from the first and B from the second.

Periods (one of; whole recordings by default, where two are given):
  --a FROM..TO --b FROM..TO   2026-11-20T03:00:00Z..2026-11-20T03:20:00Z
  --b FROM..TO --offset D   A has the same length and is D earlier: 1h, 24h
  --mark TIME [--length D]   A ends at TIME, B begins 30 s after it, because limits follow an edit only after up to three
                         recomputations; D long each (10m by default)

Options:
  --api-server NAME      one server; all of them by default
  --prometheus URL       what a Prometheus scraped (apf-console snapshot --help has its options)
  -o, --output FORMAT    text (default), json or markdown
  --json                 the same as --output json

Exit code: 0 done, 1 more than 2 % of a period is not recorded, 2 cannot run.`,

  whatif: `Usage: apf-console whatif FILE… [--baseline PART,…] [--candidate NAME=PART,…]…
                           [--output text|json|yaml|markdown]
       apf-console whatif --recording ID|FILE [--at TIME] [--candidate NAME=PART,…]…
       apf-console whatif --simulate [--seed N] [--seconds S] [--closed-loop] [--candidate NAME=PART,…]…

Runs the same requests on a baseline and up to seven candidates, and prints the outcomes by level, flow schema and
flow, the differences, and the first decision that differs, explained (docs/whatif.md).

FILE is a recording, packed with gzip or not, or - for standard input: lines of proxy --json or feed --json, an audit log, or
a request log of -v=3. Several files of one kind are read as one. Or it is a scenario: its clients are used, as with
--simulate (apf-console simulate --help). With --recording, it uses the last 5,000 requests before the end
of the recording or before --at TIME; recordings of proxies, feeds and simulations contain requests.

Variants:
  --baseline PART,…      how the requests were served; the built-in objects, 400 and 200 requests in flight by default.
                         Manifests are the whole configuration
  --candidate NAME=PART,…   what differs from the baseline; manifests are applied to its objects as kubectl apply does.
                         Repeat it for several

PART is a manifest (a file or a folder), or one of
  max-requests-inflight=N, max-mutating-requests-inflight=N   the two limits of each server
  servers=N              servers; each user stays with one of them
  version=V              the Kubernetes version whose rules apply, ${COVERED_RANGE}
  algorithm=A            upstream (default), max-in-flight: two counters, no queues; or an earlier or alternative design
                         (docs/algorithms.md): ${ALGORITHMS.slice(1, 5).join(', ')},
                         ${ALGORITHMS.slice(5, -1).join(', ')}
  execution-factor=F     every execution time is multiplied by F
  request-factor=F       the part of the requests that clients send, drawn by chance (1 by default)
  objects-per-seat=N, bytes-per-seat=N, watches-per-seat=N   what a seat of a list or a change stands for, instead of
                         100 objects (lists until 1.33), 100,000 bytes (since 1.34) and 10 watches
  codel-target-ms=N, codel-interval-ms=N   of algorithm=codel, instead of 5 ms and 100 ms

Options:
  --simulate             requests of the built-in simulated cluster instead of a recording
  --seed N, --seconds S  the random seed (1 by default) and how long it runs (300 s by default, 3600 s at most)
  --closed-loop          simulated clients react to each variant: they retry after Retry-After, back off and think
  --window S             fairness is averaged over intervals, a sliding window and a decaying average of S seconds (10)
  --flows N              flows that the text shows (10 by default)
  --assert TEXT          a condition for every candidate, like a goal of apf-console tune: "wait p99 of workload-high < 1 s",
                         "leases never wait"; or relative to the baseline: "rejected of workload-low <= baseline",
                         "wait p99 <= 110 % of baseline". Repeat it for several
  -o, --output FORMAT    text (default), json, yaml or markdown
  --json                 the same as --output json

Exit code: 0 done, 1 an assertion fails, 2 cannot run.`,

  forecast: `Usage: apf-console forecast [source] [--edit FILE…] [--new-server-limit N] [--seconds N]
                             [--output text|json|yaml|markdown]
       apf-console forecast --kept [--output text|json|markdown]

Forecasts what an edit does to the waits, rejections, seats and limits of every level (docs/forecast.md). It reads the source
for a while, fits a simulated server with simulated clients to the source, and applies the edit there. Each value
is a 90 % interval; a level that the simulated server does not reproduce shows its limits only. Nothing is written to the server.

Source: as of apf-console watch (--kubeconfig, --metrics-url, --prometheus, --recording, --simulate, --demo, …).

Edit:
  --edit FILE…           manifests of the edit, applied as kubectl apply does; - for standard input
  --patch                the manifests are strategic merge patches
  --whole                the manifests are the whole configuration afterwards
  --config FILE…         the objects that the server has now (those of the cluster or the source by default)
  --kube-version V       the version whose rules apply (that of the server by default)

Options:
  --seconds N            read N seconds of pages, 20 to 600 (120 by default); the past of the source counts too
  --of-server ID         one server of the source, by its id (the first by default)
  --server-limit N       seats of the server (as it reports by default)
  --new-server-limit N   seats after a restart with other flags, with or without an edit
  --interval S           seconds between two scrapes (1 by default)
  --kept                 print the forecasts of edits that the Editor applied, next to the later measurements;
                         reads the state folder and contacts nothing
  -o, --output FORMAT    text (default), json, yaml or markdown
  --json                 the same as --output json

Exit code: 0 done, 1 a server would reject the edit, 2 cannot run.`,

  simulate: `Usage: apf-console simulate FILE|NAME… [--seed N] [--output text|json|markdown]
       apf-console simulate FILE|NAME --step [--variant V]…
       apf-console simulate --numbers [FILE|NAME…]
       apf-console simulate --list
       apf-console simulate --import RECORDING… > scenario.yaml

Runs scenarios: simulated clients in front of several variants of a server, each with a verdict, and assertions that are
checked (docs/scenarios.md). NAME is one of the library, such as S1; FILE is a scenario of your own, or - for standard
input. The same seed gives the same run on every machine.

Options:
  --list                 list the library
  --numbers              print the numbers of the specification beside the measured ones, of the library if none is named
  --import               print a scenario whose clients send at the recorded average rates; reads what whatif reads
                         (apf-console whatif --help)
  --seed N               override the seed of the scenario
  --assert TEXT          a condition for every variant, in addition to the assertions of the file: "leases never wait".
                         Repeat it for several
  --step                 step through the run with commands from standard input: event, decision, second, recomputation,
                         back, at SECONDS, level NAME (a level of two variants side by side); prints every level
                         after each (help lists the commands)
  --variant V            with --step, the variant; several are shown at the same instant (the last one by default)
  -o, --output FORMAT    text (default), json or markdown
  --json                 the same as --output json

Exit code: 0 passed, 1 an assertion fails or a verdict is not the expected one, 2 cannot run.`,

  sweep: `Usage: apf-console sweep FILE [--results FILE] [--threads N] [--shard I/N] [--output text|csv|json]
       apf-console sweep merge FILE… [--results FILE] [--output text|csv|json]
       apf-console sweep job FILE --image NAME --shards N [--claim NAME] [--namespace NAME]
       apf-console sweep job FILE --containerfile

Runs a scenario or recorded requests with every combination of settings that a file names, or with random ones, and keeps the
requested numbers (docs/sweeps.md). Every point is written to a file as soon as it completes: after an interrupt or a
crash the same command continues where it stopped. merge joins the files of shards; job prints the manifests of an Indexed Job
whose pods run a shard each.

Running:
  --results FILE         where the points are stored, as NDJSON: next to the sweep file by default, - for standard output
  --threads N            threads (one for each processor by default)
  --shard I/N            the points of shard I of N, from 0/N on
  --shards N             the same in a pod of an Indexed Job, which has its index in JOB_COMPLETION_INDEX

Results:
  --heat-map RESULT      a heat map of one result, such as workload-low.waitP99, over two parameters
  --x NAME, --y NAME     its parameters (the first two by default); it shows the mean over all others
  --svg FILE             write the heat map to this file as well
  -o, --output FORMAT    text (default), csv or json
  --json                 the same as --output json

Job:
  --image NAME           the image of the console; --containerfile prints how to build it
  --shards N             pods, a shard each
  --claim NAME           a PersistentVolumeClaim for the results, which all pods can write to (ReadWriteMany); without one,
                         the results are the logs of the pods
  --namespace NAME       the namespace of the objects

Exit code: 0 done, 1 points are missing or could not be run, 2 cannot run or interrupted.`,

  tune: `Usage: apf-console tune FILE [--evaluations N] [--seed N] [--write FILE]
                         [--output text|json|yaml|manifests|markdown]
       apf-console tune SCENARIO --goal GOAL… [--guard-rail GOAL]… [--variant V] [options]
       apf-console tune SOURCE --goal GOAL… [--guard-rail GOAL]… [options]

Searches for the smallest edit of shares, lendable and borrowing percentages, queues, hands and queue lengths with which goals
hold (docs/tune.md). Every edit is run on a scenario, on recorded requests, or on the twin of a server (docs/forecast.md). The
result is a draft with its evidence: each level before and after, which levels pay for it, and a runner-up. Nothing is applied.

GOAL is a measure with a bound, such as "wait p99 of workload-high < 1 s" or "rejected of workload-low < 5 %", or
"leases never wait" and "leases are never rejected". Names are those of levels and of groups of clients.

SOURCE: as of apf-console forecast (--kubeconfig, --metrics-url, --prometheus, --recording, --simulate, --demo, …).

Options:
  --goal GOAL            a goal that must hold; repeat it for several
  --guard-rail GOAL      a goal that must also hold, or at least not get worse, such as "rejections of no level may rise";
                         repeat it for several
  --variant V            the variant of the scenario that is tuned (the first one by default)
  --config FILE…, --kube-version V, --seconds N, --of-server ID, --server-limit N   with a source, as of forecast
  --evaluations N        edits that are run, ${TUNE_EVALUATIONS.min} to ${TUNE_EVALUATIONS.max} (${TUNE_EVALUATIONS.usual} by default)
  --seed N               random seed of the search (1 by default): the same seed finds the same edit on every machine
  --seeds N              number of seeds for the best edits, ${TUNE_SEEDS.min} to ${TUNE_SEEDS.max} (${TUNE_SEEDS.usual} by default)
  --write FILE           write the draft to this file, as manifests for impact, forecast and the Editor
  --force                replace that file if it exists
  -o, --output FORMAT    text (default), json, yaml, manifests or markdown
  --json                 the same as --output json

Exit code: 0 the goals are met, 1 no edit meets them, 2 cannot run.`,

  diff: `Usage: apf-console diff OLD NEW [--output text|json|patch|markdown]

Shows what differs between two configurations, field by field, with defaults filled in (docs/drift.md). OLD and NEW are files or
folders of manifests; one of them may be - for standard input.

Options:
  --kube-version V       the version whose rules apply, ${COVERED_RANGE} (the newest by default)
  -o, --output FORMAT    text (default), json, markdown or patch (a unified diff of manifests)
  --json                 the same as --output json

Exit code: 0 nothing differs, 1 something does or a server would reject an object, 2 cannot run.`,

  drift: `Usage: apf-console drift (--config FILE… | --kubeconfig FILE | --context NAME | --recording ID|FILE) [against]
                          [--output text|json|markdown]

Shows how the objects of a cluster, of files or of a recording differ from the built-in objects of the release, and what
the API server will do to each (docs/drift.md); or how they differ from those of another place or instant. Your own objects are listed but
do not count as drift from the built-in ones.

Objects:
  --config FILE…         files and folders of manifests, which are the whole configuration
  --with-built-in        add the built-in objects that they do not contain
  --kubeconfig FILE, --context NAME   those of a cluster
  --recording ID|FILE    those of a recording, at its end or at --at TIME

Against (one of; the built-in objects by default):
  --against FILE…        files and folders of manifests
  --against-kubeconfig FILE, --against-context NAME   those of another cluster
  --against-recording ID|FILE   those of a recording, at its end or at --against-at TIME; with --against-at
                         alone, those of --recording at another instant

Options:
  --kube-version V       v1.33 or v1.33.4 (that of the cluster or recording by default, else the newest supported one)
  -o, --output FORMAT    text (default), json or markdown
  --json                 the same as --output json

Exit code: 0 no drift, 1 drift, 2 cannot run.`,
} as const
