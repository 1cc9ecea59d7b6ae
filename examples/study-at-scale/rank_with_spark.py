"""Count the sites and rank the pages of a crawl in a store, with Spark.

    python rank_with_spark.py STORE/CRAWL [OUT]
    spark-submit --py-files sealed_tables.py rank_with_spark.py STORE/CRAWL [OUT]

The questions are those of `rank_with_duckdb.py`; Spark spreads them over its executors, so neither
pages nor links have to fit into the memory of one machine.
"""

from __future__ import annotations

import sys
from urllib.parse import urlsplit

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from sealed_tables import DAMPING, EDGES, HOP, MOST_HOPS, QUESTIONS, SITES, TOLERANCE, Store

PART_BYTES = 32_000_000
"""Of Parquet: so much is one task's share of a shuffle."""


def connect(spark: SparkSession, place: str) -> None:
    """Make the tables of the crawl views of the session."""
    scheme = "s3a://" if urlsplit(place).scheme == "s3" else "file://"
    store = Store(place)
    tables = store.tables()
    parts = 2 + store.size_bytes // PART_BYTES
    spark.conf.set("spark.sql.shuffle.partitions", str(parts))
    for name, files in tables.items():
        rows = spark.read.option("mergeSchema", "true").parquet(*(scheme + one for one in files))
        rows.createOrReplaceTempView(name)
    for name, question in QUESTIONS.items():
        rows = spark.sql(question)
        (rows if name == "fetches" else rows.cache()).createOrReplaceTempView(name)


def edges_of(spark: SparkSession) -> DataFrame:
    """Return the links between pages, redirects followed."""
    for _ in range(MOST_HOPS):
        further = spark.sql(HOP).localCheckpoint()
        moves = further.exceptAll(spark.table("leads")).limit(1).count()
        further.createOrReplaceTempView("leads")
        if not moves:
            break
    return spark.sql(EDGES)


def rank(spark: SparkSession) -> tuple[DataFrame, int]:
    """Return the PageRank of every page, and how many steps that took."""
    edges = edges_of(spark).cache()
    degrees = edges.groupBy("source").agg(f.count("*").alias("links"))
    pages = spark.table("held").select("url_id")
    nodes = pages.join(degrees, pages.url_id == degrees.source, "left").select(
        "url_id", f.coalesce("links", f.lit(0)).alias("links")
    )
    count = pages.count()
    ranks = nodes.withColumn("rank", f.lit(1.0 / count)).localCheckpoint()
    is_dangling = f.col("links") == 0
    rest = ranks.filter(is_dangling).count() / count
    step, error = 0, 1.0
    while error > TOLERANCE and step < 300:
        step += 1
        share = ranks.select("url_id", (f.col("rank") / f.col("links")).alias("share"))
        given = (
            edges.join(share, edges.source == share.url_id)
            .groupBy("target")
            .agg(f.sum("share").alias("came"))
        )
        came = DAMPING * f.coalesce("came", f.lit(0.0))
        spread = (1 - DAMPING + DAMPING * rest) / count
        after = ranks.join(given, ranks.url_id == given.target, "left").select(
            "url_id", "links", (came + spread).alias("rank"), f.col("rank").alias("before")
        )
        after = (
            after.localCheckpoint()
        )  # each step reads the last one twice: its plan must end here
        change, rest = after.agg(
            f.sum(f.abs(f.col("rank") - f.col("before"))),
            f.coalesce(f.sum(f.when(is_dangling, f.col("rank"))), f.lit(0.0)),
        ).first()
        error = change * DAMPING / (1 - DAMPING)
        ranks = after.select("url_id", "links", "rank")
    return ranks.select("url_id", "rank"), step


def main(place: str, out: str = "ranks") -> None:
    """Write OUT/sites and OUT/ranks as Parquet, and print the first ones."""
    # What Spark infers of columns doubles with every step, and fills the driver's memory.
    plain = SparkSession.builder.config("spark.sql.constraintPropagation.enabled", "false")
    spark = plain.appName("rank a crawl").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    connect(spark, place)
    ranks, steps = rank(spark)
    sites = spark.sql(SITES)
    sites.write.mode("overwrite").parquet(f"{out}/sites")
    ranked = ranks.join(spark.table("held").select("url_id", "url"), "url_id")
    ranked.write.mode("overwrite").parquet(f"{out}/ranks")
    print(f"{ranked.count()} pages, PageRank in {steps} steps")
    sites.orderBy(f.desc("pages"), "site").show(5, truncate=False)
    ranked.select("rank", "url").orderBy(f.desc("rank")).show(5, truncate=False)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
