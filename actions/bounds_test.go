package actions

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestR238ParamsHaveBounds judges params as both readers of adapters do.
func TestR238ParamsHaveBounds(t *testing.T) {
	for _, tt := range []struct{ params, want string }{
		{`{"width":1e5,"height":100}`, "field `width` is 1e5, at most 10000 is allowed"},
		{`{"viewport":{"width":100,"height":10001}}`, "field `viewport.height` is 10001, at most 10000 is allowed"},
		{`{"deviceScaleFactor":100}`, "field `deviceScaleFactor` is 100, at most 5 is allowed"},
		{`{"timeout_ms":1e300}`, "field `timeout_ms` is 1e300, at most 1000000000 is allowed"},
		{`{"time":-1e18}`, "field `time` is -1e18, at least -1000000000 is allowed"},
		{`{"delay":1E999}`, "field `delay` is 1E999, at most 1000000000 is allowed"},
		{`{"depth":1e13}`, "field `depth` is 1e13, at most 1000 is allowed"},
		{`{"selector":"` + strings.Repeat("x", 300_000) + `"}`, "field `selector` is 300000 bytes long, at most 262144 is allowed"},
		{`{"fields":[` + strings.Repeat(`{},`, 1000) + `{}]}`, "field `fields` has 1001 elements, at most 1000 is allowed"},
		{`{"a":` + strings.Repeat("[", 400) + strings.Repeat("]", 400) + `}`, "the params nest more than 299 levels"},
		{`{"Width":1e5}`, "field `Width` is 1e5, at most 10000 is allowed"},
		{`{"SELECTORS":1,"DeviceſcaleFactor":100}`, "field `DeviceſcaleFactor` is 100, at most 5 is allowed"},
		{`{"x":1e9,"x":1}`, "field `x` is 1e9, at most 10000000 is allowed"},
		{`{"text":"` + strings.Repeat("x", 5<<20) + `","x":-3.5,"width":1280,"expires":1893456000,"timeout_ms":30000}`, ""},
		{`{"args":[{"width":1e300,"list":[1,2,3]}],"expression":"1"}`, ""},
		{` {} `, ""},
	} {
		var into struct{ Other string }
		for reader, err := range map[string]error{"Decode": Decode(json.RawMessage(tt.params), &into), "ReadParams": ReadParams(json.RawMessage(tt.params)).Err()} {
			got := ""
			if err != nil {
				got = strings.TrimPrefix(err.Error(), "invalid argument: ")
			}
			if !strings.HasSuffix(got, tt.want) || got != "" && tt.want == "" {
				t.Errorf("%s %.80s:\n got %q\nwant %q", reader, tt.params, got, tt.want)
			}
			if err != nil && KindOf(err) != InvalidArgument {
				t.Errorf("%s %.80s is %v, want InvalidArgument", reader, tt.params, KindOf(err))
			}
		}
	}
}
