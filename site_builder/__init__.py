"""The lesson as static files: no server, no network, any number of learners.

    python -m site_builder OUT [--app https://where.the.app.runs/]

The pages are made of the app's own modules, texts and runs; only the frame around them is made here.
Read in this order: `address` (what a link may ask for), `runs` and `rows` (what is computed beforehand),
`prose` (Markdown to HTML), `parts` (the browser modules as classic scripts), `page` and `pages`, `build`.
"""
