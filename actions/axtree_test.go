package actions_test

import (
	"strings"
	"testing"

	"github.com/cdphub/cdphub/actions"
)

func TestAccessibilityTree(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/form.html")
		raw, err := p.AccessibilityTree(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		root, err := p.AXTree(t.Context(), actions.AXOptions{})
		if err != nil || root.Role != "RootWebArea" || root.Name != "Sign up" {
			t.Fatalf("%+v, %v", root, err)
		}
		for name, text := range map[string]string{"the raw tree": string(raw), "the tree": indented(t, root)} {
			// Ids of nodes are numbers, too: a short one may be in the tree.
			for _, secret := range []string{"hunter2", "41111111", "98769876", "••"} {
				if strings.Contains(text, secret) {
					t.Errorf("%s tells the secret %s", name, secret)
				}
			}
		}
		found := map[string]actions.AXNode{}
		var walk func(n actions.AXNode)
		walk = func(n actions.AXNode) {
			found[n.Role+" "+n.Name] = n
			for _, c := range n.Children {
				walk(c)
			}
		}
		walk(root)
		if n := found["textbox Password"]; n.Value != actions.Redacted {
			t.Errorf("the password field is %+v", n)
		}
		if n := found["checkbox News"]; n.Checked != true {
			t.Errorf("the checked box is %+v", n)
		}
		if n := found["checkbox Agree"]; n.Checked != false {
			t.Errorf("the other box is %+v", n)
		}
		if n := found["heading Sign up"]; n.Level != 1 {
			t.Errorf("the heading is %+v", n)
		}
		if n := found["button Out of order"]; !n.Disabled {
			t.Errorf("the disabled button is %+v", n)
		}
		if n := found["button Menu"]; n.Expanded == nil || !*n.Expanded {
			t.Errorf("the menu is %+v", n)
		}
		part, err := p.AXTree(t.Context(), actions.AXOptions{Root: actions.CSS("nav")})
		if err != nil || part.Role != "navigation" || strings.Count(indented(t, part), `"link"`) != 2 {
			t.Errorf("below an element: %s, %v", indented(t, part), err)
		}
		flat, err := p.AXTree(t.Context(), actions.AXOptions{MaxDepth: 1})
		if err != nil || len(flat.Children) == 0 || len(flat.Children[0].Children) != 0 {
			t.Errorf("to a depth of 1: %+v, %v", flat, err)
		}
	})
}
