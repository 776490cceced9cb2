// Package logging makes the logger of a command: lines for people on a terminal, JSON
// elsewhere.
//
//	log, err := logging.Open(os.Stderr, logging.Options{Level: "info"})
//	defer log.Sync()
//
// A flood of lines of one kind is cut, and the program never waits for the reader of
// the log.
package logging

import (
	"io"
	"strings"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/cdphub/cdphub/internal/plain"
)

// Options say what is logged.
type Options struct {
	Level string // debug, info, warn or error
	JSON  bool   // JSON even on a terminal
}

// Log is a logger with what operators may ask of it.
type Log struct {
	*zap.Logger
	Level zap.AtomicLevel // may be changed while the log is in use

	sink  *sink
	limit *limiter
}

// Open makes the logger of a command. Callers that log do not wait for w; Sync
// writes the lines that still wait for it at the end.
func Open(w io.Writer, o Options) (*Log, error) {
	level, err := zap.ParseAtomicLevel(o.Level)
	if err != nil {
		return nil, err
	}
	enc := encoderFor(plain.IsTerminal(w) && !o.JSON)
	sink := newSink(plain.Under(w), func(n uint64) []byte {
		e := zapcore.Entry{Level: zapcore.WarnLevel, Time: time.Now(), Message: "log lines are missing: they came faster than they could be written"}
		line, err := enc.Clone().EncodeEntry(e, []zapcore.Field{zap.Uint64("leftOut", n)})
		if err != nil {
			return nil
		}
		return line.Bytes()
	})
	core := newLimitedCore(zapcore.NewCore(enc, sink, level))
	return &Log{zap.New(core), level, sink, core.limit}, nil
}

// DroppedByRate is the number of lines left out because too many of their kind
// came.
func (l *Log) DroppedByRate() uint64 { return l.limit.Dropped() }

// DroppedBySink is the number of lines left out because the log was not read.
func (l *Log) DroppedBySink() uint64 { return l.sink.Dropped() }

// encoderFor makes lines for people on a terminal, or JSON.
func encoderFor(terminal bool) zapcore.Encoder {
	if terminal {
		c := zap.NewDevelopmentEncoderConfig()
		c.EncodeLevel = zapcore.CapitalLevelEncoder
		c.EncodeTime = zapcore.TimeEncoderOfLayout("15:04:05.000")
		return plainEncoder{zapcore.NewConsoleEncoder(c), colorLine}
	}
	c := zap.NewProductionEncoderConfig()
	c.EncodeTime = zapcore.RFC3339NanoTimeEncoder
	return plainEncoder{zapcore.NewJSONEncoder(c), nil}
}

// Messages of log lines that are limited to one a minute.
const (
	// AcceptFailed is about a listener that cannot accept, most often because
	// the process has no file descriptor left.
	AcceptFailed = "connections cannot be accepted and wait: raise the limit of open files, or close connections"
	// TooManyConnections is about connections that are refused.
	TooManyConnections = "connection refused: its address has too many"
)

// HTTPErrors is a logger for the errors of net/http. Their texts have addresses in
// them, so that each would be a kind of its own: the text becomes a field, and the
// message is the kind of the error.
func HTTPErrors(log *zap.Logger) *zap.Logger {
	return log.Named("http").WithOptions(zap.WrapCore(func(c zapcore.Core) zapcore.Core { return httpErrorCore{c} }))
}

type httpErrorCore struct{ zapcore.Core }

func (c httpErrorCore) Check(e zapcore.Entry, to *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	text := zap.String("error", e.Message)
	e.Level, e.Message = zapcore.WarnLevel, "HTTP server error"
	switch {
	case strings.HasPrefix(text.String, "http: Accept error: "):
		e.Message = AcceptFailed
	case strings.HasPrefix(text.String, "http: TLS handshake error "):
		e.Message = "TLS handshake failed"
	}
	return c.With([]zapcore.Field{text}).Check(e, to)
}
