"""How the site is made: pages are gathered, examples are run, the reference is written, Sphinx sets it all."""
