"""What stands between the network and Streamlit, besides `app.py`. Must not know pages or ui."""
