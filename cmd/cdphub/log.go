package main

import (
	"io"
	"os"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"golang.org/x/term"
)

// logFlags say what is logged.
type logFlags struct {
	LogLevel string `help:"Log from this level on: debug, info, warn or error." enum:"debug,info,warn,error" default:"info" env:"CDPHUB_LOG_LEVEL"`
	LogJSON  bool   `name:"log-json" help:"Log JSON even on a terminal." env:"CDPHUB_LOG_JSON"`
}

// logger writes for people on a terminal, and JSON elsewhere.
func (f logFlags) logger(w io.Writer) (*zap.Logger, error) {
	level, err := zapcore.ParseLevel(f.LogLevel)
	if err != nil {
		return nil, err
	}
	var enc zapcore.Encoder
	file, isFile := w.(*os.File)
	if isFile && term.IsTerminal(int(file.Fd())) && !f.LogJSON {
		c := zap.NewDevelopmentEncoderConfig()
		c.EncodeLevel = zapcore.CapitalColorLevelEncoder
		c.EncodeTime = zapcore.TimeEncoderOfLayout("15:04:05.000")
		enc = zapcore.NewConsoleEncoder(c)
	} else {
		c := zap.NewProductionEncoderConfig()
		c.EncodeTime = zapcore.RFC3339NanoTimeEncoder
		enc = zapcore.NewJSONEncoder(c)
	}
	return zap.New(zapcore.NewCore(enc, zapcore.Lock(zapcore.AddSync(w)), level)), nil
}
