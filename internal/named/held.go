package named

import "github.com/cdphub/cdphub/internal/held"

// Held counts what the sessions hold together, by names.
func (ss *Sessions) Held() map[string]int { return held.Of(ss) }
