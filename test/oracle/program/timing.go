package main

import (
	"fmt"
	"time"

	"k8s.io/apiserver/pkg/util/flowcontrol/metrics"
	compbasemetrics "k8s.io/component-base/metrics"
	testingclock "k8s.io/utils/clock/testing"
)

// ---- timing: the timing-ratio histograms ----

// TimingStep is a row [at, op, x]; op is "set", "add", "denominator" or "scrape".
type TimingIn struct {
	Buckets     []float64        `json:"buckets"`
	Numerator   float64          `json:"numerator"`
	Denominator float64          `json:"denominator"`
	Steps       []IntegratorStep `json:"steps"`
}
type TimingScrape struct {
	Count      U64     `json:"count"`
	Sum        float64 `json:"sum"`
	Cumulative []U64   `json:"cumulative"` // per bucket, upper bounds inclusive, without +Inf
}
type TimingOut struct {
	Scrapes []TimingScrape `json:"scrapes"`
}

func runTiming(in TimingIn) (out TimingOut, err error) {
	clk := testingclock.NewFakePassiveClock(epoch0)
	h := metrics.NewTestableTimingRatioHistogram(clk.Now, &metrics.TimingRatioHistogramOpts{
		TimingHistogramOpts: compbasemetrics.TimingHistogramOpts{Name: "x", Help: "x", Buckets: in.Buckets, InitialValue: in.Numerator}, InitialDenominator: in.Denominator})
	reg := compbasemetrics.NewKubeRegistry()
	reg.MustRegister(h)
	for _, s := range in.Steps {
		clk.SetTime(epoch0.Add(time.Duration(s.At)))
		switch s.Op {
		case "set":
			h.Set(s.X)
		case "add":
			h.Add(s.X)
		case "denominator":
			h.SetDenominator(s.X)
		case "scrape":
			fams, err := reg.Gather()
			if err != nil {
				return out, err
			}
			m := fams[0].GetMetric()[0].GetHistogram()
			sc := TimingScrape{Count: U64(m.GetSampleCount()), Sum: m.GetSampleSum()}
			for _, b := range m.GetBucket() {
				sc.Cumulative = append(sc.Cumulative, U64(b.GetCumulativeCount()))
			}
			out.Scrapes = append(out.Scrapes, sc)
		default:
			return out, fmt.Errorf("unknown op %q", s.Op)
		}
	}
	return
}

func genTiming(r *R, i int) any {
	in := TimingIn{Buckets: pick(r, []float64{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1}, []float64{0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.8, 4, 6}), Numerator: float64(pick(r, 0, 0, r.in(0, 10))), Denominator: float64(pick(r, 1, r.in(1, 50)))}
	t := I64(0)
	for k := r.in(5, 60); k > 0; k-- {
		t += pick(r, I64(0), I64(r.Intn(1000)), I64(r.Intn(2_000_000_000)), I64(r.Intn(60_000))*1_000_000)
		if r.chance(0.03) {
			t -= I64(r.Intn(1_000_000_000)) // the clock steps backwards
		}
		s := IntegratorStep{At: t, Op: pick(r, "set", "set", "add", "add", "denominator", "scrape")}
		switch s.Op {
		case "set":
			s.X = float64(r.in(0, 60))
		case "add":
			s.X = float64(r.in(-5, 8))
		case "denominator":
			s.X = float64(r.in(1, 60))
		}
		in.Steps = append(in.Steps, s)
	}
	in.Steps = append(in.Steps, IntegratorStep{t + 2_000_000_001, "scrape", 0})
	return in
}
