// Package docs tests the documentation: it runs the commands and programs in the
// code blocks of README.md and docs, as internal/docstest finds them declared. A
// test may replace what a machine has only once: each documented port of the
// machine by a free one, and https://example.com by a site of the test.
package docs
