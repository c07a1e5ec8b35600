"""Everything that is drawn with Streamlit or Plotly."""
