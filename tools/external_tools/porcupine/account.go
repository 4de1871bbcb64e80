package main

import (
	"fmt"
	"strings"

	"github.com/anishathalye/porcupine"
)

// balances are in halalas and in units of 0.0001 g.
type balances struct {
	Available int64 `json:"available"`
	Held      int64 `json:"held"`
	Gold      int64 `json:"gold"`
}

func (one balances) plus(other balances) balances {
	return balances{one.Available + other.Available, one.Held + other.Held, one.Gold + other.Gold}
}

func (one balances) negative() bool {
	return one.Available < 0 || one.Held < 0 || one.Gold < 0
}

// operation is one request with the reply that decided it. A write that was retried is one operation: it lasts
// from the first attempt to the reply.
type operation struct {
	Client int `json:"client"`
	// Nanoseconds.
	Call   int64 `json:"call"`
	Return int64 `json:"return"`
	// write, refusal, balances, events, find or replay.
	Kind string `json:"kind"`
	Key  string `json:"key,omitempty"`
	// The quote of an order.
	Quote string `json:"quote,omitempty"`
	// What a write adds to the balances.
	Change balances `json:"change"`
	// The balances in the reply.
	After balances `json:"after"`
	// The id of the order, funding or withdrawal in the reply. Empty if a look-up found none.
	ID string `json:"id,omitempty"`
	// The code of a refusal.
	Code string `json:"code,omitempty"`
	// The ids in a list of events, oldest first.
	IDs []string `json:"ids,omitempty"`
}

// account is the state of the model. Booked has one line for each executed write, in the order of execution: its
// key, its quote and its id. All members are comparable, so that Porcupine can compare states with ==.
type account struct {
	balances balances
	booked   string
}

func (state account) has(column int, value string) bool {
	for _, line := range state.lines() {
		if value != "" && strings.Split(line, " ")[column] == value {
			return true
		}
	}
	return false
}

// idOf returns the id that the key executed, or an empty text.
func (state account) idOf(key string) string {
	for _, line := range state.lines() {
		if fields := strings.Split(line, " "); fields[0] == key {
			return fields[2]
		}
	}
	return ""
}

func (state account) lines() []string {
	return strings.FieldsFunc(state.booked, func(each rune) bool { return each == '\n' })
}

func step(state account, given operation) (bool, account) {
	after := state.balances.plus(given.Change)
	switch given.Kind {
	case "write":
		fits := given.ID != "" && after == given.After && !after.negative() &&
			!state.has(0, given.Key) && !state.has(1, given.Quote) && !state.has(2, given.ID)
		line := fmt.Sprintf("%s %s %s\n", given.Key, orDash(given.Quote), given.ID)
		return fits, account{after, state.booked + line}
	case "refusal":
		return state.idOf(given.Key) == "" && state.refuses(given, after), state
	case "balances":
		return state.balances == given.After, state
	case "events":
		return state.lists(given.IDs), state
	case "find", "replay":
		return state.idOf(given.Key) == given.ID, state
	}
	return false, state
}

func (state account) refuses(given operation, after balances) bool {
	switch given.Code {
	case "insufficient_funds":
		return after.Available < 0
	case "insufficient_gold":
		return after.Gold < 0
	case "quote_already_executed":
		return state.has(1, given.Quote)
	case "quote_expired":
		// The model has no clock.
		return true
	}
	return false
}

func (state account) lists(ids []string) bool {
	lines := state.lines()
	if len(lines) != len(ids) {
		return false
	}
	for index, id := range ids {
		if strings.Split(lines[index], " ")[2] != id {
			return false
		}
	}
	return true
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func model(start balances) porcupine.Model {
	return porcupine.Model{
		Init: func() interface{} { return account{balances: start} },
		Step: func(state, input, _ interface{}) (bool, interface{}) {
			return step(state.(account), input.(operation))
		},
		DescribeOperation: func(input, _ interface{}) string {
			each := input.(operation)
			return fmt.Sprintf("%s %s %s%s %v", each.Kind, each.Key, each.ID, each.Code, each.After)
		},
	}
}
