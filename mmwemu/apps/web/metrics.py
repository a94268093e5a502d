"""Metrics of page loads: columns and their names in tables and figures."""

# The first six in the order of figure 9 of Hurtig 2019.
METRICS = {
    "ttfb_s": "TTFB",
    "first_paint_s": "first paint",
    "dom_interactive_s": "DOM interactive",
    "dom_content_loaded_s": "DOM content loaded",
    "on_load_s": "onLoad",
    "above_the_fold_s": "above the fold",
    "fcp_s": "FCP",
    "lcp_s": "LCP",
    "tbt_s": "TBT",
    "visual_85_s": "85 % visible",
    "visual_95_s": "95 % visible",
    "visual_99_s": "99 % visible",
    "speed_index_s": "Speed Index",
}
