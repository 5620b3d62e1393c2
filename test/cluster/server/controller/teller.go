package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// event is one line of the output. Which fields it has depends on its kind:
//
//	add, update, delete   object, version
//	stale                 object: its deletion was missed, so its last state is unknown
//	synced                object (a resource): all that there was has been told of
//	asked                 request, status, protocol, initial (all objects first): a list or a watch was answered
//	refused               request, retryAfter: the answer was 429
//	again                 request, retryAfter, afterMs: the same request after one that was refused
//	wrote                 object, version
//	leading, lost         this client has become the leader, or is no longer
//	failed                text: what client-go or its caller could not do
//	warning               text: what the server warned of
//	log                   log: what client-go itself says of retries and of its own rate limit
type event struct {
	// Unix milliseconds.
	At         int64           `json:"at"`
	Kind       string          `json:"kind"`
	Object     string          `json:"object,omitempty"`
	Version    string          `json:"version,omitempty"`
	Request    string          `json:"request,omitempty"`
	Status     int             `json:"status,omitempty"`
	Protocol   string          `json:"protocol,omitempty"`
	Initial    bool            `json:"initial,omitempty"`
	RetryAfter string          `json:"retryAfter,omitempty"`
	AfterMs    int64           `json:"afterMs,omitempty"`
	Text       string          `json:"text,omitempty"`
	Log        json.RawMessage `json:"log,omitempty"`
}

// refusal is a request that was answered 429 and has not come again.
type refusal struct {
	at         time.Time
	retryAfter string
}

// teller writes events, and remembers which requests were refused.
type teller struct {
	lock    sync.Mutex
	lines   *json.Encoder
	refused map[string]refusal
}

func newTeller(to io.Writer) *teller {
	return &teller{lines: json.NewEncoder(to), refused: map[string]refusal{}}
}

func (t *teller) tell(one event) {
	t.lock.Lock()
	defer t.lock.Unlock()
	one.At = time.Now().UnixMilli()
	// Nobody reads any more: the input ends, too.
	_ = t.lines.Encode(one)
}

func (t *teller) failed(what string, err error) {
	t.tell(event{Kind: "failed", Text: what + ": " + err.Error()})
}

func (t *teller) logged(line string) {
	if strings.Contains(line, "Retry-After") || strings.Contains(line, "Waited before sending request") {
		t.tell(event{Kind: "log", Log: json.RawMessage(line)})
	}
}

// observe tells of lists, watches and refusals, beneath client-go's retries.
func (t *teller) observe(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		query := request.URL.Query()
		what := request.Method + " " + request.URL.Path
		if query.Has("watch") {
			what = "WATCH " + request.URL.Path
		}
		t.comesAgain(what)
		answer, err := next.RoundTrip(request)
		if err != nil {
			return answer, err
		}
		if answer.StatusCode == http.StatusTooManyRequests {
			t.isRefused(what, answer.Header.Get("Retry-After"))
		} else if query.Has("watch") || query.Has("limit") {
			t.tell(event{
				Kind:     "asked",
				Request:  what,
				Status:   answer.StatusCode,
				Protocol: answer.Proto,
				Initial:  query.Get("sendInitialEvents") == "true",
			})
		}
		return answer, nil
	})
}

func (t *teller) isRefused(what, retryAfter string) {
	t.lock.Lock()
	t.refused[what] = refusal{time.Now(), retryAfter}
	t.lock.Unlock()
	t.tell(event{Kind: "refused", Request: what, RetryAfter: retryAfter})
}

func (t *teller) comesAgain(what string) {
	t.lock.Lock()
	before, was := t.refused[what]
	delete(t.refused, what)
	t.lock.Unlock()
	if was {
		after := time.Since(before.at).Milliseconds()
		t.tell(event{Kind: "again", Request: what, RetryAfter: before.retryAfter, AfterMs: after})
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (r roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return r(request) }

// warnings are what servers say in the header Warning.
type warnings struct{ out *teller }

func (w warnings) HandleWarningHeader(_ int, _ string, text string) {
	w.out.tell(event{Kind: "warning", Text: text})
}
