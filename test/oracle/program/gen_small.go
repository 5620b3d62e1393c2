package main

import (
	"fmt"
	"math"
	"strings"

	"k8s.io/apiserver/pkg/util/shufflesharding"
)

// ---- generators of the small kinds ----

func genShard(r *R, i int) any {
	if i < 12 { // upstream's smallest deck, exhaustively
		return ShardIn{4, 2, U64(i)}
	}
	if i%25 == 24 { // any combination, legal or not
		return ShardIn{pick(r, -1, 0, 1, 2, 15, 16, 512, 4096, 1<<20, 1<<26, 1<<26+1, 10_000_000), r.in(-1, 17), U64(r.Uint64())}
	}
	for {
		in := ShardIn{pick(r, r.in(1, 16), r.in(1, 128), r.in(1, 1024), r.in(1, 1<<20), 64, 128, 16, 512, 1<<26, 10_000_000), r.in(1, 15), U64(r.Uint64())}
		if r.chance(0.05) {
			in.Hash = pick(r, U64(0), U64(math.MaxUint64), U64(1)<<63, U64(1)<<53, U64(1)<<53+1)
		}
		if in.Hand <= in.Deck && shufflesharding.RequiredEntropyBits(in.Deck, in.Hand) <= 60 {
			return in
		}
	}
}

var hashNames = []string{"a", "exempt", "global-default", "service-accounts", "system-nodes", "kube-controller-manager", "fs-with-a-rather-long-name-0123456789-0123456789-0123456789-0123456789", "catch-all", ""}
var hashDists = []string{"", "alice", "bob", "system:serviceaccount:default:builder", "kube-system", "system:node:node-1", "üñïçødé", "日本語", "😀", "a\x00b", "with space", strings.Repeat("x", 300)}

func genFlowHash(r *R, i int) any {
	if i < len(hashNames)*len(hashDists) {
		return FlowHashIn{hashNames[i%len(hashNames)], hashDists[i/len(hashNames)]}
	}
	return FlowHashIn{pick(r, hashNames...), fmt.Sprintf("user-%d@example.com", r.Intn(1<<30))}
}

func genSeatSeconds(r *R, i int) any {
	raw := U64(r.Uint64() >> uint(r.Intn(64)))
	switch i % 4 {
	case 0:
		ns := int64(r.Uint64()>>1) >> uint(r.Intn(60))
		if r.chance(0.3) {
			ns = -ns
		}
		seats := pick(r, float64(r.in(0, 20)), float64(r.in(0, 2000)), float64(r.in(1, 60))/float64(r.in(1, 60)))
		if seats*math.Abs(float64(ns))/10 > 9e18 { // beyond this the Go conversion is not defined the same everywhere
			ns %= 1_000_000_000_000
		}
		return SeatSecondsIn{Op: "times", Seats: seats, Ns: I64(ns)}
	case 1:
		return SeatSecondsIn{Op: "perSeat", Raw: raw >> 8, Seats: float64(r.in(1, 100))}
	case 2:
		return SeatSecondsIn{Op: "text", Raw: pick(r, raw, U64(r.Intn(200_000_000)), 0, math.MaxUint64)}
	}
	return SeatSecondsIn{Op: "float", Raw: raw}
}

func genSolver(r *R, i int) any {
	n := r.in(1, 12)
	if i%40 == 0 {
		n = pick(r, 0, 30, 200)
	}
	in := SolverIn{Items: []SolverItem{}}
	var lo, hi float64
	integral := r.chance(0.5)
	unlimited := r.chance(0.4)
	server := float64(r.in(10, 3000))
	for k := 0; k < n; k++ {
		var it SolverItem
		it.Lower = float64(r.in(0, 60))
		it.Upper = it.Lower + pick(r, 0, float64(r.in(0, 5)), float64(r.in(0, 200)))
		if unlimited {
			it.Upper = it.Lower + server
		}
		it.Target = it.Lower + pick(r, 0, 0, float64(r.in(0, 300)), r.Float64()*200)
		if !integral {
			it.Target = it.Lower + r.ExpFloat64()*20
		}
		if r.chance(0.1) {
			it.Lower, it.Target = 0, 0
		}
		lo += it.Lower
		hi += it.Upper
		in.Items = append(in.Items, it)
	}
	in.Required = int(lo) + r.Intn(int(hi-lo)+1)
	switch {
	case i%50 == 1:
		in.Required = int(lo)
	case i%50 == 2:
		in.Required = int(hi)
	case i%50 == 3:
		in.Required = int(hi) + 1 + r.Intn(5)
	case i%50 == 4:
		in.Required = int(lo) - 1 - r.Intn(5)
	case i%50 == 5 && n > 0:
		in.Items[0].Target = in.Items[0].Lower - 0.5
	case i%50 == 6 && n > 0:
		in.Items[0].Upper = in.Items[0].Lower - 1
	case i%50 == 7 && n > 0:
		in.Items[0].Lower = -1
	case i%50 == 8:
		in.Required = 0
	}
	return in
}

func genIntegrator(r *R, i int) any {
	var in IntegratorIn
	t := I64(0)
	for k := r.in(3, 60); k > 0; k-- {
		t += pick(r, I64(0), I64(r.Intn(1000)), I64(r.Intn(5_000_000_000)), I64(r.Intn(60_000))*1_000_000)
		op := pick(r, "set", "set", "set", "add", "results", "reset")
		x := float64(r.in(0, 400))
		switch op {
		case "add":
			x = float64(r.in(-20, 40))
		case "results", "reset":
			x = 0
		}
		in.Steps = append(in.Steps, IntegratorStep{t, op, x})
	}
	in.Steps = append(in.Steps, IntegratorStep{t + 1_234_567_891, "reset", 0})
	return in
}

func genRetryAfter(r *R, i int) any {
	if i == 0 { // the sequence of the upstream unit test, one level
		var in RetryIn
		for _, x := range [][2]int{{0, 5}, {1, 11}, {2, 1}, {3, 11}, {4, 1}, {7, 1}, {11, 1}, {15, 1}, {17, 1}, {21, 14}, {22, 1}} {
			in.Steps = append(in.Steps, RetryStep{1_600_000_000 + int64(x[0]), "pl", x[1]})
		}
		return in
	}
	var in RetryIn
	sec := int64(r.in(1, 2_000_000_000))
	for k := r.in(10, 80); k > 0; k-- {
		sec += int64(pick(r, 0, 1, 1, 1, 1, 2, r.in(1, 5), r.in(1, 40)))
		in.Steps = append(in.Steps, RetryStep{sec, pick(r, "a", "a", "a", "b"), pick(r, 0, 1, r.in(1, 5), r.in(1, 30), r.in(50, 200))})
	}
	return in
}
