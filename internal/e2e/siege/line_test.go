package siege

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/coder/websocket"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// line is a connection of a Client. A goroutine reads what comes, and keeps the answers that
// somebody waits for. A nil line was refused, and does nothing.
type line struct {
	conn *websocket.Conn

	mu      sync.Mutex // guards everything below
	nextID  int
	waiting map[int]chan harness.Message // nil when the connection has ended
}

var errEnded = errors.New("the connection has ended")

// dial connects to a path of a hub by a token, "" for none.
func dial(ctx context.Context, addr, path, token string) (*line, error) {
	conn, _, err := websocket.Dial(ctx, "ws://"+addr+path, &websocket.DialOptions{HTTPHeader: bearer(token)})
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(-1)
	l := &line{conn: conn, waiting: make(map[int]chan harness.Message)}
	go l.read()
	return l, nil
}

func (l *line) close() {
	if l != nil {
		l.conn.CloseNow()
	}
}

// longestAnswer is how much of a message is looked at. The rest is read and dropped.
const longestAnswer = 1 << 20

func (l *line) read() {
	for {
		_, r, err := l.conn.Reader(context.Background())
		if err != nil {
			l.mu.Lock()
			for _, c := range l.waiting {
				close(c)
			}
			l.waiting = nil
			l.mu.Unlock()
			return
		}
		raw, _ := io.ReadAll(io.LimitReader(r, longestAnswer))
		io.Copy(io.Discard, r)
		var m harness.Message
		if json.Unmarshal(raw, &m) != nil {
			continue
		}
		l.mu.Lock()
		if c := l.waiting[m.ID]; c != nil {
			c <- m
			delete(l.waiting, m.ID)
		}
		l.mu.Unlock()
	}
}

// write sends text as one message.
func (l *line) write(ctx context.Context, text string) bool {
	return l != nil && l.conn.Write(ctx, websocket.MessageText, []byte(text)) == nil
}

// command is the text of a command.
func command(id int, session, method string, params object) string {
	m := object{"id": id, "method": method}
	if params != nil {
		m["params"] = params
	}
	if session != "" {
		m["sessionId"] = session
	}
	text, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// send sends a command and waits for nothing.
func (l *line) send(ctx context.Context, session, method string, params object) bool {
	if l == nil {
		return false
	}
	l.mu.Lock()
	l.nextID++
	id := l.nextID
	l.mu.Unlock()
	return l.write(ctx, command(id, session, method, params))
}

// ask sends a command and waits for its answer.
func (l *line) ask(ctx context.Context, session, method string, params object) (json.RawMessage, error) {
	if l == nil {
		return nil, errEnded
	}
	answer := make(chan harness.Message, 1)
	l.mu.Lock()
	if l.waiting == nil {
		l.mu.Unlock()
		return nil, errEnded
	}
	l.nextID++
	id := l.nextID
	l.waiting[id] = answer
	l.mu.Unlock()
	if !l.write(ctx, command(id, session, method, params)) {
		return nil, errEnded
	}
	select {
	case m, ok := <-answer:
		switch {
		case !ok:
			return nil, errEnded
		case m.Error != nil:
			return nil, m.Error
		}
		return m.Result, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// call is ask for an attacker, who does not mind errors.
func (l *line) call(ctx context.Context, session, method string, params object) json.RawMessage {
	result, _ := l.ask(ctx, session, method, params)
	return result
}
