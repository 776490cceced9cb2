// Package playwright runs one Playwright test project at several endpoints:
// Chromium itself, over connectOverCDP, and hubs whose Target is an iframe of a
// browser without any debugging port: of Chromium, of Firefox and of WebKit.
// What is not the same in an iframe is listed in differences.mjs, each with its
// reason; the tests are the same.
package playwright
