"""The compare page: two to four data sets side by side."""
