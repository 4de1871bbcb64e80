package main

import (
	"context"
	"log"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
)

// As in the service, except that a batch waits for an account that another process has locked.
const (
	batchesInFlight = 2
	batchItems      = 64
	bookOrders      = `select outcome, coalesce(status, 0)::int, coalesce(body, '')
		from gold.book_orders(true, false, $1, $2, $3, $4, $5, $6, $7, null, null, $8, $9) order by item`
)

type order struct {
	client                          int32
	admission                       int64
	key                             string
	nonce, quote, request           pgtype.UUID
	fingerprint, signed, thumbprint []byte
	done                            chan outcome
}

type outcome struct {
	name   string
	status int
	body   string
}

// batcher sends the orders that have arrived as soon as fewer than batchesInFlight batches are in flight. A
// client is in one batch at a time.
type batcher struct {
	pool  *pgxpool.Pool
	mutex sync.Mutex
	queue []*order
	busy  map[int32]bool
	sizes []int // of the batches in flight
}

func (b *batcher) submit(one *order) outcome {
	b.mutex.Lock()
	b.queue = append(b.queue, one)
	b.pump()
	b.mutex.Unlock()
	return <-one.done
}

// pump needs the mutex. Beside another batch, a batch has at least half of its size.
func (b *batcher) pump() {
	for len(b.sizes) < batchesInFlight {
		least := (slices.Max(append(b.sizes, 1)) + 1) / 2
		var batch, rest []*order
		for _, one := range b.queue {
			if len(batch) < batchItems && !b.busy[one.client] {
				batch = append(batch, one)
			} else {
				rest = append(rest, one)
			}
		}
		if len(batch) < least {
			return
		}
		b.queue = rest
		b.sizes = append(b.sizes, len(batch))
		for _, one := range batch {
			b.busy[one.client] = true
		}
		go b.run(batch)
	}
}

func (b *batcher) run(batch []*order) {
	outcomes, err := b.send(batch)
	if err != nil {
		log.Print(err)
		outcomes = make([]outcome, len(batch))
	}
	for index, its := range outcomes {
		switch its.name {
		case "answered", "replayed":
			batch[index].done <- its
		case "nonce_reused", "idempotency_key_conflict":
			batch[index].done <- *refuse(409, its.name)
		default:
			batch[index].done <- *refuse(503, "service_unavailable")
		}
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	for _, one := range batch {
		delete(b.busy, one.client)
	}
	at := slices.Index(b.sizes, len(batch))
	b.sizes = slices.Delete(b.sizes, at, at+1)
	b.pump()
}

func (b *batcher) send(batch []*order) ([]outcome, error) {
	rows, _ := b.pool.Query(context.Background(), bookOrders, // CollectRows returns its error
		column(batch, func(o *order) int32 { return o.client }),
		column(batch, func(o *order) int64 { return o.admission }),
		column(batch, func(o *order) pgtype.UUID { return o.nonce }),
		column(batch, func(o *order) string { return o.key }),
		column(batch, func(o *order) []byte { return o.fingerprint }),
		column(batch, func(o *order) pgtype.UUID { return o.quote }),
		column(batch, func(o *order) pgtype.UUID { return o.request }),
		column(batch, func(o *order) []byte { return o.signed }),
		column(batch, func(o *order) []byte { return o.thumbprint }))
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (o outcome, err error) {
		err = row.Scan(&o.name, &o.status, &o.body)
		return o, err
	})
}

func column[T any](batch []*order, read func(*order) T) []T {
	values := make([]T, len(batch))
	for index, one := range batch {
		values[index] = read(one)
	}
	return values
}
