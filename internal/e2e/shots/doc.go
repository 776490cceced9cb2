// Package shots compares the pictures that the agent's rasteriser draws with
// Chromium's own screenshots of the same pages.
package shots
