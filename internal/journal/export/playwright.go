package export

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/cdphub/cdphub/internal/journal"
)

const playwrightHead = `// Made by cdphub replay --playwright. Run it with: npx playwright test
import { test } from "@playwright/test";

// A recording contains no typed text. Set TYPED_1, TYPED_2 and so on to the real texts:
// without them, the test types an x for each character.
const typed = (n: number, length: number) => process.env[` + "`TYPED_${n}`" + `] ?? "x".repeat(length);

// Set FILES_1, FILES_2 and so on to the files to choose, separated by commas.
const files = (n: number) => (process.env[` + "`FILES_${n}`" + `] ?? "").split(",").filter(Boolean);

`

// Playwright writes what Clients did as a test of Playwright, in TypeScript. Texts
// and files that are not in a recording come from the environment.
func Playwright(w io.Writer, r *journal.Recording) error {
	var b strings.Builder
	b.WriteString(playwrightHead)
	fmt.Fprintf(&b, "test(%s, async ({ page }) => {\n", quoteText(titleOf(r)))
	t := &playwrightTest{out: &b}
	list := actionsOf(r)
	for i, s := range list {
		// Playwright dismisses a dialog for which no handler is set.
		if i+1 < len(list) && list[i+1].Do == journal.Answer { // it must be there before the dialog is
			t.dialog(list[i+1])
		}
		t.step(s)
	}
	b.WriteString("});\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func titleOf(r *journal.Recording) string {
	return "a recording of " + cmp.Or(r.Address(), "cdphub")
}

// playwrightTest writes the lines of one test. It numbers the texts and files that
// the environment gives.
type playwrightTest struct {
	out   *strings.Builder
	typed int
	files int
	at    string // the address
}

func (t *playwrightTest) line(format string, args ...any) {
	fmt.Fprintf(t.out, "  "+format+"\n", args...)
}

func (t *playwrightTest) dialog(s step) {
	switch {
	case s.Key != "accept":
		t.line(`page.once("dialog", (dialog) => dialog.dismiss());`)
	case s.Length > 0:
		t.typed++
		t.line(`page.once("dialog", (dialog) => dialog.accept(typed(%d, %d)));`, t.typed, s.Length)
	default:
		t.line(`page.once("dialog", (dialog) => dialog.accept());`)
	}
}

func (t *playwrightTest) step(s step) {
	switch s.Do {
	case journal.Navigate:
		t.open(s.URL)
	case journal.Reload:
		t.line("await page.reload();")
	case journal.History:
		t.open(s.led)
	case journal.Viewport:
		t.line("await page.setViewportSize({ width: %d, height: %d });", int(s.X), int(s.Y))
	case journal.Replace:
		t.line("// Here the document was replaced by another one, which is not in the recording.")
	case journal.Close:
		t.line("await page.close();")
	default:
		t.input(s)
	}
	// Waiting for the address keeps the next step from running on the last page.
	if s.led != "" && s.led != t.at && s.Do != journal.History && s.Do != journal.Close {
		if s.Do != journal.Navigate {
			t.line("await page.waitForURL(%s);", quoteText(s.led))
		}
		t.at = s.led
	}
}

func (t *playwrightTest) open(url string) {
	if !isWhole(url) {
		t.line("// Here the page went to an address with a secret, which is not in the recording.")
		return
	}
	t.line("await page.goto(%s);", quoteText(url))
	t.at = url
}

func (t *playwrightTest) input(s step) {
	on := locatorFor(s.On)
	switch s.Do {
	case journal.Click, journal.DoubleClick:
		t.click(s, on)
	case journal.Type:
		t.write(s, on)
	case journal.Press:
		if on == "" {
			t.line("await page.keyboard.press(%s);", quoteText(s.Key))
		} else {
			t.line("await %s.press(%s);", on, quoteText(s.Key))
		}
	case journal.Scroll:
		t.line("await page.mouse.move(%v, %v);", s.X, s.Y)
		t.line("await page.mouse.wheel(%v, %v);", s.ToX, s.ToY)
	case journal.Drag:
		t.line("await page.mouse.move(%v, %v);", s.X, s.Y)
		t.line("await page.mouse.down();")
		t.line("await page.mouse.move(%v, %v, { steps: 5 });", s.ToX, s.ToY)
		t.line("await page.mouse.up();")
	case journal.Upload:
		t.files++
		if on == "" {
			on = `page.locator("input[type=file]")`
		}
		t.line("await %s.setInputFiles(files(%d));", on, t.files)
	}
}

func (t *playwrightTest) click(s step, on string) {
	var options []string
	if s.Button == "right" || s.Button == "middle" {
		options = append(options, "button: "+quoteText(s.Button))
	}
	if on == "" {
		at := []string{fmt.Sprint(s.X), fmt.Sprint(s.Y)}
		t.line("await page.mouse.%s(%s);", s.Do, strings.Join(append(at, objectOf(options)...), ", "))
		return
	}
	t.line("await %s.%s(%s);", on, s.Do, strings.Join(objectOf(options), ""))
}

func objectOf(members []string) []string {
	if len(members) == 0 {
		return nil
	}
	return []string{"{ " + strings.Join(members, ", ") + " }"}
}

func (t *playwrightTest) write(s step, on string) {
	t.typed++
	switch {
	case on == "":
		t.line("await page.keyboard.type(typed(%d, %d));", t.typed, s.Length)
	case s.Keys:
		t.line("await %s.pressSequentially(typed(%d, %d));", on, t.typed, s.Length)
	default:
		t.line("await %s.fill(typed(%d, %d));", on, t.typed, s.Length)
	}
}

// locatorFor is an expression that finds an element as people do: by role and name,
// label, or placeholder, and only then by an attribute or a selector. It is "" when
// nothing is known of the element.
func locatorFor(e *journal.Element) string {
	switch {
	case e == nil:
		return ""
	case e.Role != "" && isWhole(e.Name):
		return fmt.Sprintf("page.getByRole(%s, { name: %s, exact: true })", quoteText(e.Role), quoteText(e.Name)) + nthSuffix(e)
	case isWhole(e.Label):
		return fmt.Sprintf("page.getByLabel(%s, { exact: true })", quoteText(e.Label)) + nthSuffix(e)
	case isWhole(e.Placeholder):
		return fmt.Sprintf("page.getByPlaceholder(%s, { exact: true })", quoteText(e.Placeholder)) + nthSuffix(e)
	case isWhole(e.TestID):
		return fmt.Sprintf("page.getByTestId(%s)", quoteText(e.TestID))
	case isWhole(e.CSS):
		return fmt.Sprintf("page.locator(%s)", quoteText(e.CSS))
	}
	return ""
}

func nthSuffix(e *journal.Element) string {
	if e.Nth == 0 {
		return ""
	}
	return fmt.Sprintf(".nth(%d)", e.Nth-1)
}
