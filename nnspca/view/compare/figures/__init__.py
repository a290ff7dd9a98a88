"""The compare page's figures: all data sets in one, and five small panels for each."""
