// Runs Toxiproxy. Its HTTP interface listens on the address in the argument, such as 127.0.0.1:8474.
package main

import (
	"fmt"
	"os"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: toxiproxy ADDRESS:PORT")
		os.Exit(2)
	}
	// Toxiproxy logs each connection that it breaks.
	zerolog.SetGlobalLevel(zerolog.Disabled)
	metrics := toxiproxy.NewMetricsContainer(prometheus.NewRegistry())
	server := toxiproxy.NewServer(metrics, zerolog.Nop())
	if err := server.Listen(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
