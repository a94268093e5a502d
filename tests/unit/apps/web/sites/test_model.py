from dataclasses import replace

import pytest

from mmwemu.apps.web.sites.model import SiteSpec
from mmwemu.core.errors import InputError


@pytest.mark.parametrize("changes", [{"objects": 0}, {"hosts": 0}, {"name": "Not a name"}, {"size_bytes": 10**12}])
def test_a_site_that_makes_no_sense_is_refused(changes):
    with pytest.raises(InputError, match=r"site: (objects|hosts|name|bytes)"):
        replace(SiteSpec("small", 20, 200_000, hosts=3), **changes)
