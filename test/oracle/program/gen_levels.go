package main

import (
	"fmt"
	"sort"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
	"k8s.io/apiserver/pkg/util/shufflesharding"
)

func p32(x int) *int32 { y := int32(x); return &y }

func legalHand(r *R, queues int) int {
	for {
		h := r.in(1, 8)
		if h <= queues && shufflesharding.RequiredEntropyBits(queues, h) <= 60 {
			return h
		}
	}
}

func genPLs(r *R, withExempt bool) []PL {
	var out []PL
	ex := PL{Name: "exempt", Type: "Exempt"}
	if withExempt && r.chance(0.5) {
		ex.Shares = int32(r.in(0, 40))
		ex.Lendable = p32(r.in(0, 100))
	}
	out = append(out, ex, PL{Name: "catch-all", Type: "Reject", Shares: 5, Lendable: p32(0)})
	n := r.in(1, 8)
	for k := 0; k < n; k++ {
		p := PL{Name: fmt.Sprintf("pl-%d", k), Type: pick(r, "Queue", "Queue", "Queue", "Reject"), Shares: int32(pick(r, r.in(0, 10), r.in(1, 100), r.in(1, 400)))}
		if r.chance(0.8) {
			p.Lendable = p32(r.in(0, 100))
		}
		if r.chance(0.4) {
			p.BorrowingLimit = p32(pick(r, 0, r.in(0, 100), r.in(0, 400)))
		}
		if p.Type == "Queue" {
			p.Queues = int32(pick(r, 1, 16, 64, 128, r.in(1, 200)))
			p.HandSize = int32(legalHand(r, int(p.Queues)))
			p.QueueLengthLimit = int32(r.in(1, 100))
		}
		out = append(out, p)
	}
	return out
}

func defaultPLs() []PL {
	var out []PL
	for _, o := range append(append([]*flowcontrolv1.PriorityLevelConfiguration{}, bootstrap.MandatoryPriorityLevelConfigurations...), bootstrap.SuggestedPriorityLevelConfigurations...) {
		p := PL{Name: o.Name}
		if o.Spec.Exempt != nil {
			p.Type, p.Shares, p.Lendable = "Exempt", *o.Spec.Exempt.NominalConcurrencyShares, o.Spec.Exempt.LendablePercent
		} else {
			l := o.Spec.Limited
			p.Type, p.Shares, p.Lendable, p.BorrowingLimit = "Reject", *l.NominalConcurrencyShares, l.LendablePercent, l.BorrowingLimitPercent
			if q := l.LimitResponse.Queuing; q != nil {
				p.Type, p.Queues, p.HandSize, p.QueueLengthLimit = "Queue", q.Queues, q.HandSize, q.QueueLengthLimit
			}
		}
		out = append(out, p)
	}
	return out
}

func genLimits(r *R, i int) any {
	in := LimitsIn{ServerLimit: pick(r, 600, 100, 3000, r.in(1, 50), r.in(1, 5000)), Levels: genPLs(r, true)}
	if i < 8 {
		in = LimitsIn{[]int{600, 3000, 100, 400, 1, 10, 50, 1000}[i], defaultPLs()}
	}
	if i%20 == 9 { // nobody may borrow and exempt holds shares: the solver has no solution
		in.Levels = noBorrowing(r, in.Levels)
	}
	return in
}

func noBorrowing(r *R, in []PL) []PL {
	out := append([]PL{}, in...)
	for k := range out {
		if out[k].Type == "Exempt" {
			out[k].Shares, out[k].Lendable = int32(r.in(20, 60)), nil
		} else {
			out[k].BorrowingLimit = p32(0)
		}
	}
	return out
}

func genBorrow(r *R, i int) any {
	in := BorrowIn{ID: fmt.Sprintf("borrow-%d", i), ServerLimit: pick(r, 600, 600, 100, r.in(20, 2000)), Repeats: 8, Levels: genPLs(r, true)}
	if i%3 == 0 {
		in.Levels = defaultPLs()
	}
	if i%20 == 10 {
		in.Levels = noBorrowing(r, in.Levels)
	}
	var names []string
	for _, p := range in.Levels {
		names = append(names, p.Name)
	}
	const period = 10_000_000_000
	periods := r.in(20, 30)
	greedy := some(r, r.in(1, 3), names)
	exemptHeavy := r.chance(0.3)
	for k := 1; k <= periods; k++ {
		// a few demand changes at distinct times inside the period
		n := r.in(0, 6)
		var ts []int
		for j := 0; j < n; j++ {
			ts = append(ts, r.Intn(period))
		}
		sort.Ints(ts)
		for j, t := range ts {
			if j > 0 && t == ts[j-1] {
				continue
			}
			d := map[string]float64{}
			for _, name := range some(r, r.in(1, 3), names) {
				x := pick(r, 0, r.in(0, 30), r.in(0, 30), r.in(0, in.ServerLimit/4+1))
				for _, g := range greedy {
					if g == name {
						x = pick(r, 0, r.in(0, in.ServerLimit), r.in(0, 3*in.ServerLimit))
					}
				}
				if name == "exempt" && !exemptHeavy {
					x = r.in(0, 10)
				}
				d[name] = float64(x)
			}
			in.Steps = append(in.Steps, BorrowStep{At: I64((k-1)*period + t), Demand: d})
		}
		if r.chance(0.04) && i%3 != 0 { // reconfiguration in mid-sequence
			lv := append([]PL{}, in.Levels...)
			for j := range lv {
				if strings.HasPrefix(lv[j].Name, "pl-") && r.chance(0.5) {
					lv[j].Shares = int32(r.in(1, 200))
				}
			}
			in.Steps = append(in.Steps, BorrowStep{At: I64((k-1)*period + period - 3), Digest: lv})
		}
		in.Steps = append(in.Steps, BorrowStep{At: I64(k * period), Adjust: true})
	}
	return in
}
