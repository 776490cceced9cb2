package server_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/cdphub/cdphub/server"
)

// A program with an HTTP server of its own serves a hub beside its own paths.
func Example() {
	srv, err := server.New(server.Options{NoListeners: true})
	if err != nil {
		panic(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- srv.Run(ctx) }()

	web := httptest.NewServer(srv.Handler()) // in place of http.Serve
	resp, err := http.Get(web.URL + "/json/list")
	if err != nil {
		panic(err)
	}
	targets, err := io.ReadAll(resp.Body)
	fmt.Println(string(targets), err)
	resp.Body.Close()

	stop()
	<-ended
	web.Close()
	// Output: [] <nil>
}
