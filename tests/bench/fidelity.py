"""How far the link does what was simulated: s1 to s4, patterns by windows and by segments. Takes some 6 min or more.

Outages hold packets, as the simulated RLC does. A replay that is not valid is repeated at most
five times, and told with the reason if none was valid.
"""

from mmwemu.cli.comparison_output import print_comparison
from mmwemu.pattern.convert import Conversion, Method, convert
from mmwemu.scenario import read
from mmwemu.simulate.ns3 import Ns3Engine
from mmwemu.study.fidelity import replay_source, source_of

METHODS: tuple[Method, ...] = ("window", "segments")


def main() -> None:
    """Simulate, replay, compare and print."""
    for name in ("s1-long-nlos", "s2-crossings", "s3-people-and-trees", "s4-outage"):
        trace = Ns3Engine().simulate(read.load(name), "mmwave", 1)
        patterns = [(method, convert(trace, Conversion(method, outage="hold"))) for method in METHODS]
        found = replay_source(name, trace, patterns, source_of(trace), tries=5)
        print_comparison(found.comparison)
        for reason in found.reasons:
            print(f"not valid: {reason}")
        print(flush=True)


if __name__ == "__main__":
    main()
