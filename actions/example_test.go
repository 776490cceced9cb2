package actions_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/bridge/chrome"
	"github.com/cdphub/cdphub/server"
)

// A page of a real Chromium is opened, and a button in it is clicked.
func Example() {
	ctx, stop := context.WithCancel(context.Background())
	srv, err := server.New(server.Options{
		NoListeners: true,
		Browsers:    &server.Browsers{Chrome: chrome.Options{NoSandbox: os.Geteuid() == 0}},
	})
	if err != nil {
		panic(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- srv.Run(ctx) }()
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<!doctype html><title>before</title><button onclick="document.title='after'">Go</button>`)
	}))

	b, err := actions.Open(ctx, srv.Join(""), actions.Options{})
	if err != nil {
		panic(err)
	}
	page, err := b.NewPage(ctx, app.URL, "")
	if err != nil {
		panic(err)
	}
	if _, err := page.Click(ctx, actions.Role{Role: "button", Name: "Go"}, actions.ClickOptions{}); err != nil {
		panic(err)
	}
	title, err := page.Evaluate(ctx, "document.title", actions.EvaluateOptions{})
	fmt.Println(string(title.JSON), err)

	b.Close()
	app.Close()
	stop()
	<-ended
	// Output: "after" <nil>
}
