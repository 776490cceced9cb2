package mcp

import (
	"context"
	"time"

	"github.com/cdphub/cdphub/actions"
)

// handoffTools ask a person to act on the page. Playwright MCP has none.
var handoffTools = []tool{
	defineTool("browser_handoff", "Ask a person", "Asks a person to do something on the page, such as to log in. Answers with a link: show it to the user, and call browser_handoff_wait.", alters, requestHandoff),
	defineTool("browser_handoff_wait", "Wait for the person", "Waits until the person has done what browser_handoff has asked for, and shows the page then.", alters|mayShow, handoffWait),
	defineTool("browser_handoff_cancel", "Stop asking the person", "Takes back what browser_handoff has asked for.", alters|modal, handoffCancel),
}

type handoffArgs struct {
	onPage
	Instructions string  `json:"instructions" jsonschema:"What the person is to do"`
	Timeout      float64 `json:"timeout,omitempty" jsonschema:"Seconds that the person has; 300 when left out"`
}

// requestHandoff is browser_handoff. It returns at once; the client waits with
// browser_handoff_wait, as a call of a tool must not take as long as a person may.
func requestHandoff(ctx context.Context, c *call, in handoffArgs) error {
	if in.Timeout < 0 || in.Timeout > actions.MaxHandoff.Seconds() {
		return invalidArgument("timeout is in seconds, up to 3600")
	}
	h, err := c.page.BeginHandoff(ctx, in.Instructions, time.Duration(in.Timeout*float64(time.Second)))
	if err != nil {
		return err
	}
	c.say("A person is asked to act on the page. Show the user this link, which opens once: %s", h.URL)
	c.say("Then call browser_handoff_wait with the handoffId %s.", h.ID)
	return nil
}

type handoffWaitArgs struct {
	onPage
	HandoffID string  `json:"handoffId" jsonschema:"From browser_handoff"`
	Timeout   float64 `json:"timeout,omitempty" jsonschema:"Seconds to wait; 30 when left out"`
}

// handedOff says in words how a handoff has ended.
var handedOff = map[actions.HandoffState]string{
	actions.HandoffOpen:      "The person has not finished yet: call browser_handoff_wait again.",
	actions.HandoffDone:      "The person says that it is done.",
	actions.HandoffCancelled: "The person, or this client, has cancelled: it is not done.",
	actions.HandoffTimeout:   "The time is over: it is not done.",
	actions.HandoffClosed:    "The page has ended meanwhile: it is not done.",
}

// handoffWait is browser_handoff_wait. When its time is over it says that the person
// is not ready yet, which is no error.
func handoffWait(ctx context.Context, c *call, in handoffWaitArgs) error {
	ctx, cancel := actions.WithTimeout(ctx, time.Duration(in.Timeout*float64(time.Second)), readTimeout)
	defer cancel()
	h, err := c.page.AwaitHandoff(ctx, in.HandoffID)
	if err != nil {
		return err
	}
	c.say("%s", handedOff[h.State])
	if h.State != actions.HandoffOpen { // else the page is the person's
		c.look(ctx)
	}
	return nil
}

type handoffCancelArgs struct {
	onPage
	HandoffID string `json:"handoffId" jsonschema:"From browser_handoff"`
}

// handoffCancel is browser_handoff_cancel. One that has ended before is no error: the answer
// says how.
func handoffCancel(ctx context.Context, c *call, in handoffCancelArgs) error {
	h, err := c.page.CancelHandoff(ctx, in.HandoffID)
	switch {
	case err != nil:
		return err
	case h.State == actions.HandoffCancelled:
		c.say("The handoff is cancelled: its link opens nothing any more.")
	default:
		c.say("%s", handedOff[h.State])
	}
	return nil
}
