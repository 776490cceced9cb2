module github.com/cdphub/cdphub/internal/e2e

go 1.26

replace github.com/cdphub/cdphub => ../..

require github.com/coder/websocket v1.8.15

require (
	github.com/chromedp/cdproto v0.159.0 // indirect
	github.com/chromedp/chromedp v0.22.1 // indirect
	github.com/evanw/esbuild v0.28.2 // indirect
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
)
