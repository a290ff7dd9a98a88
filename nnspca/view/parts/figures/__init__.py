"""The parts page's figures: arrays in, Plotly figures out, without Streamlit."""
