"""What the live room draws: the phones' page, and the parts of the lecturer's page."""
