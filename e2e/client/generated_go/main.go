// Sends and reads money with a client that oapi-codegen generated, in the package gold. Reads the balances at an
// instant in Riyadh's time. Prints what the client read, as one JSON object of decimal texts.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"log"
	"net/http"
	"os"
	"strconv"
	"time"

	"example.com/exchange/gold"
)

func main() {
	baseURL, token, ca, cert, key := os.Args[1], os.Args[2], os.Args[3], os.Args[4], os.Args[5]
	amount, grams := number(os.Args[6]), number(os.Args[7])
	ctx := context.Background()
	client := must(gold.NewClientWithResponses(
		baseURL,
		gold.WithHTTPClient(&http.Client{Transport: &http.Transport{TLSClientConfig: tlsConfig(ca, cert, key)}}),
		gold.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
			request.Header.Set("Authorization", "Bearer "+token)
			return nil
		}),
	))

	funding := must(client.FundSandboxWithResponse(
		ctx,
		&gold.FundSandboxParams{IdempotencyKey: "go-funding-" + baseURL},
		gold.FundRequest{AmountSar: amount},
	))
	quote := must(client.CreateQuoteWithResponse(
		ctx,
		&gold.CreateQuoteParams{IdempotencyKey: "go-quote-" + baseURL},
		gold.QuoteRequest{Side: gold.QuoteRequestSideBuy, GoldGrams: &grams},
	))
	if funding.JSON201 == nil || quote.JSON201 == nil {
		log.Fatalf("funding: %s\nquote: %s", funding.Body, quote.Body)
	}
	at := quote.JSON201.CreatedAt.In(time.FixedZone("Asia/Riyadh", 3*60*60))
	balances := must(client.GetBalancesWithResponse(ctx, &gold.GetBalancesParams{At: &at}))
	if balances.JSON200 == nil {
		log.Fatalf("balances: %s", balances.Body)
	}
	orders := must(client.ListOrdersWithResponse(ctx, &gold.ListOrdersParams{}))
	withdrawals := must(client.ListWithdrawalsWithResponse(ctx, &gold.ListWithdrawalsParams{}))
	events := must(client.ListEventsWithResponse(ctx, &gold.ListEventsParams{}))
	if orders.JSON200 == nil || withdrawals.JSON200 == nil || events.JSON200 == nil {
		log.Fatalf("orders: %s\nwithdrawals: %s\nevents: %s", orders.Body, withdrawals.Body, events.Body)
	}
	must(0, json.NewEncoder(os.Stdout).Encode(map[string]string{
		"order_status":       orders.JSON200.Items[0].Status,
		"withdrawal_status":  withdrawals.JSON200.Items[0].Status,
		"event_type":         events.JSON200.Items[0].Type,
		"delivery_status":    events.JSON200.Items[0].Delivery.Status,
		"quote_id":           quote.JSON201.QuoteId,
		"funded_sar":         text(funding.JSON201.AmountSar),
		"gold_grams":         text(quote.JSON201.GoldGrams),
		"price_per_gram_sar": text(quote.JSON201.PricePerGramSar),
		"total_sar":          text(quote.JSON201.TotalSar),
		"available_sar":      text(balances.JSON200.Sar.Available),
	}))
}

func tlsConfig(ca, cert, key string) *tls.Config {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(must(os.ReadFile(ca)))
	return &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{must(tls.LoadX509KeyPair(cert, key))}}
}

func number(text string) float64 { return must(strconv.ParseFloat(text, 64)) }

func text(number float64) string { return strconv.FormatFloat(number, 'f', -1, 64) }

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
