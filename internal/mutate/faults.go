package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"
)

// fault is one change of one file.
type fault struct {
	File       string // below the root of the module
	Line       int
	Start, End int    // bytes
	Text       string // what stands there instead
	Kind       string
}

// put returns the source with the fault, and the lines that it changes.
func (f fault) put(src []byte) (changed []byte, diff string) {
	changed = bytes.Join([][]byte{src[:f.Start], []byte(f.Text), src[f.End:]}, nil)
	from := bytes.LastIndexByte(src[:f.Start], '\n') + 1
	to := len(src)
	if n := bytes.IndexByte(src[f.End:], '\n'); n >= 0 {
		to = f.End + n
	}
	var text strings.Builder
	for _, side := range []struct {
		sign string
		part []byte
	}{{"-", src[from:to]}, {"+", changed[from : to+len(changed)-len(src)]}} {
		for line := range strings.Lines(string(side.part)) {
			if strings.TrimSpace(line) != "" {
				text.WriteString(side.sign + strings.TrimSuffix(line, "\n") + "\n")
			}
		}
	}
	return changed, text.String()
}

// goFaults lists the faults that can be put into a Go file. Whether the file then
// compiles is not known yet.
func goFaults(name string, src []byte) ([]fault, error) {
	c := collector{set: token.NewFileSet(), name: name, src: src}
	file, err := parser.ParseFile(c.set, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || ast.IsGenerated(file) {
		return nil, err
	}
	ast.Inspect(file, c.visit)
	return c.faults, nil
}

type collector struct {
	set    *token.FileSet
	name   string
	src    []byte
	faults []fault
}

func (c *collector) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ImportSpec:
		return false
	case *ast.BlockStmt:
		c.leaveOutStatements(n.List)
	case *ast.CaseClause:
		c.leaveOutStatements(n.Body)
		c.replace("case left out", n, "")
		c.leaveOutEntries("value of a case left out", n.List)
	case *ast.CommClause:
		c.leaveOutStatements(n.Body)
	case *ast.IfStmt:
		c.changeGuard(n)
	case *ast.BinaryExpr:
		c.changeOperator(n)
	case *ast.CompositeLit:
		c.leaveOutEntries("entry left out", n.Elts)
	case *ast.CallExpr:
		if c.isLog(n) || c.text(n.Fun) == "make" { // a capacity changes nothing
			return false
		}
		c.swapArguments(n.Args)
	case *ast.BasicLit:
		if number, err := strconv.Atoi(n.Value); err == nil && n.Kind == token.INT {
			c.replace("number by one", n, strconv.Itoa(number+1))
		}
	case *ast.Ident:
		if other, is := opposite[n.Name]; is {
			c.replace("opposite", n, other)
		}
	}
	return true
}

// opposite is what takes the place of a word or of an operator.
var opposite = map[string]string{
	"true": "false", "false": "true", "==": "!=", "!=": "==",
	"<": "<=", "<=": "<", ">": ">=", ">=": ">",
}

// leaveOutStatements leaves out each statement that declares nothing, and contains no other.
func (c *collector) leaveOutStatements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			if call, is := s.X.(*ast.CallExpr); is && c.isLog(call) {
				continue
			}
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE || c.text(s.Lhs[0]) == "_" {
				continue
			}
		case *ast.IncDecStmt, *ast.SendStmt, *ast.GoStmt, *ast.DeferStmt:
		default:
			continue
		}
		c.replace("statement left out", s, "")
	}
}

// changeGuard leaves out what a guard does, or its return, and negates its condition.
func (c *collector) changeGuard(s *ast.IfStmt) {
	if cond, is := s.Cond.(*ast.BinaryExpr); !is || cond.Op != token.EQL && cond.Op != token.NEQ {
		c.replace("condition negated", s.Cond, "!("+c.text(s.Cond)+")")
	}
	body := s.Body.List
	if len(body) == 0 || s.Else != nil {
		return
	}
	switch last := body[len(body)-1].(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		c.replace("guard left out", s.Body, "{}")
		if len(body) > 1 {
			c.replace("return of a guard left out", last, "")
		}
	}
}

// changeOperator leaves out one side of a condition, or turns a comparison round.
func (c *collector) changeOperator(e *ast.BinaryExpr) {
	switch e.Op {
	case token.LAND, token.LOR:
		c.replace("check left out", e, c.text(e.X))
		c.replace("check left out", e, c.text(e.Y))
	case token.EQL, token.NEQ:
		c.add("condition negated", e.OpPos, e.OpPos+2, opposite[e.Op.String()])
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		op := e.Op.String()
		c.add("bound by one", e.OpPos, e.OpPos+token.Pos(len(op)), opposite[op])
	}
}

// leaveOutEntries leaves out each entry of a list, with the comma beside it.
func (c *collector) leaveOutEntries(kind string, list []ast.Expr) {
	for i, e := range list {
		from, to := e.Pos(), e.End()
		switch {
		case i+1 < len(list):
			to = list[i+1].Pos()
		case i > 0:
			from = list[i-1].End()
		case kind != "entry left out": // a case needs a value
			continue
		case c.src[c.offset(to)] == ',':
			to++
		}
		c.add(kind, from, to, "")
	}
}

// swapArguments swaps each two neighbours that may have the same type.
func (c *collector) swapArguments(args []ast.Expr) {
	for i := 1; i < len(args); i++ {
		a, b := args[i-1], args[i]
		if typeHint(a) == typeHint(b) && c.text(a) != c.text(b) {
			c.add("arguments swapped", a.Pos(), b.End(), c.text(b)+", "+c.text(a))
		}
	}
}

// typeHint tells expressions apart that cannot have the same type.
func typeHint(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.FuncLit, *ast.CompositeLit:
		return "literal"
	case *ast.BasicLit:
		return e.Kind.String()
	case *ast.UnaryExpr:
		return e.Op.String()
	}
	return ""
}

var logs = regexp.MustCompile(`(^|\.)(log|zap|ce)\.`)

// isLog reports whether a call does nothing but write to the log.
func (c *collector) isLog(call *ast.CallExpr) bool { return logs.MatchString(c.text(call.Fun)) }

func (c *collector) offset(p token.Pos) int { return c.set.Position(p).Offset }

func (c *collector) text(n ast.Node) string {
	return string(c.src[c.offset(n.Pos()):c.offset(n.End())])
}

func (c *collector) replace(kind string, n ast.Node, text string) {
	c.add(kind, n.Pos(), n.End(), text)
}

func (c *collector) add(kind string, from, to token.Pos, text string) {
	at := c.set.Position(from)
	c.faults = append(c.faults, fault{c.name, at.Line, at.Offset, c.offset(to), text, kind})
}
