// Package apps drives React, Vue and Svelte apps behind `cdphub proxy` with
// Playwright: a form with controlled inputs, a router, a dialog that keeps the
// focus, lists whose items are dragged; and files that are edited while a
// development server serves them. The same tests run at Chromium itself. And it drives
// finished applications, which nobody edits, by one script each in a tab and in a frame.
package apps
