// Package proxy runs a Playwright test project at an app that has no agent of its
// own: cdphub proxy puts it in, and tells what page script cannot know.
package proxy
