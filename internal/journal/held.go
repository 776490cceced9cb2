package journal

import "github.com/cdphub/cdphub/internal/held"

// Held counts what the Journal holds in memory, by names. Timelines go when all of their entries are
// too old.
func (j *Journal) Held() map[string]int { return held.Of(j) }
