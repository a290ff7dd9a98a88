"""Figures that several pages use: arrays in, Plotly figures out, without Streamlit.

Every figure carries its description for screen readers in ``figure.layout.meta["alt"]``.
"""
