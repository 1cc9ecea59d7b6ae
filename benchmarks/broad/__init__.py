"""The broad race: 10,000 hosts on 50 addresses, half of them over TLS, five pages on each.

python -m benchmarks.broad [--hosts 10000] [--runs 3]

web         makes the pages and certificates, and serves them by nginx
spider      what Scrapy runs: its settings for broad crawls
__main__    lets the crawlers take turns, and prints the table
"""
