package main

import (
	"fmt"
	"math"
	"sort"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	fq "k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/eventclock"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/queueset"
	testclock "k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/testing/eventclock"
	"k8s.io/apiserver/pkg/util/flowcontrol/metrics"
	"k8s.io/client-go/informers"
)

// PL is a compact PriorityLevelConfiguration; it becomes an API object with defaults applied by us where null.
type PL struct {
	Name             string `json:"name"`
	Type             string `json:"type"` // Exempt, Queue, Reject
	Shares           int32  `json:"nominalConcurrencyShares"`
	Lendable         *int32 `json:"lendablePercent,omitempty"`
	BorrowingLimit   *int32 `json:"borrowingLimitPercent,omitempty"`
	Queues           int32  `json:"queues,omitempty"`
	HandSize         int32  `json:"handSize,omitempty"`
	QueueLengthLimit int32  `json:"queueLengthLimit,omitempty"`
}

func (p PL) object() *flowcontrolv1.PriorityLevelConfiguration {
	o := &flowcontrolv1.PriorityLevelConfiguration{ObjectMeta: metav1.ObjectMeta{Name: p.Name, UID: types.UID("uid-" + p.Name)}}
	shares := p.Shares
	if p.Type == "Exempt" {
		o.Spec.Type = flowcontrolv1.PriorityLevelEnablementExempt
		o.Spec.Exempt = &flowcontrolv1.ExemptPriorityLevelConfiguration{NominalConcurrencyShares: &shares, LendablePercent: p.Lendable}
		return o
	}
	o.Spec.Type = flowcontrolv1.PriorityLevelEnablementLimited
	o.Spec.Limited = &flowcontrolv1.LimitedPriorityLevelConfiguration{NominalConcurrencyShares: &shares, LendablePercent: p.Lendable, BorrowingLimitPercent: p.BorrowingLimit,
		LimitResponse: flowcontrolv1.LimitResponse{Type: flowcontrolv1.LimitResponseTypeReject}}
	if p.Type == "Queue" {
		o.Spec.Limited.LimitResponse = flowcontrolv1.LimitResponse{Type: flowcontrolv1.LimitResponseTypeQueue,
			Queuing: &flowcontrolv1.QueuingConfiguration{Queues: p.Queues, HandSize: p.HandSize, QueueLengthLimit: p.QueueLengthLimit}}
	}
	return o
}

func plObjects(in []PL) []*flowcontrolv1.PriorityLevelConfiguration {
	var out []*flowcontrolv1.PriorityLevelConfiguration
	for _, p := range in {
		out = append(out, p.object())
	}
	return out
}

func newController(clk eventclock.Interface, limit int, qsf fq.QueueSetFactory) *flowcontrol.OracleController {
	return flowcontrol.OracleNewController(flowcontrol.TestableConfig{
		Name: "oracle", Clock: clk, AsFieldManager: "oracle", FoundToDangling: func(found bool) bool { return !found },
		InformerFactory: informers.NewSharedInformerFactory(nil, 0), FlowcontrolClient: nil,
		ServerConcurrencyLimit: limit, ReqsGaugeVec: metrics.PriorityLevelConcurrencyGaugeVec, ExecSeatsGaugeVec: metrics.PriorityLevelExecutionSeatsGaugeVec,
		QueueSetFactory: qsf,
	})
}

// ---- limits ----

type LimitsIn struct {
	ServerLimit int  `json:"serverConcurrencyLimit"`
	Levels      []PL `json:"priorityLevels"`
}

// LevelOut is what one priority level looks like after a digest or an adjustment.
type LevelOut struct {
	Name      string   `json:"name"`
	Exempt    bool     `json:"exempt,omitempty"`
	Quiescing bool     `json:"quiescing,omitempty"`
	Nominal   int      `json:"nominal"`
	Min       int      `json:"min"`
	Max       int      `json:"max"`
	Current   int      `json:"current"`
	MaxSeats  U64      `json:"maxSeats"`
	HWM       int      `json:"highWatermark"`
	Avg       float64  `json:"avg"`
	StdDev    float64  `json:"stdDev"`
	Envelope  float64  `json:"envelope"`
	Smoothed  float64  `json:"smoothed"`
	Target    *float64 `json:"target,omitempty"`
	Alloc     *float64 `json:"allocByName,omitempty"`
}

type LimitsOut struct {
	NominalSum int        `json:"nominalCLSum"`
	Regime     int        `json:"regime"`
	FairFrac   float64    `json:"fairFrac"`
	ByName     *float64   `json:"fairFracByName,omitempty"`
	SolverErr  bool       `json:"solverError,omitempty"`
	Levels     []LevelOut `json:"levels"`
	fragile    bool
}

// report reads the controller. regime, byName and allocByName are derived by us: the items are rebuilt from the
// reported state and given to upstream's solver in name order.
func report(c *flowcontrol.OracleController, withMetrics bool) LimitsOut {
	out := LimitsOut{NominalSum: c.NominalCLSum()}
	var items []flowcontrol.OracleAllocItem
	var idx []int
	remaining, sumMin, sumMinCur := out.NominalSum, 0, 0
	for _, l := range c.Levels() {
		lo := LevelOut{Name: l.Name, Exempt: l.Exempt, Quiescing: l.Quiescing, Nominal: l.Nominal, Min: l.Min, Max: l.Max, Current: l.Current, MaxSeats: U64(l.MaxSeats),
			HWM: l.HighWatermark, Avg: l.Avg, StdDev: l.StdDev, Envelope: l.Avg + l.StdDev, Smoothed: l.Smoothed}
		if l.Exempt {
			remaining -= max(l.Min, l.HighWatermark)
		} else {
			mc := max(l.Min, min(l.Nominal, l.HighWatermark))
			t := math.Max(float64(mc), l.Smoothed)
			lo.Target = &t
			items = append(items, flowcontrol.OracleAllocItem{Lower: float64(mc), Upper: float64(l.Max), Target: t})
			idx = append(idx, len(out.Levels))
			sumMin += l.Min
			sumMinCur += mc
		}
		out.Levels = append(out.Levels, lo)
	}
	switch {
	case remaining <= sumMin:
		out.Regime = 1
	case remaining <= sumMinCur:
		out.Regime = 2
	default:
		out.Regime = 3
		a, p, err := flowcontrol.OracleSolve(out.NominalSum, items)
		if err != nil {
			out.SolverErr = true
			break
		}
		out.ByName = &p
		for i, x := range a {
			y := x
			out.Levels[idx[i]].Alloc = &y
			if f := math.Abs(x - math.Floor(x) - 0.5); f < 1e-9 {
				out.fragile = true
			}
		}
	}
	if withMetrics {
		fam := gather()
		for _, m := range fam["apiserver_flowcontrol_seat_fair_frac"] {
			out.FairFrac = m.value
		}
		// Cross-check what was derived against what upstream published.
		for _, m := range fam["apiserver_flowcontrol_target_seats"] {
			for _, l := range out.Levels {
				if l.Name == m.labels["priority_level"] && l.Target != nil && *l.Target != m.value {
					panic(fmt.Sprintf("target of %s: derived %v, upstream %v", l.Name, *l.Target, m.value))
				}
			}
		}
		for fam2, get := range map[string]func(LevelOut) float64{
			"demand_seats_high_watermark": func(l LevelOut) float64 { return float64(l.HWM) },
			"demand_seats_average":        func(l LevelOut) float64 { return l.Avg },
			"demand_seats_stdev":          func(l LevelOut) float64 { return l.StdDev },
			"demand_seats_smoothed":       func(l LevelOut) float64 { return l.Smoothed },
			"nominal_limit_seats":         func(l LevelOut) float64 { return float64(l.Nominal) },
			"lower_limit_seats":           func(l LevelOut) float64 { return float64(l.Min) },
			"upper_limit_seats":           func(l LevelOut) float64 { return float64(l.Max) },
			"current_limit_seats":         func(l LevelOut) float64 { return float64(l.Current) },
		} {
			for _, m := range fam["apiserver_flowcontrol_"+fam2] {
				for _, l := range out.Levels {
					if l.Name == m.labels["priority_level"] && get(l) != m.value {
						panic(fmt.Sprintf("%s of %s: state %v, metric %v", fam2, l.Name, get(l), m.value))
					}
				}
			}
		}
	}
	return out
}

func fakeClock() *testclock.Fake {
	clk, _ := testclock.NewFake(epoch0, 0, nil)
	return clk
}

func runLimits(in LimitsIn) (LimitsOut, error) {
	registerMetrics()
	resetMetrics()
	clk := fakeClock()
	c := newController(clk, in.ServerLimit, queueset.NewQueueSetFactory(clk))
	c.Digest(plObjects(in.Levels), nil)
	return report(c, true), nil
}

// ---- borrow ----

// BorrowStep is one of: set demands, run the periodic adjustment, digest new configuration.
type BorrowStep struct {
	At     I64                `json:"at"`
	Demand map[string]float64 `json:"demand,omitempty"`
	Adjust bool               `json:"adjust,omitempty"`
	Digest []PL               `json:"digest,omitempty"`
}
type BorrowIn struct {
	ID          string       `json:"id"`
	ServerLimit int          `json:"serverConcurrencyLimit"`
	Levels      []PL         `json:"priorityLevels"`
	Steps       []BorrowStep `json:"steps"`
	Repeats     int          `json:"repeats,omitempty"`
}
type BorrowReport struct {
	At I64 `json:"at"`
	LimitsOut
}
type BorrowOut struct {
	ID       string         `json:"id,omitempty"`
	Reports  []BorrowReport `json:"reports"`            // first: after the initial digest at time 0; then one per adjust or digest step
	Unstable bool           `json:"unstable,omitempty"` // repeats disagreed, or an allocation lay at a half

	disagreed bool
}

func borrowOnce(in BorrowIn, withMetrics bool) BorrowOut {
	resetMetrics()
	clk := fakeClock()
	c := newController(clk, in.ServerLimit, queueset.NewQueueSetFactory(clk))
	c.Digest(plObjects(in.Levels), nil)
	out := BorrowOut{ID: in.ID, Reports: []BorrowReport{{0, report(c, withMetrics)}}}
	for _, s := range in.Steps {
		clk.SetTime(epoch0.Add(time.Duration(s.At)))
		names := make([]string, 0, len(s.Demand))
		for n := range s.Demand {
			names = append(names, n)
		}
		sort.Strings(names)
		for _, n := range names {
			c.SetDemand(n, s.Demand[n])
		}
		if s.Digest != nil {
			c.Digest(plObjects(s.Digest), nil)
		}
		if s.Adjust {
			c.Adjust()
		}
		if s.Adjust || s.Digest != nil {
			out.Reports = append(out.Reports, BorrowReport{s.At, report(c, withMetrics)})
		}
	}
	return out
}

// runBorrow runs the sequence several times, because upstream feeds its solver in random map order.
func runBorrow(in BorrowIn) (BorrowOut, error) {
	registerMetrics()
	out := borrowOnce(in, true)
	for i := 1; i < max(in.Repeats, 1); i++ {
		again := borrowOnce(in, false)
		for k, r := range again.Reports {
			for j, l := range r.Levels {
				if l.Current != out.Reports[k].Levels[j].Current {
					out.Unstable, out.disagreed = true, true
				}
			}
		}
	}
	for _, r := range out.Reports {
		out.Unstable = out.Unstable || r.fragile
	}
	return out, nil
}
