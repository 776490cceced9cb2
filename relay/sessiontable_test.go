package relay

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cdphub/cdphub/session"
)

// TestSessionTable adds and removes at random and compares with a plain list.
func TestSessionTable(t *testing.T) {
	var table sessionTable
	all := map[string]*clientSession{}
	parents := []*clientSession{nil, {Session: session.New("P1", "T0")}, {Session: session.New("P2", "T0")}}
	for i := range 2000 {
		if rand.IntN(3) > 0 || len(all) == 0 {
			s := &clientSession{Session: session.New(fmt.Sprint(i), fmt.Sprint("T", rand.IntN(5))), parent: parents[rand.IntN(len(parents))]}
			table.add(s)
			all[s.ID] = s
		} else {
			for id, s := range all {
				table.remove(s)
				delete(all, id)
				break
			}
		}
		if table.len() != len(all) {
			t.Fatalf("len = %d, want %d", table.len(), len(all))
		}
	}
	for id, s := range all {
		if table.get(id) != s {
			t.Fatalf("get(%s) does not find its session", id)
		}
	}
	found := 0
	for i := range 5 {
		target := fmt.Sprint("T", i)
		for _, s := range table.ofTarget(target) {
			if s.TargetID != target || all[s.ID] != s {
				t.Fatalf("ofTarget(%s) has session %s of %s", target, s.ID, s.TargetID)
			}
			found++
		}
	}
	if found != len(all) {
		t.Errorf("ofTarget finds %d sessions, want %d", found, len(all))
	}
	found = 0
	for _, s := range all {
		if s.parent == nil {
			found++
		}
	}
	for _, parent := range parents[1:] {
		for _, s := range parent.inside {
			if s.parent != parent || all[s.ID] != s {
				t.Fatalf("inside has session %s of another parent", s.ID)
			}
			found++
		}
	}
	if found != len(all) {
		t.Errorf("inside finds %d sessions, want %d", found, len(all))
	}
	for _, s := range all {
		table.remove(s)
	}
	if table.len() != 0 || len(table.noSide.lists) != 0 || len(parents[1].inside) != 0 {
		t.Error("an emptied table still holds something")
	}
}
