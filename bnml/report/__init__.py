"""Reports: text and HTML from results.

Results hold facts; what is said of them, for people to read, is in this package and its templates.

===============  ============================================================
`templates/`     pages and sentences, as Jinja2 templates
`rendering`      renders them: the one place where text is escaped
`study_page`     the report of a study as one HTML file
`study_text`     what a study found, in sentences, and its summary in text
`claims_page`    the claims of all experiments, as HTML and as Markdown
`result_text`    reports of searches and of tests of independence
`phrases`        what reports call a network, and what is proven of it
`charts`         risks, shares, ROC and reliability curves, as SVG elements
`pictures`       graphs and pairs of variables, as SVG elements
===============  ============================================================
"""
