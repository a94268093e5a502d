from mmwemu.core import machine


def test_every_gap_comes_with_a_remedy():
    findings = machine.examine()
    assert {"user namespaces", "TUN device", "nginx", "curl", "qdisc netem", "TCP cubic"} <= {f.what for f in findings}
    for finding in findings:
        assert bool(finding.remedy) != finding.found, finding
        assert finding.detail, finding


def test_a_missing_program_is_found_missing(monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    node = next(f for f in machine.examine() if f.what == "node")
    assert (node.found, node.remedy) == (False, "sudo apt-get install nodejs npm")
