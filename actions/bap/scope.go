package bap

import (
	"slices"
	"strings"
)

// profiles are the scopes of BAP that the scope of a token stands for.
var profiles = map[string][]string{
	"readonly": {"page:read", "observe:*"},
	"standard": {
		"browser:launch", "browser:close", "page:*", "action:click", "action:type", "action:fill", "action:scroll", "action:select", "action:handoff",
		"observe:*", "emulate:viewport",
	},
	"full":       {"browser:*", "page:*", "action:*", "observe:*", "emulate:*", "trace:*", "storage:*", "context:*"},
	"privileged": {"*"},
	"":           {"*"}, // there are no tokens
}

// holdsScope reports whether the granted scopes include the needed one. "observe:*" stands
// for all scopes of its group, "*" for all.
func holdsScope(granted []string, need string) bool {
	group, _, _ := strings.Cut(need, ":")
	return need == "" || slices.ContainsFunc(granted, func(s string) bool {
		return s == "*" || s == need || s == group+":*"
	})
}

// Reading lists the methods for which a token of scope readonly is enough.
func Reading() []string {
	var list []string
	for name, m := range allMethods() {
		if requireScope("readonly", name, m.scope) == nil {
			list = append(list, name)
		}
	}
	return list
}

// requireScope refuses a method whose scope the caller does not hold.
func requireScope(profile, method, need string) *failure {
	if holdsScope(profiles[profile], need) {
		return nil
	}
	group, _, _ := strings.Cut(need, ":")
	required := []string{need}
	if need != group+":*" {
		required = append(required, group+":*")
	}
	return newFailure(codeContextNotFound, "Insufficient permissions for '%s'. Required scopes: %s", method, strings.Join(required, " or ")).
		detail("method", method).detail("requiredScopes", required)
}
