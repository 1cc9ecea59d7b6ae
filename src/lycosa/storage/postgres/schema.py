"""The tables and functions of a crawl in PostgreSQL: one schema each.

`write` is the whole commit. It locks the heads that it touches in the order of their numbers, so
that two commits never deadlock, decides which writes are valid, and does those. It is one
statement, so that a commit is one round trip, also through a pooler. The identity next to each
batch shows whether a repeated write has happened before.

Partition -1 exists only for the contest at joining.
"""

from __future__ import annotations

FORMAT = 1
TRIAL = -1

TABLES = """
CREATE TABLE about (format int NOT NULL, partitions int NOT NULL, notes bigint NOT NULL);
CREATE TABLE heads (
    partition int PRIMARY KEY, log bigint NOT NULL, inbox bigint NOT NULL, owner text NOT NULL)
    WITH (fillfactor = 50);
CREATE TABLE log (
    partition int, sequence bigint, identity bytea NOT NULL, batch bytea NOT NULL,
    PRIMARY KEY (partition, sequence));
CREATE TABLE inbox (
    partition int, sequence bigint, batch bytea NOT NULL, PRIMARY KEY (partition, sequence));
CREATE TABLE notes (
    name text PRIMARY KEY, number bigint UNIQUE NOT NULL, identity bytea NOT NULL,
    value bytea NOT NULL);
CREATE TABLE archive (
    partition int, last bigint, frame bytea NOT NULL, PRIMARY KEY (partition, last));
"""

FUNCTIONS = """
CREATE FUNCTION write(
    new_owner text, partitions int[], expects bigint[], identities bytea[], batches bytea[],
    reads bigint[], post_writes int[], post_targets int[], post_batches bytea[])
RETURNS bigint[] LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    valid bigint[];
BEGIN
    -- For this transaction: the answer comes when the disk, and a synchronous standby, has it.
    PERFORM set_config('synchronous_commit', 'on', true);
    PERFORM 1 FROM heads WHERE partition = ANY (partitions || post_targets)
        ORDER BY partition FOR UPDATE;
    valid := ARRAY(
        SELECT w.n FROM unnest(partitions, expects) WITH ORDINALITY AS w (partition, expect, n)
        JOIN heads h USING (partition) WHERE h.log = w.expect) || 0::bigint;
    INSERT INTO log
        SELECT w.partition, w.expect + 1, w.identity, w.batch
        FROM unnest(partitions, expects, identities, batches)
            WITH ORDINALITY AS w (partition, expect, identity, batch, n)
        WHERE w.n = ANY (valid);
    INSERT INTO inbox
        SELECT p.target, h.inbox + row_number() OVER (PARTITION BY p.target ORDER BY p.n), p.batch
        FROM unnest(post_writes, post_targets, post_batches)
            WITH ORDINALITY AS p (write, target, batch, n)
        JOIN heads h ON h.partition = p.target
        WHERE p.write = ANY (valid);
    UPDATE heads h SET
        log = h.log + c.appended,
        inbox = h.inbox + c.posted,
        owner = CASE WHEN c.appended > 0 THEN coalesce(new_owner, h.owner) ELSE h.owner END
        FROM (
            SELECT u.partition, sum(u.appended) AS appended, sum(u.posted) AS posted FROM (
                SELECT w.partition, 1 AS appended, 0 AS posted
                FROM unnest(partitions) WITH ORDINALITY AS w (partition, n) WHERE w.n = ANY (valid)
                UNION ALL
                SELECT p.target, 0, 1 FROM unnest(post_writes, post_targets) AS p (write, target)
                WHERE p.write = ANY (valid)) AS u
            GROUP BY u.partition) AS c
        WHERE h.partition = c.partition;
    DELETE FROM inbox i
        USING unnest(partitions, reads) WITH ORDINALITY AS w (partition, read, n)
        WHERE w.n = ANY (valid) AND i.partition = w.partition AND i.sequence <= w.read;
    RETURN ARRAY(
        SELECT CASE WHEN w.n = ANY (valid) OR l.identity = w.identity THEN w.expect + 1 END
        FROM unnest(partitions, expects, identities)
            WITH ORDINALITY AS w (partition, expect, identity, n)
        LEFT JOIN log l ON l.partition = w.partition AND l.sequence = w.expect + 1
        ORDER BY w.n);
END $$;

CREATE FUNCTION post(target int, messages bytea) RETURNS bigint
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    number bigint;
BEGIN
    PERFORM set_config('synchronous_commit', 'on', true);
    UPDATE heads SET inbox = inbox + 1 WHERE partition = target RETURNING inbox INTO number;
    INSERT INTO inbox VALUES (target, number, messages);
    RETURN number;
END $$;

CREATE FUNCTION note(names text[], identities bytea[], contents bytea[]) RETURNS boolean[]
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    last bigint;
BEGIN
    PERFORM set_config('synchronous_commit', 'on', true);
    -- The row stays locked to the end, so numbers become visible in their order.
    SELECT a.notes INTO last FROM about a FOR UPDATE;
    INSERT INTO notes
        SELECT w.name, last + row_number() OVER (ORDER BY w.n), w.identity, w.value
        FROM unnest(names, identities, contents) WITH ORDINALITY AS w (name, identity, value, n)
        WHERE NOT EXISTS (SELECT 1 FROM notes k WHERE k.name = w.name);
    UPDATE about SET notes = greatest(last, (SELECT max(k.number) FROM notes k));
    RETURN ARRAY(
        SELECT k.identity = w.identity
        FROM unnest(names, identities) WITH ORDINALITY AS w (name, identity, n)
        JOIN notes k USING (name) ORDER BY w.n);
END $$;

CREATE FUNCTION note_at(
    name text, identity bytea, content bytea, logs bigint[], inboxes bigint[], owners text[])
RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM 1 FROM heads ORDER BY partition FOR UPDATE;
    IF (SELECT (array_agg(h.log ORDER BY h.partition),
                array_agg(h.inbox ORDER BY h.partition),
                array_agg(h.owner ORDER BY h.partition))
            IS DISTINCT FROM (logs, inboxes, owners)
        FROM heads h WHERE h.partition >= 0) THEN
        RETURN coalesce((SELECT k.identity = note_at.identity FROM notes k
                         WHERE k.name = note_at.name), false);
    END IF;
    RETURN (note(ARRAY[name], ARRAY[identity], ARRAY[content]))[1];
END $$;
"""
