package actions

// frameTree is Page.FrameTree. It nests at most wire.MaxDepth levels, see wire.Decode.
type frameTree struct {
	Frame struct {
		// One line for all: encoding/json matches names without regard to case.
		ID, ParentID, LoaderID, Name, URL, UnreachableURL string
	}
	ChildFrames []frameTree
}

// maxFrames is how many frames of a page are looked at.
const maxFrames = 10_000

// frameTable is the frames of a page. A Host or a browser names them, with any parents:
// walks from frame to frame go through chain, which refuses a circle.
type frameTable struct {
	list    []Frame
	parents map[string]string // by frame id
}

// add adds a tree's frames. A frame in another process is in two trees: in that of its
// parent and in its own.
func (t *frameTable) add(tree *frameTree) error {
	f := Frame{ID: tree.Frame.ID, Name: tree.Frame.Name, URL: tree.Frame.URL, Parent: tree.Frame.ParentID}
	if _, known := t.parents[f.ID]; known {
		return nil
	}
	if len(t.list) == maxFrames {
		return newError(LimitExceeded, "limit exceeded: the page has more than %d frames", maxFrames)
	}
	if f.ID != "" {
		t.list = append(t.list, f)
		t.parents[f.ID] = f.Parent
	}
	for i := range tree.ChildFrames {
		if err := t.add(&tree.ChildFrames[i]); err != nil {
			return err
		}
	}
	return nil
}

// chain is a frame and the frames around it, the outermost last.
func (t *frameTable) chain(frame string) ([]string, error) {
	list := []string{frame}
	for t.parents[frame] != "" {
		frame = t.parents[frame]
		if list = append(list, frame); len(list) > len(t.parents)+1 {
			return nil, newError(Internal, "the frames of the page lie in a circle")
		}
	}
	return list, nil
}
