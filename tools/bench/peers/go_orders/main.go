// Executes signed orders as the service does: the same checks in the same order, the same function with batches,
// and the same replies. The benchmark "peers" compares both. This program listens on the Unix socket in
// its argument, reads DATABASE_URL, and ends when its standard input closes.
//
// It leaves out: all other operations, the members reference and account_label, the detail of problems, metrics,
// logs, changes of the registry after the start, signatures of two people on registry rows, the times of last use
// of credentials, the turns of partners under overload, limits on failed authentications, on the queue and on a
// day's records, simulations, notices to delivery workers, and retries after a lost connection. A batch does not
// wait for orders whose signature is being verified. It does not refuse JSON with repeated members or lone
// surrogates, and it never shrinks its cache of tokens.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"

	"github.com/jackc/pgx/v5/pgxpool"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: DATABASE_URL=… go_orders SOCKET")
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	pool := must(pgxpool.New(context.Background(), os.Getenv("DATABASE_URL")))
	gate := &gate{registry: must(readRegistry(pool))}
	orders := &batcher{pool: pool, busy: map[int32]bool{}}
	listener := must(net.Listen("unix", os.Args[1]))
	log.Fatal(http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request := newRequestID()
		w.Header().Set("X-Request-Id", "req_"+request.String())
		order, refusal := gate.admit(w.Header(), r)
		if refusal != nil {
			reply(w, *refusal)
			return
		}
		order.request = request
		reply(w, orders.submit(order))
	})))
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

// refuse makes a problem that does not bind the key.
func refuse(status int, code string) *outcome {
	return &outcome{status: status, body: fmt.Sprintf(`{"status":%d,"code":"%s"}`, status, code)}
}

func reply(w http.ResponseWriter, o outcome) {
	media := "application/json"
	switch {
	case o.status >= 400:
		media = "application/problem+json"
	case o.name == "replayed":
		o.status = 200
	}
	if o.name == "replayed" {
		w.Header().Set("Idempotent-Replayed", "true")
	}
	w.Header().Set("Content-Type", media)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Length", strconv.Itoa(len(o.body)))
	w.WriteHeader(o.status)
	_, _ = io.WriteString(w, o.body)
}
