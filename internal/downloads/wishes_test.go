package downloads

import "testing"

func TestFileNamesStayInTheirFolder(t *testing.T) {
	for _, c := range []struct{ behavior, name, want string }{
		{"allow", "f.txt", "f.txt"},
		{"allowAndName", "f.txt", "G"},
		{"allow", "", "G"},
		{"allow", ".", "G"},
		{"allow", "..", "G"},
		{"allow", "../f", "G"},
		{"allow", "/etc/passwd", "G"},
		{"allow", `a\b`, "G"},
	} {
		w := Wish{Behavior: c.behavior}
		if got := w.FileName("G", c.name); got != c.want {
			t.Errorf("%s %q is called %s, want %s", c.behavior, c.name, got, c.want)
		}
	}
}
