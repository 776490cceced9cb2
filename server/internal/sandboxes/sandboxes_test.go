package sandboxes

import (
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/browsers"
	"github.com/cdphub/cdphub/relay/quota"
)

func TestIdleSandboxesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(Options{Quotas: quota.New(quota.Options{}), Idle: time.Minute, Browsers: browsers.None(nil), Ended: func(string) {}, Log: zap.NewNop()})
		name, err := b.reserve("", quota.Payer{})
		if err != nil {
			t.Fatal(err)
		}
		released := 0
		b.begin(name, func() { released++ }, func() { b.end(name, true) })
		time.Sleep(50 * time.Second)
		left := b.Join(name, func() {})
		time.Sleep(time.Hour)
		if _, live := b.since(name); !live {
			t.Error("it was ended while it was in use")
		}
		left()
		time.Sleep(59 * time.Second)
		if _, live := b.since(name); !live {
			t.Error("it was ended too soon")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if _, live := b.since(name); live || released != 1 {
			t.Errorf("it lives: %v, and was released %d times", live, released)
		}
	})
}
