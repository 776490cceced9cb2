package mcp

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/cdphub/cdphub/actions"
)

// ran adds a line to the section of code: what does the same in Playwright.
func (r *reply) ran(format string, args ...any) {
	r.code = append(r.code, fmt.Sprintf(format, args...))
}

// jsLiteral is a text as a string literal of JavaScript, on one line. It also escapes the
// line separators that Markdown or a terminal could break at.
func jsLiteral(text string) string {
	var b strings.Builder
	b.WriteByte('\'')
	for _, c := range text {
		switch {
		case c == '\'' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\t':
			b.WriteString(`\t`)
		case c < ' ' || c == '\u0085' || c == '\u2028' || c == '\u2029':
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// jsList is a list of texts in JavaScript.
func jsList[T ~string](texts []T) string {
	quoted := make([]string, len(texts))
	for i, t := range texts {
		quoted[i] = jsLiteral(string(t))
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// objectLiteral is an object literal of NAME: VALUE pairs, without pairs whose value is
// empty; "" when none are left.
func objectLiteral(pairs ...[2]string) string {
	var list []string
	for _, p := range pairs {
		if p[1] != "" {
			list = append(list, p[0]+": "+p[1])
		}
	}
	if list == nil {
		return ""
	}
	return "{ " + strings.Join(list, ", ") + " }"
}

// orEmpty is a text as a JavaScript literal; "" for an empty one, which options
// leaves out.
func orEmpty(text string) string {
	if text == "" {
		return ""
	}
	return jsLiteral(text)
}

// element is the Playwright expression for an element, without "page.":
// getByRole('button', { name: 'Save' }).
func (c *call) element(target string) string {
	l, is := locatorOf(target).(actions.SnapshotRef)
	if !is {
		return "locator(" + jsLiteral(target) + ")"
	}
	for _, text := range c.shownOf(c.page) {
		if code := byRole(text, l.ID); code != "" {
			return code
		}
	}
	return "locator(" + jsLiteral("aria-ref="+l.ID) + ")"
}

// node is a line of a snapshot:
//
//   - button "Save" [ref=e5]: text
var node = regexp.MustCompile(`^ *- '?([a-z]+)(?: "((?:[^"\\]|\\.)*)")?((?: \[[^\]]*\])*)'?(?::(?: (.*))?)?$`)

// byRole finds the line of a ref in a snapshot, and writes how Playwright would find
// that element: by role and name, and by number if others have both. It is "" for
// elements in frames, for names with secrets, and for refs that the snapshot has not.
func byRole(snapshot, id string) string {
	lines := strings.Split(snapshot, "\n")
	at, nodes := -1, make([][]string, len(lines))
	for i, line := range lines {
		nodes[i] = node.FindStringSubmatch(line)
		if nodes[i] != nil && strings.Contains(nodes[i][3], "[ref="+id+"]") {
			at = i
		}
	}
	if at < 0 || strings.HasPrefix(id, "f") {
		return "" // in another frame
	}
	// There may be similar elements behind a part of a snapshot, but none before.
	isPart := strings.HasPrefix(lines[len(lines)-1], partMark)
	role, name := nodes[at][1], unquoteName(nodes[at][2])
	if strings.Contains(name, actions.Redacted) {
		return ""
	}
	if role == "generic" {
		text := nodes[at][4]
		if inner, err := strconv.Unquote(text); err == nil {
			text = inner
		}
		code := byText(nodes, text)
		if isPart && code != "" {
			code += ".first()"
		}
		return code
	}
	similar, same, before := 0, 0, 0 // others that the name or role fits
	for i, n := range nodes {
		if n == nil || n[1] != role || !strings.Contains(strings.ToLower(unquoteName(n[2])), strings.ToLower(name)) {
			continue
		}
		similar++
		if unquoteName(n[2]) == name || name == "" {
			same++
			if i < at {
				before++
			}
		}
	}
	exact := ""
	if name != "" && (similar > 1 || isPart) {
		exact = "true"
	}
	code := "getByRole(" + jsLiteral(role)
	if o := objectLiteral([2]string{"name", orEmpty(name)}, [2]string{"exact", exact}); o != "" {
		code += ", " + o
	}
	code += ")"
	if same > 1 || isPart {
		code += fmt.Sprintf(".nth(%d)", before)
	}
	return code
}

// byText is how Playwright would find an element that has only a text, if no other
// line has it; else "".
func byText(nodes [][]string, text string) string {
	if text == "" || strings.Contains(text, actions.Redacted) {
		return ""
	}
	fits := 0
	for _, n := range nodes {
		if n != nil && strings.Contains(strings.ToLower(n[2]+" "+n[4]), strings.ToLower(text)) {
			fits++
		}
	}
	if fits != 1 {
		return ""
	}
	return "getByText(" + jsLiteral(text) + ")"
}

// unquoteName reads a name of a snapshot, in which quotes and backslashes are escaped.
func unquoteName(name string) string { return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(name) }
