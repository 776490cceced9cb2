package logging

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// TestR271LinesArePlain logs escapes in every part of a line, in both formats. The color of
// the level is all that a terminal obeys.
func TestR271LinesArePlain(t *testing.T) {
	const hostile = "\x1b[2J\tINFO\t\u009b31m\x9b31m\x7f\u202e\r"
	for _, terminal := range []bool{true, false} {
		var out strings.Builder
		log := zap.New(zapcore.NewCore(encoderFor(terminal), zapcore.AddSync(&out), zap.InfoLevel)).Named(hostile).With(zap.String(hostile, hostile))
		log.Info(hostile, zap.Error(errors.New(hostile)), zap.ByteString("bytes", []byte(hostile)), zap.Strings("list", []string{hostile}))
		text := out.String()
		if terminal {
			const level = "\x1b[34mINFO\x1b[0m"
			if strings.Count(text, level) != 1 || strings.Index(text, level) > len("15:04:05.000\t") {
				t.Errorf("the level has no color: %q", text)
			}
			text = strings.Replace(text, level, "", 1)
		}
		if strings.ContainsAny(text, "\x1b\u009b\x7f\u202e\r") || !utf8.ValidString(text) {
			t.Errorf("terminal %v: %q", terminal, text)
		}
		if !strings.Contains(text, `[2J`) || !strings.HasSuffix(text, "\n") {
			t.Errorf("the text is lost: %q", text)
		}
	}
}
