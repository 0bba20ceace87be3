"""Runs the public Array API test-suite against arraygrad; not part of the wheel."""
