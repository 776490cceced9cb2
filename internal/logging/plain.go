package logging

import (
	"bytes"

	"go.uber.org/zap/buffer"
	"go.uber.org/zap/zapcore"

	"github.com/cdphub/cdphub/internal/plain"
)

// plainEncoder makes lines of plain text, whatever messages and fields have in them. Only
// then it may add the color of the level, which is a command for the terminal.
type plainEncoder struct {
	zapcore.Encoder
	color func(line []byte, level zapcore.Level) []byte // nil: none
}

// lines are the buffers of lines.
var lines = buffer.NewPool()

// Clone implements zapcore.Encoder.
func (e plainEncoder) Clone() zapcore.Encoder { return plainEncoder{e.Encoder.Clone(), e.color} }

// EncodeEntry implements zapcore.Encoder.
func (e plainEncoder) EncodeEntry(entry zapcore.Entry, fields []zapcore.Field) (*buffer.Buffer, error) {
	raw, err := e.Encoder.EncodeEntry(entry, fields)
	if err != nil {
		return nil, err
	}
	defer raw.Free()
	text := plain.Append(make([]byte, 0, raw.Len()+len("\x1b[31m\x1b[0m")), raw.Bytes())
	if e.color != nil {
		text = e.color(text, entry.Level)
	}
	line := lines.Get()
	_, err = line.Write(text)
	return line, err
}

// colorLine gives a line for people the color of its level. The level comes before
// everything that others can have chosen.
func colorLine(line []byte, level zapcore.Level) []byte {
	name := []byte("\t" + level.CapitalString() + "\t")
	code := map[zapcore.Level]string{zapcore.DebugLevel: "35", zapcore.InfoLevel: "34", zapcore.WarnLevel: "33"}[level]
	if code == "" {
		code = "31"
	}
	return bytes.Replace(line, name, []byte("\t\x1b["+code+"m"+level.CapitalString()+"\x1b[0m\t"), 1)
}
