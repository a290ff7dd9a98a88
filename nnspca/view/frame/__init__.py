"""What surrounds every page: the sidebar, the style, slides, a phone's bar, and what each visit fetches first."""
