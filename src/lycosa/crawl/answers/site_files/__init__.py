"""Files in which a site tells crawlers what to do: robots.txt and the sitemap.

robots         turns the answer to a robots.txt request into rules for its site
usual_sitemap  tries `/sitemap.xml` where robots.txt names no sitemap
"""
