package actions

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Addresses maps texts with URLs in them to their redacted form. The page
// script must redact them in the same way: see TestR158R267PageAndHubAgree.
var Addresses = map[string]string{
	"":                                        "",
	"https://a.test/x":                        "https://a.test/x",
	"https://me:pw@a.test/x":                  "https://a.test/x",
	"//me:p@w@a.test/x":                       "//a.test/x",
	"https://a.test/?token=1&x=2":             "https://a.test/?token=[REDACTED]&x=2",
	"https://a.test/?x=2&Access_Token=1#h":    "https://a.test/?x=2&Access_Token=[REDACTED]#h",
	"https://a.test/?%63ode=1&key=&keys=k":    "https://a.test/?%63ode=[REDACTED]&key=[REDACTED]&keys=k",
	"https://me:pw@a.test/%zz?token=1":        "https://a.test/%zz?token=[REDACTED]",
	"https://a.test/#access_token=1&x=2":      "https://a.test/#access_token=[REDACTED]&x=2",
	"https://a.test/?key=1#/app":              "https://a.test/?key=[REDACTED]#/app",
	"https://me@a.test/#code=1":               "https://a.test/#code=[REDACTED]",
	"https://a.test/#/in?id-token=1":          "https://a.test/#/in?id-token=[REDACTED]",
	"https://a.test/;jsessionid=1?code=2":     "https://a.test/;jsessionid=[REDACTED]",
	"https://a.test/?to=a%26token%3D1%26x%3D": "https://a.test/?to=a%26token%3D[REDACTED]%26x%3D",
	"https://a.test/?to=%2Fx%3Fsig%3D1&y=2":   "https://a.test/?to=%2Fx%3Fsig%3D[REDACTED]&y=2",
	"https://a.test/?to=%252Fx%253Fsig%253D1": "https://a.test/?to=%252Fx%253Fsig%253D[REDACTED]",
	"/x?password=1&passwd=2&pwd=3&userPwd=4":  "/x?password=[REDACTED]&passwd=[REDACTED]&pwd=[REDACTED]&userPwd=[REDACTED]",
	"/x?id_token=1&refreshToken=2&csrf=3":     "/x?id_token=[REDACTED]&refreshToken=[REDACTED]&csrf=[REDACTED]",
	"/x?sig=1&Signature=2&X-Amz-Signature=3":  "/x?sig=[REDACTED]&Signature=[REDACTED]&X-Amz-Signature=[REDACTED]",
	"/x?api_key=1&api-key=2&apiKey=3&APIKEY=": "/x?api_key=[REDACTED]&api-key=[REDACTED]&apiKey=[REDACTED]&APIKEY=[REDACTED]",
	"/x?client_secret=1&X-Amz-Credential=2":   "/x?client_secret=[REDACTED]&X-Amz-Credential=[REDACTED]",
	"/x?user[password]=1&user%5Btoken%5D=2":   "/x?user[password]=[REDACTED]&user%5Btoken%5D=[REDACTED]",
	"/x?otp=1&token2=2&sid=3&ticket=4":        "/x?otp=[REDACTED]&token2=[REDACTED]&sid=[REDACTED]&ticket=[REDACTED]",
	"/x?page=1&max_tokens=2&postcode=3":       "/x?page=1&max_tokens=2&postcode=3",
	"/x?secretary=1&author=2&keyboard=3":      "/x?secretary=1&author=2&keyboard=3",
	"see /x?token=1, or <a href='/y?key=2'>":  "see /x?token=[REDACTED] or <a href='/y?key=[REDACTED]'>",
	`{"access_token": "a\"b", "name": "c"}`:   `{"access_token": "[REDACTED]", "name": "c"}`,
	"eyJhbGciOi.eyJzdWIiOi.SflKxw x":          "[REDACTED] x",
	"Bearer abcdefghijklmnop x":               "Bearer [REDACTED] x",
	"roar: bEARER  abcdefghijklmnop x":        "roar: bEARER  [REDACTED] x",
	"a bearer of news":                        "a bearer of news",
	"a bearer of news; x = y; 1 + 1 = 2":      "a bearer of news; x = y; 1 + 1 = 2",
	"data:text/html,<p>a@b":                   "data:text/html,<p>a@b",
	// What ends the place where a user may be.
	"//h/@ //h?@ //h#@ //h @ //h\t@ //h\n@ //h\r@ //h\f@ //h\v@ //h\"@ //h'@ //h<@ //h>@ //h\\@": "//h/@ //h?@ //h#@ //h @ //h\t@ //h\n@ //h\r@ //h\f@ //h\v@ //h\"@ //h'@ //h<@ //h>@ //h\\@",
	// In texts of HTML, JSON and script, and escaped more than once.
	`<a href="/?a=1&amp;code=s&amp;b=2">`:                `<a href="/?a=1&amp;code=[REDACTED]&amp;b=2">`,
	`/?a=1&amp;amp;code=s&amp;amp;b=2`:                   `/?a=1&amp;amp;code=[REDACTED]&amp;amp;b=2`,
	`/?a=1&#38;code&#x3D;s&#x26;b=2`:                     `/?a=1&#38;code&#x3D;[REDACTED]&#x26;b=2`,
	`{\"u\":\"https:\/\/u:p@x\/?a\u003d1\u0026code=s\"}`: `{\"u\":\"https:\/\/x\/?a\u003d1\u0026code=[REDACTED]\"}`,
	`"\\\"/?code=s\\\" b"`:                               `"\\\"/?code=[REDACTED]\\\" b"`,
	`'\x3fcode\x3ds\x26b'`:                               `'\x3fcode\x3d[REDACTED]\x26b'`,
	"https%3A%2F%2Fu%3Ap%40h%2F%3Fcode%3Ds%26x%3D":       "https%3A%2F%2Fh%2F%3Fcode%3D[REDACTED]%26x%3D",
	"?to=%3Fcode%3Da%2526b%26x":                          "?to=%3Fcode%3D[REDACTED]%26x",
	"?to=%3Fcode%3Da%26b&x":                              "?to=%3Fcode%3D[REDACTED]%26b&x",
	"?%2563ode=s":                                        "?%2563ode=[REDACTED]",
	"?code=a%26b&x":                                      "?code=[REDACTED]&x",
	"code=s&state=1":                                     "code=[REDACTED]&state=1",
	"access_token=s":                                     "access_token=[REDACTED]",
	"code=1":                                             "code=1",
	"Failed to load https://u:p@x/?code=s (404)":         "Failed to load https://x/?code=[REDACTED] (404)",
	`</x?code=s>; rel="next"`:                            `</x?code=[REDACTED]>; rel="next"`,
	"0;url=/x?code=s":                                    "0;url=/x?code=[REDACTED]",
	"blob:https://u:p@x/1":                               "blob:https://x/1",
	"ws://x/?code=s, ws://y/?code=s":                     "ws://x/?code=[REDACTED] ws://y/?code=[REDACTED]",
	// Nothing of these is an address.
	"//@ts-check":                      "//@ts-check",
	"// a@b.test":                      "// a@b.test",
	"data:image/gif;base64,R0lGcvcAA=": "data:image/gif;base64,R0lGcvcAA=",
	"AAAAcvcAAA==":                     "AAAAcvcAAA==",
	"100% & a=b; c = d, \\ \\u12 &amp": "100% & a=b; c = d, \\ \\u12 &amp",
	"%":                                "%", "%2": "%2", "%25": "%25", "&": "&", "\\": "\\", "=": "=", "?=": "?=", "//@": "//@",
}

func TestR158R267Addresses(t *testing.T) {
	for in, want := range Addresses {
		for _, text := range []string{in, want} { // what is redacted stays so
			if got := RedactURL(text); got != want {
				t.Errorf("RedactURL(%q) = %q, want %q", text, got, want)
			}
		}
	}
	if got := RedactURL("data:,#" + strings.Repeat("é", 1<<20)); got != "data:,#"+strings.Repeat("é", 4092)+"…" {
		t.Errorf("a long address has %d bytes", len(got))
	}
}

func TestR158Headers(t *testing.T) {
	in := map[string]string{
		"Authorization": "a", "COOKIE": "b", "set-cookie": "c", "X-Api-Key": "d", "x-auth-token": "e", "X-CSRF-Token": "f", "Proxy-Authorization": "g",
		"X-Amz-Security-Token": "h", "X-Session-Id": "i", "Accept": "text/html", "Referer": "/x?token=1", "Location": "/#id_token=1",
	}
	out := RedactHeaders(in)
	for name, value := range out {
		switch name {
		case "Accept":
			if value != "text/html" {
				t.Errorf("%s: %s", name, value)
			}
		default:
			if !strings.HasSuffix(value, Redacted) {
				t.Errorf("%s: %s", name, value)
			}
		}
	}
	if in["COOKIE"] != "b" || out["Referer"] != "/x?token="+Redacted {
		t.Errorf("%v of %v", out, in)
	}
}

// TestR155KnownSecrets finds what is known in the ways that pages write it.
func TestR155KnownSecrets(t *testing.T) {
	r := redactorOf([]string{"hunter2", "4929123412341234", "q7z", `p"a & ss`, "ab", ""})
	for in, want := range map[string]string{
		"You typed HUNTER2.": "You typed [REDACTED].", "4929 1234-1234 1234": "[REDACTED]", "q7z q7zz": "[REDACTED] q7zz", "ab": "ab",
		`p"a  & ss`: "[REDACTED]", `{"x":"p\"a \u0026 ss"}`: `{"x":"[REDACTED]"}`, "/?q=p%22a%20%26%20ss": "/?q=[REDACTED]", "/?q=p%22a+%26+ss": "/?q=[REDACTED]",
	} {
		if got := r.text(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
	many := make([]string, 2000)
	for i := range many {
		many[i] = strings.Repeat("x", i)
	}
	var none *redactor
	if r, _ := none.with(many); len(r.values) > maxSecrets || len(strings.Join(r.values, "")) > maxSecretBytes {
		t.Errorf("%d secrets are remembered", len(r.values))
	}
}

// TestR155EarlierSecrets takes what earlier documents held out of an answer: not the secrets of the document itself, what is
// short or a plain word, nor the names of members.
func TestR155EarlierSecrets(t *testing.T) {
	r := redactorOf([]string{"hunter2", "4929123412341234", "correct horse", "own-secret", `p"a<bcd`, "Cancel", "password", "1234", "whatever", "paths/to"})
	for in, want := range map[string]string{
		`{"name":"HUNTER2","value":"x hunter2y"}`:            `{"name":"[REDACTED]","value":"x [REDACTED]y"}`,
		`{"hunter2":1,"a":["Correct\n horse","own-secret"]}`: `{"hunter2":1,"a":["[REDACTED]","own-secret"]}`,
		`{"text":"- p \"Cancel\": 4929 1234 1234 1234"}`:     `{"text":"- p \"Cancel\": [REDACTED]"}`,
		`{"text":"p\"a<bcd, password 1234, Whatever"}`:       `{"text":"[REDACTED], password 1234, [REDACTED]"}`,
		`{"href":"/?q=paths%2Fto"}`:                          `{"href":"/?q=[REDACTED]"}`,
		`{"text":"nothing"}`:                                 `{"text":"nothing"}`,
	} {
		if got := string(r.hideEarlier([]string{"own-secret"}, []byte(in))); got != want {
			t.Errorf("%s becomes %s, want %s", in, got, want)
		}
	}
	var numbers []string
	for i := range maxGrouped + 10 {
		numbers = append(numbers, strconv.Itoa(10_000_000+i))
	}
	if list := redactorOf(numbers).ofEarlier(nil, []byte("{}")); len(list) != maxGrouped {
		t.Errorf("%d numbers are looked for", len(list))
	}
}

// TestR159OneRedactor looks into the page script: what reads answers in texts of
// redact.ts alone, which the compiler holds (see redact.check.ts), unless a text is declared to be one.
// That is done where it is a word of the script's own, and nowhere else.
func TestR159OneRedactor(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "web", "src", "actions", "*.ts"))
	if err != nil || len(files) < 10 {
		t.Fatalf("%v, %v", files, err)
	}
	declared := regexp.MustCompile(`\bas (unknown as )?Redacted\b`)
	own := map[string]int{"aria.ts": 2, "elements.ts": 1, "index.ts": 1, "observed.ts": 3, "tagged.ts": 1, "yaml.ts": 2}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(file)
		if name == "redact.ts" {
			continue
		}
		if n := len(declared.FindAll(source, -1)); n != own[name] {
			t.Errorf("%s declares %d texts to be redacted, %d are known: use redact, valueOf or attributeOf", name, n, own[name])
		}
		if strings.Contains(string(source), "@ts-ignore") || regexp.MustCompile(`\bas any\b`).Match(source) {
			t.Errorf("%s leaves the types", name)
		}
	}
	index, err := os.ReadFile(filepath.Join("..", "web", "src", "actions", "index.ts"))
	if err != nil || !strings.Contains(string(index), "const readers: Readers = {") ||
		!strings.Contains(string(index), "type Readers = { [V in keyof ReadingVerbs]: Reader<ReadingVerbs[V]> };") {
		t.Errorf("the readers are of another type: %v", err)
	}
	for _, private := range regexp.MustCompile(`(?s)const privates: Privates = \{\n(.*?)\n\};`).FindStringSubmatch(string(index))[1:] {
		if names := regexp.MustCompile(`(?m)^  (\w+)[:,]`).FindAllStringSubmatch(private, -1); len(names) != 4 { // secrets, choose, storage, store
			t.Errorf("these answer as they like: %v", names)
		}
	}
}

// RedactURL is RedactText for a URL, which is cut first, as redactURL does it.
func RedactURL(raw string) string { return RedactText(cutText(raw, longestURL)) }
