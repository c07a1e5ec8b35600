"""The bank, its numbers by a second route, answers, links and the worksheet."""
