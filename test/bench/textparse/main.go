// Command textparse times the parser of the Prometheus server on one page in the text format.
//
//	textparse -runs 15 FILE
//
// It reads every series with its labels, as a scrape does before it looks them up. Output: one line of JSON with the
// number of samples and the milliseconds of each run.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"io"
	"log"
	"os"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
)

const warmUp = 3

type result struct {
	Samples int       `json:"samples"`
	Ms      []float64 `json:"ms"`
}

func parse(page []byte) (samples int, err error) {
	parser := textparse.NewPromParser(page, labels.NewSymbolTable(), false)
	var series labels.Labels
	for {
		entry, err := parser.Next()
		if errors.Is(err, io.EOF) {
			return samples, nil
		}
		if err != nil {
			return samples, err
		}
		if entry == textparse.EntrySeries {
			parser.Series()
			parser.Labels(&series)
			samples++
		}
	}
}

func main() {
	runs := flag.Int("runs", 15, "runs to time")
	flag.Parse()
	page, err := os.ReadFile(flag.Arg(0))
	if err != nil {
		log.Fatal(err)
	}
	var out result
	for run := range warmUp + *runs {
		start := time.Now()
		out.Samples, err = parse(page)
		if err != nil {
			log.Fatal(err)
		}
		if run >= warmUp {
			out.Ms = append(out.Ms, float64(time.Since(start).Nanoseconds())/1e6)
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(out); err != nil {
		log.Fatal(err)
	}
}
