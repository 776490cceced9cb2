package page

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/limittest"
	"github.com/cdphub/cdphub/targets"
)

// TestR296Limits goes to what a Host may say of itself and of its sessions.
func TestR296Limits(t *testing.T) {
	quoted := func(n int) string { return `"` + strings.Repeat("x", n) + `"` }
	nests := func(format string) func(int) bool {
		return func(n int) bool { _, ok := readNested([]byte(fmt.Sprintf(format, quoted(n)))); return ok }
	}
	limittest.Reach(t, "maxSessionID", maxSessionID, nests(`{"sessionId":%s}`))
	limittest.Reach(t, "targets.MaxID", targets.MaxID, nests(`{"sessionId":"S","targetId":%s}`))
	limittest.Reach(t, "maxType of a session", maxType, nests(`{"sessionId":"S","type":%s}`))
	limittest.Reach(t, "maxType of a target", maxType, func(n int) bool {
		target, ok := readTarget([]byte(`{"targetId":"T","type":` + quoted(n) + `}`))
		return ok && len(target.Type) == n
	})
	limittest.Reach(t, "targets.MaxID of a target", targets.MaxID, func(n int) bool { _, ok := readTarget([]byte(`{"targetId":` + quoted(n) + `}`)); return ok })
	limittest.Reach(t, "targets.MaxID of an opener", targets.MaxID, func(n int) bool {
		target, ok := readTarget([]byte(`{"targetId":"T","openerId":` + quoted(n) + `}`))
		return ok && len(target.OpenerID) == n
	})
	limittest.Reach(t, "maxHostID", maxHostID, func(n int) bool { return len(readHostID([]byte(quoted(n)))) == n })
	limittest.Reach(t, "maxEventSessions", maxEventSessions, func(n int) bool {
		list, ok := appendTexts(nil, []byte(`["S"`+strings.Repeat(`,"S"`, n-1)+`]`))
		return ok && len(list) == n
	})
	limittest.Reach(t, "maxHandles", maxHandles, func(n int) bool {
		names := []string{`"Target.createTarget"`} // counts like all others
		for i := range n - 1 {
			names = append(names, fmt.Sprintf(`"Domain%d.*"`, i))
		}
		return len(readHandles([]byte("["+strings.Join(names, ",")+"]"), true)) == n
	})
	limittest.Reach(t, "targets.MaxCount of a ready", targets.MaxCount, func(n int) bool {
		list, refused, ok := readTargets([]byte(`[{"targetId":"T"}` + strings.Repeat(`,{"targetId":"T"}`, n-1) + `]`))
		if len(list)+refused != n {
			t.Errorf("of %d targets %d are taken and %d refused", n, len(list), refused)
		}
		return ok && refused == 0
	})
	for _, name := range []string{"product", "revision", "jsVersion", "protocolVersion"} {
		limittest.Reach(t, "maxProduct of "+name, maxProduct, func(n int) bool {
			v := readVersion([]byte(`{"` + name + `":` + quoted(n) + `}`))
			return len(v.Product+v.Revision+v.JSVersion+v.Protocol) == n
		})
	}
	limittest.Reach(t, "maxUserAgent", maxUserAgent, func(n int) bool { return len(readVersion([]byte(`{"userAgent":`+quoted(n)+`}`)).UserAgent) == n })
}
