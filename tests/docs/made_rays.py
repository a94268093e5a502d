"""Rays of known geometry under the names that the page on ray-traced routes uses; python -m tests.docs.made_rays."""

from pathlib import Path

from mmwemu.rays import parquet
from tests import rays as made

if __name__ == "__main__":
    parquet.save(made.make(wall_x_m=-20.0), Path("munich.parquet"))
    street = made.walk(start_m=(30.0, -5.0, 1.5), end_m=(30.0, 5.0, 1.5), carrier_hz=60e9)
    Path("traces10cm.txt").write_text(made.eight_lines(made.make(street)))
