package chaos

import (
	"bufio"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/cdphub/cdphub/internal/httpserver"
	"github.com/cdphub/cdphub/relay"
)

// stats asks the hub for its counters.
func (h *hub) stats() (s relay.Stats, err error) {
	path, _ := httpserver.UnixPath(h.operators)
	operators := http.Client{Transport: httpserver.UnixTransport(path)}
	defer operators.CloseIdleConnections()
	res, err := operators.Get("http://localhost/metrics")
	if err != nil {
		return s, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return s, fmt.Errorf("/metrics: %s", res.Status)
	}
	counters := map[string]*uint64{
		"cdphub_commands_received_total":                         &s.Received,
		`cdphub_commands_answered_total{by="host"}`:              &s.AnsweredByHost,
		`cdphub_commands_answered_total{by="hub"}`:               &s.AnsweredByHub,
		"cdphub_commands_client_gone_total":                      &s.ClientGone,
		"cdphub_commands_pending":                                &s.Pending,
		`cdphub_answers_dropped_total{why="duplicate"}`:          &s.AnswersDuplicate,
		"cdphub_events_received_total":                           &s.EventsIn,
		`cdphub_event_deliveries_total{outcome="sent"}`:          &s.Sent,
		`cdphub_event_deliveries_total{outcome="client_closed"}`: &s.ClientClosed,
		"cdphub_answers_misrouted_total":                         &s.Misrouted,
	}
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), " ")
		to := counters[name]
		if to == nil {
			continue
		}
		n, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return s, fmt.Errorf("/metrics: %s: %w", lines.Text(), err)
		}
		*to = uint64(n)
		delete(counters, name)
	}
	for name := range counters {
		return s, fmt.Errorf("/metrics has no %s", name)
	}
	return s, nil
}

// closes reports whether the hub's ledger does.
func closes(s relay.Stats) bool {
	return s.Received == s.AnsweredByHost+s.AnsweredByHub+s.ClientGone+s.Pending && s.Misrouted == 0
}
