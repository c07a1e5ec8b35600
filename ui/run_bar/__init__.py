"""The bar above a run: heading, a line about what runs, and the menus that change or break it."""
