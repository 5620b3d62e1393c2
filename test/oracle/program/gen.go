package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
)

type Provenance struct {
	Kind      string            `json:"kind,omitempty"`
	Seed      int64             `json:"seed"`
	Generator string            `json:"generator"`
	Modules   map[string]string `json:"modules"`
	Go        string            `json:"go"`
	Platform  string            `json:"platform"`
}

func provenance(kind string, seed int64) Provenance {
	p := Provenance{Kind: kind, Seed: seed, Generator: "oracle gen", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Modules: map[string]string{"k8s.io/apiserver": apiserverVersion + " " + apiserverSum}}
	if bi, ok := debug.ReadBuildInfo(); ok {
		for _, d := range bi.Deps {
			switch d.Path {
			case "k8s.io/api", "k8s.io/apimachinery", "k8s.io/component-base", "k8s.io/client-go", "k8s.io/utils":
				p.Modules[d.Path] = d.Version
			}
		}
	}
	return p
}

// VectorFile is the form of every vector file.
type VectorFile struct {
	Provenance Provenance   `json:"provenance"`
	Cases      []VectorCase `json:"cases"`
}
type VectorCase struct {
	In  json.RawMessage `json:"in"`
	Out json.RawMessage `json:"out"`
}

// handlerOf maps a vector kind to the subcommand that answers it.
func handlerOf(kind string) string {
	if strings.HasPrefix(kind, "queueset") {
		return "queueset"
	}
	if strings.HasPrefix(kind, "borrow") {
		return "borrow"
	}
	return kind
}

func genMain(args []string) error {
	fl := flag.NewFlagSet("gen", flag.ExitOnError)
	kind := fl.String("kind", "", "what to make")
	seed := fl.Int64("seed", 1, "seed")
	count := fl.Int("count", 10, "how many cases")
	fl.Parse(args)
	if *kind == "bootstrap" {
		return writeVectors(VectorFile{provenance(*kind, *seed), []VectorCase{{json.RawMessage("null"), line(runBootstrap())}}})
	}
	g, ok := generators[*kind]
	if !ok {
		return fmt.Errorf("unknown kind %q", *kind)
	}
	h := handlers[handlerOf(*kind)]
	rnd := &R{rand.New(rand.NewSource(*seed))}
	f := VectorFile{Provenance: provenance(*kind, *seed)}
	skipped := map[string]int{}
	for i := 0; len(f.Cases) < *count; i++ {
		if i > 50*(*count)+1000 {
			return fmt.Errorf("too many cases were unsuitable: %v", skipped)
		}
		in := line(g(rnd, i))
		out, err := h(in)
		if err != nil {
			return fmt.Errorf("case %d: %w", i, err)
		}
		if why := unsuitable(out); why != "" {
			skipped[why]++
			continue
		}
		f.Cases = append(f.Cases, VectorCase{in, line(out)})
	}
	if len(skipped) > 0 {
		fmt.Fprintf(os.Stderr, "%s: left out %v\n", *kind, skipped)
	}
	return writeVectors(f)
}

// unsuitable says why upstream's answer to a generated case is not the only one it can give.
func unsuitable(out any) string {
	switch o := out.(type) {
	case QSResult:
		switch {
		case o.Ties > 0:
			return "simultaneous events"
		case len(o.Panics) > 0:
			return "panic"
		case o.StaleRemovals > 0:
			return "stale queue removal"
		}
	case LimitsOut:
		if o.fragile {
			return "allocation at a half"
		}
	case BorrowOut:
		if o.disagreed {
			return "repeats disagreed"
		}
		if o.Unstable {
			return "allocation at a half"
		}
	}
	return ""
}

func writeVectors(f VectorFile) error {
	w := bufio.NewWriter(os.Stdout)
	fmt.Fprintf(w, "{\n\"provenance\": %s,\n\"cases\": [\n", line(f.Provenance))
	for i, c := range f.Cases {
		sep := ","
		if i == len(f.Cases)-1 {
			sep = ""
		}
		fmt.Fprintf(w, "%s%s\n", line(c), sep)
	}
	fmt.Fprint(w, "]\n}\n")
	return w.Flush()
}

// ---- random helpers ----

type R struct{ *rand.Rand }

func (r *R) in(lo, hi int) int { return lo + r.Intn(hi-lo+1) }
func (r *R) chance(p float64) bool {
	return r.Float64() < p
}
func (r *R) logNs(lo, hi float64) I64 {
	return I64(math.Exp(math.Log(lo)+r.Float64()*(math.Log(hi)-math.Log(lo)))) + I64(r.Intn(1000))
}
func pick[T any](r *R, xs ...T) T { return xs[r.Intn(len(xs))] }
func some[T any](r *R, n int, xs []T) []T {
	p := r.Perm(len(xs))
	if n > len(xs) {
		n = len(xs)
	}
	var out []T
	for _, i := range p[:n] {
		out = append(out, xs[i])
	}
	return out
}

var generators = map[string]func(*R, int) any{
	"shard":             genShard,
	"flowhash":          genFlowHash,
	"seatseconds":       genSeatSeconds,
	"solver":            genSolver,
	"integrator":        genIntegrator,
	"limits":            genLimits,
	"borrow":            genBorrow,
	"estimate":          genEstimate,
	"watches":           genWatches,
	"match":             genMatch,
	"requestinfo":       genRequestInfo,
	"retryafter":        genRetryAfter,
	"timing":            genTiming,
	"dump":              genDump,
	"queueset-basic":    func(r *R, i int) any { return genQS(r, i, "basic") },
	"queueset-mutating": func(r *R, i int) any { return genQS(r, i, "mutating") },
	"queueset-timeout":  func(r *R, i int) any { return genQS(r, i, "timeout") },
	"queueset-overload": func(r *R, i int) any { return genQS(r, i, "overload") },
	"queueset-reconfig": func(r *R, i int) any { return genQS(r, i, "reconfig") },
	"queueset-reject":   func(r *R, i int) any { return genQS(r, i, "reject") },
	"queueset-exempt":   func(r *R, i int) any { return genQS(r, i, "exempt") },
	"queueset-epoch":    func(r *R, i int) any { return genQS(r, i, "epoch") },
	"queueset-wide":     func(r *R, i int) any { return genQS(r, i, "wide") },
}
