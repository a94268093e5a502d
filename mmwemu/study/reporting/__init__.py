"""The report page of results folders, arranged by the applications' views."""
