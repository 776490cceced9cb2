package browsertest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

func TestMain(m *testing.M) { os.Exit(Main(m)) }

// TestNextBorrowerFindsNothing leaves pages, a context, a cookie and a permission
// in a browser, and borrows it again.
func TestNextBorrowerFindsNothing(t *testing.T) {
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<title>App</title>") }))
	defer app.Close()
	var first string
	t.Run("first", func(t *testing.T) {
		first = Borrow(t)
		if second := Borrow(t); second == first {
			t.Error("a browser has two borrowers")
		}
		b := &browser{profile: first}
		err := b.command(func(ask ask) error {
			var context struct{ BrowserContextID string }
			if err := ask("Target.createBrowserContext", `{}`, &context); err != nil {
				return err
			}
			for _, command := range [][2]string{
				{"Target.createTarget", fmt.Sprintf(`{"url":%q}`, app.URL)},
				{"Target.createTarget", fmt.Sprintf(`{"url":%q,"browserContextId":%q}`, app.URL, context.BrowserContextID)},
				{"Storage.setCookies", fmt.Sprintf(`{"cookies":[{"name":"a","value":"b","url":%q}]}`, app.URL)},
				{"Browser.grantPermissions", `{"permissions":["geolocation"]}`},
			} {
				if err := ask(command[0], command[1], nil); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	t.Run("next", func(t *testing.T) {
		if next := Borrow(t); next != first && Borrow(t) != first {
			t.Error("the browser is not lent again")
		}
		b := &browser{profile: first}
		var got []string
		err := b.command(func(ask ask) error {
			for _, method := range []string{"Target.getBrowserContexts", "Target.getTargets", "Storage.getCookies"} {
				var result map[string]any
				if err := ask(method, `{}`, &result); err != nil {
					return err
				}
				got = append(got, fmt.Sprint(result))
			}
			return nil
		})
		if all := strings.Join(got, "\n"); err != nil || strings.Contains(all, app.URL) || !strings.Contains(all, "browserContextIds:[]") || !strings.Contains(all, "cookies:[]") || strings.Count(all, "type:page") != 1 {
			t.Errorf("the next borrower finds %s, %v", all, err)
		}
	})
}
