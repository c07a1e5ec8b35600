"""A lecturer's live room. Knows the lesson's questions; must not know pages, ui or Streamlit."""
