package browsers

import (
	"context"
	"testing"
	"testing/synctest"
)

// TestProfilesAreUsedByOne has browsers wait for one that ends with the same folder.
func TestProfilesAreUsedByOne(t *testing.T) {
	_ = "browsers.profiles.enter" // what is interrupted here
	synctest.Test(t, func(t *testing.T) {
		var p profiles
		leave, err := p.enter(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		for _, other := range []string{"b", "", ""} {
			left, err := p.enter(t.Context(), other)
			if err != nil {
				t.Fatal(err)
			}
			defer left()
		}
		ctx, stop := context.WithCancel(t.Context())
		given, came := make(chan error), make(chan func())
		go func() {
			_, err := p.enter(ctx, "a")
			given <- err
		}()
		for range 2 {
			go func() {
				left, _ := p.enter(t.Context(), "a")
				came <- left
			}()
		}
		synctest.Wait()
		stop()
		if err := <-given; err == nil {
			t.Error("it entered a folder that is in use")
		}
		leave()
		for range 2 {
			left := <-came
			synctest.Wait()
			select {
			case <-came:
				t.Fatal("two entered one folder")
			default:
			}
			left()
		}
		if len(p.ends) > 1 { // b
			t.Errorf("%d folders are in use", len(p.ends))
		}
	})
}
