// Package harness starts what end-to-end tests drive: the app in an iframe of a
// Chromium without any debugging port, behind a Host page and the cdphub program,
// or the same app in a Chromium with a debugging port.
//
// Every test binary that imports it has the flag -target, hub or chromium, and
// calls Main from its TestMain. Programs are looked for as LookUp says: CHROMIUM
// names the browser, CDPHUB a ready-built cdphub, which is built from this
// repository otherwise.
package harness
