"""The books' Lua; a package, so that the files come with it."""
