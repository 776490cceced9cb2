package actions

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// YAMLOptions are for SnapshotYAML.
type YAMLOptions struct {
	NoRefs bool
	Boxes  bool    // [box=x,y,width,height] of each element, in its own frame's viewport
	Root   Locator // nil is the page
	Most   int     // bytes of the text, MaxSnapshot when 0, at most MaxSearched. A page is read no further
}

// YAMLSnapshot is the page as an ARIA snapshot in YAML, the format of Playwright's
// ariaSnapshot.
type YAMLSnapshot struct {
	Text  string
	Count int // of elements; text and property lines do not count
	Title string
	URL   string
	Cut   bool `json:"-"` // the page has more, as the last line of Text says
}

// yamlCut is the last line of a snapshot that was cut.
func yamlCut(most int) string {
	if most < 1<<20 {
		return fmt.Sprintf("# cut: the snapshot is longer than %d KiB", most>>10)
	}
	return fmt.Sprintf("# cut: the snapshot is longer than %d MiB", most>>20)
}

// frameTime is how long one frame in another process may take for its part of the
// snapshot: one slow frame must not fail the whole.
const frameTime = 2 * time.Second

// maxNesting is how deep frames within frames are read.
const maxNesting = 8

// part is the snapshot of one document and of the documents that its script reaches.
type part struct {
	YAMLSnapshot
	Holes []hole
}

// hole is a line of a frame whose document another script must read, since it is of
// another origin.
type hole struct {
	Handle string
	Line   int    // the frame's own, from 0
	Above  string // what all refs in it begin with: "f1"
}

// maxHoles is how many frames of other origins one snapshot reads, in all documents
// together. Further ones stay empty.
const maxHoles = 256

// longestTitle is how much of a document's title an answer has, in bytes.
const longestTitle = 4 << 10

// aboveRefs is what refs of a frame begin with. Frames nest at most maxNesting deep.
var aboveRefs = regexp.MustCompile(`^(?:f\d{1,6}){1,8}$`)

// SnapshotYAML reads the page as an accessibility tree in YAML, with refs of
// the scheme YAML: e12, and f1e12 inside of frames.
func (p *Page) SnapshotYAML(ctx context.Context, o YAMLOptions) (YAMLSnapshot, error) {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	most := min(cmp.Or(max(o.Most, 0), MaxSnapshot), MaxSearched)
	most = max(most, 1<<10) // for the line that says that it is cut
	args := obj{"refs": !o.NoRefs, "boxes": o.Boxes, "above": "", "most": most}
	if o.Root != nil {
		if err := checkLocator(o.Root); err != nil {
			return YAMLSnapshot{}, err
		}
		args["locator"] = o.Root.query()
	}
	p.mu.Lock()
	frame := p.frames.chosen
	p.mu.Unlock()
	r := yamlReader{p: p, holes: maxHoles, most: most, left: most}
	s, err := r.read(ctx, frame, args, 0)
	p.hideKnown(&s.URL, &s.Title)
	s.Text = cutLines(quoteRedacted(s.Text), most)
	s.Cut = strings.HasSuffix(s.Text, yamlCut(most))
	return s, err
}

// redactedValue is a value in a line of a snapshot that begins with Redacted, which YAML would take for a list.
var redactedValue = regexp.MustCompile(`(?m)^( *- '?[a-z/]+(?: "(?:[^"\\]|\\.)*")?(?: \[[^\]]*\])*'?: )(\[REDACTED\].*)$`)

// quoteRedacted puts such values into quotes: the page script quotes what it has redacted itself.
func quoteRedacted(text string) string {
	if !strings.Contains(text, ": "+Redacted) {
		return text
	}
	return redactedValue.ReplaceAllStringFunc(text, func(line string) string {
		at := redactedValue.FindStringSubmatch(line)
		return at[1] + string(mustJSON(at[2]))
	})
}

// yamlReader reads the parts of one snapshot. A page that answers in the place of the
// script may say anything: the snapshot reads so many frames and bytes, and no more.
type yamlReader struct {
	p     *Page
	holes int // frames that may still be read
	most  int // bytes of the whole text
	left  int // bytes of text that are still wanted
}

// shortestLine is how long a line with a ref is at the least, in bytes: with fewer numbers than lines
// the page script would have to read the page again.
const shortestLine = len("- cell [ref=e1]\n")

// read reads a frame, and inserts the frames that its script cannot read. A frame that
// cannot be read at all, or not in time, stays empty.
func (r *yamlReader) read(ctx context.Context, frame string, args obj, depth int) (YAMLSnapshot, error) {
	var s part
	if err := r.p.callScriptIn(ctx, frame, scriptCall{verb: "yaml", args: args, result: &s, numbers: forRefs, count: r.most / shortestLine}); err != nil {
		return YAMLSnapshot{}, err
	}
	s.Text, s.Title, s.URL, s.Count = cutLines(s.Text, r.most), cutText(s.Title, longestTitle), cutText(s.URL, longestURL), max(s.Count, 0)
	r.left -= len(s.Text)
	inner := make(map[int]string)
	for _, h := range s.Holes {
		if depth >= maxNesting || r.holes == 0 || r.left <= 0 || ctx.Err() != nil {
			break
		}
		r.holes--
		found, err := r.readHole(ctx, frame, h, args, depth)
		if err != nil || found.Text == "" {
			continue
		}
		inner[h.Line] = found.Text
		s.Count += found.Count
	}
	s.Text = insertBelowLines(s.Text, inner, r.most)
	return s.YAMLSnapshot, nil
}

// insertBelowLines inserts texts below lines of another one, each two spaces deeper than its line. It
// ends when the text is longer than a snapshot may be.
func insertBelowLines(text string, inner map[int]string, most int) string {
	if len(inner) == 0 {
		return text
	}
	var b strings.Builder
	n := 0
	for line := range strings.Lines(text) {
		line, broken := strings.CutSuffix(line, "\n")
		b.WriteString(line)
		if below := inner[n]; below != "" {
			indent := line[:len(line)-len(strings.TrimLeft(line, " "))] + "  "
			b.WriteString(":")
			for line := range strings.Lines(below) {
				if b.Len() > most {
					return b.String()
				}
				b.WriteString("\n" + indent + strings.TrimSuffix(line, "\n"))
			}
		}
		if broken {
			b.WriteByte('\n')
		}
		n++
	}
	return b.String()
}

// readHole reads one frame of another process. A frame whose
// address is not allowed is not shown.
func (r *yamlReader) readHole(ctx context.Context, frame string, h hole, around obj, depth int) (YAMLSnapshot, error) {
	p := r.p
	if h.Above != "" && !aboveRefs.MatchString(h.Above) {
		return YAMLSnapshot{}, newError(Internal, "the page script says %.20q of a frame", h.Above)
	}
	ctx, cancel := context.WithTimeout(ctx, frameTime)
	defer cancel()
	id, err := p.frameOf(ctx, frame, Handle{h.Handle})
	if err != nil {
		return YAMLSnapshot{}, err
	}
	inner, err := r.read(ctx, id, obj{"refs": around["refs"], "boxes": around["boxes"], "above": h.Above, "most": around["most"]}, depth+1)
	if err != nil {
		return YAMLSnapshot{}, err
	}
	if err := p.b.refusal(inner.URL); err != nil {
		return YAMLSnapshot{}, err
	}
	return inner, nil
}

// cutLines cuts a snapshot of more bytes than most between two lines, and adds yamlCut as
// its last line.
func cutLines(text string, most int) string {
	if len(text) <= most {
		return text
	}
	text = text[:most-len(yamlCut(most))-1]
	return text[:strings.LastIndexByte(text, '\n')+1] + yamlCut(most)
}

// frameFor is pageFrames.find under the lock.
func (p *Page) frameFor(q query) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.frames.find(q)
}
