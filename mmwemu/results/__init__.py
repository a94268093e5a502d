"""Results of experiments: records of runs, and results folders."""
