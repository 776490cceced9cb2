package wire

// Object is the members of a JSON object that was read strictly: each name is
// there once, spelled exactly. It aliases the text that it was read from.
type Object []Member

// Member is one member of an Object; Value is valid JSON.
type Member struct {
	Name  string
	Value []byte
}

// Get is the value of a member, nil when there is none. A member with the value null is
// there: its value is the four bytes.
func (o Object) Get(name string) []byte {
	for i := range o {
		if o[i].Name == name {
			return o[i].Value
		}
	}
	return nil
}

// Text is a member that is a string; there is false when it is not there. The text may
// alias the Object.
func (o Object) Text(name string) (text string, there bool) { return Text(o.Get(name)) }

// True reports whether a member is there, and true.
func (o Object) True(name string) bool { return string(o.Get(name)) == "true" }

// Has reports whether a member is there.
func (o Object) Has(name string) bool { return o.Get(name) != nil }

// MemberOf is the value of one member of a JSON object, the last one of that name; nil when
// there is none. It aliases the object.
func MemberOf(object []byte, name string) (found []byte) {
	err := ReadObject(object, func(key string, value []byte) error {
		if key == name {
			found = value
		}
		return nil
	})
	if err != nil {
		return nil
	}
	return found
}
