"""The lesson as data: its text, its questions and the inputs that it works through. No Streamlit here."""
