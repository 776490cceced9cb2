// Package speed compares what a client waits for in an iframe, and in a browser
// behind the hub, with what it waits for at Chromium itself:
//
//	go test -run '^$' -bench . -benchtime 1x ./speed
package speed
