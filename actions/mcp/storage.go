package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/cdphub/cdphub/actions"
)

// storageTools are the tools for cookies and for what pages store.
var storageTools = slices.Concat([]tool{
	defineTool("browser_cookie_list", "List cookies", "Lists cookies.", full, listCookies),
	defineTool("browser_cookie_get", "Read a cookie", "Shows a cookie.", full, getCookie),
	defineTool("browser_cookie_set", "Set a cookie", "Sets a cookie, of the page's own host when no domain is given.", full|alters, setCookie),
	defineTool("browser_cookie_delete", "Delete a cookie", "Deletes the cookies with a name.", full|alters, deleteCookie),
	defineTool("browser_cookie_clear", "Delete all cookies", "Deletes all cookies.", full|alters, clearCookies),
	defineTool("browser_storage_state", "Save the storage", "Saves cookies, and what the page's origin has in its local storage, to a file.", full, saveStorage),
	defineTool("browser_set_storage_state", "Restore the storage", "Takes cookies and local storage from a file that browser_storage_state has saved, in place of what there is.", full|alters, restoreStorage),
}, webStorageTools(actions.LocalStorage), webStorageTools(actions.SessionStorage))

type cookieListArgs struct {
	onPage
	Domain string `json:"domain,omitempty" jsonschema:"Only cookies of this domain and of those below it"`
	Path   string `json:"path,omitempty" jsonschema:"Only cookies of paths that begin so"`
}

func listCookies(ctx context.Context, c *call, in cookieListArgs) error {
	list, err := c.page.Cookies(ctx)
	if err != nil {
		return err
	}
	for _, k := range list {
		host := strings.TrimPrefix(k.Domain, ".")
		of := in.Domain == "" || host == in.Domain || strings.HasSuffix(host, "."+in.Domain)
		if of && strings.HasPrefix(k.Path, in.Path) {
			c.say("%s=%s (domain: %s, path: %s)", k.Name, k.Value, k.Domain, k.Path)
		}
	}
	if c.lines == nil {
		c.say("No cookies")
	}
	c.ran("await page.context().cookies();")
	return nil
}

type cookieArgs struct {
	onPage
	Name string `json:"name" jsonschema:"The name of the cookie"`
}

func getCookie(ctx context.Context, c *call, in cookieArgs) error {
	list, err := c.page.Cookies(ctx)
	if err != nil {
		return err
	}
	for _, k := range list {
		if k.Name == in.Name {
			c.say("%s=%s (domain: %s, path: %s, httpOnly: %t, secure: %t, sameSite: %s)", k.Name, k.Value, k.Domain, k.Path, k.HTTPOnly, k.Secure, k.SameSite)
		}
	}
	if c.lines == nil {
		c.say("There is no cookie %s", in.Name)
	}
	c.ran("await page.context().cookies();")
	return nil
}

type setCookieArgs struct {
	onPage
	Name     string   `json:"name" jsonschema:"The name of the cookie"`
	Value    string   `json:"value" jsonschema:"Its value"`
	Domain   string   `json:"domain,omitempty" jsonschema:"The page's own host when left out"`
	Path     string   `json:"path,omitempty" jsonschema:"/ when left out"`
	Expires  float64  `json:"expires,omitempty" jsonschema:"In seconds since 1970; with the browser's session when left out"`
	HTTPOnly bool     `json:"httpOnly,omitempty" jsonschema:"Scripts of pages do not see it"`
	Secure   bool     `json:"secure,omitempty" jsonschema:"It is sent over TLS only"`
	SameSite sameSite `json:"sameSite,omitempty" jsonschema:"Which requests of other sites carry it"`
}

func setCookie(ctx context.Context, c *call, in setCookieArgs) error {
	k := actions.Cookie{
		Name: in.Name, Value: in.Value, Domain: in.Domain, Path: cmp.Or(in.Path, "/"), Expires: in.Expires,
		HTTPOnly: in.HTTPOnly, Secure: in.Secure, SameSite: string(in.SameSite),
	}
	if err := c.page.SetCookies(ctx, []actions.Cookie{k}); err != nil {
		return err
	}
	text, err := json.Marshal(k)
	c.ran("await page.context().addCookies([%s]);", text)
	return err
}

func deleteCookie(ctx context.Context, c *call, in cookieArgs) error {
	c.ran("await page.context().clearCookies({ name: %s });", jsLiteral(in.Name))
	return c.page.DeleteCookies(ctx, in.Name)
}

func clearCookies(ctx context.Context, c *call, _ none) error {
	c.ran("await page.context().clearCookies();")
	return c.page.ClearCookies(ctx)
}

type saveArgs struct {
	onPage
	Filename string `json:"filename,omitempty" jsonschema:"Name of the file"`
}

func saveStorage(ctx context.Context, c *call, in saveArgs) error {
	s, err := c.page.StorageState(ctx)
	if err != nil {
		return err
	}
	for i := range s.Origins {
		// Playwright's storage state has no session storage.
		s.Origins[i].SessionStorage = nil
	}
	if s.Origins == nil {
		s.Origins = []actions.OriginState{}
	}
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	name := fileNameOf(in.Filename, "storage-state", "json")
	if err := c.save("Storage state", name, "application/json", data); err != nil {
		return err
	}
	c.ran("await page.context().storageState({ path: %s });", jsLiteral(name))
	return nil
}

type restoreArgs struct {
	onPage
	Filename string                `json:"filename,omitempty" jsonschema:"Name of the file, where the client is on the machine of this server"`
	State    *actions.StorageState `json:"state,omitempty" jsonschema:"The content of the file, instead"`
}

func restoreStorage(ctx context.Context, c *call, in restoreArgs) error {
	var s actions.StorageState
	switch {
	case (in.Filename == "") == (in.State == nil):
		return invalidArgument("one of filename and state must be given")
	case in.State != nil:
		s = *in.State
	default:
		data, err := c.stored(in.Filename)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(data, &s); err != nil {
			return invalidArgument(fmt.Sprintf("filename: %s is not a storage state: %v", in.Filename, err))
		}
	}
	if err := c.page.ReplaceStorageState(ctx, s); err != nil {
		return err
	}
	c.say("Restored %s, and the storage of %s", english.Plural(len(s.Cookies), "cookie", ""), english.Plural(len(s.Origins), "origin", ""))
	c.ran("await page.context().setStorageState(%s);", jsLiteral(in.Filename))
	return nil
}

type keyOfArgs struct {
	onPage
	Key string `json:"key" jsonschema:"The key"`
}

type itemArgs struct {
	onPage
	Key   string `json:"key" jsonschema:"The key"`
	Value string `json:"value" jsonschema:"The value"`
}

// webStorageTools are the tools for one of the two storages of the page's origin.
func webStorageTools(s actions.WebStorage) []tool {
	name, title := "browser_"+strings.ToLower(string(s))+"_", string(s)
	return []tool{
		defineTool(name+"list", "List "+title, "Lists what the page's origin has in "+title+".", full, func(ctx context.Context, c *call, _ none) error {
			c.ran("await page.evaluate(() => ({ ...%s }));", s)
			return c.items(ctx, s, func(string) bool { return true })
		}),
		defineTool(name+"get", "Read from "+title, "Shows a value that the page's origin has in "+title+".", full, func(ctx context.Context, c *call, in keyOfArgs) error {
			c.ran("await page.evaluate((key) => %s.getItem(key), %s);", s, jsLiteral(in.Key))
			return c.items(ctx, s, func(key string) bool { return key == in.Key })
		}),
		defineTool(name+"set", "Write to "+title, "Sets a value in "+title+" of the page's origin.", full|alters, func(ctx context.Context, c *call, in itemArgs) error {
			c.ran("await page.evaluate(([key, value]) => %s.setItem(key, value), %s);", s, jsList([]string{in.Key, in.Value}))
			return c.page.SetItem(ctx, s, in.Key, in.Value)
		}),
		defineTool(name+"delete", "Delete from "+title, "Deletes a value in "+title+" of the page's origin.", full|alters, func(ctx context.Context, c *call, in keyOfArgs) error {
			c.ran("await page.evaluate((key) => %s.removeItem(key), %s);", s, jsLiteral(in.Key))
			return c.page.RemoveItem(ctx, s, in.Key)
		}),
		defineTool(name+"clear", "Empty "+title, "Deletes all values in "+title+" of the page's origin.", full|alters, func(ctx context.Context, c *call, _ none) error {
			c.ran("await page.evaluate(() => %s.clear());", s)
			return c.page.ClearStorage(ctx, s)
		}),
	}
}

// items adds the wanted entries of a storage to the result.
func (c *call) items(ctx context.Context, s actions.WebStorage, wanted func(key string) bool) error {
	list, err := c.page.Items(ctx, s)
	if err != nil {
		return err
	}
	for _, item := range list {
		if wanted(item.Name) {
			c.say("%s=%s", item.Name, item.Value)
		}
	}
	if c.lines == nil {
		c.say("There is nothing of it in %s", s)
	}
	return nil
}
