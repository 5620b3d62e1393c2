package main

import (
	"encoding/json"
)

// QSConfig: queues > 0 queuing, 0 reject, -1 exempt.
type QSConfig struct {
	Queues           int `json:"queues"`
	HandSize         int `json:"handSize"`
	QueueLengthLimit int `json:"queueLengthLimit"`
	Limit            int `json:"limit"`
}

// QSArrival is a row [at, hash, initialSeats, finalSeats, additionalLatency, exec, cancelAt].
type QSArrival struct {
	At      I64
	Hash    U64
	Initial int
	Final   int
	Latency I64
	Exec    I64
	Cancel  *I64
}

func (a QSArrival) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{a.At, a.Hash, a.Initial, a.Final, a.Latency, a.Exec, a.Cancel})
}
func (a *QSArrival) UnmarshalJSON(b []byte) error {
	return row(b, &a.At, &a.Hash, &a.Initial, &a.Final, &a.Latency, &a.Exec, &a.Cancel)
}

type QSReconfig struct {
	At I64 `json:"at"`
	QSConfig
}

type QSScenario struct {
	ID        string       `json:"id"`
	Config    QSConfig     `json:"config"`
	InitialR  *U64         `json:"initialR,omitempty"`
	Reconfigs []QSReconfig `json:"reconfigs,omitempty"`
	Samples   []I64        `json:"samples,omitempty"`
	Arrivals  []QSArrival  `json:"arrivals"`
}

// QSOutcome is a row [outcome, queueAtArrival, arrivalR, time, queueAtTime, R, finalSeats, additionalLatency].
type QSOutcome struct {
	Outcome      string
	ArrivalQueue int
	ArrivalR     U64
	Time         I64
	Queue        int
	R            U64
	FinalSeats   int
	Latency      I64
}

func (o QSOutcome) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{o.Outcome, o.ArrivalQueue, o.ArrivalR, o.Time, o.Queue, o.R, o.FinalSeats, o.Latency})
}
func (o *QSOutcome) UnmarshalJSON(b []byte) error {
	return row(b, &o.Outcome, &o.ArrivalQueue, &o.ArrivalR, &o.Time, &o.Queue, &o.R, &o.FinalSeats, &o.Latency)
}

// QSQueueRow is a row [index, waiting, executing, seatsInUse, initialSeatsSum, maxSeatsSum, totalWorkSum, nextDispatchR].
type QSQueueRow struct {
	Index, Waiting, Executing, SeatsInUse, InitialSum, MaxSum int
	Work, S                                                   string
}

func (q QSQueueRow) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{q.Index, q.Waiting, q.Executing, q.SeatsInUse, q.InitialSum, q.MaxSum, q.Work, q.S})
}
func (q *QSQueueRow) UnmarshalJSON(b []byte) error {
	return row(b, &q.Index, &q.Waiting, &q.Executing, &q.SeatsInUse, &q.InitialSum, &q.MaxSum, &q.Work, &q.S)
}

type QSSample struct {
	At           I64          `json:"at"`
	R            U64          `json:"R"`
	RobinIndex   int          `json:"robinIndex"`
	Enqueues     int          `json:"enqueues"`
	Limit        int          `json:"limit"`
	NumQueues    int          `json:"numQueues"`
	Waiting      int          `json:"waiting"`
	Executing    int          `json:"executing"`
	SeatsInUse   int          `json:"seatsInUse"`
	SeatsWaiting int          `json:"seatsWaiting"`
	Dispatched   int          `json:"dispatched"`
	Rejected     int          `json:"rejected"`
	TimedOut     int          `json:"timedOut"`
	Cancelled    int          `json:"cancelled"`
	Idle         bool         `json:"idle"`
	Queues       []QSQueueRow `json:"queues"`
}

type QSDemand struct {
	Duration  float64 `json:"duration"`
	Average   any     `json:"average"`
	Deviation any     `json:"deviation"`
	Min       float64 `json:"min"`
	Max       float64 `json:"max"`
}

type QSResult struct {
	ID            string         `json:"id,omitempty"`
	Outcomes      []QSOutcome    `json:"outcomes"`
	Samples       []QSSample     `json:"samples,omitempty"`
	Final         QSSample       `json:"final"`
	Demand        QSDemand       `json:"demand"`
	RejectReasons map[string]int `json:"rejectReasons"`
	EpochAdvances map[string]int `json:"epochAdvances,omitempty"`
	NoAccomm      int            `json:"noAccommodation"`
	Ties          int            `json:"ties,omitempty"`
	Panics        []string       `json:"panics,omitempty"`
	StaleRemovals int            `json:"staleRemovals,omitempty"`
}
