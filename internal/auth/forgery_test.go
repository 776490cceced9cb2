package auth

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// forger knows the public keys of a process, and has keys of its own.
type forger struct {
	t      *testing.T
	claims string
	ed     ed25519.PrivateKey
}

var encode = base64.RawURLEncoding.EncodeToString

// with makes a token of any header, signed in any way.
func (f forger) with(header string, sign func(input string) []byte) string {
	input := encode([]byte(header)) + "." + encode([]byte(f.claims))
	return input + "." + encode(sign(input))
}

func (f forger) own(input string) []byte { return ed25519.Sign(f.ed, []byte(input)) }

func bytesOf(b []byte) func(string) []byte { return func(string) []byte { return b } }

func hs256(secret []byte) func(string) []byte {
	return func(input string) []byte {
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(input))
		return mac.Sum(nil)
	}
}

// TestR139ForgedTokens makes tokens as one can who knows all but the private
// keys, and a good token of small scope.
func TestR139ForgedTokens(t *testing.T) {
	public, private, own, ec, rs := newKeys(t)
	edPEM := publicPEM(t, public)
	set := jwks(t, jose.JSONWebKey{Key: ec.Public(), KeyID: "ec"}, jose.JSONWebKey{Key: rs.Public(), KeyID: "rs"})
	edFile := write(t, "ed.pem", edPEM)
	tokens, err := NewTokens(TokenOptions{Keys: []string{edFile, write(t, "jwks.json", set), write(t, "secret", hmacSecret)}})
	if err != nil {
		t.Fatal(err)
	}
	f := forger{t, fmt.Sprintf(`{"role":"admin","hub":"*","scope":"privileged","exp":%d}`, time.Now().Unix()+60), own}
	small := sign(t, jose.EdDSA, private, "", map[string]any{"role": "client", "scope": "readonly", "exp": time.Now().Unix() + 60})
	if _, err := tokens.Check(NewSecret(small)); err != nil {
		t.Fatal(err)
	}
	forged := map[string]string{}
	f.none(forged, small)
	f.otherKinds(forged, edPEM, set, public, ec, rs)
	f.kids(forged, edFile, private)
	f.shapes(forged, small)
	for _, name := range slices.Sorted(maps.Keys(forged)) {
		if g, err := tokens.Check(NewSecret(forged[name])); err == nil || !reflect.DeepEqual(g, Grant{}) {
			t.Errorf("%s: %+v, %v", name, g, err)
		}
	}
	t.Logf("%d forgeries", len(forged))
}

// none are tokens that say that they have no signature.
func (f forger) none(forged map[string]string, small string) {
	parts := strings.Split(small, ".")
	for _, alg := range []string{`"none"`, `"None"`, `"NONE"`, `"nOnE"`, `" none"`, `"none "`, `""`, `null`, `0`, `[]`, `["EdDSA","none"]`, `"\u006eone"`, `"EdDSA"`, `"HS256"`, `"RS256"`, `"ES256"`} {
		header := `{"alg":` + alg + `,"typ":"JWT"}`
		forged["alg "+alg+" without a signature"] = f.with(header, bytesOf(nil))
		forged["alg "+alg+" with another's signature"] = encode([]byte(header)) + "." + encode([]byte(f.claims)) + "." + parts[2]
		forged["alg "+alg+" of two parts"] = encode([]byte(header)) + "." + encode([]byte(f.claims))
	}
	for _, header := range []string{`{}`, `{"typ":"JWT"}`, `null`, `[]`, `"none"`, ``, `{"ALG":"none"}`, `{"alg":"none","alg":"EdDSA"}`, `{"alg":"EdDSA","alg":"none"}`} {
		forged["header "+header] = f.with(header, bytesOf(nil))
		forged["header "+header+" with another's signature"] = encode([]byte(header)) + "." + parts[1] + "." + parts[2]
	}
}

// otherKinds take a public key for a key of another kind, or a signature that
// is none.
func (f forger) otherKinds(forged map[string]string, edPEM, set string, public ed25519.PublicKey, ec *ecdsa.PrivateKey, rs *rsa.PrivateKey) {
	rsDER, err := x509.MarshalPKIXPublicKey(rs.Public())
	if err != nil {
		f.t.Fatal(err)
	}
	var whole struct{ Keys []json.RawMessage }
	if err := json.Unmarshal([]byte(set), &whole); err != nil {
		f.t.Fatal(err)
	}
	secrets := map[string][]byte{
		"nothing": nil, "the PEM": []byte(edPEM), "the PEM, trimmed": []byte(strings.TrimSpace(edPEM)), "the Ed25519 key": public, "the PEM of RSA": []byte(publicPEM(f.t, rs.Public())),
		"the DER of RSA": rsDER, "the modulus": rs.N.Bytes(), "the PKCS #1": x509.MarshalPKCS1PublicKey(&rs.PublicKey), "the set": []byte(set), "a key of the set": whole.Keys[0], "another of the set": whole.Keys[1],
		"zeros": make([]byte, 32), "null": []byte("null"),
	}
	for name, secret := range secrets {
		for _, header := range []string{`{"alg":"HS256"}`, `{"alg":"HS256","kid":"rs"}`, `{"alg":"HS384"}`, `{"alg":"EdDSA"}`, `{"alg":"RS256","kid":"rs"}`} {
			forged["the secret is "+name+", "+header] = f.with(header, hs256(secret))
		}
	}
	n := elliptic.P256().Params().N.Bytes()
	for name, signature := range map[string][]byte{
		"zeros": make([]byte, 64), "the order": append(slices.Clone(n), n...), "ones": append(append(make([]byte, 31), 1), append(make([]byte, 31), 1)...),
		"63 bytes": make([]byte, 63), "65 bytes": make([]byte, 65), "DER": {0x30, 6, 2, 1, 0, 2, 1, 0}, "256 zeros": make([]byte, 256), "256 bytes, 1": append(make([]byte, 255), 1), "the modulus": rs.N.Bytes(),
	} {
		for _, header := range []string{`{"alg":"ES256","kid":"ec"}`, `{"alg":"ES256"}`, `{"alg":"ES384"}`, `{"alg":"EdDSA"}`, `{"alg":"RS256"}`, `{"alg":"PS256","kid":"rs"}`} {
			forged["the signature is "+name+", "+header] = f.with(header, bytesOf(signature))
		}
	}
}

// kids name keys that are not the process's: in the header, by address, by
// path, by names of all sorts.
func (f forger) kids(forged map[string]string, file string, private ed25519.PrivateKey) {
	own, err := json.Marshal(jose.JSONWebKey{Key: f.ed.Public()})
	if err != nil {
		f.t.Fatal(err)
	}
	for _, more := range []string{
		`"jwk":` + string(own), `"jku":"http://127.0.0.1:9/jwks.json"`, `"jku":"file://` + file + `"`, `"x5u":"http://127.0.0.1:9/"`, `"x5c":["` + base64.StdEncoding.EncodeToString(f.ed.Public().(ed25519.PublicKey)) + `"]`,
		`"kid":"` + file + `"`, `"kid":"../../../../dev/null"`, `"kid":"/dev/null"`, `"kid":"ec"`, `"kid":"rs"`, `"kid":""`, `"kid":null`, `"kid":1`, `"kid":["ec"]`, `"kid":{"$ne":""}`, `"kid":"' OR 1=1 --"`, `"kid":"a\u0000b"`,
		`"kid":` + string(own), `"cty":"JWT"`, `"zip":"DEF"`,
	} {
		forged["our own key, "+more] = f.with(`{"alg":"EdDSA",`+more+`}`, f.own)
		forged["no secret, "+more] = f.with(`{"alg":"HS256",`+more+`}`, hs256(nil))
	}
	// Even who has the key cannot have understood what is not understood here.
	for _, more := range []string{`"crit":["exp"],"exp":1`, `"crit":["b64"],"b64":false`, `"crit":["x"],"x":1`, `"crit":"x"`} {
		forged["the right key, "+more] = f.with(`{"alg":"EdDSA",`+more+`}`, func(input string) []byte { return ed25519.Sign(private, []byte(input)) })
	}
}

// shapes are good tokens in other clothes.
func (f forger) shapes(forged map[string]string, small string) {
	parts := strings.Split(small, ".")
	for name, token := range map[string]string{
		"a space before": " " + small, "a line end after": small + "\n", "a dot after": small + ".", "a dot before": "." + small, "padding": small + "=", "twice": small + "." + small, "a list": small + "," + small,
		"other claims": parts[0] + "." + encode([]byte(f.claims)) + "." + parts[2], "no header": "." + parts[1] + "." + parts[2], "five parts": strings.Join([]string{parts[0], "", "", parts[1], parts[2]}, "."),
		"JSON":                      `{"protected":"` + parts[0] + `","payload":"` + parts[1] + `","signature":"` + parts[2] + `"}`,
		"JSON with more signatures": `{"payload":"` + encode([]byte(f.claims)) + `","signatures":[{"protected":"` + parts[0] + `","signature":"` + parts[2] + `"}]}`,
		"a long one":                strings.Repeat("A", 1<<16) + "." + parts[1] + "." + parts[2], "dots": strings.Repeat(".", 1<<16), "deep": encode([]byte(strings.Repeat(`{"a":`, 10_000))) + "." + parts[1] + "." + parts[2],
		"bits that mean nothing": small[:len(small)-1] + string(small[len(small)-1]+1), "in another case": strings.ToUpper(small),
	} {
		forged[name] = token
	}
}

// TestR139ClaimsOfSignedTokens has a key sign claims that are not what they
// should be.
func TestR139ClaimsOfSignedTokens(t *testing.T) {
	tokens, err := NewTokens(TokenOptions{Keys: []string{write(t, "secret", hmacSecret)}})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now().Unix()
	for _, claims := range []string{
		`{"role":"client"}`, `{"role":"client","exp":null}`, `{"role":"client","exp":0}`, `{"role":"client","exp":-1}`, `{"role":"client","exp":"9999999999"}`, `{"role":"client","exp":[9999999999]}`, `{"role":"client","exp":true}`,
		`{"role":"client","exp":1e1000}`, `{"role":"client","EXP":9999999999}`, fmt.Sprintf(`{"role":"client","exp":%d}`, now), fmt.Sprintf(`{"role":"client","exp":%d,"nbf":%d}`, now+60, now+30),
		fmt.Sprintf(`{"role":"client","exp":%d,"iat":%d}`, now+60, now+30), fmt.Sprintf(`{"role":"client","exp":%d,"nbf":"0"}`, now+60), fmt.Sprintf(`{"role":"client","exp":%d,"aud":[]}x`, now+60),
		fmt.Sprintf(`{"role":"client","exp":%d,"aud":"CDPHUB"}`, now+60), fmt.Sprintf(`{"role":"client","exp":%d,"aud":["cdphub2"]}`, now+60), fmt.Sprintf(`{"role":"Client","exp":%d}`, now+60), fmt.Sprintf(`{"role":["client"],"exp":%d}`, now+60),
		fmt.Sprintf(`{"role":"client admin","exp":%d}`, now+60), fmt.Sprintf(`{"ROLE":"client","exp":%d}`, now+60), fmt.Sprintf(`{"role":"client","role":"admin","exp":%d}`, now+60), fmt.Sprintf(`{"role":"client","exp":1,"exp":%d}`, now+60),
		fmt.Sprintf(`{"role":"client","exp":%d,"scope":"Full"}`, now+60), fmt.Sprintf(`{"role":"client","exp":%d,"scope":4}`, now+60), fmt.Sprintf(`{"role":"client","exp":%d,"hub":"**"}`, now+60), fmt.Sprintf(`{"role":"client","exp":%d,"hub":"?"}`, now+60),
		fmt.Sprintf(`{"role":"client","exp":%d,"hub":["*"]}`, now+60), ``, `null`, `[]`, `"client"`, `1`,
	} {
		f := forger{claims: claims}
		if g, err := tokens.Check(NewSecret(f.with(`{"alg":"HS256"}`, hs256([]byte(hmacSecret))))); err == nil || !reflect.DeepEqual(g, Grant{}) {
			t.Errorf("%s: %+v, %v", claims, g, err)
		}
	}
}
