package main

import (
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/apiserver/pkg/util/shufflesharding"
)

func splitmix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

type BenchOut struct {
	Bench        string  `json:"bench"`
	Mode         string  `json:"mode,omitempty"`
	Queues       int     `json:"queues,omitempty"`
	HandSize     int     `json:"handSize,omitempty"`
	Limit        int     `json:"limit,omitempty"`
	Width        int     `json:"width,omitempty"`
	Flows        int     `json:"flows,omitempty"`
	Backlog      int     `json:"backlog,omitempty"`
	Requests     int     `json:"requests,omitempty"`
	Waited       int64   `json:"waited,omitempty"`
	Rejected     int64   `json:"rejected"`
	Clock        string  `json:"clock,omitempty"`
	Metrics      string  `json:"metrics,omitempty"`
	Items        int     `json:"items,omitempty"`
	Calls        int     `json:"calls,omitempty"`
	ElapsedNs    int64   `json:"elapsedNs"`
	NsPer        float64 `json:"nsPer"`
	PerSecond    float64 `json:"perSecond"`
	AllocsPer    float64 `json:"allocsPer"`
	BytesPer     float64 `json:"bytesPer"`
	GoMaxProcs   int     `json:"gomaxprocs"`
	CPU          string  `json:"cpu"`
	Go           string  `json:"go"`
	ApiserverVer string  `json:"apiserver"`
}

func cpuModel() string {
	b, _ := os.ReadFile("/proc/cpuinfo")
	for _, l := range strings.Split(string(b), "\n") {
		if k, v, ok := strings.Cut(l, ":"); ok && strings.TrimSpace(k) == "model name" {
			return strings.TrimSpace(v)
		}
	}
	return runtime.GOARCH
}

func (o *BenchOut) done(start time.Time, before runtime.MemStats, n int) {
	o.ElapsedNs = time.Since(start).Nanoseconds()
	var after runtime.MemStats
	runtime.ReadMemStats(&after)
	o.NsPer = float64(o.ElapsedNs) / float64(n)
	o.PerSecond = 1e9 / o.NsPer
	o.AllocsPer = float64(after.Mallocs-before.Mallocs) / float64(n)
	o.BytesPer = float64(after.TotalAlloc-before.TotalAlloc) / float64(n)
	o.GoMaxProcs, o.CPU, o.Go, o.ApiserverVer = runtime.GOMAXPROCS(0), cpuModel(), runtime.Version(), apiserverVersion
	emit(o)
}

func begin() (time.Time, runtime.MemStats) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return time.Now(), m
}

func benchMain(args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("bench what? queueset, solver, shard, flowhash, match, all")
	}
	fl := flag.NewFlagSet("bench", flag.ExitOnError)
	o := BenchOut{}
	fl.IntVar(&o.Requests, "requests", 200000, "requests")
	fl.IntVar(&o.Flows, "flows", 1000, "distinct flow hashes")
	fl.IntVar(&o.Queues, "queues", 64, "queues")
	fl.IntVar(&o.HandSize, "hand", 8, "hand size")
	fl.IntVar(&o.Limit, "limit", 49, "concurrency limit")
	fl.IntVar(&o.Width, "width", 1, "seats of every request")
	fl.IntVar(&o.Backlog, "backlog", 1000, "requests kept waiting")
	fl.StringVar(&o.Clock, "clock", "tick", "tick or real")
	fl.StringVar(&o.Metrics, "metrics", "off", "off or on")
	fl.StringVar(&o.Mode, "mode", "single", "single goroutine, or goroutines")
	fl.IntVar(&o.Items, "items", 8, "solver items")
	fl.IntVar(&o.Calls, "calls", 0, "calls (0: about half a second)")
	input := fl.String("input", "", "file with a question of the subcommand match")
	lines := fl.Bool("lines", false, "match: read method and address each time")
	fl.Parse(args[1:])
	if o.Metrics == "on" {
		registerMetrics()
	}
	switch args[0] {
	case "queueset":
		return benchQS(o)
	case "solver":
		return benchSolver(o)
	case "shard":
		return benchShard(o)
	case "flowhash":
		return benchHash(o)
	case "match":
		return benchMatch(o, *input, *lines)
	case "all":
		for round := 0; round < 3; round++ {
			for _, s := range []struct{ q, h, l, n int }{{64, 8, 49, 200000}, {512, 6, 600, 200000}, {4096, 5, 600, 40000}, {4096, 5, 49, 40000}} {
				x := o
				x.Queues, x.HandSize, x.Limit, x.Requests = s.q, s.h, s.l, s.n
				check(benchQS(x))
			}
			for _, n := range []int{8, 30, 200} {
				x := o
				x.Items = n
				check(benchSolver(x))
			}
			for _, s := range [][2]int{{64, 8}, {128, 6}, {512, 6}, {4096, 5}} {
				x := o
				x.Queues, x.HandSize = s[0], s[1]
				check(benchShard(x))
			}
			check(benchHash(o))
		}
		return nil
	}
	return fmt.Errorf("unknown bench %q", args[0])
}

func (o BenchOut) loop(f func(i int)) error {
	o.Requests, o.Flows, o.Backlog, o.Limit, o.Width, o.Clock, o.Metrics, o.Mode = 0, 0, 0, 0, 0, "", "", ""
	if o.Calls == 0 {
		t := time.Now()
		n := 0
		for time.Since(t) < 50*time.Millisecond {
			f(n)
			n++
		}
		o.Calls = n * 10
	}
	start, before := begin()
	for i := 0; i < o.Calls; i++ {
		f(i)
	}
	o.done(start, before, o.Calls)
	return nil
}

var sink float64

// benchItems makes a problem in which bounds matter, without a random generator so that other programs can repeat it.
func benchItems(n int) (int, []flowcontrol.OracleAllocItem) {
	items := make([]flowcontrol.OracleAllocItem, n)
	var lo, hi float64
	for i := range items {
		h := splitmix(uint64(i))
		l := float64(h % 50)
		items[i] = flowcontrol.OracleAllocItem{Lower: l}
		items[i].Upper = l + float64((h>>8)%200)
		items[i].Target = l + float64((h>>16)%300)
		lo += items[i].Lower
		hi += items[i].Upper
	}
	return int(lo+hi) / 2, items
}

func benchSolver(o BenchOut) error {
	o.Bench, o.Queues, o.HandSize = "solver", 0, 0
	req, items := benchItems(o.Items)
	return o.loop(func(int) {
		a, p, err := flowcontrol.OracleSolve(req, items)
		check(err)
		sink += p + a[0]
	})
}

func benchShard(o BenchOut) error {
	o.Bench, o.Items = "shard", 0
	d, err := shufflesharding.NewDealer(o.Queues, o.HandSize)
	if err != nil {
		return err
	}
	var hand [15]int
	return o.loop(func(i int) {
		h := d.DealIntoHand(splitmix(uint64(i)), hand[:])
		sink += float64(h[0])
	})
}

func benchHash(o BenchOut) error {
	o.Bench, o.Items, o.Queues, o.HandSize = "flowhash", 0, 0, 0
	names := make([]string, 1000)
	for i := range names {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], splitmix(uint64(i)))
		names[i] = fmt.Sprintf("system:serviceaccount:ns-%d:%x", i, b)
	}
	return o.loop(func(i int) {
		sink += float64(flowcontrol.OracleHashFlowID("service-accounts", names[i%len(names)]) & 1)
	})
}
