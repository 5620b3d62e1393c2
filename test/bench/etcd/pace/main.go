// Command pace asks an etcd for one key at a steady rate over one connection and tells how long each answer took, counted from
// the moment at which its request was due. It keeps no garbage, for collections of its own would be measured as well.
//
//	pace -url http://127.0.0.1:2379 -rate 2000 -seconds 3
//
// Output: one line of JSON with the nanoseconds of each answer and the part of them that came before the last request was sent.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net"
	"net/url"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"golang.org/x/sys/unix"
)

// A Range of the key "key", framed.
var ask = []byte{0, 0, 0, 0, 5, 0x0a, 3, 0x6b, 0x65, 0x79}

type result struct {
	Took    []int64 `json:"took"`
	Reached float64 `json:"reached"`
}

type pace struct {
	conn net.Conn
	head []byte

	// Guards what follows: one sends and one reads.
	lock   sync.Mutex
	framer *http2.Framer
	out    bytes.Buffer
	due    []time.Time
	took   []int64
}

func main() {
	at := flag.String("url", "", "where to ask")
	rate := flag.Int("rate", 2000, "requests a second")
	seconds := flag.Float64("seconds", 3, "how long")
	flag.Parse()
	debug.SetGCPercent(-1)
	if err := run(*at, *rate, int(float64(*rate)**seconds)); err != nil {
		log.Fatal(err)
	}
}

func run(at string, rate, requests int) error {
	place, err := url.Parse(at)
	if err != nil {
		return err
	}
	conn, err := net.Dial("tcp", place.Host)
	if err != nil {
		return err
	}
	defer conn.Close()
	p := &pace{conn: conn, head: headersFor(place.Host), due: make([]time.Time, requests), took: make([]int64, 0, requests)}
	p.framer = http2.NewFramer(&p.out, conn)
	p.out.WriteString(http2.ClientPreface)
	if err := p.write(p.framer.WriteSettings()); err != nil {
		return err
	}
	// Answers are small: this is enough for all of them.
	if err := p.write(p.framer.WriteWindowUpdate(0, 1<<30)); err != nil {
		return err
	}
	failed := make(chan error, 1)
	go func() { failed <- p.read(requests) }()
	if err := p.send(rate); err != nil {
		return err
	}
	p.lock.Lock()
	inTime := len(p.took)
	p.lock.Unlock()
	if err := <-failed; err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(result{p.took, float64(inTime) / float64(requests)})
}

func headersFor(host string) []byte {
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	// The same bytes serve all requests, so that nothing may be remembered between them.
	encoder.SetMaxDynamicTableSizeLimit(0)
	for _, field := range []hpack.HeaderField{
		{Name: ":method", Value: "POST"},
		{Name: ":scheme", Value: "http"},
		{Name: ":path", Value: "/etcdserverpb.KV/Range"},
		{Name: ":authority", Value: host},
		{Name: "content-type", Value: "application/grpc"},
		{Name: "te", Value: "trailers"},
	} {
		if err := encoder.WriteField(field); err != nil {
			panic(err)
		}
	}
	return block.Bytes()
}

// write sends the frames that were written to the buffer, unless that failed.
func (p *pace) write(err error) error {
	if err == nil {
		_, err = p.conn.Write(p.out.Bytes())
	}
	p.out.Reset()
	return err
}

// send has a thread of its own, for timers of the runtime are rounded to milliseconds and would send in bursts.
func (p *pace) send(rate int) error {
	runtime.LockOSThread()
	began := time.Now()
	for index := range p.due {
		due := began.Add(time.Duration(index) * time.Second / time.Duration(rate))
		sleepUntil(due)
		if err := p.sendOne(index, due); err != nil {
			return err
		}
	}
	return nil
}

func sleepUntil(due time.Time) {
	for left := time.Until(due); left > 0; left = time.Until(due) {
		span := unix.NsecToTimespec(int64(left))
		// A signal may end it early.
		_ = unix.Nanosleep(&span, nil)
	}
}

func (p *pace) sendOne(index int, due time.Time) error {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.due[index] = due
	id := uint32(2*index + 1)
	err := p.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: p.head, EndHeaders: true})
	if err != nil {
		return err
	}
	return p.write(p.framer.WriteData(id, true, ask))
}

func (p *pace) read(requests int) error {
	status := ""
	decoder := hpack.NewDecoder(4096, func(field hpack.HeaderField) {
		if field.Name == "grpc-status" {
			status = field.Value
		}
	})
	for len(p.took) < requests {
		frame, err := p.framer.ReadFrame()
		if err != nil {
			return err
		}
		switch frame := frame.(type) {
		case *http2.SettingsFrame:
			if !frame.IsAck() {
				err = p.locked(p.framer.WriteSettingsAck)
			}
		case *http2.PingFrame:
			if data := frame.Data; !frame.IsAck() {
				err = p.locked(func() error { return p.framer.WritePing(true, data) })
			}
		case *http2.HeadersFrame:
			status = ""
			if _, err := decoder.Write(frame.HeaderBlockFragment()); err != nil {
				return err
			}
			if frame.StreamEnded() {
				err = p.ended(int(frame.StreamID/2), status)
			}
		case *http2.GoAwayFrame:
			err = fmt.Errorf("the connection was ended: %v", frame.ErrCode)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *pace) locked(write func() error) error {
	p.lock.Lock()
	defer p.lock.Unlock()
	return p.write(write())
}

func (p *pace) ended(index int, status string) error {
	if status != "0" {
		return fmt.Errorf("request %d ended with status %q", index, status)
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	p.took = append(p.took, int64(time.Since(p.due[index])))
	return nil
}
