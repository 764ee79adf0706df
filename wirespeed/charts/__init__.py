"""Charts as plain values, drawn by a page in a browser or into a picture file."""

__all__ = [
    "browser",
    "chart",
    "colours",
    "dut_panels",
    "dygraphs",
    "images",
    "latency_floor",
    "page_json",
    "page_parts",
    "sampled",
    "scales",
    "shapes",
    "sparkline",
]
