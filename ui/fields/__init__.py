"""Fields of our own: a whole row of controls as one part of the page, which keeps the address itself."""
