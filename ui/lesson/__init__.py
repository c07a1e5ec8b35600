"""The lesson's page: its sections, what each asks for, and the run of its example."""
