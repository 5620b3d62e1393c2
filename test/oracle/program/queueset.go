package main

import (
	"context"
	"math/rand"
	"sort"
	"sync"
	"time"

	fq "k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/promise"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/queueset"
	testclock "k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/testing/eventclock"
	testpromise "k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/testing/promise"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
)

func finite(x float64) any {
	if x != x {
		return "NaN"
	}
	return x
}

func sample(qs fq.QueueSet, at I64) QSSample {
	st := queueset.OracleSnapshot(qs)
	// The figures that upstream's own Dump offers are taken from it, the rest from the accessor.
	d := qs.Dump(false)
	s := QSSample{At: at, R: U64(st.R), RobinIndex: st.RobinIndex, Enqueues: st.Enqueues, Limit: st.Limit, NumQueues: len(d.Queues),
		Waiting: d.Waiting, Executing: d.Executing, SeatsInUse: d.SeatsInUse, SeatsWaiting: d.SeatsWaiting,
		Dispatched: d.Dispatched, Rejected: d.Rejected, TimedOut: d.Timedout, Cancelled: d.Cancelled, Idle: st.Idle, Queues: []QSQueueRow{}}
	for i, q := range d.Queues {
		r := QSQueueRow{Index: i, Waiting: len(q.Requests), Executing: q.ExecutingRequests, SeatsInUse: q.SeatsInUse,
			InitialSum: q.QueueSum.InitialSeatsSum, MaxSum: q.QueueSum.MaxSeatsSum, Work: q.QueueSum.TotalWorkSum, S: q.NextDispatchR}
		if st.Queues[i].Index != i {
			panic("queue index is not its position")
		}
		if r.Waiting == 0 && r.Executing == 0 && r.SeatsInUse == 0 && r.MaxSum == 0 && st.Queues[i].NextDispatchR == 0 {
			continue // untouched queues are left out
		}
		s.Queues = append(s.Queues, r)
	}
	return s
}

func runQueueSet(sc QSScenario) (QSResult, error) {
	registerMetrics()
	resetMetrics()
	name := "qs"
	fake, wg := testclock.NewFake(epoch0, 0, rand.New(rand.NewSource(1)))
	clk := &spyClock{Fake: fake, targets: map[int64]int{}}
	type cancelled struct {
		once    sync.Once
		watched bool // a promise has a goroutine waiting on the context
		f       context.CancelFunc
	}
	type cancelKey struct{}
	factory := queueset.OracleFactory(clk, func(lock sync.Locker, initial interface{}, ctx context.Context, doneVal interface{}) promise.WriteOnce {
		if c, ok := ctx.Value(cancelKey{}).(*cancelled); ok {
			c.watched = true
			if ctx.Err() != nil {
				wg.Add(1) // see fire
			}
		}
		return testpromise.NewCountingWriteOnce(wg, lock, initial, ctx.Done(), doneVal)
	})
	integ := fq.NewNamedIntegrator(clk, name)
	qcfg := func(c QSConfig) fq.QueuingConfig {
		return fq.QueuingConfig{Name: name, DesiredNumQueues: c.Queues, QueueLengthLimit: c.QueueLengthLimit, HandSize: c.HandSize}
	}
	dcfg := func(c QSConfig) fq.DispatchingConfig {
		return fq.DispatchingConfig{ConcurrencyLimit: c.Limit, ConcurrencyDenominator: max(1, c.Limit)}
	}
	comp, err := factory.BeginConstruction(qcfg(sc.Config), nullPair, nullGauge{}, integ)
	if err != nil {
		return QSResult{}, err
	}
	qs := comp.Complete(dcfg(sc.Config))
	if sc.InitialR != nil {
		queueset.OracleSetR(qs, uint64(*sc.InitialR))
	}

	res := QSResult{ID: sc.ID, Outcomes: make([]QSOutcome, len(sc.Arrivals))}
	now := func() I64 { return I64(clk.Now().Sub(epoch0).Nanoseconds()) }
	var mu sync.Mutex // dispatches of one instant run in several goroutines
	type lingering struct {
		req fq.Request
		end I64
	}
	live := map[int]lingering{} // finished requests whose seats are not released yet
	desired := sc.Config.Queues
	clk.before = func() {
		if len(sc.Reconfigs) == 0 {
			return // a queue can only become stale after a reconfiguration
		}
		mu.Lock()
		defer mu.Unlock()
		st := queueset.OracleSnapshot(qs)
		if len(st.Queues) <= st.DesiredQueues {
			return
		}
		for i, l := range live {
			if l.end < now() {
				delete(live, i)
			} else if l.end == now() && queueset.OracleQueueGone(l.req) {
				res.StaleRemovals++
			}
		}
	}
	var cancels []*cancelled
	fire := func(c *cancelled) {
		c.once.Do(func() {
			if c.watched {
				wg.Add(1) // accounts for the promise's watcher goroutine, as upstream's contract demands
			}
			c.f()
		})
	}
	for i, a := range sc.Arrivals {
		ctx := context.Background()
		var cn *cancelled
		if a.Cancel != nil {
			c, f := context.WithCancel(ctx)
			cn = &cancelled{f: f}
			ctx = context.WithValue(c, cancelKey{}, cn)
			cancels = append(cancels, cn)
			if *a.Cancel > a.At {
				clk.at(*a.Cancel, func() { fire(cn) })
			}
		}
		clk.at(a.At, func() {
			if cn != nil && *a.Cancel <= a.At {
				fire(cn) // the context had ended before arrival
			}
			we := fcrequest.WorkEstimate{InitialSeats: uint64(a.Initial), FinalSeats: uint64(a.Final), AdditionalLatency: time.Duration(a.Latency)}
			req, _ := qs.StartRequest(ctx, &we, uint64(a.Hash), "", "fs", i, "", nil)
			o := QSOutcome{ArrivalQueue: -1, Queue: -1, Time: now(), FinalSeats: a.Final, Latency: a.Latency}
			if req == nil {
				o.R = U64(queueset.OracleReadR(qs))
				o.ArrivalR = o.R
				o.Outcome = "queue-full"
				if desired < 1 {
					o.Outcome = "concurrency-limit"
				}
				mu.Lock()
				res.Outcomes[i] = o
				mu.Unlock()
				return
			}
			st := queueset.OracleReadRequest(req)
			o.ArrivalQueue, o.ArrivalR = st.QueueIndex, U64(st.ArrivalR)
			executed := false
			o.Outcome, o.Time, o.R = "waiting", -1, 0 // replaced below unless it is still waiting at the end
			mu.Lock()
			res.Outcomes[i] = o
			mu.Unlock()
			req.Finish(func() {
				executed = true
				queueset.OnRequestDispatched(req)
				st := queueset.OracleReadRequest(req)
				o.Outcome, o.Time, o.Queue, o.R = "executed", now(), st.QueueIndex, U64(st.R)
				o.FinalSeats, o.Latency = int(st.FinalSeats), I64(st.AdditionalLatencyNs)
				mu.Lock()
				res.Outcomes[i] = o
				mu.Unlock()
				clk.sleep(wg, time.Duration(a.Exec))
			})
			if !executed {
				st := queueset.OracleReadRequest(req)
				o.Outcome, o.Time, o.Queue, o.R = "timed-out", now(), st.QueueIndex, U64(st.R)
				mu.Lock()
				res.Outcomes[i] = o
				mu.Unlock()
			} else if o.Latency > 0 {
				mu.Lock()
				live[i] = lingering{req, now() + o.Latency}
				mu.Unlock()
			}
		})
	}
	for _, rc := range sc.Reconfigs {
		clk.at(rc.At, func() {
			c, err := qs.BeginConfigChange(qcfg(rc.QSConfig))
			if err != nil {
				panic(err)
			}
			c.Complete(dcfg(rc.QSConfig))
			desired = rc.Queues
		})
	}
	for i, t := range sc.Samples {
		res.Samples = append(res.Samples, QSSample{})
		clk.at(t, func() { res.Samples[i] = sample(qs, t) })
	}
	clk.Run(nil)
	res.Final = sample(qs, now())
	r := integ.GetResults()
	res.Demand = QSDemand{r.Duration, finite(r.Average), finite(r.Deviation), r.Min, r.Max}
	for _, c := range cancels {
		fire(c)
	}
	clk.Run(nil) // waits for the watcher goroutines to end
	res.Ties, res.Panics = clk.ties, clk.panics
	fam := gather()
	res.RejectReasons = map[string]int{}
	for _, m := range fam["apiserver_flowcontrol_rejected_requests_total"] {
		res.RejectReasons[m.labels["reason"]] += int(m.value)
	}
	for _, m := range fam["apiserver_flowcontrol_epoch_advance_total"] {
		if res.EpochAdvances == nil {
			res.EpochAdvances = map[string]int{}
		}
		res.EpochAdvances[m.labels["success"]] += int(m.value)
	}
	for _, m := range fam["apiserver_flowcontrol_request_dispatch_no_accommodation_total"] {
		res.NoAccomm += int(m.value)
	}
	sort.Strings(res.Panics)
	return res, nil
}
