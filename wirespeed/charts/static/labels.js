"use strict";

// Words within a chart, placed by their measured size so that none lies over another and no line goes through one.
const ChartLabels = (() => {
	const SIZE = 11, LINE = 14, GAP = 6;
	const { SAMPLE, swatch } = Pens;
	const canvas = document.createElement("canvas").getContext("2d");

	const widthOf = (text, family, size = SIZE) => {
		canvas.font = `${size}px ${family}`;
		return canvas.measureText(text).width;
	};

	// As much of the text as fits.
	const shortened = (text, room, family, size) => {
		let some = text;
		while (some.length > 1 && widthOf(some, family, size) > room) some = `${some.replace(/…$/, "").slice(0, -1).trimEnd()}…`;
		return some;
	};

	// Where lines are: by columns of pixels, the stretches that they cover.
	class Lines {
		constructor(box) {
			this.box = box;
			this.columns = Array.from({ length: Math.ceil(box.w) + 2 }, () => []);
		}

		add(points) {
			const { box, columns } = this;
			for (let place = 1; place < points.length; place++) {
				let [one, other] = [points[place - 1], points[place]];
				if (one[1] === null || other[1] === null) continue;
				if (one[0] > other[0]) [one, other] = [other, one];
				const from = Math.max(0, Math.floor(one[0] - box.x)), to = Math.min(columns.length - 1, Math.floor(other[0] - box.x));
				const slope = other[0] > one[0] ? (other[1] - one[1]) / (other[0] - one[0]) : 0;
				for (let column = from; column <= to; column++) {
					const at = (x) => (slope ? one[1] + slope * (Math.min(other[0], Math.max(one[0], x)) - one[0]) : null);
					const ends = slope ? [at(box.x + column), at(box.x + column + 1)] : [one[1], other[1]];
					columns[column].push([Math.min(...ends), Math.max(...ends)]);
				}
			}
		}

		isFree(left, right, top, bottom) {
			const from = Math.max(0, Math.floor(left - this.box.x)), to = Math.min(this.columns.length - 1, Math.ceil(right - this.box.x));
			for (let column = from; column <= to; column++) {
				if (this.columns[column].some(([low, high]) => low <= bottom && high >= top)) return false;
			}
			return true;
		}
	}

	// Labels are { text, places, curve, soft, alarm }: `places` are [x, baseline, align] in order of preference, `curve` one
	// that is drawn in front of the text. Returns those that have a free place within `box`, with `left` and `y`, and the
	// others.
	function placed(labels, box, lines, family, size = SIZE) {
		const found = [], rest = [], over = size - 1, under = 3;
		for (const label of labels) {
			const wide = widthOf(label.text, family, size) + (label.curve ? SAMPLE + 4 : 0);
			const least = box.x + 2, most = box.x + box.w - wide - 2;
			const fits = ([x, y, align]) => {
				const left = Math.max(least, Math.min(align === "end" ? x - wide : align === "middle" ? x - wide / 2 : x, most));
				const right = left + wide, isInside = most >= least && y - over >= box.y - 1 && y + under <= box.y + box.h + 1;
				if (!isInside || found.some((other) => left < other.right + GAP && right + GAP > other.left && Math.abs(other.y - y) < LINE)) return null;
				return lines.isFree(left - 2, right + 3, y - over, y + under) ? { ...label, left, right, y } : null;
			};
			let place = null;
			for (const one of label.places) if ((place = fits(one))) break;
			if (place) found.push(place); else rest.push(label);
		}
		return { found, rest };
	}

	// Shows them as text over a plot.
	function show(layer, labels) {
		layer.replaceChildren(...labels.map((label) => {
			const node = document.createElement("span");
			if (label.curve) node.append(swatch(label.curve));
			node.append(label.text);
			node.className = label.alarm ? "label alarm" : label.soft ? "label soft" : "label";
			node.style.left = `${label.left}px`;
			node.style.top = `${label.y - SIZE}px`;
			return node;
		}));
	}

	return { LINE, Lines, placed, shortened, show, widthOf };
})();
