"""The calculator page: one module a section, on top of the engine's closed forms.

Charts are drawn as SVG text and tables as HTML text, so that a changed number costs the server a string, not
a chart library. Colours are those of `ui.palette`; every chart has a text alternative and a table beside it.
"""
