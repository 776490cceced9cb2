// Package playwright runs one Playwright test project at two endpoints:
// Chromium itself, over connectOverCDP, and a hub whose Target is an iframe of
// a Chromium without any debugging port. What is not the same in an iframe is
// listed in differences.mjs, each with its reason; the tests are the same.
package playwright
