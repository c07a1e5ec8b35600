"""The exactness page: five methods side by side, and what rounding does."""
