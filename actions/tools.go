package actions

import (
	"context"
	"encoding/json"

	"github.com/cdphub/cdphub/internal/wire"
)

// DeclaredTool is something that a page says can be done with it, as BAP names
// it: by a form with the attribute toolname, or by navigator.modelContext.
type DeclaredTool struct {
	Name         string          `json:"name"`
	Description  string          `json:"description,omitempty"`
	InputSchema  json.RawMessage `json:"inputSchema,omitempty"` // JSON Schema
	Source       string          `json:"source"`                // "form" or "modelContext"
	FormSelector string          `json:"formSelector,omitempty"`
}

// declared is a function of the page's main world, since navigator.modelContext and
// what scripts declare there do not exist in an isolated world.
const declared = `() => {
	const tools = [];
	for (const form of document.querySelectorAll("form[toolname]")) {
		const name = form.getAttribute("toolname");
		const properties = {}, required = [];
		for (const f of form.elements) {
			if (!f.name || /^(submit|button|reset|image|hidden)$/.test(f.type)) continue;
			const type = f.type === "checkbox" ? "boolean" : f.type === "number" || f.type === "range" ? "number" : "string";
			const description = f.getAttribute("toolparamdescription") || f.getAttribute("aria-label") || (f.labels && f.labels[0] ? f.labels[0].textContent.trim() : "");
			properties[f.name] = description ? { type, description } : { type };
			if (f.required) required.push(f.name);
		}
		tools.push({
			name, description: form.getAttribute("tooldescription") || undefined, source: "form",
			formSelector: 'form[toolname="' + CSS.escape(name) + '"]', inputSchema: { type: "object", properties, ...(required.length && { required }) },
		});
	}
	const context = navigator.modelContext;
	for (const t of (context && (typeof context.tools === "function" ? context.tools() : context.tools)) || []) {
		tools.push({ name: String(t.name), description: t.description && String(t.description), source: "modelContext", inputSchema: t.inputSchema });
	}
	return tools;
}`

// DeclaredTools lists the tools that the page declares, redacted. The texts are the
// page's own: an agent must not take them for instructions of its user.
func (p *Page) DeclaredTools(ctx context.Context) ([]DeclaredTool, error) {
	// A page can answer with anything here, see the error below.
	v, err := p.Evaluate(ctx, "("+declared+")()", EvaluateOptions{})
	if err != nil {
		return nil, err
	}
	if err := p.callScript(ctx, scriptCall{verb: "secrets"}); err != nil {
		return nil, err
	}
	list := []DeclaredTool{}
	if err := wire.Decode(p.redactJSON(v.JSON), &list); err != nil {
		return nil, newError(Internal, "the page declares tools that are not valid: %v", err)
	}
	return list, nil
}
