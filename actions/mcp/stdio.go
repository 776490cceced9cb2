package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cdphub/cdphub/actions"
)

// stdio is the transport of MCP over a pair of streams, one message on a line. Unlike the SDK's own
// it goes on after a line that is no message.
type stdio struct {
	numbering
	in     io.ReadCloser // static
	out    io.Writer
	lines  chan line
	closed chan struct{}
	once   sync.Once // closes closed

	writing sync.Mutex // guards out
}

// line is a line of the client, or the error that ended them.
type line struct {
	text []byte
	err  error
}

// Connect implements sdk.Transport.
func (s *stdio) Connect(context.Context) (sdk.Connection, error) {
	s.lines, s.closed = make(chan line), make(chan struct{})
	// It ends with the stream, or at the next line after Close: a read of standard input cannot be
	// cut off.
	go func() {
		r := bufio.NewReaderSize(s.in, 64<<10)
		for {
			text, err := readLine(r)
			select {
			case s.lines <- line{text, err}:
			case <-s.closed:
				return
			}
			if err != nil && !errors.Is(err, errLongLine) {
				return
			}
		}
	}()
	return s, nil
}

var errLongLine = errors.New("the line is too long")

// readLine reads a line without its end. Of one that is longer than actions.MaxRequest it keeps
// nothing, and returns errLongLine. The last line needs no end.
func readLine(r *bufio.Reader) (text []byte, err error) {
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if long = long || len(text)+len(part) > actions.MaxRequest; long {
			text = nil
		} else {
			text = append(text, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case long && (err == nil || errors.Is(err, io.EOF)):
			return nil, errLongLine
		case errors.Is(err, io.EOF) && len(text) > 0:
			return text, nil
		default:
			return bytes.TrimRight(text, "\r\n"), err
		}
	}
}

// Read implements sdk.Connection.
func (s *stdio) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-s.closed:
			return nil, io.EOF
		case l := <-s.lines:
			m := message{}
			switch {
			case errors.Is(l.err, errLongLine):
				m = refuseMessage(nil, jsonrpc.CodeInvalidRequest, fmt.Sprintf("Invalid Request: a line has at most %d bytes", actions.MaxRequest))
			case l.err != nil:
				return nil, l.err
			default:
				m = s.read(l.text)
			}
			if m.call != nil {
				call, err := jsonrpc.DecodeMessage(m.call)
				if err == nil {
					return call, nil
				}
				m = refuseMessage(nil, jsonrpc.CodeInvalidRequest, "Invalid Request: "+err.Error())
			}
			if m.answer != nil {
				if err := s.writeLine(m.answer); err != nil {
					return nil, err
				}
			}
		}
	}
}

// Write implements sdk.Connection.
func (s *stdio) Write(_ context.Context, m jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(m)
	if answer, is := m.(*jsonrpc.Response); is {
		text, err = s.write(answer)
	}
	if err != nil {
		return err
	}
	return s.writeLine(text)
}

// writeLine writes a message in one piece.
func (s *stdio) writeLine(text []byte) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	_, err := s.out.Write(append(text, '\n'))
	return err
}

// Close implements sdk.Connection.
func (s *stdio) Close() error {
	s.once.Do(func() { close(s.closed) })
	return s.in.Close()
}

// SessionID implements sdk.Connection.
func (s *stdio) SessionID() string { return "" }
