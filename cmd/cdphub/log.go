package main

import (
	"io"
	"os"
	"strings"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"golang.org/x/term"
)

// logFlags say what is logged.
type logFlags struct {
	LogLevel string `help:"Log from this level on: debug, info, warn or error." enum:"debug,info,warn,error" default:"info" env:"CDPHUB_LOG_LEVEL"`
	LogJSON  bool   `name:"log-json" help:"Log JSON even on a terminal." env:"CDPHUB_LOG_JSON"`
}

// logs is a logger with what operators may ask of it.
type logs struct {
	*zap.Logger
	level zap.AtomicLevel
	sink  *logSink
	limit *logLimit
}

// logger writes for people on a terminal, and JSON elsewhere.
func (f logFlags) logger(w io.Writer) (*zap.Logger, error) {
	l, err := f.open(w)
	return l.Logger, err
}

// open makes the logger of a command. Whoever logs does not wait for w; what
// still waits for it at the end is written by Sync.
func (f logFlags) open(w io.Writer) (logs, error) {
	level, err := zap.ParseAtomicLevel(f.LogLevel)
	if err != nil {
		return logs{}, err
	}
	enc := f.encoder(w)
	sink := newLogSink(w, func(n uint64) []byte {
		e := zapcore.Entry{Level: zapcore.WarnLevel, Time: time.Now(), Message: "log lines are missing: they came faster than they could be written"}
		line, err := enc.Clone().EncodeEntry(e, []zapcore.Field{zap.Uint64("leftOut", n)})
		if err != nil {
			return nil
		}
		return line.Bytes()
	})
	core := newLimitedCore(zapcore.NewCore(enc, sink, level))
	return logs{zap.New(core), level, sink, core.limit}, nil
}

func (f logFlags) encoder(w io.Writer) zapcore.Encoder {
	file, isFile := w.(*os.File)
	if isFile && term.IsTerminal(int(file.Fd())) && !f.LogJSON {
		c := zap.NewDevelopmentEncoderConfig()
		c.EncodeLevel = zapcore.CapitalColorLevelEncoder
		c.EncodeTime = zapcore.TimeEncoderOfLayout("15:04:05.000")
		return zapcore.NewConsoleEncoder(c)
	}
	c := zap.NewProductionEncoderConfig()
	c.EncodeTime = zapcore.RFC3339NanoTimeEncoder
	return zapcore.NewJSONEncoder(c)
}

// acceptFailed is the message about a listener that cannot accept, most often
// because the process has no file descriptor left.
const acceptFailed = "connections cannot be accepted and wait: raise the limit of open files, or close connections"

// httpErrors is a logger for what net/http complains of. There are addresses
// in its words, so they become a field, and the message says the kind.
func httpErrors(log *zap.Logger) *zap.Logger {
	return log.Named("http").WithOptions(zap.WrapCore(func(c zapcore.Core) zapcore.Core { return httpErrorCore{c} }))
}

type httpErrorCore struct{ zapcore.Core }

func (c httpErrorCore) Check(e zapcore.Entry, to *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	words := zap.String("error", e.Message)
	e.Level, e.Message = zapcore.WarnLevel, "net/http complains"
	if strings.HasPrefix(words.String, "http: Accept error: ") {
		e.Message = acceptFailed
	}
	return c.With([]zapcore.Field{words}).Check(e, to)
}
