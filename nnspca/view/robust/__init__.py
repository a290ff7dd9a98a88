"""How far one part or several hang on these samples and features: drawn again, and proven indispensable."""
