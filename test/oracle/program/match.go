package main

import (
	"context"
	"fmt"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	fq "k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/queueset"
	"k8s.io/apiserver/pkg/util/flowcontrol/metrics"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
)

// ---- match ----

type MatchRequest struct {
	User   string   `json:"user"`
	Groups []string `json:"groups"`
	Method string   `json:"method"`
	URL    string   `json:"url"`
}
type MatchIn struct {
	ID          string                     `json:"id,omitempty"`
	Levels      []PL                       `json:"priorityLevels"`
	FlowSchemas []flowcontrolv1.FlowSchema `json:"flowSchemas"`
	Requests    []MatchRequest             `json:"requests"`
}
type MatchAnswer struct {
	FlowSchema    string `json:"flowSchema"`
	PriorityLevel string `json:"priorityLevel"`
	Distinguisher string `json:"distinguisher"`
	Hash          U64    `json:"hash"`
	Matches       string `json:"matches"` // one character per given FlowSchema: 1 or 0
}
type MatchOut struct {
	ID            string                           `json:"id,omitempty"`
	Order         []string                         `json:"order"`
	StatusUpdates []flowcontrol.OracleStatusUpdate `json:"-"`
	Dangling      map[string]string                `json:"dangling"` // FlowSchema -> condition status that the digest wants
	Answers       []MatchAnswer                    `json:"answers"`
}

// capture passes everything to upstream's queue set and remembers the hash it was given.
type capture struct {
	fq.QueueSet
	hash *uint64
}
type captureFactory struct {
	fq.QueueSetFactory
	hash *uint64
}
type captureCompleter struct {
	fq.QueueSetCompleter
	hash *uint64
}

func (f captureFactory) BeginConstruction(q fq.QueuingConfig, a metrics.RatioedGaugePair, b metrics.RatioedGauge, g metrics.Gauge) (fq.QueueSetCompleter, error) {
	c, err := f.QueueSetFactory.BeginConstruction(q, a, b, g)
	return captureCompleter{c, f.hash}, err
}
func (c captureCompleter) Complete(d fq.DispatchingConfig) fq.QueueSet {
	return capture{c.QueueSetCompleter.Complete(d), c.hash}
}
func (c capture) BeginConfigChange(q fq.QueuingConfig) (fq.QueueSetCompleter, error) {
	x, err := c.QueueSet.BeginConfigChange(q)
	return captureCompleter{x, c.hash}, err
}
func (c capture) StartRequest(ctx context.Context, w *fcrequest.WorkEstimate, hash uint64, fd, fs string, d1, d2 interface{}, n fq.QueueNoteFn) (fq.Request, bool) {
	*c.hash = hash
	return c.QueueSet.StartRequest(ctx, w, hash, fd, fs, d1, d2, n)
}

func runMatch(in MatchIn) (MatchOut, error) {
	clk := fakeClock()
	var hash uint64
	c := newController(clk, 600, captureFactory{queueset.NewQueueSetFactory(clk), &hash})
	var fss []*flowcontrolv1.FlowSchema
	for i := range in.FlowSchemas {
		fss = append(fss, &in.FlowSchemas[i])
	}
	out := MatchOut{ID: in.ID, Dangling: map[string]string{}}
	out.StatusUpdates = c.Digest(plObjects(in.Levels), fss)
	for _, u := range out.StatusUpdates {
		out.Dangling[u.FlowSchema] = u.Status
	}
	out.Order = c.FlowSchemaOrder()
	for _, q := range in.Requests {
		r, err := httpRequest(q.Method, q.URL)
		if err != nil {
			return out, err
		}
		ri, err := riFactory.NewRequestInfo(r)
		if err != nil {
			return out, err
		}
		rd := flowcontrol.RequestDigest{RequestInfo: ri, User: &user.DefaultInfo{Name: q.User, Groups: q.Groups}}
		var a MatchAnswer
		ran := false
		c.Interface().Handle(context.Background(), rd, func(fs *flowcontrolv1.FlowSchema, pl *flowcontrolv1.PriorityLevelConfiguration, d string) {
			a.FlowSchema, a.PriorityLevel, a.Distinguisher = fs.Name, pl.Name, d
		}, func() fcrequest.WorkEstimate { return fcrequest.WorkEstimate{InitialSeats: 1} }, func(bool) {}, func() { ran = true })
		if !ran {
			return out, fmt.Errorf("request %v was not executed", q)
		}
		a.Hash = U64(hash)
		b := make([]byte, len(fss))
		for i, fs := range fss {
			b[i] = '0'
			if flowcontrol.OracleMatchesFlowSchema(rd, fs) {
				b[i] = '1'
			}
		}
		a.Matches = string(b)
		out.Answers = append(out.Answers, a)
	}
	return out, nil
}

// ---- bootstrap ----

type BootstrapOut struct {
	MandatoryPLs []*flowcontrolv1.PriorityLevelConfiguration `json:"mandatoryPriorityLevelConfigurations"`
	MandatoryFSs []*flowcontrolv1.FlowSchema                 `json:"mandatoryFlowSchemas"`
	SuggestedPLs []*flowcontrolv1.PriorityLevelConfiguration `json:"suggestedPriorityLevelConfigurations"`
	SuggestedFSs []*flowcontrolv1.FlowSchema                 `json:"suggestedFlowSchemas"`
}

func runBootstrap() BootstrapOut {
	return BootstrapOut{bootstrap.MandatoryPriorityLevelConfigurations, bootstrap.MandatoryFlowSchemas,
		bootstrap.SuggestedPriorityLevelConfigurations, bootstrap.SuggestedFlowSchemas}
}
