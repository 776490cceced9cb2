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

// holds reports whether the granted scopes include the needed one. "observe:*" stands
// for all scopes of its group, "*" for all.
func holds(granted []string, need string) bool {
	group, _, _ := strings.Cut(need, ":")
	return need == "" || slices.ContainsFunc(granted, func(s string) bool {
		return s == "*" || s == need || s == group+":*"
	})
}

// Reading lists the methods for which a token of scope readonly is enough.
func Reading() []string {
	var list []string
	for name, m := range allMethods() {
		if permit("readonly", name, m.scope) == nil {
			list = append(list, name)
		}
	}
	return list
}

// permit refuses a method whose scope the caller does not hold.
func permit(profile, method, need string) *failure {
	if holds(profiles[profile], need) {
		return nil
	}
	group, _, _ := strings.Cut(need, ":")
	required := []string{need}
	if need != group+":*" {
		required = append(required, group+":*")
	}
	return fail(codeContextNotFound, "Insufficient permissions for '%s'. Required scopes: %s", method, strings.Join(required, " or ")).
		detail("method", method).detail("requiredScopes", required)
}
