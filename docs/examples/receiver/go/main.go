// Receives webhooks in Go with the package of Standard Webhooks. go.mod pins the version of the package.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

const bodyMaxBytes = 65_536

type event struct {
	ID       string          `json:"id"`
	Sequence int64           `json:"sequence"`
	Previous json.RawMessage `json:"previous_sequence"`
	ClientID string          `json:"client_id"`
	Type     string          `json:"type"`
}

// previous returns the number of the event to process before this one; 0 for none. Services before 0.7.0 do not
// name it.
func (e event) previous() int64 {
	if e.Previous == nil {
		return e.Sequence - 1
	}
	number, _ := strconv.ParseInt(string(e.Previous), 10, 64) // 0 for null
	return number
}

// A real receiver keeps these in its database: the stored events, and which of them it has processed.
type inbox struct {
	sync.Mutex
	waiting   map[int64]event
	processed map[int64]bool
	start     int64
}

// verify reports whether one of the active secrets signed the body. It reads the secrets for each delivery,
// so that a rotation needs no restart.
func verify(body []byte, headers http.Header) (bool, error) {
	secrets, err := os.ReadFile(os.Getenv("WEBHOOK_SECRETS_FILE"))
	if err != nil {
		return false, err
	}
	for _, secret := range strings.Fields(string(secrets)) {
		webhook, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			return false, err
		}
		if webhook.Verify(body, headers) == nil {
			return true, nil
		}
	}
	return false, nil
}

// store stores an event once. A sequence number belongs to one event, so it identifies a repeated delivery, as
// the id does.
func (in *inbox) store(e event) {
	in.Lock()
	defer in.Unlock()
	if _, here := in.waiting[e.Sequence]; here || in.isProcessed(e.Sequence) {
		return
	}
	in.waiting[e.Sequence] = e
	if !in.isProcessed(e.previous()) {
		fmt.Println(e.Sequence, "waits for", e.previous())
	}
}

func (in *inbox) isProcessed(sequence int64) bool {
	return sequence <= in.start || in.processed[sequence]
}

// work processes each stored event whose previous event is processed, in order of their sequence numbers.
func (in *inbox) work() {
	in.Lock()
	defer in.Unlock()
	sequences := make([]int64, 0, len(in.waiting))
	for sequence := range in.waiting {
		sequences = append(sequences, sequence)
	}
	slices.Sort(sequences)
	for _, sequence := range sequences {
		e := in.waiting[sequence]
		if !in.isProcessed(e.previous()) {
			continue
		}
		fmt.Println(e.Sequence, e.Type, e.ID)
		in.processed[sequence] = true
		delete(in.waiting, sequence)
	}
}

func (in *inbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyMaxBytes))
	if err != nil {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	signed, err := verify(body, r.Header)
	if err != nil {
		log.Print(err)
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	// Services before 0.7.0 do not name the partner.
	e := event{ClientID: os.Getenv("CLIENT_ID")}
	if !signed || json.Unmarshal(body, &e) != nil || e.ClientID != os.Getenv("CLIENT_ID") {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	in.store(e)
	// Answer before processing the event. A delivery without an answer within 15 seconds fails and is sent
	// again.
	w.WriteHeader(http.StatusOK)
	go in.work()
}

func main() {
	start, _ := strconv.ParseInt(os.Getenv("LAST_SEQUENCE"), 10, 64)
	server := &http.Server{
		Handler:     &inbox{waiting: map[int64]event{}, processed: map[int64]bool{}, start: start},
		ReadTimeout: 15 * time.Second,
		IdleTimeout: 60 * time.Second,
	}
	listener, err := net.Listen("tcp", os.Getenv("RECEIVER_LISTEN"))
	if errors.Is(err, syscall.EADDRINUSE) {
		err = errors.New(os.Getenv("RECEIVER_LISTEN") + " is taken by another program; end that program, or set another port.")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "The receiver cannot listen:", err)
		os.Exit(1)
	}
	fmt.Println("listening on", listener.Addr())
	log.Fatal(server.ServeTLS(listener, os.Getenv("CERTIFICATE_FILE"), os.Getenv("KEY_FILE")))
}
