package main

import (
	"fmt"
	"os"
	"strings"
)

// note appends figures to the file that -figures names, as go test -bench prints them:
//
//	BenchmarkHub/round_trip,_one_at_a_time,_100_B 1 1.03 hub/splice
//
// pairs are a value and its unit, again and again.
func (cfg config) note(name string, pairs ...any) error {
	if cfg.figures == "" {
		return nil
	}
	f, err := os.OpenFile(cfg.figures, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	line := "Benchmark" + strings.ReplaceAll(name, " ", "_") + " 1"
	for _, p := range pairs {
		line += fmt.Sprintf(" %v", p)
	}
	if _, err := fmt.Fprintln(f, line); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
