// Reads a Grafana dashboard from standard input and checks it against the schema that Grafana publishes: no unknown
// field, every value of its type, all constraints. One fault a line; exit code 1 where there is one.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

func main() {
	plugins.RegisterDefaultPlugins()
	text, err := io.ReadAll(os.Stdin)
	fail(err)
	// The strict reading names all faults and drops panels without one, so that constraints need a second reading.
	strict, board := dashboard.Dashboard{}, dashboard.Dashboard{}
	fail(strict.UnmarshalJSONStrict(text))
	fail(json.Unmarshal(text, &board))
	fail(board.Validate())
	targets := 0
	for _, one := range board.Panels {
		if one.Panel == nil {
			fail(fmt.Errorf("a row where a panel was expected"))
		}
		for _, target := range one.Panel.Targets {
			fail(target.Validate())
			targets++
		}
	}
	fmt.Printf("%d panels, %d targets\n", len(board.Panels), targets)
}

func fail(err error) {
	// A strict reading without a fault returns an empty list, which is not nil as an error.
	var faults cog.BuildErrors
	if err == nil || errors.As(err, &faults) && len(faults) == 0 {
		return
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
