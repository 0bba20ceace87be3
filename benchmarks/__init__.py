"""Times arraygrad against its peers; `nox -s bench` runs it, README.md says how to read it."""
