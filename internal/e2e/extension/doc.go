// Package extension tries tabs that a user shares by the extension of web/src/extension, in a Chromium with that extension.
package extension
