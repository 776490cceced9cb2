// Package scopes attacks a hub with a real Chromium behind it with tokens of each
// scope.
package scopes
