"""What every other part rests on: errors, units, files, processes, progress."""
