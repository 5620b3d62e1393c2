package main

import (
	"fmt"
	"math"
	"sort"
)

// ---- queue sets ----

func genQS(r *R, i int, class string) any {
	sc := QSScenario{ID: fmt.Sprintf("%s-%d", class, i)}
	c := &sc.Config
	c.Limit = pick(r, r.in(1, 6), r.in(1, 20), r.in(1, 60))
	c.Queues = pick(r, 1, r.in(1, 8), r.in(1, 32), r.in(1, 128), 64, 128)
	c.HandSize = legalHand(r, c.Queues)
	c.QueueLengthLimit = r.in(5, 60)
	n := pick(r, r.in(20, 60), r.in(20, 150), r.in(100, 400))
	load := pick(r, 0.6, 1.1, 1.1, 1.6, 3)
	execLo, execHi := 1e6, 2e9
	maxWidth := pick(r, 1, 3, 12)
	mutating := 0.0
	latLo, latHi := 1e6, 3e8
	switch class {
	case "mutating":
		mutating = pick(r, 0.3, 0.7, 1)
	case "overload":
		c.QueueLengthLimit = r.in(1, 5)
		c.Queues = r.in(1, 12)
		c.HandSize = legalHand(r, c.Queues)
		load = pick(r, 2.0, 5, 20)
		mutating = pick(r, 0, 0, 0.3)
	case "timeout":
		load = pick(r, 1.5, 3, 6)
		mutating = pick(r, 0, 0, 0.4)
		c.QueueLengthLimit = pick(r, 3, r.in(5, 60))
	case "reconfig":
		mutating = pick(r, 0, 0.4)
		n = r.in(60, 300)
		load = pick(r, 1.1, 2, 4)
	case "reject":
		c.Queues, c.HandSize, c.QueueLengthLimit = 0, 0, 0
		c.Limit = pick(r, 0, r.in(1, 6), r.in(1, 60))
		mutating = pick(r, 0, 0.5)
	case "exempt":
		c.Queues, c.HandSize, c.QueueLengthLimit = -1, 0, 0
		c.Limit = pick(r, 0, r.in(0, 20))
		mutating = pick(r, 0, 0.5)
	case "wide":
		c.Queues = pick(r, 512, 4096, r.in(129, 4096))
		c.HandSize = legalHand(r, c.Queues)
		c.Limit = pick(r, r.in(1, 60), r.in(60, 600))
		n = r.in(200, 600)
		load = pick(r, 1.1, 2, 4)
		mutating = pick(r, 0, 0.3)
	case "epoch":
		c.Limit, c.Queues = r.in(1000, 2000), r.in(1, 16)
		c.HandSize = pick(r, 1, legalHand(r, c.Queues))
		n = r.in(60, 200)
		maxWidth = 500
		execLo, execHi = 1e14, 8e15
		latLo, latHi = 1e12, 1e14
		mutating = pick(r, 0, 0.3)
		load = pick(r, 0.5, 1.2, 3)
		v := U64(pick(r, uint64(0), 13835058055282163710-uint64(r.Int63n(1e17)), uint64(r.Int63())))
		sc.InitialR = &v
	}
	flows := make([]uint64, r.in(1, 30))
	if class == "wide" {
		flows = make([]uint64, r.in(1, 1000))
	}
	for k := range flows {
		flows[k] = r.Uint64()
	}
	meanExec := (execHi - execLo) / math.Log(execHi/execLo)
	meanGap := meanExec * float64(maxWidth+1) / 2 / (math.Max(1, float64(c.Limit)) * load)
	t := 0.0
	for k := 0; k < n; k++ {
		t += r.ExpFloat64() * meanGap
		if r.chance(0.1) {
			t += r.ExpFloat64() * meanGap * 10 // a lull now and then
		}
		f := int(math.Abs(r.NormFloat64()) * float64(len(flows)) / 2)
		a := QSArrival{At: I64(t) + I64(k), Hash: U64(flows[f%len(flows)]), Initial: r.in(1, maxWidth), Exec: r.logNs(execLo, execHi)}
		if r.chance(mutating) {
			a.Initial = 1
			a.Final = r.in(0, 10)
			if r.chance(0.1) {
				a.Initial = r.in(1, 4)
			}
			if class == "epoch" {
				a.Final = r.in(1, 500)
			}
			if a.Final > 0 || r.chance(0.2) {
				a.Latency = r.logNs(latLo, latHi)
			}
		}
		if class == "timeout" && r.chance(0.6) || class == "reconfig" && r.chance(0.1) || class == "overload" && r.chance(0.1) || class == "exempt" && r.chance(0.2) || class == "reject" && r.chance(0.2) {
			x := a.At + r.logNs(1e6, 5e9)
			if r.chance(0.03) {
				x = a.At - 1 - I64(r.Intn(1000)) // the context had ended before arrival
			}
			a.Cancel = &x
		}
		sc.Arrivals = append(sc.Arrivals, a)
	}
	horizon := int64(t)
	if class == "reconfig" {
		for k := r.in(1, 5); k > 0; k-- {
			nc := *c
			nc.Limit = pick(r, c.Limit, r.in(1, 60), r.in(0, 3), c.Limit/2+1, c.Limit*2)
			if r.chance(0.6) {
				nc.Queues = pick(r, c.Queues/2+1, r.in(1, 128), c.Queues*2, 1)
				if nc.Queues > 128 {
					nc.Queues = 128
				}
				nc.HandSize = legalHand(r, nc.Queues)
			}
			if r.chance(0.12) {
				nc.Queues, nc.HandSize = 0, 0
			}
			nc.QueueLengthLimit = r.in(1, 60)
			sc.Reconfigs = append(sc.Reconfigs, QSReconfig{I64(r.Int63n(horizon + 1)), nc})
		}
		sort.Slice(sc.Reconfigs, func(a, b int) bool { return sc.Reconfigs[a].At < sc.Reconfigs[b].At })
	}
	for k := 4; k > 0; k-- {
		sc.Samples = append(sc.Samples, I64(r.Int63n(horizon+int64(meanExec)+1)))
	}
	sort.Slice(sc.Samples, func(a, b int) bool { return sc.Samples[a] < sc.Samples[b] })
	return sc
}
