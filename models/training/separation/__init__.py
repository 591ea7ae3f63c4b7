"""Everything that makes the separators: sound generators, networks, training, export, gates and packages."""
