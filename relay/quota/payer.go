package quota

import "context"

// Payer is whose part something counts for: the bearer of a token. What was made on
// behalf of a token counts for the token, such as a sandbox with its own token, or the
// guest of a handoff. The zero value is the process itself, and everybody where no
// tokens are needed.
type Payer struct {
	ID   string // is the same for the same token, and does not reveal it
	Name string // for people and metrics
}

type payerKey struct{}

// NewContext is ctx for what is done on behalf of a Payer.
func NewContext(ctx context.Context, p Payer) context.Context {
	return context.WithValue(ctx, payerKey{}, p)
}

// FromContext is on whose behalf something is done.
func FromContext(ctx context.Context) Payer {
	p, _ := ctx.Value(payerKey{}).(Payer)
	return p
}
