package export

import (
	"cmp"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/cdphub/cdphub/internal/journal"
)

const playwrightHead = `// Made by cdphub replay --playwright. Run it with: npx playwright test
%simport { expect, test } from "@playwright/test";

%s// A recording contains no typed text. Set TYPED_1, TYPED_2 and so on to the real texts:
// without them, the test types other texts, mostly an x for each character.
const typed = (n: number, other: string) => process.env[` + "`TYPED_${n}`" + `] ?? other;

// Set FILES_1, FILES_2 and so on to the files to choose, separated by commas. Without them, the test
// chooses as many small files of its own.
const files = (n: number, count: number) =>
  process.env[` + "`FILES_${n}`" + `]?.split(",").filter(Boolean) ??
  Array.from({ length: count }, (_, i) => ({ name: ` + "`${i + 1}.txt`" + `, mimeType: "text/plain", buffer: Buffer.from("x") }));

`

// Playwright writes what Clients did as a test of Playwright, in TypeScript. Texts
// and files that are not in a recording come from the environment. The test expects the titles,
// headings and new texts that the recording has seen to stay.
func Playwright(w io.Writer, r *journal.Recording) error {
	var b strings.Builder
	list := actionsOf(r)
	t := &playwrightTest{out: &b, into: map[string]bool{}}
	t.base = baseOf(list)
	how, use := "", ""
	if t.base != "" {
		how = "// To run it against another address: BASE_URL=https://staging.example npx playwright test\n"
		use = fmt.Sprintf("test.use({ baseURL: process.env.BASE_URL ?? %s });\n\n", quoteText(t.base))
	}
	fmt.Fprintf(&b, playwrightHead, how, use)
	fmt.Fprintf(&b, "test(%s, async ({ page }) => {\n", quoteText(titleOf(r)))
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

// baseOf is the origin of the first address of a test; "" where it has none.
func baseOf(list []step) string {
	for _, s := range list {
		for _, address := range []string{s.URL, s.led} {
			if u, err := url.Parse(address); err == nil && isWhole(address) && strings.HasPrefix(u.Scheme, "http") && u.Host != "" {
				return u.Scheme + "://" + u.Host
			}
		}
	}
	return ""
}

// address is an address of a test: of the app relative to baseURL.
func (t *playwrightTest) address(whole string) string {
	if rest, found := cutOrigin(whole, t.base); found && t.base != "" && strings.HasPrefix(rest, "/") {
		whole = rest
	}
	return quoteText(whole)
}

// awaited is an address for waitForURL. By another name of the machine than that of baseURL only its path counts:
// which of the names the app's own links have is the app's choice.
func (t *playwrightTest) awaited(whole string) string {
	if rest, found := cutOrigin(whole, t.base); found && t.base != "" && !strings.HasPrefix(whole, t.base) {
		return fmt.Sprintf("(url) => url.href.endsWith(%s)", quoteText(rest))
	}
	return t.address(whole)
}

func titleOf(r *journal.Recording) string {
	return "a recording of " + cmp.Or(ofApp(r, r.Address()), "cdphub")
}

// playwrightTest writes the lines of one test. It numbers the texts and files that
// the environment gives.
type playwrightTest struct {
	out       *strings.Builder
	typed     int
	files     int
	downloads int
	at        string          // the address
	base      string          // the origin of the app
	into      map[string]bool // fields of this document that have been typed into, by their locators
}

func (t *playwrightTest) line(format string, args ...any) {
	fmt.Fprintf(t.out, "  "+format+"\n", args...)
}

func (t *playwrightTest) dialog(s step) {
	switch {
	case s.Key != "accept":
		t.line(`page.once("dialog", (dialog) => dialog.dismiss());`)
	case s.Length > 0:
		t.line(`page.once("dialog", (dialog) => dialog.accept(%s));`, t.text(s))
	default:
		t.line(`page.once("dialog", (dialog) => dialog.accept());`)
	}
}

func (t *playwrightTest) step(s step) {
	if s.downloads {
		t.downloads++
		t.line(`const download%d = page.waitForEvent("download");`, t.downloads)
		defer t.line("await download%d;", t.downloads)
	}
	t.do(s)
	switch {
	case s.lost:
		t.line("// Here the page could not be loaded, or left the app for one that the recording does not have.")
	// Waiting for the address keeps the next step from running on the last page.
	case s.led != "" && s.led != t.at && s.Do != journal.History && s.Do != journal.Close:
		if s.Do != journal.Navigate {
			t.line("await page.waitForURL(%s);", t.awaited(s.led))
		}
	default:
		return
	}
	t.at = s.led
}

// do writes the step itself.
func (t *playwrightTest) do(s step) {
	switch s.Do {
	case journal.Navigate:
		t.open(s.URL, s.downloads || s.lost)
	case journal.Reload:
		t.line("await page.reload();")
	case journal.History:
		t.open(s.led, s.downloads)
	case journal.Viewport:
		t.line("await page.setViewportSize({ width: %d, height: %d });", int(s.X), int(s.Y))
	case journal.Replace:
		t.line("// Here the document was replaced by another one, which is not in the recording.")
	case journal.Close:
		t.line("await page.close();")
	case journal.Title, journal.Heading, journal.Text:
		t.expect(s)
	default:
		t.input(s)
	}
}

// open goes to an address. fails says that goto does not succeed there: Playwright has it fail for a file,
// which is downloaded, and for a page that does not load.
func (t *playwrightTest) open(url string, fails bool) {
	switch {
	case journal.IsErrorPage(url): // a comment says so
		return
	case !isWhole(url):
		t.line("// Here the page went to an address with a secret, which is not in the recording.")
		return
	case fails:
		t.line("await page.goto(%s).catch(() => {});", t.address(url))
	default:
		t.line("await page.goto(%s);", t.address(url))
	}
	t.at = url
}

// expect writes an assertion. It waits for what it expects.
func (t *playwrightTest) expect(s step) {
	switch s.Do {
	case journal.Title:
		t.line("await expect(page).toHaveTitle(%s);", quoteText(s.Key))
	case journal.Heading:
		t.line(`await expect(page.getByRole("heading", { name: %s, exact: true }).first()).toBeVisible();`, quoteText(s.Key))
	case journal.Text:
		t.line(`await expect(page.getByText(%s, { exact: true }).filter({ visible: true }).first()).toBeVisible();`, quoteText(s.Key))
	}
}

func (t *playwrightTest) input(s step) {
	on := locatorFor(s.On)
	if s.Inside && on == "" {
		t.line("// Here something was done in a frame of another origin (%s), of which the recording has no element.", quoteText(s.Do))
		return
	}
	switch s.Do {
	case journal.Fill, journal.Select, journal.Check, journal.Uncheck:
		t.set(s, on)
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
		t.line("await %s.setInputFiles(files(%d, %d));", on, t.files, min(max(s.Length, 0), mostFiles))
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

// set writes a step for a field whose value was not typed.
func (t *playwrightTest) set(s step, on string) {
	switch {
	case on == "":
		t.line("// Here a field was set (%s), of which the recording has no element.", quoteText(s.Do))
	case s.Do == journal.Check || s.Do == journal.Uncheck:
		t.line("await %s.%s();", on, s.Do)
	case s.Do == journal.Fill:
		t.line("await %s.fill(%s);", on, t.text(s))
	case slices.ContainsFunc(s.Values, func(v string) bool { return v != "" && !isWhole(v) }):
		t.line("// Here an option of %s was chosen, whose name is a secret or too long.", on)
	default:
		var options []string
		for _, value := range s.Values {
			options = append(options, "{ label: "+quoteText(value)+" }")
		}
		t.line("await %s.selectOption([%s]);", on, strings.Join(options, ", "))
	}
}

// mostFiles is how many files a test makes for a step at most.
const mostFiles = 100

// longestLiteral is how many characters a test has of a text that only repeats a letter.
const longestLiteral = 40

// text is an expression for a text that a recording does not have.
func (t *playwrightTest) text(s step) string {
	text, letter := sampleFor(s)
	if len(s.Values) > 0 {
		return quoteText(text)
	}
	if on := locatorFor(s.On); s.Keys && letter == "" { // the rest of an address, for example
		if t.into[on] {
			letter = "x"
		}
		t.into[on] = true
	}
	t.typed++
	switch {
	case letter == "":
		text = quoteText(text)
	case s.Length <= longestLiteral:
		text = quoteText(strings.Repeat(letter, max(s.Length, 0)))
	default:
		text = fmt.Sprintf("%s.repeat(%d)", quoteText(letter), s.Length)
	}
	return fmt.Sprintf("typed(%d, %s)", t.typed, text)
}

func (t *playwrightTest) write(s step, on string) {
	switch {
	case on == "":
		t.line("await page.keyboard.type(%s);", t.text(s))
	case s.Keys:
		t.line("await %s.pressSequentially(%s);", on, t.text(s))
	default:
		t.line("await %s.fill(%s);", on, t.text(s))
	}
}

// locatorFor is an expression that finds an element as people do: by role and name,
// label, or placeholder, and only then by an attribute or a selector. It is "" when
// nothing is known of the element.
func locatorFor(e *journal.Element) string {
	if e == nil {
		return ""
	}
	page := "page"
	for _, frame := range e.Frames {
		if !isWhole(frame) {
			return ""
		}
		page += fmt.Sprintf(".frameLocator(%s)", quoteText(pierceShadows(frame)))
	}
	// Where there is a name, its number is not that of the label.
	switch {
	case e.Role != "" && isWhole(e.Name):
		return fmt.Sprintf("%s.getByRole(%s, { name: %s, exact: true })", page, quoteText(e.Role), quoteText(e.Name)) + nthSuffix(e)
	case e.Name == "" && isWhole(e.Label):
		return fmt.Sprintf("%s.getByLabel(%s, { exact: true })", page, quoteText(e.Label)) + nthSuffix(e)
	case e.Name == "" && isWhole(e.Placeholder):
		return fmt.Sprintf("%s.getByPlaceholder(%s, { exact: true })", page, quoteText(e.Placeholder)) + nthSuffix(e)
	case isWhole(e.TestID):
		return fmt.Sprintf("%s.getByTestId(%s)", page, quoteText(e.TestID))
	case isWhole(e.CSS):
		return fmt.Sprintf("%s.locator(%s)", page, quoteText(pierceShadows(e.CSS)))
	}
	return ""
}

// pierceShadows is a selector as Playwright has it, whose spaces lead into shadow trees.
func pierceShadows(css string) string { return strings.ReplaceAll(css, " >>> ", " ") }

func nthSuffix(e *journal.Element) string {
	if e.Nth == 0 {
		return ""
	}
	return fmt.Sprintf(".nth(%d)", e.Nth-1)
}
