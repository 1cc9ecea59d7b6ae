"""Built-in JSON-LD contexts for the addresses that pages refer to, such as schema.org.

They state facts of the vocabularies about names; they are not copies of the files at those
addresses. `@vocab` puts every name into its vocabulary; listed are the properties whose values are
addresses rather than texts, and for schema.org those that hold dates and times.
"""

from __future__ import annotations

from typing import Any

from lycosa.extract.structured.ntriples import XSD

_SCHEMA = "http://schema.org/"
_ADDRESSES = [
    "acceptsReservations",
    "actionableFeedbackPolicy",
    "additionalType",
    "archivedAt",
    "archivesAt",
    "codeRepository",
    "contentUrl",
    "correctionsPolicy",
    "discussionUrl",
    "diversityPolicy",
    "downloadUrl",
    "embedUrl",
    "ethicsPolicy",
    "featureList",
    "gameLocation",
    "hasMap",
    "image",
    "installUrl",
    "isBasedOn",
    "isBasedOnUrl",
    "itemListElement",
    "labelUrl",
    "license",
    "logo",
    "mainEntityOfPage",
    "map",
    "maps",
    "masthead",
    "menu",
    "missionCoveragePrioritiesPolicy",
    "ownershipFundingInfo",
    "paymentUrl",
    "photo",
    "publishingPrinciples",
    "relatedLink",
    "releaseNotes",
    "replyToUrl",
    "sameAs",
    "schemaVersion",
    "screenshot",
    "serviceUrl",
    "significantLink",
    "significantLinks",
    "softwareHelp",
    "subjectOf",
    "targetUrl",
    "thumbnailUrl",
    "ticketToken",
    "trackingUrl",
    "unnamedSourcesPolicy",
    "url",
    "usageInfo",
    "verificationFactCheckingPolicy",
]
_EITHER = frozenset(
    [
        "acceptsReservations",
        "featureList",
        "gameLocation",
        "itemListElement",
        "menu",
        "releaseNotes",
        "schemaVersion",
        "softwareHelp",
        "subjectOf",
        "ticketToken",
    ]
)
"""Properties with texts as often as addresses: their values stay as they are."""
_DAYS = "birthDate datePosted deathDate foundingDate dissolutionDate dateVehicleFirstRegistered"
_MOMENTS = (
    "dateCreated dateModified datePublished dateReceived dateRead dateSent endDate expires "
    "startDate uploadDate validFrom validThrough validUntil"
)


def _schema_org() -> dict[str, Any]:
    context: dict[str, Any] = {"@vocab": _SCHEMA, "schema": _SCHEMA, "id": "@id", "type": "@type"}
    for name in _ADDRESSES:
        if name not in _EITHER:
            context[name] = {"@type": "@id"}
    for name in _DAYS.split():
        context[name] = {"@type": "Date"}
    for name in _MOMENTS.split():
        context[name] = {"@type": "DateTime"}
    return context


def _activity_streams() -> dict[str, Any]:
    vocabulary = "https://www.w3.org/ns/activitystreams#"
    context: dict[str, Any] = {
        "@vocab": vocabulary,
        "as": vocabulary,
        "ldp": "http://www.w3.org/ns/ldp#",
        "xsd": XSD,
        "id": "@id",
        "type": "@type",
        "inbox": {"@id": "ldp:inbox", "@type": "@id"},
    }
    addresses = (
        "actor attachment attributedTo audience bcc bto cc context current first following "
        "followers generator href icon image inReplyTo instrument items last liked likes location "
        "next object origin outbox partOf prev preview relationship replies result shares "
        "streams subject tag target to url"
    )
    for name in addresses.split():
        context[name] = {"@type": "@id"}
    for name in ("deleted", "endTime", "published", "startTime", "updated"):
        context[name] = {"@type": "xsd:dateTime"}
    return context


_PREFIXES = {
    "as": "https://www.w3.org/ns/activitystreams#",
    "cc": "http://creativecommons.org/ns#",
    "ctag": "http://commontag.org/ns#",
    "dc": "http://purl.org/dc/terms/",
    "dc11": "http://purl.org/dc/elements/1.1/",
    "dcat": "http://www.w3.org/ns/dcat#",
    "dcterms": "http://purl.org/dc/terms/",
    "dqv": "http://www.w3.org/ns/dqv#",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "gr": "http://purl.org/goodrelations/v1#",
    "ical": "http://www.w3.org/2002/12/cal/icaltzd#",
    "og": "http://ogp.me/ns#",
    "org": "http://www.w3.org/ns/org#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "prov": "http://www.w3.org/ns/prov#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "rev": "http://purl.org/stuff/rev#",
    "schema": _SCHEMA,
    "sioc": "http://rdfs.org/sioc/ns#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "v": "http://rdf.data-vocabulary.org/#",
    "vcard": "http://www.w3.org/2006/vcard/ns#",
    "void": "http://rdfs.org/ns/void#",
    "xhv": "http://www.w3.org/1999/xhtml/vocab#",
    "xsd": XSD,
}
"""The prefixes that RDFa 1.1 begins with."""

CONTEXTS: dict[str, dict[str, Any]] = {
    "schema.org": _schema_org(),
    "schema.org/docs/jsonldcontext.jsonld": _schema_org(),
    "schema.org/docs/jsonldcontext.json": _schema_org(),
    "w3.org/ns/activitystreams": _activity_streams(),
    "w3.org/2013/json-ld-context/rdfa11": dict(_PREFIXES),
}
"""By address without scheme, `www.` and the slash at the end."""
