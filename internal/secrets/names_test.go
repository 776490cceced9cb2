package secrets

import (
	"strings"
	"testing"
)

// standards are the parameters that travel in addresses, by who defines them. One is
// secret if it lets whoever reads it in, or completes a login that is under way. What only
// names somebody or something, or only binds a request to the browser that has begun it
// (state, nonce, RelayState), lets nobody in, and apps call other things by these names.
var standards = []struct{ source, secret, open string }{
	{
		"OAuth 2.0: RFC 6749", "code access_token refresh_token client_secret password",
		"response_type client_id redirect_uri scope state grant_type token_type expires_in username error error_description error_uri",
	},
	{"assertions: RFC 7521, RFC 7523", "assertion client_assertion", "client_assertion_type"},
	{"PKCE: RFC 7636, whose challenge may be the verifier itself (method plain)", "code_verifier code_challenge", "code_challenge_method"},
	{"revocation and introspection: RFC 7009, RFC 7662", "token", "token_type_hint"},
	{"device flow: RFC 8628", "device_code user_code", "verification_uri interval"},
	{"token exchange: RFC 8693", "subject_token actor_token", "subject_token_type actor_token_type requested_token_type resource audience"},
	{"pushed requests, of which one names the other for 60 s or so: RFC 9126", "request_uri", "iss"},
	{"DPoP: RFC 9449, whose proof is in a header", "dpop", "dpop_jkt"},
	{"bearer tokens in addresses: RFC 6750, section 2.3", "access_token", "realm"},
	{"OAuth 1.0: RFC 5849", "oauth_token oauth_token_secret oauth_verifier oauth_signature", "oauth_consumer_key oauth_nonce oauth_timestamp oauth_signature_method oauth_callback oauth_version"},
	{"OAuth Session 1.0", "oauth_session_handle", ""},
	{"OpenID Connect Core, Session, Back-Channel Logout", "id_token id_token_hint logout_token", "nonce state session_state login_hint prompt display max_age acr_values"},
	{"CIBA Core, section 7.3", "auth_req_id login_hint_token client_notification_token user_code", "binding_message"},
	{"OpenID for Verifiable Credentials", "vp_token pre-authorized_code tx_code", "presentation_definition"},
	{"OpenID 2.0", "openid.sig", "openid.mode openid.identity openid.assoc_handle"},
	{"SAML 2.0 Bindings, 3.4 to 3.6", "SAMLRequest SAMLResponse SAMLart Signature", "RelayState SigAlg SAMLEncoding"},
	{"WS-Federation 1.2", "wresult", "wa wtrealm wctx wreply"},
	{"CAS 3.0", "ticket pgtId pgtIou", "service renew gateway pgtUrl"},
	{"AWS Signature 4", "X-Amz-Signature X-Amz-Credential X-Amz-Security-Token", "X-Amz-Algorithm X-Amz-Date X-Amz-Expires X-Amz-SignedHeaders"},
	{"AWS Signature 2", "AWSAccessKeyId Signature", "Expires"},
	{"CloudFront, whose policy is of no use without its signature", "Signature", "Policy Key-Pair-Id Expires"},
	{"Azure SAS, functions, API management", "sig code subscription-key", "sv se st sp sr spr srt ss skoid"},
	{"Google Cloud Storage", "X-Goog-Signature X-Goog-Credential GoogleAccessId Signature", "X-Goog-Algorithm X-Goog-Date X-Goog-Expires"},
	{"Firebase, Supabase, Facebook, Google", "oobCode token_hash signed_request appsecret_proof fb_exchange_token apiKey key", "mode continueUrl lang type authuser"},
	{"Akamai, Alibaba, WordPress", "hdnts hdnea hdntl OSSAccessKeyId sign _wpnonce", "action post"},
	{
		"links to sign in, to confirm and to reset", "token otp code key pin access_code activation_code confirmation_code email_code invite_code login_code magic_code reset_code sms_code " +
			"reset_password_token confirmation_token invitation_token unlock_token login_token ticket authkey session sid PHPSESSID jsessionid",
		"id user email next return_to utm_source page q",
	},
	{"what is alike, and no secret", "", "postcode zipcode countrycode promocode statuscode keyboard keys sort_key primarykey tokens max_tokens design sign_up spin author secretary signal signatures verified assertions"},
}

// TestR268Standards goes through the parameters of the standards.
func TestR268Standards(t *testing.T) {
	for _, tt := range standards {
		for _, name := range strings.Fields(tt.secret) {
			if got := Text("https://a.test/?x=1&" + name + "=abc"); got != "https://a.test/?x=1&"+name+"="+Redacted {
				t.Errorf("%s: %s is not secret: %s", tt.source, name, got)
			}
			if in := `\u003f` + name + `\u003dabc`; !MayBeIn(in) || Text(in) != `\u003f`+name+`\u003d`+Redacted {
				t.Errorf("%s: %s is not secret in a script: %s", tt.source, name, Text(in))
			}
		}
		for _, name := range strings.Fields(tt.open) {
			if IsName(name, true) {
				t.Errorf("%s: %s is secret", tt.source, name)
			}
		}
	}
}
