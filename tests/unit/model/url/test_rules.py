"""A rule that cannot be meant is refused, with its number and the remedy."""

from typing import Any

import pytest

from lycosa.errors import ConfigError
from lycosa.model.url import Action, parse_rules


def message_of(*rules: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        parse_rules(rules)
    return str(caught.value)


def test_rules_keep_their_order_and_carry_their_reason() -> None:
    rules = parse_rules(
        [
            {"action": "reject", "list": "useless-actions"},
            {"action": "transform", "list": "session-ids"},
            {"action": "accept", "suffix": ".cl", "name": "Chile"},
            {"action": "reject", "max_query_parameters": 3},
        ]
    )
    assert [rule.reason for rule in rules] == [
        "reject:useless-actions",
        "transform:session-ids",
        "accept:Chile",
        "reject:max_query_parameters 3",
    ]
    assert rules[2].action is Action.ACCEPT


def test_equal_tables_make_equal_rules() -> None:
    table = {"action": "reject", "regex": "a+", "suffix": [".cl"]}
    assert parse_rules([table]) == parse_rules([dict(table)])


def test_the_message_says_which_rule_and_the_likely_key() -> None:
    text = message_of({"action": "accept"}, {"action": "accept", "sufix": ".cl"})
    assert text.startswith("[[rules]] number 2: there is no key `sufix`\n")
    assert "did you mean `suffix`?" in text
    assert 'all keys with action = "accept": action, name, suffix, host' in text


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("accept", "a rule is a table"),
        ({"suffix": ".cl"}, 'no `action`\n  write action = "accept"'),
        ({"action": "acept"}, 'did you mean "accept"?'),
        ({"action": "accept", "max_url_length": 9}, 'a rule with action = "reject", not "accept"'),
        ({"action": "reject", "drop_www": True}, 'a rule with action = "transform"'),
        ({"action": "reject", "max-url-length": 9}, "did you mean `max_url_length`?"),
        ({"action": "reject", "max_url_length": -1}, "a whole number from 0 upwards"),
        ({"action": "reject", "max_url_length": True}, "a whole number from 0 upwards"),
        ({"action": "reject", "max_url_length": "9"}, "a whole number from 0 upwards"),
        ({"action": "accept", "suffix": 7}, "text or a list of texts"),
        ({"action": "accept", "suffix": []}, "text or a list of texts"),
        ({"action": "accept", "suffix": ""}, "text or a list of texts"),
        ({"action": "accept", "suffix": "*.cl"}, "`*.cl` is not a host name or suffix"),
        ({"action": "accept", "suffix": "."}, "is not a host name or suffix"),
        ({"action": "accept", "host": "http://a.org/"}, "a URL with its scheme is a `prefix`"),
        ({"action": "accept", "host": "a.org:81"}, "without port, path"),
        ({"action": "accept", "prefix": "/docs/"}, "as in `https://example.org/docs/`"),
        ({"action": "accept", "regex": "("}, "`(` is not a regular expression"),
        ({"action": "accept", "scheme": "ftp"}, "a scheme is `http` or `https`"),
        ({"action": "reject", "list": "useless"}, "did you mean `useless-actions`?"),
        ({"action": "reject", "list": "tracking"}, "no list `tracking` for reject"),
        ({"action": "transform"}, "one change, this one none"),
        ({"action": "transform", "drop_www": True, "sort_query": True}, "this one 2"),
        ({"action": "transform", "drop_www": False}, "write drop_www = true, or leave the rule"),
        ({"action": "transform", "drop_index_files": False}, "text or a list of texts"),
        ({"action": "transform", "regex_replace": "a"}, "give both or neither"),
        ({"action": "transform", "drop_www": True, "replacement": "a"}, "give both or neither"),
        (
            {"action": "transform", "regex_replace": "a", "replacement": r"\2"},
            "does not fit its pattern",
        ),
        ({"action": "transform", "remove_parameters": ["*"]}, "a `*` may only end a name"),
        ({"action": "transform", "remove_parameters": ["a*b"]}, "a `*` may only end a name"),
        ({"action": "accept", "name": ""}, "`name` is ''; write some text"),
    ],
)
def test_the_message_says_what_is_wrong_and_how_to_mend_it(rule: Any, words: str) -> None:
    text = message_of(rule)
    assert text.startswith("[[rules]] number 1: ")
    assert words in text


def test_a_replacement_may_be_empty() -> None:
    (rule,) = parse_rules([{"action": "transform", "regex_replace": "a", "replacement": ""}])
    assert rule.reason == "transform:regex_replace"
