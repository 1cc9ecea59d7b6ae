"""Ready-made lists that a rule can name, such as session ids and tracking parameters.

    { action = "transform", list = "session-ids" }      parameters that carry a session
    { action = "transform", list = "tracking" }         parameters that carry a campaign
    { action = "reject", list = "useless-actions" }     pages that do something, or nothing
    { action = "reject", list = "traps" }               URLs that software makes without end

Words are compared whole and without regard to case: `/login.php`, `?action=login` and
`?login` are the action `login`, `/blogging` and `?title=login+page` are not. The meaning of a word
depends on its position, so paths and parameters have lists of their own: a path segment `print`
may be a newspaper's edition, a parameter `print` is a second copy.

A new entry must be a word that no page of content is likely to have as a whole segment.
"""

from lycosa.model.url.conditions import AnyOf, Condition, Exceeds, Names
from lycosa.model.url.transforms import Change, remove_parameters


def _words(text: str) -> list[str]:
    return text.split()


INDEX_FILES = frozenset(
    _words(
        "index.html index.htm index.xhtml index.shtml index.php index.php3 index.php4 index.php5 "
        "index.asp index.aspx index.jsp index.jsf index.do index.cfm index.cgi index.pl "
        "default.html default.htm default.asp default.aspx Default.htm Default.asp Default.aspx"
    )
)
"""Names of files that `drop_index_files = true` drops. Upper and lower case differ, as in most file
systems.
"""

SESSION_IDS = _words(
    "phpsessid jsessionid sid sessid session_id sessionid session-id aspsessionid* "
    "asp.net_sessionid cfid cftoken cfsessionid zenid oscsid osclid xtcsid s_id "
    "phpsession php_session_id ci_session sessid* jsession* sap-contextid"
)

TRACKING = _words(
    "utm_* gclid gclsrc dclid gbraid wbraid fbclid msclkid yclid ysclid twclid ttclid igshid "
    "igsh li_fat_id mc_cid mc_eid _hsenc _hsmi hsctatracking mkt_tok _ga _gl oly_anon_id "
    "oly_enc_id vero_id vero_conv wickedid s_cid cmpid icid ncid mtm_* pk_* piwik_* matomo_* "
    "at_medium at_campaign at_custom* wt_mc wt.mc_id rb_clickid guccounter guce_*"
)

USELESS_SEGMENTS = frozenset(
    _words(
        "login log-in log_in logon signin sign-in sign_in logout log-out log_out logoff signout "
        "sign-out sign_out register registration signup sign-up sign_up wp-login wp-signup "
        "wp-admin wp-register forgot-password forgot_password forgotpassword lost-password "
        "lost_password lostpassword reset-password reset_password password-reset password_reset "
        "change-password calendar ical add-to-cart add_to_cart addtocart cart checkout "
        "wishlist sendtofriend send-to-friend email-friend emailfriend tellafriend tell-a-friend "
        "report-abuse reportabuse"
    )
)

USELESS_PARAMETERS = USELESS_SEGMENTS | frozenset(
    _words(
        "edit print printable printview printer printer-friendly replytocom reply quote "
        "add-to-wishlist add_to_wishlist subscribe unsubscribe share sharer redlink veaction "
        "openid saml returnto return_to lostpw newtopic newreply sendpm"
    )
)

MOST_IN_A_DECENT_URL = {
    "max_path_segments": 16,
    "max_repeated_segments": 3,
    "max_query_parameters": 16,
    "max_query_length": 512,
    "max_url_length": 1024,
}
"""Limits beyond which the list `traps` rejects a URL."""

REJECT_LISTS: dict[str, Condition] = {
    "useless-actions": Names(USELESS_SEGMENTS, USELESS_PARAMETERS),
    "traps": AnyOf(tuple(Exceeds(limit, most) for limit, most in MOST_IN_A_DECENT_URL.items())),
}

TRANSFORM_LISTS: dict[str, Change] = {
    "session-ids": remove_parameters(SESSION_IDS),
    "tracking": remove_parameters(TRACKING),
}
