"""Between browser and page: entries of the link, widgets, components, and the news and files of a visit."""
