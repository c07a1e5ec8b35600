"""Everything that is drawn with Streamlit."""
