// Package recording drives an app behind a hub that records, and runs each export of
// the recording against the same app.
package recording
