package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	fq "k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/eventclock"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/queueset"
	"k8s.io/apiserver/pkg/util/flowcontrol/metrics"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
)

// tickClock moves only when told to; it never fires events, so lingering requests are not benchmarked with it.
type tickClock struct{ ns atomic.Int64 }

func (c *tickClock) Now() time.Time                  { return epoch0.Add(time.Duration(c.ns.Load())) }
func (c *tickClock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }
func (c *tickClock) EventAfterDuration(eventclock.EventFunc, time.Duration) {
	panic("no events on this clock")
}
func (c *tickClock) EventAfterTime(eventclock.EventFunc, time.Time) { panic("no events on this clock") }

func (c *tickClock) Sleep(time.Duration) { panic("no sleeping on this clock") }

func benchQS(o BenchOut) error {
	o.Bench = "queueset"
	o.Items = 0
	var clk eventclock.Interface = eventclock.Real{}
	tick := &tickClock{}
	if o.Clock == "tick" {
		clk = tick
	}
	name := fmt.Sprintf("bench-%d", time.Now().UnixNano())
	pair, seats, demand := nullPair, metrics.RatioedGauge(nullGauge{}), metrics.Gauge(nullGauge{})
	if o.Metrics == "on" {
		lv := []string{name}
		pair = metrics.RatioedGaugeVecPhasedElementPair(metrics.PriorityLevelConcurrencyGaugeVec, 1, 1, lv)
		seats = metrics.PriorityLevelExecutionSeatsGaugeVec.NewForLabelValuesSafe(0, 1, lv)
		demand = metrics.NewUnionGauge(fq.NewNamedIntegrator(clk, name), metrics.ApiserverSeatDemands.NewForLabelValuesSafe(0, 1, lv))
	}
	comp, err := queueset.NewQueueSetFactory(clk).BeginConstruction(fq.QueuingConfig{Name: name, DesiredNumQueues: o.Queues, QueueLengthLimit: 1 << 20, HandSize: o.HandSize}, pair, seats, demand)
	if err != nil {
		return err
	}
	qs := comp.Complete(fq.DispatchingConfig{ConcurrencyLimit: o.Limit, ConcurrencyDenominator: o.Limit})
	hashes := make([]uint64, o.Flows)
	for i := range hashes {
		hashes[i] = splitmix(uint64(i))
	}
	ctx := context.Background()
	we := fcrequest.WorkEstimate{InitialSeats: uint64(o.Width)}
	if o.Mode == "goroutines" {
		return benchQSGoroutines(o, qs, hashes, tick)
	}

	type job struct {
		req     fq.Request
		started bool
	}
	jobs := make([]job, o.Requests)
	ready := make([]int, 0, o.Requests)
	head, next := 0, 0
	noop := func() {}
	startOne := func() {
		i := next
		next++
		tick.ns.Add(10_000)
		w := we
		req, _ := qs.StartRequest(ctx, &w, hashes[splitmix(uint64(i))%uint64(len(hashes))], "", "fs", nil, nil, func(inQueue bool) {
			if !inQueue {
				ready = append(ready, i)
				if jobs[i].started {
					o.Waited++
				}
			}
		})
		if req == nil {
			o.Rejected++
			return
		}
		jobs[i] = job{req, true}
	}
	target := o.Backlog + o.Limit/o.Width
	start, before := begin()
	finished := 0
	for finished+int(o.Rejected) < o.Requests {
		for next < o.Requests && next-finished-int(o.Rejected) < target {
			startOne()
		}
		j := ready[head]
		head++
		tick.ns.Add(10_000)
		jobs[j].req.Finish(noop)
		jobs[j].req = nil
		finished++
	}
	o.done(start, before, o.Requests)
	return nil
}

// benchQSGoroutines: limit+backlog goroutines each do StartRequest and Finish in a loop.
func benchQSGoroutines(o BenchOut, qs fq.QueueSet, hashes []uint64, tick *tickClock) error {
	var next, waited, rejected atomic.Int64
	var wg sync.WaitGroup
	start, before := begin()
	for g := 0; g < o.Backlog+o.Limit/o.Width; g++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				i := next.Add(1)
				if i > int64(o.Requests) {
					return
				}
				tick.ns.Add(10_000)
				we := fcrequest.WorkEstimate{InitialSeats: uint64(o.Width)}
				started := false
				req, _ := qs.StartRequest(context.Background(), &we, hashes[splitmix(uint64(i))%uint64(len(hashes))], "", "fs", nil, nil, func(in bool) {
					if !in && started {
						waited.Add(1)
					}
				})
				if req == nil {
					rejected.Add(1)
					continue
				}
				started = true
				req.Finish(func() {})
			}
		}()
	}
	wg.Wait()
	o.Waited, o.Rejected = waited.Load(), rejected.Load()
	o.done(start, before, o.Requests)
	return nil
}
