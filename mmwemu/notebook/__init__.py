"""The functions that a notebook or script needs, with few arguments each; ``import mmwemu`` offers them all.

Each calls one library function of a room; whoever needs more than its arguments calls that function.
"""
