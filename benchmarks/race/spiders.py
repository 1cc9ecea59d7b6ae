"""The two spiders that Scrapy runs; this file is run by Scrapy's own environment.

    python spiders.py plain|lexbor START SCOPE OUTPUT [--connections N] [--seconds S] [--alone]

`plain` is what Scrapy's tutorial shows: a CrawlSpider with a LinkExtractor. `lexbor` is written
for speed: the links by selectolax's tree, each href of a page
resolved once, and only those in scope and not yet seen are handed to the scheduler, which asks
no filter of its own.
"""
# mypy: ignore-errors

import argparse
import re
from urllib.parse import urljoin

from scrapy import Request, Spider
from scrapy.crawler import CrawlerProcess
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule
from selectolax.lexbor import LexborHTMLParser


class PlainSpider(CrawlSpider):
    name = "plain"

    def __init__(self, start, scope, alone):
        self.start_urls = [start]
        inside = LinkExtractor(allow="^" + re.escape(scope))
        self.rules = () if alone else (Rule(inside, callback="parse_item", follow=True),)
        super().__init__()

    def parse_start_url(self, response, **_):
        return self.parse_item(response)

    def parse_item(self, response):
        if isinstance(response, HtmlResponse):
            yield {"url": response.url, "size": len(response.body)}


class LexborSpider(Spider):
    name = "lexbor"

    def __init__(self, start, scope, alone):
        self.start_urls, self.scope, self.alone, self.seen = [start], scope, alone, {start}
        super().__init__()

    def parse(self, response):
        if not isinstance(response, HtmlResponse):
            return
        yield {"url": response.url, "size": len(response.body)}
        if self.alone:
            return
        tree = LexborHTMLParser(response.body)
        hrefs = {(node.attributes["href"] or "").partition("#")[0] for node in tree.css("a[href]")}
        for target in {urljoin(response.url, href) for href in hrefs if href} - self.seen:
            if target.startswith(self.scope):
                self.seen.add(target)
                yield Request(target, callback=self.parse, dont_filter=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=["plain", "lexbor"])
    parser.add_argument("start")
    parser.add_argument("scope")
    parser.add_argument("output")
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--alone", action="store_true")
    asked = parser.parse_args()
    process = CrawlerProcess(
        {
            "ROBOTSTXT_OBEY": True,
            "CONCURRENT_REQUESTS": asked.connections,
            "CONCURRENT_REQUESTS_PER_DOMAIN": asked.connections,
            "DOWNLOAD_DELAY": 0,
            "CLOSESPIDER_TIMEOUT": asked.seconds,
            "FEEDS": {asked.output: {"format": "jsonlines"}},
            "LOG_LEVEL": "WARNING",
            "TELNETCONSOLE_ENABLED": False,
        }
    )
    spider = PlainSpider if asked.kind == "plain" else LexborSpider
    process.crawl(spider, start=asked.start, scope=asked.scope, alone=asked.alone)
    process.start()


if __name__ == "__main__":
    main()
