// Command oracle runs upstream's own API Priority and Fairness packages on scripted input.
//
//	oracle <subcommand> < questions.jsonl > answers.jsonl
//	oracle gen --kind K --seed N --count M > vectors.json
//	oracle bench ...
//
// The program is APF Console's own; what it answers comes from k8s.io/apiserver. See ../README.md.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"

	"k8s.io/klog/v2"
)

// Set by the build: the module that is asked, and a hash of the sources of this program.
var (
	apiserverVersion = "unknown"
	apiserverSum     = "unknown"
	sourcesSum       = "unknown"
)

type handler func(raw json.RawMessage) (any, error)

// on adapts a typed function to a handler.
func on[In, Out any](f func(In) (Out, error)) handler {
	return func(raw json.RawMessage) (any, error) {
		var in In
		if err := json.Unmarshal(raw, &in); err != nil {
			return nil, err
		}
		return f(in)
	}
}

var handlers = map[string]handler{
	"shard":       on(runShard),
	"flowhash":    on(runFlowHash),
	"queueset":    on(runQueueSet),
	"solver":      on(runSolver),
	"integrator":  on(runIntegrator),
	"limits":      on(runLimits),
	"maxseats":    on(runLimits),
	"borrow":      on(runBorrow),
	"estimate":    on(runEstimate),
	"watches":     on(runWatches),
	"match":       on(runMatch),
	"requestinfo": on(runRequestInfo),
	"retryafter":  on(runRetryAfter),
	"seatseconds": on(runSeatSeconds),
	"timing":      on(runTiming),
	"dump":        on(runDump),
}

func main() {
	quiet := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(quiet)
	for _, a := range []string{"logtostderr=false", "alsologtostderr=false", "stderrthreshold=FATAL"} {
		k, v, _ := strings.Cut(a, "=")
		check(quiet.Set(k, v))
	}
	klog.SetOutput(io.Discard)
	if len(os.Args) < 2 {
		usage()
	}
	sub := os.Args[1]
	switch sub {
	case "gen":
		check(genMain(os.Args[2:]))
		return
	case "bench":
		check(benchMain(os.Args[2:]))
		return
	case "bootstrap":
		emit(runBootstrap())
		return
	case "version":
		emit(struct {
			Provenance
			Sources string `json:"sources"`
		}{provenance("", 0), sourcesSum})
		return
	}
	h, ok := handlers[sub]
	if !ok {
		usage()
	}
	dec := json.NewDecoder(bufio.NewReader(os.Stdin))
	for {
		var raw json.RawMessage
		err := dec.Decode(&raw)
		if err == io.EOF {
			return
		}
		check(err)
		out, err := h(raw)
		check(err)
		emit(out)
	}
}

func usage() {
	names := make([]string, 0, len(handlers))
	for n := range handlers {
		names = append(names, n)
	}
	sort.Strings(names)
	fmt.Fprintf(os.Stderr, "usage: oracle {%s|bootstrap|gen|bench|version}\n", strings.Join(names, "|"))
	os.Exit(2)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "oracle:", err)
		os.Exit(1)
	}
}

func line(v any) []byte {
	b, err := json.Marshal(v)
	check(err)
	return b
}

func emit(v any) {
	os.Stdout.Write(append(line(v), '\n'))
}
