package bap

import (
	"cmp"
	"context"
	"strconv"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/actions/extract"
)

// extractParams are the params of agent/extract. The instruction is not used: the hub
// has no model. Data is found by what repeats in the page, and by the names of the
// schema.
type extractParams struct {
	Instruction       string
	Schema            *extract.Schema
	Mode              string
	Selector          selector
	IncludeSourceRefs bool
}

func (p *extractParams) check() *failure {
	if p.Schema == nil {
		return invalidParam("schema", "is missing")
	}
	return cmp.Or(
		requireValue("instruction", p.Instruction), checkSchema("schema", p.Schema),
		oneOf("mode", &p.Mode, string(extract.Single), string(extract.List), string(extract.Table)), p.Selector.maybe("selector"),
	)
}

func checkSchema(field string, s *extract.Schema) *failure {
	switch s.Type {
	case "object", "array", "string", "number", "boolean":
		return nil
	}
	return invalidParam(field+".type", "%q is not known: use object, array, string, number, boolean", s.Type)
}

// extraction is the result of agent/extract. A page that cannot be read is no error
// of the call.
type extraction struct {
	Success    bool     `json:"success"`
	Data       any      `json:"data"`
	Sources    []source `json:"sources,omitempty"`
	Confidence float64  `json:"confidence,omitempty"`
	Error      string   `json:"error,omitempty"`
}

// source is where an item was found.
type source struct {
	Ref      string           `json:"ref"`
	Selector actions.Selector `json:"selector"`
	Text     string           `json:"text,omitempty"`
}

// extractData is agent/extract. A page that cannot be read is a result without
// success, as BAP has it; only a page that has gone is an error.
func extractData(ctx context.Context, page *actions.Page, p extractParams) (any, error) {
	c, err := page.Content(ctx, "html", p.Selector.Locator)
	if err != nil {
		if actions.KindOf(err) == actions.TargetClosed {
			return nil, err
		}
		return extraction{Error: err.Error()}, nil
	}
	found, err := extract.HTML(c.Content, *p.Schema, extract.Mode(p.Mode))
	if err != nil {
		return extraction{Error: "the page cannot be read: " + err.Error()}, nil
	}
	out := extraction{Success: true, Data: found.Data, Confidence: found.Confidence}
	if p.IncludeSourceRefs {
		for i, s := range found.Sources {
			out.Sources = append(out.Sources, source{
				Ref: "@s" + strconv.Itoa(i+1), Selector: actions.Selector{Type: "css", Value: s.Selector}, Text: s.Text,
			})
		}
	}
	return out, nil
}
