"""Certificates, as several pages show them: the place of a component, the opened certificate, longer proofs."""
