// prometheus_rules FILE [EXPRESSION…]: parses a file of alarms, and any further expressions, with the parsers
// of Prometheus. Prints a JSON list of the series that they select. Each entry has the metric's name and the
// labels that the expression compares with `=`.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
)

type series struct {
	Name   string            `json:"name"`
	Labels map[string]string `json:"labels"`
}

func main() {
	asked, err := read(os.Args[1], os.Args[2:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	json.NewEncoder(os.Stdout).Encode(asked)
}

func read(file string, expressions []string) ([]series, error) {
	groups, faults := rulefmt.ParseFile(file, false)
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	for _, group := range groups.Groups {
		for _, rule := range group.Rules {
			expressions = append(expressions, rule.Expr)
		}
	}
	asked := []series{}
	for _, text := range expressions {
		expression, err := parser.ParseExpr(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", text, err)
		}
		parser.Inspect(expression, func(node parser.Node, _ []parser.Node) error {
			if selector, ok := node.(*parser.VectorSelector); ok {
				asked = append(asked, seriesOf(selector))
			}
			return nil
		})
	}
	return asked, nil
}

func seriesOf(selector *parser.VectorSelector) series {
	equal := map[string]string{}
	for _, matcher := range selector.LabelMatchers {
		if matcher.Type == labels.MatchEqual && matcher.Name != labels.MetricName {
			equal[matcher.Name] = matcher.Value
		}
	}
	return series{selector.Name, equal}
}
