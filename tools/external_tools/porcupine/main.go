// Reads histories of requests and replies from standard input, one account each, and checks with Porcupine
// whether each history is linearizable: there must be one order of the requests that fits their times and
// explains every reply. Prints one JSON line per account. With a second argument, writes a page that shows the
// first history that is not linearizable.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/anishathalye/porcupine"
)

const limit = 20 * time.Second

type history struct {
	Account    string      `json:"account"`
	Start      balances    `json:"start"`
	Operations []operation `json:"operations"`
}

type verdict struct {
	Account string `json:"account"`
	// ok, illegal, or unknown if the check did not end in time.
	Result     string `json:"result"`
	Operations int    `json:"operations"`
	// How many operations the longest order explains.
	Explained int `json:"explained"`
	// The first operations that the longest order leaves out, at most five.
	Rest []operation `json:"rest,omitempty"`
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

func run(args []string) error {
	var histories []history
	reader := json.NewDecoder(os.Stdin)
	reader.DisallowUnknownFields()
	if err := reader.Decode(&histories); err != nil {
		return err
	}
	for _, each := range histories {
		found, info := check(each)
		if found.Result == "illegal" && len(args) > 0 {
			if err := porcupine.VisualizePath(model(each.Start), info, args[0]); err != nil {
				return err
			}
			args = nil
		}
		if err := json.NewEncoder(os.Stdout).Encode(found); err != nil {
			return err
		}
	}
	return nil
}

func check(given history) (verdict, porcupine.LinearizationInfo) {
	operations := make([]porcupine.Operation, len(given.Operations))
	for index, each := range given.Operations {
		operations[index] = porcupine.Operation{
			ClientId: each.Client,
			Input:    each,
			Call:     each.Call,
			Return:   each.Return,
		}
	}
	result, info := porcupine.CheckOperationsVerbose(model(given.Start), operations, limit)
	found := verdict{Account: given.Account, Operations: len(operations), Explained: len(operations), Result: "ok"}
	if result == porcupine.Ok {
		return found, info
	}
	found.Result, found.Explained = "illegal", 0
	if result == porcupine.Unknown {
		found.Result = "unknown"
	}
	var longest []int
	for _, part := range info.PartialLinearizations() {
		for _, order := range part {
			if len(order) > len(longest) {
				longest = order
			}
		}
	}
	found.Explained = len(longest)
	placed := map[int]bool{}
	for _, index := range longest {
		placed[index] = true
	}
	for index, each := range given.Operations {
		if !placed[index] && len(found.Rest) < 5 {
			found.Rest = append(found.Rest, each)
		}
	}
	return found, info
}
