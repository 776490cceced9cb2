package live

import "github.com/cdphub/cdphub/internal/held"

// Held counts the views, by names. A view goes with its last viewer.
func (vs *Views) Held() map[string]int { return held.Of(vs) }
