#!/bin/sh
# One member of a cluster, in a container: begins the crawl, joins it, or goes on with it.
#
#   LYCOSA_LOG     the address of the log, with the keys of this member:
#                  tls://HOST1,HOST2,HOST3?ca=/keys/ca.pem&nkey=/keys/nats.nk
#   LYCOSA_STORE   the store of objects: s3://BUCKET/PREFIX (the crawl is begun and joined with it)
#   LYCOSA_TRUST   the digest that the first member has printed, if the job has further settings
#                  that each member must accept
#   LYCOSA_BEGIN   flags of `lycosa crawl` for the member that begins: --seeds FILE --contact …
#   LYCOSA_CRAWL   the name of the crawl, if the servers hold several
#
# With the exit code 2 there is no crawl to join yet: the container is started again until there is.
set -eu

crawl=/data/crawl
: "${LYCOSA_LOG:?name the log: tls://HOST1,HOST2,HOST3 or postgresql://HOST/DATABASE}"
if [ -e "$crawl/crawl.toml" ]; then
    exec lycosa resume "$crawl"
elif [ -n "${LYCOSA_BEGIN:-}" ]; then
    # shellcheck disable=SC2086
    exec lycosa crawl $LYCOSA_BEGIN -o "$crawl" --log "$LYCOSA_LOG" ${LYCOSA_STORE:+--store "$LYCOSA_STORE"}
else
    # shellcheck disable=SC2086
    exec lycosa join "$LYCOSA_LOG" ${LYCOSA_CRAWL:-} -o "$crawl" ${LYCOSA_STORE:+--store "$LYCOSA_STORE"}
fi
