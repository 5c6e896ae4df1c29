# SPDX-License-Identifier: Apache-2.0
"""How notebooks show values and nodes: tables and small plots as HTML. Only the cells that are shown are looked at, or, for
plots, a limited number of them."""
