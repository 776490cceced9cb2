package bap

import (
	"cmp"
	"context"

	"github.com/cdphub/cdphub/actions"
)

// storageMethods are the methods about storage, and those that emulate.
var storageMethods = map[string]method{
	"storage/getState":       onPage("storage:read", getState),
	"storage/setState":       pageAction("storage:write", setState),
	"storage/getCookies":     onPage("storage:read", getCookies),
	"storage/setCookies":     pageAction("storage:write", setCookies),
	"storage/clearCookies":   pageAction("storage:write", clearCookies),
	"emulate/setViewport":    pageAction("emulate:viewport", setViewport),
	"emulate/setUserAgent":   pageAction("emulate:viewport", setUserAgent),
	"emulate/setGeolocation": pageAction("emulate:geolocation", setGeolocation),
	"emulate/setOffline":     pageAction("emulate:offline", setOffline),
}

func getState(ctx context.Context, page *actions.Page, _ none) (any, error) {
	s, err := page.StorageState(ctx)
	if err != nil {
		return nil, err
	}
	// The protocol wants lists, and JSON null is none.
	if s.Cookies == nil {
		s.Cookies = []actions.Cookie{}
	}
	if s.Origins == nil {
		s.Origins = []actions.OriginState{}
	}
	return s, nil
}

type stateParams struct{ State *actions.StorageState }

func (p *stateParams) check() *failure {
	if p.State == nil {
		return invalidParam("state", "is missing")
	}
	return requireCookieNames("state.cookies", p.State.Cookies)
}

// requireCookieNames refuses cookies without a name. Browsers would set them (RFC 6265bis, section
// 5.7), but no other method could name them.
func requireCookieNames(field string, cookies []actions.Cookie) *failure {
	for _, c := range cookies {
		if c.Name == "" {
			return invalidParam(field, "a cookie has no name")
		}
	}
	return nil
}

func setState(ctx context.Context, page *actions.Page, p stateParams) error {
	return page.SetStorageState(ctx, *p.State)
}

type urlsParams struct{ URLs names }

func getCookies(ctx context.Context, page *actions.Page, p urlsParams) (any, error) {
	list, err := page.Cookies(ctx, p.URLs...)
	if err != nil {
		return nil, err
	}
	if list == nil {
		list = []actions.Cookie{}
	}
	return obj{"cookies": list}, nil
}

type cookiesParams struct{ Cookies []actions.Cookie }

func (p *cookiesParams) check() *failure {
	return cmp.Or(requirePresent("cookies", p.Cookies != nil), requireCookieNames("cookies", p.Cookies))
}

func setCookies(ctx context.Context, page *actions.Page, p cookiesParams) error {
	return page.SetCookies(ctx, p.Cookies)
}

func clearCookies(ctx context.Context, page *actions.Page, p urlsParams) error {
	return page.ClearCookies(ctx, p.URLs...)
}

type viewportParams struct {
	Width, Height      int
	DeviceScaleFactor  float64
	IsMobile, HasTouch bool
}

func (p *viewportParams) check() *failure {
	if p.DeviceScaleFactor < 0 {
		return invalidParam("deviceScaleFactor", "must be above 0")
	}
	return requirePageSize("width", p.Width, p.Height)
}

func setViewport(ctx context.Context, page *actions.Page, p viewportParams) error {
	return page.Emulate(ctx, actions.Emulation{
		Viewport: &actions.Viewport{Width: p.Width, Height: p.Height}, Scale: p.DeviceScaleFactor, Mobile: p.IsMobile, Touch: p.HasTouch,
	})
}

type userAgentParams struct{ UserAgent, Platform, AcceptLanguage string }

func (p *userAgentParams) check() *failure { return requireValue("userAgent", p.UserAgent) }

func setUserAgent(ctx context.Context, page *actions.Page, p userAgentParams) error {
	return page.Emulate(ctx, actions.Emulation{UserAgent: p.UserAgent, Platform: p.Platform, AcceptLanguage: p.AcceptLanguage})
}

type geolocationParams struct {
	Latitude, Longitude *float64
	Accuracy            float64
}

func (p *geolocationParams) check() *failure {
	switch {
	case p.Latitude == nil || *p.Latitude < -90 || *p.Latitude > 90:
		return invalidParam("latitude", "must be -90 to 90")
	case p.Longitude == nil || *p.Longitude < -180 || *p.Longitude > 180:
		return invalidParam("longitude", "must be -180 to 180")
	case p.Accuracy < 0:
		return invalidParam("accuracy", "must be 0 or more")
	}
	return nil
}

func setGeolocation(ctx context.Context, page *actions.Page, p geolocationParams) error {
	return page.Emulate(ctx, actions.Emulation{Geolocation: &actions.Geolocation{Latitude: *p.Latitude, Longitude: *p.Longitude, Accuracy: p.Accuracy}})
}

type offlineParams struct{ Offline *bool }

func (p *offlineParams) check() *failure { return requirePresent("offline", p.Offline != nil) }

func setOffline(ctx context.Context, page *actions.Page, p offlineParams) error {
	return page.Emulate(ctx, actions.Emulation{Offline: p.Offline})
}
