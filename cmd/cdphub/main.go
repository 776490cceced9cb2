// Command cdphub relays the Chrome DevTools Protocol between programs that
// drive browsers and apps in iframes of ordinary browser tabs.
package main

import "github.com/cdphub/cdphub/internal/cli"

func main() { cli.Main(cli.Extras{}) }
