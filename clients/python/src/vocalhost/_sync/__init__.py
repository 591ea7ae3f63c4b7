# Made of `_async` by the generator. Changes belong there.
"""The client for code that may block. It is made of `_async`: see the README of `clients/python`."""
