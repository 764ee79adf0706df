"use strict";

// What is to be seen of a chart: which curves, over which ranges, with which ticks and words. It needs no page.
const ChartFigure = (() => {
	const LABELLED = 4; // curves of a panel whose names stand at their ends
	const NEAR = 12; // pixels between marks that share their words
	const RULE_FITS = 2; // times the largest value: a level further up would flatten the curves, and is named at the edge
	const { digits, steps, NARROW } = ChartScales;
	const { DASHES } = Pens;

	// The same chart in percent, each result's curves of its own highest load.
	function inShares(figure) {
		const { of, xTitle, title } = figure.shares;
		const times = (values, by) => values && values.map((value) => (value === null ? null : value * by));
		const panels = figure.panels.map((panel) => {
			const curves = (panel.curves || []).filter((curve) => of[curve.of]).map((curve) => {
				const by = 100 / of[curve.of], other = { ...curve, x: times(curve.x, by), left: times(curve.left, by), right: times(curve.right, by) };
				return panel.diagonal ? { ...other, y: times(curve.y, by), low: times(curve.low, by), high: times(curve.high, by) } : other;
			});
			return panel.diagonal ? { ...panel, curves, rules: [], title, unit: "%" } : { ...panel, curves };
		});
		const bands = (figure.bands || []).filter((band) => of[band.of]).map((band) => ({ ...band, low: band.low * 100 / of[band.of], high: band.high * 100 / of[band.of] }));
		return { ...figure, panels, bands, xTitle, xUnit: "%", xHigh: undefined };
	}

	return class {
		constructor(figure) {
			this.whole_figure = figure;
			this.view = null; // ends of the x axis, where somebody zoomed
			this.off = new Set((figure.legend || []).filter((entry) => entry.off).map((entry) => entry.key));
			this.hidden = () => false; // results that the page does not show now
			this.at = null; // a place that somebody was led to
			this.open = new Set(); // numbers of folded panels that somebody opened
			this.shared = false;
		}

		get figure() {
			if (!this.shared) return this.whole_figure;
			if (this.of_shares !== this.whole_figure) [this.of_shares, this.in_shares] = [this.whole_figure, inShares(this.whole_figure)];
			return this.in_shares;
		}

		shows(one) {
			return !(one.key && this.off.has(one.key)) && !(one.of && this.hidden(one.of));
		}

		panels() {
			return this.figure.panels.filter((panel, number) => !panel.folded || this.open.has(number));
		}

		entries() {
			return (this.figure.legend || []).filter((entry) => !(entry.of && this.hidden(entry.of)));
		}

		span() {
			const { xLow, xHigh } = this.figure;
			if (xLow !== undefined && xHigh !== undefined) return [xLow, xHigh];
			let low = xLow ?? Infinity, high = xHigh ?? -Infinity;
			for (const curve of this.figure.panels.flatMap((panel) => panel.curves || [])) {
				if (!this.shows(curve) || !curve.x.length) continue;
				if (xLow === undefined) low = Math.min(low, curve.x[0], ...(curve.left || []));
				if (xHigh === undefined) high = Math.max(high, curve.x.at(-1), ...(curve.right || []));
			}
			for (const band of this.figure.bands || []) {
				if (xHigh === undefined && this.shows(band)) high = Math.max(high, band.high);
			}
			if (!Number.isFinite(low)) low = 0;
			return [low, high > low ? high : low + 1];
		}

		whole() {
			const [low, high] = this.span();
			const room = this.figure.categories ? 0.4 : (high - low) * 0.02;
			return [this.figure.categories || low < 0 ? low - room : low, high + room];
		}

		xRange() {
			return this.view ?? this.whole();
		}

		yRange(panel) {
			if (panel.range) return panel.range;
			const [left, right] = this.xRange();
			let most = 0;
			for (const curve of panel.curves || []) {
				if (!this.shows(curve)) continue;
				curve.x.forEach((x, place) => {
					if (x >= left && x <= right) most = Math.max(most, curve.y[place] ?? 0, (curve.high || [])[place] ?? 0);
				});
			}
			for (const rule of panel.rules || []) if (rule.value < most * RULE_FITS) most = Math.max(most, rule.value);
			return [0, most ? most * 1.08 : 1];
		}

		// `wide` is the room for them in pixels.
		xTicks(wide) {
			const names = this.figure.categories;
			const [low, high] = this.xRange();
			if (!names) return steps(low, high, Math.max(2, Math.min(8, Math.floor(wide / 70)))).map((at) => [at, digits(at)]);
			const inside = names.map((name, at) => [at, name]).filter(([at]) => at >= low && at <= high);
			const most = Math.max(1, Math.floor(wide / Math.max(24, ...inside.map(([, name]) => ChartLabels.widthOf(name) + 12))));
			const each = Math.ceil(inside.length / most);
			return inside.filter((_, number) => number % each === 0);
		}

		yTicks(panel, range = this.yRange(panel)) {
			if (panel.ticks) return panel.ticks.filter(([at]) => at >= range[0] && at <= range[1]);
			return steps(range[0], range[1], Math.max(2, Math.floor(panel.height / 45))).map((at) => [at, digits(at)]);
		}

		where(x) {
			const { categories, xUnit } = this.figure;
			return categories ? categories[x] ?? "" : `${digits(x)}${NARROW}${xUnit || ""}`;
		}

		lines(panel) {
			return (panel.curves || []).filter((curve) => this.shows(curve) && !curve.dots);
		}

		// Curves whose names stand at their ends, while they are few.
		labelled(panel) {
			const drawn = this.lines(panel);
			return drawn.length <= LABELLED ? drawn : [];
		}

		// Names of a panel's lines that stand neither at their ends nor in the legend of the chart.
		unnamed(panel) {
			const known = new Set(this.entries().map((entry) => entry.name)), drawn = this.lines(panel);
			return drawn.length <= LABELLED ? [] : drawn.filter((curve) => !known.has(curve.name));
		}

		// Marks that are named in words; among many curves the first of each kind stands for all.
		notes(panel) {
			const marks = (panel.curves || []).filter((curve) => curve.note && this.shows(curve));
			const isFirst = (curve, at) => marks.findIndex((one) => one.note === curve.note) === at;
			return this.lines(panel).length > LABELLED ? marks.filter(isFirst) : marks;
		}

		// All that is not a curve, by anything that draws lines, boxes and words in pixels.
		under(panel, pen, box, toX, toY, colours) {
			const [left, right] = [box.x, box.x + box.w];
			for (const band of this.figure.bands || []) {
				if (!this.shows(band)) continue;
				const from = Math.max(left, toX(band.low)), to = Math.min(right, toX(band.high));
				if (to < left || from > right) continue;
				pen.box(from, box.y, Math.max(0, to - from), box.h, `${band.colour}2b`);
				for (const at of new Set([from, to])) pen.line([[at, box.y], [at, box.y + box.h]], band.colour, 1.4, DASHES[band.dash]);
			}
			if (panel.diagonal) {
				const [low, high] = this.xRange();
				const ends = [low, high].map((at) => [toX(at), toY(at)]);
				pen.line(ends, colours.rule, 1, DASHES.dot);
			}
			for (const rule of panel.rules || []) {
				const at = toY(rule.value);
				if (!(at >= box.y - 1 && at <= box.y + box.h + 1)) continue;
				const colour = rule.alarm ? colours.alarm : colours.rule;
				pen.line([[left, at], [right, at]], colour, 1.2, rule.alarm ? DASHES.dash : null);
			}
			for (const curve of panel.curves || []) {
				if (!this.shows(curve)) continue;
				curve.x.forEach((x, place) => {
					const at = [toX(x), toY(curve.y[place])];
					if (curve.low) pen.line([[at[0], toY(curve.low[place])], [at[0], toY(curve.high[place])]], curve.colour, 1);
					if (curve.left) pen.line([[toX(curve.left[place]), at[1]], [toX(curve.right[place]), at[1]]], curve.colour, 1);
				});
			}
			if (this.at !== null && !this.shared) pen.line([[toX(this.at), box.y], [toX(this.at), box.y + box.h]], colours.alarm, 1.5, DASHES.dash);
		}

		// Names of levels, notes of marks and names of curves at their ends, each where it would stand.
		labels(panel, box, toX, toY) {
			const [left, right] = [box.x, box.x + box.w], wanted = [];
			for (const rule of panel.rules || []) {
				const at = toY(rule.value), above = at < box.y - 1;
				if (at > box.y + box.h + 1) continue;
				wanted.push({ text: above ? `↑ ${rule.name}` : rule.name, x: right - 4, y: at < box.y + 16 ? Math.max(at, box.y) + 12 : at - 4, align: "end", alarm: rule.alarm, soft: true });
			}
			for (const band of panel === this.panels()[0] ? this.figure.bands || [] : []) {
				if (band.key || !band.name || !this.shows(band) || toX(band.high) < left || toX(band.low) > right) continue;
				wanted.push({ text: band.name, x: Math.max(left, toX(band.low)) + 4, y: box.y + 12, align: "start", soft: true });
			}
			const noted = [];
			for (const curve of this.notes(panel)) {
				const x = toX(curve.x[0]), y = toY(curve.y[0]);
				// Marks of both directions are often one.
				if (x < left || x > right || noted.some((one) => one.note === curve.note && Math.hypot(one.x - x, one.y - y) < NEAR)) continue;
				noted.push({ note: curve.note, x, y });
				const align = x > left + box.w * 0.75 ? "end" : "start";
				wanted.push({ text: curve.note, x: x + (align === "end" ? -9 : 9), y: y + 15, align });
			}
			for (const curve of this.labelled(panel)) {
				const last = curve.x.findLastIndex((x, place) => curve.y[place] !== null && toX(x) <= right + 1);
				if (last < 0 || toX(curve.x[last]) < left) continue;
				wanted.push({ text: curve.name, x: Math.min(right - 4, toX(curve.x[last])), y: toY(curve.y[last]) - 6, align: "end" });
			}
			return wanted;
		}
	};
})();
