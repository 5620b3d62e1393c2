package main

import (
	"fmt"
	"sync"
	"time"

	"k8s.io/apiserver/pkg/util/flowcontrol/counter"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/eventclock"
	testclock "k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/testing/eventclock"
	"k8s.io/apiserver/pkg/util/flowcontrol/metrics"
)

var epoch0 = time.Unix(1_000_000_000, 0).UTC()

// spyClock is upstream's fake event clock plus tie detection and capture of panics in callbacks.
type spyClock struct {
	*testclock.Fake
	mu      sync.Mutex
	targets map[int64]int
	ties    int
	panics  []string
	before  func() // runs before each callback the queue set itself scheduled
	gate    sync.Mutex
}

func (c *spyClock) note(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := t.Sub(epoch0).Nanoseconds()
	c.targets[n]++
	if c.targets[n] > 1 {
		c.ties++
	}
}

func (c *spyClock) guard(f eventclock.EventFunc) eventclock.EventFunc {
	return func(now time.Time) {
		defer func() {
			if p := recover(); p != nil {
				c.mu.Lock()
				c.panics = append(c.panics, fmt.Sprintf("t=%d: %v", now.Sub(epoch0).Nanoseconds(), p))
				c.mu.Unlock()
			}
		}()
		f(now)
	}
}

// EventAfterDuration is what the queue set uses for the end of lingering.
func (c *spyClock) EventAfterDuration(f eventclock.EventFunc, d time.Duration) {
	c.note(c.Now().Add(d))
	g := c.guard(f)
	c.Fake.EventAfterDuration(func(now time.Time) {
		if c.before != nil {
			c.before()
		}
		g(now)
	}, d)
}

func (c *spyClock) at(ns I64, f func()) {
	t := epoch0.Add(time.Duration(ns))
	c.note(t)
	c.Fake.EventAfterTime(c.guard(func(time.Time) { f() }), t)
}

// sleep suspends the calling (counted) goroutine.
func (c *spyClock) sleep(wg counter.GoRoutineCounter, d time.Duration) {
	done := make(chan struct{})
	c.note(c.Now().Add(d))
	c.Fake.EventAfterDuration(func(time.Time) {
		wg.Add(1)
		close(done)
	}, d)
	wg.Add(-1)
	<-done
}

type nullGauge struct{}

func (nullGauge) Set(float64)            {}
func (nullGauge) Inc()                   {}
func (nullGauge) Dec()                   {}
func (nullGauge) Add(float64)            {}
func (nullGauge) SetToCurrentTime()      {}
func (nullGauge) SetDenominator(float64) {}

var nullPair = metrics.RatioedGaugePair{RequestsWaiting: nullGauge{}, RequestsExecuting: nullGauge{}}
