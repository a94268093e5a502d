"""Engine ``ns3-mmwave``: the public ns3-mmwave module, where a user has built it."""
