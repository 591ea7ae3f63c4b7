"""Trains and builds the conversion packages: content encoder, fundamental, voices, instruments (see README.md)."""
