package wire

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func nested(open, end string, levels int) string {
	return strings.Repeat(open, levels) + strings.Repeat(end, levels)
}

func TestValid(t *testing.T) {
	for _, tc := range []struct {
		name, in string
		want     bool
	}{
		{"object", ` { "a" : [ 1 , -0.5e+3 , true , null , "x" ] } `, true},
		{"empty object and array", `[{},[]]`, true},
		{"escapes", `"\"\\\/\b\f\n\r\t\u00e9"`, true},
		{"long plain string", `"` + strings.Repeat("abcdefgh", 20) + `"`, true},
		{"huge number", `123456789012345678901234567890e1000`, true},
		{"deepest", nested("[", "]", 300), true},
		{"too deep", nested("[", "]", 301), false},
		{"far too deep", strings.Repeat("[", 1<<20), false},
		{"nothing", ``, false},
		{"byte order mark", "\ufeff{}", false},
		{"trailing comma", `[1,]`, false},
		{"trailing comma in an object", `{"a":1,}`, false},
		{"missing comma", `[1 2]`, false},
		{"missing value", `{"a":}`, false},
		{"colon in an array", `["a":1]`, false},
		{"mismatched", `[1}`, false},
		{"leading zero", `01`, false},
		{"plus", `+1`, false},
		{"bare point", `1.`, false},
		{"bare exponent", `1e`, false},
		{"NaN", `NaN`, false},
		{"cut word", `tru`, false},
		{"comment", `{}//`, false},
		{"raw newline in string", "\"a\nb\"", false},
		{"control character behind a window", `"` + strings.Repeat("x", 3000) + "\x1f" + strings.Repeat("x", 90) + `"`, false},
		{"control character among letters of other scripts", `"` + strings.Repeat("жé", 500) + "\x00" + strings.Repeat("ж", 90) + `"`, false},
		{"letters of other scripts", `"` + strings.Repeat("жé漢", 500) + `"`, true},
		{"control character late", `"` + strings.Repeat("x", 40) + "\x1f\"", false},
		{"bad escape", `"\x"`, false},
		{"short unicode escape", `"\u12"`, false},
		{"unterminated", `"abc`, false},
		{"single quotes", `{'a':1}`, false},
		{"key not a string", `{1:2}`, false},
	} {
		if got := Valid([]byte(tc.in)); got != tc.want {
			t.Errorf("%s: Valid(%.60q) = %v, want %v", tc.name, tc.in, got, tc.want)
		}
	}
}

func TestText(t *testing.T) {
	for raw, want := range map[string]string{
		`""`:                   "",
		`"plain"`:              "plain",
		`"\u0073essionId"`:     "sessionId",
		`"a\"b\\c\/d\n"`:       "a\"b\\c/d\n",
		`"\ud83d\ude00!"`:      "😀!",
		`"\ud83d"`:             "\ufffd",
		`"\ud83d\u0041"`:       "\ufffdA",
		`"\ude00\ud83d\ude00"`: "\ufffd😀",
		`"é\u00e9"`:            "éé",
	} {
		if got, ok := Text([]byte(raw)); !ok || got != want {
			t.Errorf("Text(%s) = %q, %v, want %q", raw, got, ok, want)
		}
	}
	for _, raw := range []string{``, `5`, `null`, `{}`} {
		if got, ok := Text([]byte(raw)); ok {
			t.Errorf("Text(%s) = %q, want none", raw, got)
		}
	}
}

// TestInt reads what fits into 18 digits, of which there are no more in an id.
func TestInt(t *testing.T) {
	for raw, want := range map[string]int64{
		"0": 0, "-1": -1, "007": 7, "999999999999999999": 999999999999999999, "-999999999999999999": -999999999999999999,
		"1.0": 1, "1e2": 100, "10E-1": 1, "-0": 0, "-0.0e9": 0, "1e17": 1e17,
	} {
		if got, ok := Int([]byte(raw)); !ok || got != want {
			t.Errorf("Int(%s) = %d, %v, want %d", raw, got, ok, want)
		}
	}
	for _, raw := range []string{
		"", "-", "+1", "1.5", "1e-1", "1e400", "1e18", "0x1p4", "1_0", "1e1_0", "Inf", " 1", "1 ", "0x1", "null", "--1", "1000000000000000000", "9223372036854775807",
		"9223372036854775808", "18446744073709551617", "-18446744073709551617", "99999999999999999999", strings.Repeat("1", 100),
	} {
		if got, ok := Int([]byte(raw)); ok {
			t.Errorf("Int(%s) = %d, want none", raw, got)
		}
	}
}

// TestR300Numbers reads numbers around the largest that fit: into 18 digits, and into IEEE 754.
func TestR300Numbers(t *testing.T) {
	if n, ok := Int([]byte(strings.Repeat("9", maxDigits))); !ok || n != 1e18-1 {
		t.Errorf("%d digits: %d %v", maxDigits, n, ok)
	}
	if _, ok := Int([]byte(strings.Repeat("9", maxDigits+1))); ok {
		t.Errorf("%d digits are an int64", maxDigits+1)
	}
	for number, huge := range map[string]bool{
		strings.Repeat("9", maxWhole): false, strings.Repeat("9", maxWhole+1): true, "-" + strings.Repeat("9", maxWhole+1): true, "1e308": false, "1.8e308": true, "1e0400": true,
		strings.Repeat("9", maxWhole-98) + "e99": true, strings.Repeat("9", maxWhole-99) + "e99": false, "1e-400": false, "0e999": false,
	} {
		for _, params := range []string{`{"a":` + number + `}`, `{"a":{"b":[1,` + number + `]}}`} {
			if e, err := Parse([]byte(`{"id":1,"method":"A.b","params":` + params + `}`)); err != nil || e.Huge != huge {
				t.Errorf("%.40s… of %d: huge %t, %v, want %t", params, len(params), e.Huge, err, huge)
			}
		}
	}
}

// TestControlCharactersEverywhere puts one at every place of strings that are
// looked at in blocks.
func TestControlCharactersEverywhere(t *testing.T) {
	for _, letter := range []string{"x", "ж"} {
		for _, size := range []int{40, 130, 2048, 2048 + 100} {
			text := []byte(`"` + strings.Repeat(letter, size/len(letter)) + `"`)
			if !Valid(text) {
				t.Fatalf("%d bytes of %s are not valid", size, letter)
			}
			for i := 1; i < len(text)-1; i += len(letter) {
				for _, c := range []byte{0, '\n', 0x1f} {
					in := bytes.Clone(text)
					if copy(in[i:], strings.Repeat(string(rune(c)), len(letter))); Valid(in) {
						t.Fatalf("%#x at %d of %d bytes of %s is valid", c, i, size, letter)
					}
				}
			}
		}
	}
}

// TestEverySequence compares with encoding/json for all sequences of a few tokens.
func TestEverySequence(t *testing.T) {
	tokens := []string{"{", "}", "[", "]", ",", ":", `"a"`, "1", " "}
	var try func(in []byte, more int)
	try = func(in []byte, more int) {
		if got, want := Valid(in), json.Valid(in); got != want {
			t.Fatalf("Valid(%s) = %v, encoding/json says %v", in, got, want)
		}
		if more > 0 {
			for _, token := range tokens {
				try(append(in, token...), more-1)
			}
		}
	}
	try(make([]byte, 0, 32), 6)
}

// TestEveryByteEverywhere puts each kind of byte at each place of messages that begin
// at each place of what is marked at once, and compares with encoding/json.
func TestEveryByteEverywhere(t *testing.T) {
	text := `{"id":7,"a":["x",0,-1,1.5,12345678,[],{},true,null,""],"\"b\\":{"\u00e9]#":"` + strings.Repeat("#", 70) + "\\n\"},\n\t\"c\" : \"ж\" }"
	if !Valid([]byte(text)) {
		t.Fatalf("%s is not valid", text)
	}
	for pad := 0; pad < 64; pad += 7 {
		for i := range text {
			in := []byte(strings.Repeat(" ", pad) + text)
			for _, c := range []byte(`"\,:{}[]01.e-#x` + " \n\x01\x80") {
				in[pad+i] = c
				if got, want := Valid(in), json.Valid(in); got != want {
					t.Fatalf("Valid(%q) = %v, encoding/json says %v", in, got, want)
				}
			}
			for _, cut := range [][]byte{in[:pad+i], []byte("[" + text[:i])} {
				if Valid(cut) {
					t.Fatalf("%q is valid", cut)
				}
			}
		}
	}
}

func TestAppendStringReadsBack(t *testing.T) {
	for _, s := range []string{"", "plain", "\"\\/\b\f\n\r\t\x00\x1f\x7f", "é漢😀", "\u2028\u2029", "</script>"} {
		var got string
		out := AppendString(nil, s)
		if err := json.Unmarshal(out, &got); err != nil || got != s {
			t.Errorf("AppendString(%q) = %s, which reads back as %q, %v", s, out, got, err)
		}
	}
	if got, want := string(AppendString(nil, "a\xffb\xc3")), "\"a\ufffdb\ufffd\""; got != want {
		t.Errorf("invalid UTF-8: got %s, want %s", got, want)
	}
}

func TestReadObjectDepth(t *testing.T) {
	ignore := func(string, []byte) error { return nil }
	in := func(levels int) []byte { return []byte(`{"params":` + params(levels) + `}`) }
	if err := ReadObject(in(299), ignore); err != nil {
		t.Errorf("299 levels in params: %v, want none, as Chromium 156", err)
	}
	if err := ReadObject(in(300), ignore); err == nil {
		t.Error("300 levels in params were read, Chromium 156 refuses them")
	}
}

// params is an object of that many levels.
func params(levels int) string {
	return strings.Repeat(`{"a":`, levels-1) + `{}` + strings.Repeat(`}`, levels-1)
}

func TestParseTakesNoMemory(t *testing.T) {
	msg := []byte(`{"id":1,"method":"Runtime.evaluate","params":{"expression":"1+1","returnByValue":true},"sessionId":"0123456789ABCDEF0123456789ABCDEF"}`)
	if n := testing.AllocsPerRun(100, func() {
		if _, err := Parse(msg); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("Parse allocated %v times, want 0", n)
	}
}

func BenchmarkValid256K(b *testing.B) {
	in := []byte(`{"id":1,"result":{"data":"` + strings.Repeat("QUJDREVGR0g", 256<<10/11) + `"}}`)
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		if !Valid(in) {
			b.Fatal("not valid")
		}
	}
}

func BenchmarkValidStructure(b *testing.B) {
	in := []byte("[" + strings.Repeat(`{"nodeId":"12","ignored":false,"role":{"type":"role","value":"button"},"childIds":[1,2,3]},`, 500) + "{}]")
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		if !Valid(in) {
			b.Fatal("not valid")
		}
	}
}

func BenchmarkValidStructureStdlib(b *testing.B) {
	in := []byte("[" + strings.Repeat(`{"nodeId":"12","ignored":false,"role":{"type":"role","value":"button"},"childIds":[1,2,3]},`, 500) + "{}]")
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		if !json.Valid(in) {
			b.Fatal("not valid")
		}
	}
}

func BenchmarkValid4K(b *testing.B) {
	in := []byte(`{"id":1,"result":{"data":"` + strings.Repeat("QUJDREVGR0g", 4<<10/11) + `"}}`)
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		if !Valid(in) {
			b.Fatal("not valid")
		}
	}
}
