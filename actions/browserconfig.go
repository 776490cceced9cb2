package actions

import "sync"

// BrowserConfig is what callers have chosen of the browser of their hub, for its next start. Its
// zero value leaves the browser to the operator.
type BrowserConfig struct {
	Headless string // "true" or "false"; "": as the operator says
	Found    bool   // the browser that is found on the machine, whatever the operator says
}

// BrowserConfigs are those of the hubs of a process. Its zero value works.
type BrowserConfigs struct {
	mu sync.Mutex               // guards of
	of map[string]BrowserConfig `stays:"at most maxConfigured, until the process ends"` // by the name of the hub
}

// maxConfigured is for how many hubs a process keeps a BrowserConfig.
const maxConfigured = 1000

// Of is the choice for a hub.
func (c *BrowserConfigs) Of(hub string) BrowserConfig {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.of[hub]
}

// Set notes the choice for a hub. The error has the kind LimitExceeded.
func (c *BrowserConfigs) Set(hub string, to BrowserConfig) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of = make(map[string]BrowserConfig)
	}
	if _, known := c.of[hub]; !known && len(c.of) >= maxConfigured {
		return newError(LimitExceeded, "limit exceeded: %d hubs have a configuration of their browser", maxConfigured)
	}
	c.of[hub] = to
	return nil
}
