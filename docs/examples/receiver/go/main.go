// Receives webhooks in Go with the package of Standard Webhooks. go.mod pins the version of the package.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

const bodyMaxBytes = 65_536

type event struct {
	ID       string `json:"id"`
	Sequence int64  `json:"sequence"`
	Type     string `json:"type"`
}

// A real receiver keeps two things in its database: the stored events, and the sequence number of the last
// processed event.
type inbox struct {
	sync.Mutex
	stored map[int64]event
	last   int64
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
	if _, here := in.stored[e.Sequence]; here || e.Sequence <= in.last {
		return
	}
	in.stored[e.Sequence] = e
	if e.Sequence > in.last+1 {
		fmt.Println(e.Sequence, "waits for", in.last+1)
	}
}

// work processes the stored events in order of their sequence numbers, up to the first gap.
func (in *inbox) work() {
	in.Lock()
	defer in.Unlock()
	for {
		e, here := in.stored[in.last+1]
		if !here {
			return
		}
		fmt.Println(e.Sequence, e.Type, e.ID)
		in.last++
		delete(in.stored, in.last)
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
	var e event
	if !signed || json.Unmarshal(body, &e) != nil {
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
	last, _ := strconv.ParseInt(os.Getenv("LAST_SEQUENCE"), 10, 64)
	server := &http.Server{
		Handler:     &inbox{stored: map[int64]event{}, last: last},
		ReadTimeout: 15 * time.Second,
		IdleTimeout: 60 * time.Second,
	}
	listener, err := net.Listen("tcp", os.Getenv("RECEIVER_LISTEN"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening on", listener.Addr())
	log.Fatal(server.ServeTLS(listener, os.Getenv("CERTIFICATE_FILE"), os.Getenv("KEY_FILE")))
}
