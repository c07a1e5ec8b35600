"""What a learner has done, kept in the browser: the store, the ticks and the panel."""
