package journal

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"time"

	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/relay"
)

// pacing says when the next picture of a target is due. No command of a Client waits
// for a picture in the hub. But a frame draws its pictures itself, and answers
// nothing meanwhile. So a picture is taken only when no action has followed for some
// time, and a page that draws slowly is asked rarely.
type pacing struct {
	wanted time.Time     // since when; zero: none is
	newest time.Time     // when it was wanted last
	taken  time.Time     // the last one
	took   time.Duration // how long the page was at that
	asked  time.Time     // zero: none is on its way
}

const (
	pictureEvery   = time.Second            // at most
	pictureSettles = 150 * time.Millisecond // from the last action to its picture
	pictureRest    = 9                      // so many times as long as one takes, none is taken
	longestRest    = 10 * time.Second       // a page that showed a dialog was not drawing all the time
	pictureWithin  = 10 * time.Second       // after which the page is taken for stuck
	longestPicture = 512 << 10              // bytes
)

// want asks for a picture. Several wishes before it are one.
func (p *pacing) want() {
	p.newest = time.Now()
	if p.wanted.IsZero() {
		p.wanted = p.newest
	}
}

// due waits for the page to settle, but not longer than pictureEvery after the first
// wish.
func (p *pacing) due(now time.Time) bool {
	settled := now.Sub(p.newest) >= pictureSettles || now.Sub(p.wanted) >= pictureEvery
	rest := max(pictureEvery, min(pictureRest*p.took, longestRest))
	return !p.wanted.IsZero() && settled && now.Sub(p.taken) >= rest &&
		(p.asked.IsZero() || now.Sub(p.asked) > pictureWithin)
}

// answered notes that the picture that was asked for has come, or has failed to.
func (p *pacing) answered(now time.Time) {
	if !p.asked.IsZero() {
		p.took = now.Sub(p.asked)
	}
	p.asked, p.taken = time.Time{}, now
}

// takePictures asks for the pictures that are due. The answers come to keepPicture.
func (j *Journal) takePictures(now time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, l := range j.lines {
		if !l.pictures.due(now) {
			continue
		}
		l.pictures.wanted, l.pictures.asked = time.Time{}, now
		l.ask(capture, captureParams, keepPicture)
	}
}

const capture = "Page.captureScreenshot"

var captureParams = []byte(`{"format":"jpeg","quality":40,"optimizeForSpeed":true}`)

// takeAlone takes a picture with a Client of the Journal's own, in a session of its own. It is
// for pages whose Client has left, such as a program that connects for one command. Pages of a
// private context have gone with their Client.
func (o *observer) takeAlone(key lineKey) {
	ctx, cancel := context.WithTimeout(context.Background(), pictureWithin)
	defer cancel()
	session, asked, answered := "", time.Now(), make(chan struct{})
	if c, err := o.hub.JoinLocal(relay.LocalOptions{ClientOptions: relay.ClientOptions{PrivateOf: key.target}}); err == nil {
		defer c.Leave() // also fails a command that is not answered within the time
		session = attachTo(ctx, c, key.target)
	}
	o.hub.Control().Ask(session, capture, captureParams, func(result []byte, err *relay.Error) {
		o.answered(key, asked, result, err, keepPicture)
		close(answered)
	})
	select {
	case <-answered:
	case <-ctx.Done():
	}
}

// attachTo makes a session on a target; "" is none.
func attachTo(ctx context.Context, c *relay.Local, target string) string {
	params, _ := json.Marshal(map[string]any{"targetId": target, "flatten": true}) // of a string
	var made struct{ SessionID string }
	if result, err := c.Call(ctx, "", "Target.attachToTarget", params); err == nil {
		readParams(result, &made)
	}
	return made.SessionID
}

// keepPicture keeps a picture, unless it is larger than longestPicture or than half
// of what one target may keep.
func keepPicture(j *Journal, l *line, result []byte, failed bool) {
	if failed && l.left {
		l.left = false
		go l.hub.takeAlone(l.key) // it ends within pictureWithin
		return
	}
	l.pictures.answered(time.Now())
	var shot struct{ Data string }
	if failed || wire.Decode(result, &shot) != nil {
		return
	}
	data, err := base64.StdEncoding.DecodeString(shot.Data)
	if err != nil || len(data) == 0 || len(data) > longestPicture || int64(len(data)) > j.o.Size/2 {
		return
	}
	j.keepLocked(l, Entry{Kind: Picture, Method: capture, Picture: true}, data)
}
