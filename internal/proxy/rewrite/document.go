package rewrite

import (
	"bytes"
	"html"
	"io"
	"slices"
	"strings"

	markup "golang.org/x/net/html"
)

// maxHeld is how long one token of a document may be, in bytes: a tag, or the text of a
// script. The rest of a document with a longer one is passed on as it is.
const maxHeld = 16 << 20

// Document returns a reader of an HTML document with Rules applied to it. Bytes are passed
// on as soon as it is known what becomes of them.
func Document(src io.Reader, r Rules) io.Reader { return &document{src: src, rules: r} }

type document struct {
	src   io.Reader
	rules Rules

	in      []byte // read from src, and not judged
	checked int    // bytes at the start of in that have no end of a token
	out     []byte // judged, and not yet returned by Read
	raw     string // the element whose text in begins with
	kind    string // what the script element in raw is: see kindOfScript
	done    bool   // the rest is passed on as it is
	err     error  // of src
}

// Read implements io.Reader.
func (d *document) Read(p []byte) (int, error) {
	for len(d.out) == 0 {
		switch {
		case d.err != nil && len(d.in) == 0:
			return 0, d.err
		case d.done && len(d.in) == 0:
			return d.src.Read(p)
		case d.err == nil:
			d.fill(len(p))
		}
		d.judge()
	}
	n := copy(p, d.out)
	d.out = d.out[n:]
	return n, nil
}

// fill reads once. A second read could wait, and hold back bytes that are known already.
func (d *document) fill(room int) {
	chunk := make([]byte, min(max(room, 512), 64<<10))
	n, err := d.src.Read(chunk)
	d.in, d.err = append(d.in, chunk[:n]...), err
}

func (d *document) judge() {
	last := d.err != nil
	if d.done || !last && !d.mayEnd() {
		d.checked = len(d.in)
		if d.done = d.done || len(d.in) > maxHeld; d.done {
			d.out, d.in = d.in, nil
		}
		return
	}
	z := NewTokenizer(d.in, d.raw)
	for len(d.in) > 0 {
		kind := z.Next()
		size := len(z.Raw())
		if kind == markup.ErrorToken && size == 0 {
			break
		}
		if !z.Whole() && !last { // the token goes on in what comes next
			if kind == markup.TextToken && d.raw == "" {
				d.passText(size)
			}
			break
		}
		token := d.in[:size]
		d.in = d.in[size:]
		d.pass(kind, z, token)
	}
	if d.checked = len(d.in); last {
		d.out, d.in = append(d.out, d.in...), nil
	}
}

// mayEnd reports whether the first token may have its end in what has come since the last
// time, so that a long one is not read from its start for each part of it.
func (d *document) mayEnd() bool {
	end := ">"
	switch {
	case d.raw != "" && !bytes.Contains(d.in, []byte("</")):
		return false
	case d.raw == "" && bytes.HasPrefix(d.in, []byte("<!--")):
		if bytes.Contains(d.in[max(0, d.checked-3):], []byte("--!>")) {
			return true
		}
		end = "->" // of <!-->, too
	case d.raw == "" && len(d.in) > 0 && d.in[0] != '<':
		return true
	}
	return bytes.Contains(d.in[max(0, d.checked-len(end)):], []byte(end))
}

// passText passes on the part of a text that has come: all but what may begin a tag.
func (d *document) passText(size int) {
	text := d.in[:size]
	for _, begun := range []string{"</", "<"} {
		text = bytes.TrimSuffix(text, []byte(begun))
	}
	d.out = append(d.out, text...)
	d.in = d.in[len(text):]
}

// pass passes on one whole token. z has read it, and changes its own copy of it.
func (d *document) pass(kind markup.TokenType, z *Tokenizer, token []byte) {
	switch kind {
	case markup.TextToken:
		token = d.text(token)
	case markup.EndTagToken:
		d.raw = ""
	case markup.StartTagToken, markup.SelfClosingTagToken:
		name, _ := z.TagName()
		d.raw = ""
		if IsRaw(string(name)) {
			d.raw = string(name)
		}
		token = d.rules.tag(string(name), token, &d.kind)
	}
	d.out = append(d.out, token...)
}

// text applies the rules to the text of a script or a style element.
func (d *document) text(text []byte) []byte {
	switch {
	case d.rules.KeepInline:
	case d.raw == "style":
		return StyleSheet(text, d.rules)
	case d.raw == "script" && d.kind == "script":
		return Script(text, d.rules)
	case d.raw == "script" && d.kind == "json":
		return JSON(text, d.rules)
	}
	return text
}

// An addressKind is how an attribute has addresses.
type addressKind int

const (
	oneAddress addressKind = iota + 1
	manyAddresses
	imageCandidates // srcset
	declarations    // of CSS
	wholeDocument   // srcdoc
)

// attributes are those with addresses, of whatever element: browsers ignore an attribute that
// the element does not have.
var attributes = map[string]addressKind{
	"action": oneAddress, "archive": oneAddress, "attributionsrc": manyAddresses, "background": oneAddress, "cite": oneAddress,
	"classid": oneAddress, "codebase": oneAddress, "data": oneAddress, "formaction": oneAddress, "href": oneAddress, "icon": oneAddress,
	"imagesrcset": imageCandidates, "longdesc": oneAddress, "lowsrc": oneAddress, "manifest": oneAddress, "ping": manyAddresses,
	"poster": oneAddress, "profile": oneAddress, "src": oneAddress, "srcdoc": wholeDocument, "srcset": imageCandidates, "style": declarations,
	"xlink:href": oneAddress,
}

// tag applies the rules to a start tag. It sets kind where it is that of a script.
func (r Rules) tag(name string, tag []byte, kind *string) []byte {
	list := attributesOf(tag)
	value := func(name string) (string, bool) {
		i := slices.IndexFunc(list, func(a attribute) bool { return a.name == name })
		if i < 0 {
			return "", false
		}
		return html.UnescapeString(string(tag[list[i].start:list[i].end])), true
	}
	if name == "script" {
		*kind = kindOfScript(value("type"))
	}
	if hash, has := value("integrity"); r.Pinned != nil && has && hash != "" {
		for _, of := range []string{"src", "href"} {
			if address, has := value(of); has {
				r.Pinned(r.Move(strings.TrimSpace(address)))
			}
		}
	}
	refresh, _ := value("http-equiv")
	var edits []edit
	for _, a := range list {
		given := html.UnescapeString(string(tag[a.start:a.end]))
		moved := given
		switch {
		case name == "meta":
			if a.name == "content" && strings.EqualFold(refresh, "refresh") {
				moved = Refresh(given, r.Move)
			}
		case strings.HasPrefix(a.name, "on") || strings.HasPrefix(given, "javascript:"):
			if !r.KeepInline {
				moved = string(Script([]byte(given), r))
			}
		default:
			moved = r.attribute(attributes[a.name], given)
		}
		if moved != given {
			edits = append(edits, a.replacing(moved))
		}
	}
	return applyEdits(tag, edits)
}

// attribute is the value of an attribute with the addresses in it moved.
func (r Rules) attribute(kind addressKind, value string) string {
	if kind == 0 || kind != wholeDocument && !r.mentions([]byte(value)) {
		return value
	}
	switch kind {
	case oneAddress:
		return r.moveOne(value)
	case manyAddresses:
		words := strings.Fields(value)
		for i := range words {
			words[i] = r.Move(words[i])
		}
		return strings.Join(words, " ")
	case imageCandidates:
		return r.moveCandidates(value)
	case declarations:
		if r.KeepInline {
			return value
		}
		return string(StyleSheet([]byte(value), r))
	default:
		text, err := io.ReadAll(Document(strings.NewReader(value), r))
		if err != nil {
			return value
		}
		return string(text)
	}
}

// moveOne moves an address that may have white space around it.
func (r Rules) moveOne(value string) string {
	address := strings.Trim(value, " \t\n\f\r")
	if moved := r.Move(address); moved != address {
		return moved
	}
	return value
}

// moveCandidates moves the addresses of image candidates: "a.png 2x, b.png 3x" (HTML
// Standard, "parse a srcset attribute").
func (r Rules) moveCandidates(value string) string {
	var out strings.Builder
	for rest := value; rest != ""; {
		start := len(rest) - len(strings.TrimLeft(rest, " \t\n\f\r,"))
		end := strings.IndexAny(rest[start:], " \t\n\f\r")
		if end < 0 {
			end = len(rest) - start
		}
		address := strings.TrimRight(rest[start:start+end], ",")
		out.WriteString(rest[:start] + r.Move(address))
		rest = rest[start+len(address):]
		next := 0
		for depth := 0; next < len(rest) && (rest[next] != ',' || depth > 0); next++ {
			switch rest[next] {
			case '(':
				depth++
			case ')':
				depth--
			}
		}
		out.WriteString(rest[:next])
		rest = rest[next:]
	}
	return out.String()
}

// kindOfScript is what the content of a script element is, by its type: "script", "json"
// with addresses that the browser reads, or "" for what it does not read.
func kindOfScript(kind string, has bool) string {
	kind, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(kind)), ";")
	switch {
	case !has, kind == "", kind == "module", IsScript(kind):
		return "script"
	case kind == "importmap", kind == "speculationrules":
		return "json"
	}
	return ""
}

// IsScript reports whether a MIME type is that of JavaScript (WHATWG MIME Sniffing,
// section 4.6).
func IsScript(kind string) bool {
	_, name, _ := strings.Cut(strings.TrimSpace(kind), "/")
	return strings.HasSuffix(name, "javascript") || strings.HasSuffix(name, "ecmascript") || strings.HasPrefix(name, "javascript1.") ||
		name == "jscript" || name == "livescript"
}

// attribute is an attribute of a tag, by the place of its value.
type attribute struct {
	name       string // in lower case
	start, end int
	quoted     bool
}

// replacing is the edit that gives an attribute a value.
func (a attribute) replacing(value string) edit {
	value = html.EscapeString(value)
	if !a.quoted {
		value = `"` + value + `"`
	}
	return edit{a.start, a.end, value}
}

// attributesOf are the attributes of a start tag that have a value (HTML Standard, sections
// 13.2.5.32 to 13.2.5.39). Of those with one name the first counts.
func attributesOf(tag []byte) []attribute {
	const space = " \t\n\f\r"
	var list []attribute
	skip := func(i int, set string) int {
		for i < len(tag) && strings.IndexByte(set, tag[i]) >= 0 {
			i++
		}
		return i
	}
	until := func(i int, set string) int {
		for i < len(tag) && strings.IndexByte(set, tag[i]) < 0 {
			i++
		}
		return i
	}
	for i := until(1, space+"/>"); ; {
		if i = skip(i, space+"/"); i >= len(tag) || tag[i] == '>' {
			return list
		}
		name := i
		i = until(i+1, space+"/>=") // an = is part of the name where it is first
		a := attribute{name: strings.ToLower(string(tag[name:i]))}
		after := skip(i, space)
		if after >= len(tag) || tag[after] != '=' {
			continue
		}
		i = skip(after+1, space)
		switch {
		case i < len(tag) && (tag[i] == '"' || tag[i] == '\''):
			a.start, a.quoted = i+1, true
			a.end = until(a.start, string(tag[i]))
			i = min(a.end+1, len(tag))
		default:
			a.start, a.end = i, until(i, space+">")
			i = a.end
		}
		if a.start < a.end && !slices.ContainsFunc(list, func(other attribute) bool { return other.name == a.name }) {
			list = append(list, a)
		}
	}
}
