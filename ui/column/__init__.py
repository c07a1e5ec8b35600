"""A page's prose as one text, with one part that puts controls and sheets between its blocks."""
