"""The client for code that must not block. `_sync` is made of it: see the README of `clients/python`."""
