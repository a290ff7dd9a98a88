"""Sources: data sets of the catalogue and of the person, read, preprocessed and cached."""
