"""Charts as plain values, whoever draws them: the page in a browser, or a picture in a file."""

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
