"""What Scrapy runs in the broad race; this file is run by Scrapy's own environment.

    python spider.py SEEDS HOSTS OUTPUT [--connections N] [--seconds S]

The settings are those that Scrapy's page on broad crawls names. Names are resolved from the
file that Lycosa has, too; certificates are not looked at, as Scrapy does by default.
"""
# mypy: ignore-errors

import argparse
from pathlib import Path

from scrapy import Spider
from scrapy.crawler import CrawlerProcess
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor
from scrapy.resolver import CachingThreadedResolver
from twisted.internet import defer

HOSTS = {}


class Resolver(CachingThreadedResolver):
    """Answers from the file of hosts."""

    def getHostByName(self, name, timeout=None):  # noqa: N802
        return defer.succeed(HOSTS[name])


class BroadSpider(Spider):
    name = "broad"

    def __init__(self, seeds):
        self.start_urls = seeds
        self.links = LinkExtractor()
        super().__init__()

    def parse(self, response):
        if isinstance(response, HtmlResponse):
            yield {"url": response.url, "size": len(response.body)}
            for link in self.links.extract_links(response):
                yield response.follow(link, callback=self.parse)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("seeds", type=Path)
    parser.add_argument("hosts", type=Path)
    parser.add_argument("output")
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=0)
    asked = parser.parse_args()
    for line in asked.hosts.read_text().splitlines():
        address, name = line.split()
        HOSTS[name] = address
    process = CrawlerProcess(
        {
            "ROBOTSTXT_OBEY": True,
            "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.DownloaderAwarePriorityQueue",
            "CONCURRENT_REQUESTS": asked.connections,
            "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
            "COOKIES_ENABLED": False,
            "RETRY_ENABLED": False,
            "REDIRECT_ENABLED": False,
            "DOWNLOAD_TIMEOUT": 15,
            "DOWNLOAD_DELAY": 0,
            "DNS_RESOLVER": f"{__name__}.Resolver",
            "CLOSESPIDER_TIMEOUT": asked.seconds,
            "FEEDS": {asked.output: {"format": "jsonlines"}},
            "LOG_LEVEL": "WARNING",
            "TELNETCONSOLE_ENABLED": False,
        }
    )
    process.crawl(BroadSpider, seeds=asked.seeds.read_text().split())
    process.start()


if __name__ == "__main__":
    main()
