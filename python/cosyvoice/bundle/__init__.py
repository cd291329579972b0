"""Tools that make bundles from bundles; an engine needs none of them."""
