"""The reference page: words, letters, sources and licences."""
