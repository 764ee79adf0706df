"use strict";

// Words within a chart, placed by their measured size so that none lies over another.
const ChartLabels = (() => {
	const SIZE = 11, LINE = 14, GAP = 6;
	const canvas = document.createElement("canvas").getContext("2d");

	const widthOf = (text, family, size = SIZE) => {
		canvas.font = `${size}px ${family}`;
		return canvas.measureText(text).width;
	};

	// Labels are { text, x, y, align, soft, alarm }: y is the baseline, `align` start or end. Returns them with `left` and
	// `y` within `box`, at the nearest free line; one for which there is no line is left out.
	function placed(labels, box, family, size = SIZE) {
		const taken = [], found = [];
		for (const label of labels) {
			const wide = widthOf(label.text, family, size);
			const from = label.align === "end" ? label.x - wide : label.x;
			const left = Math.max(box.x + 2, Math.min(from, box.x + box.w - wide - 2));
			const free = (y) => y >= box.y + LINE - 3 && y <= box.y + box.h - 2 &&
				!taken.some((other) => left < other.right + GAP && left + wide + GAP > other.left && Math.abs(other.y - y) < LINE);
			const start = Math.max(box.y + LINE - 3, Math.min(label.y, box.y + box.h - 2));
			const lines = Math.ceil(box.h / LINE);
			const offsets = [0, ...Array.from({ length: lines }, (_, number) => [number + 1, -number - 1]).flat()];
			const step = offsets.find((offset) => free(start + offset * LINE));
			if (step === undefined) continue;
			taken.push({ left, right: left + wide, y: start + step * LINE });
			found.push({ ...label, left, y: start + step * LINE });
		}
		return found;
	}

	// Shows them as text over a plot.
	function show(layer, labels) {
		layer.replaceChildren(...labels.map((label) => {
			const node = document.createElement("span");
			node.textContent = label.text;
			node.className = label.alarm ? "label alarm" : label.soft ? "label soft" : "label";
			node.style.left = `${label.left}px`;
			node.style.top = `${label.y - SIZE}px`;
			return node;
		}));
	}

	return { placed, show, widthOf };
})();
