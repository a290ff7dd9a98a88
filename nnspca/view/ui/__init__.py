"""Drawing that several pages share: charts, components of our own, cards, tables and downloads."""
