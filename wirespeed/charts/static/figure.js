"use strict";

// What is to be seen of a chart: which curves, over which ranges, with which ticks and words. It needs no page.
const ChartFigure = (() => {
	const LABELLED = 12; // curves of a panel whose names stand beside them where there is room
	const FEW = 4; // curves of a panel whose marks have words beside them, where all are of one test
	const BREAK = [[0, 4], [-4, 2], [4, -2], [0, -4]]; // pixels: an axis that does not begin at 0
	const DOTTED = 60; // points of a line without marks, of which fewer have a dot each
	const NEAR = 12; // pixels between marks that share their words
	const ALIKE_PX = 2, ALIKE = 0.9; // curves of one result are alike if so many of their points are no further apart
	const MARKS_PX = 110; // between the marks of a curve
	const APART_PX = 4, NAME_PX = 10; // between lines that can be told apart; height of a name
	const ROWS_BELOW = Infinity, ROWS_BELOW_FEW = 3; // places for names below the marks of many and of few curves
	const NAMES = 0.09; // of the axis: room for the names of many curves, behind their ends
	const LEAST_PX = 40; // for such a name
	const STEP_PX = 24; // between places that are tried for a name
	const STEEP_PX = 30; // height of a curve below a name, beyond which the name would stand away from it
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

	// `router both 0→1` and `router both 1→0` as `router both 0→1 and 1→0`; in `short` as `router both`.
	function together(names, short) {
		const words = names.map((name) => name.split(" ")), shortest = Math.min(...words.map((some) => some.length));
		const same = (at) => words.every((some) => some.at(at) === words[0].at(at));
		let head = 0, tail = 0;
		while (head < shortest - 1 && same(head)) head++;
		while (head + tail < shortest - 1 && same(-1 - tail)) tail++;
		const middle = words.map((some) => some.slice(head, some.length - tail).join(" "));
		if (short && names.length > 1 && head + tail) return [...words[0].slice(0, head), ...words[0].slice(words[0].length - tail)].join(" ");
		return [...words[0].slice(0, head), middle.join(" and "), ...words[0].slice(words[0].length - tail)].join(" ");
	}

	// The colour of a level, by its name in the theme.
	const ruleInk = (rule) => (rule.alarm ? "alarm" : "soft");

	// Pixels between a box and the next of these lines above or below it.
	function distance(paths, { left, right, top, bottom }) {
		let nearest = Infinity;
		for (const points of paths) {
			for (let place = 1; place < points.length; place++) {
				const [[x, y], [u, v]] = [points[place - 1], points[place]];
				if (y === null || v === null || Math.max(x, u) < left || Math.min(x, u) > right) continue;
				for (const side of [left, right]) {
					const at = u === x ? y : y + (v - y) * (Math.min(Math.max(side, Math.min(x, u)), Math.max(x, u)) - x) / (u - x);
					nearest = Math.min(nearest, Math.max(top - at, at - bottom, 0));
				}
			}
		}
		return nearest;
	}

	const apart = (one, other) => (one === null || other === null ? (one === other ? 0 : Infinity) : Math.abs(one - other));

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
			const names = !this.figure.categories && this.panels().some((panel) => this.isMany(this.lines(panel))) ? (high - low) * NAMES : 0;
			return [this.figure.categories || low < 0 ? low - room : low, high + room + names];
		}

		// More lines than could be told by names between them, and few enough for names in a column.
		isMany(lines) {
			const keys = new Set(lines.map(({ key, name }) => key || name)).size;
			return keys > FEW && keys <= LABELLED;
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

		// Lines in pixels, { curve, points, path, marks, dots }, with marks at places that differ from curve to curve. The
		// path has no line between a sample at the floor and one above it; dots are where it has none at all. `groups` has
		// the lines together that are alike: the first has the path of them all, each has its marks.
		laid(panel, box, toX, toY) {
			const groups = [], lines = this.lines(panel).map((curve, number) => {
				const points = curve.x.map((x, place) => [toX(x), curve.y[place] === null ? null : toY(curve.y[place])]);
				const line = { curve, points, path: [], dots: [], marks: curve.symbol ? this.marked(points, number, box) : [] };
				const group = groups.find(([other]) => this.areAlike(other, line));
				if (group) group.push(line); else groups.push([line]);
				return line;
			});
			for (const [line] of groups) {
				const { curve } = line, all = curve.x.length < DOTTED && !curve.symbol;
				line.path = this.path(line, panel.floor);
				const isAlone = ([, y], place) => y !== null && (all || ((line.path[place - 1]?.[1] ?? null) === null && (line.path[place + 1]?.[1] ?? null) === null));
				line.dots = line.path.filter(isAlone);
			}
			return { lines, groups };
		}

		path({ curve, points }, floor) {
			if (floor === undefined) return points;
			const isAt = (place) => curve.y[place] <= floor * (1 + 1e-9);
			return points.flatMap((point, place) => (place && isAt(place) !== isAt(place - 1) ? [[point[0], null], point] : [point]));
		}

		areAlike(one, other) {
			const [a, b] = [one.curve, other.curve], { points } = other;
			if (a.colour !== b.colour || (a.of || "") !== (b.of || "") || a.width !== b.width || a.x.length !== b.x.length) return false;
			const near = points.filter(([x, y], place) => apart(x, one.points[place][0]) <= ALIKE_PX && apart(y, one.points[place][1]) <= ALIKE_PX);
			return near.length >= ALIKE * points.length;
		}

		// Places of the points of a line that have a mark: at least one.
		marked(points, number, box) {
			const found = [];
			let next = box.x + MARKS_PX * ((0.2 + number * 0.618) % 1);
			points.forEach(([x, y], place) => {
				if (y === null || x < next || x > box.x + box.w + 1) return;
				found.push(place);
				while (next <= x) next += MARKS_PX;
			});
			const last = points.findLastIndex(([x, y]) => y !== null && x >= box.x - 1 && x <= box.x + box.w + 1);
			return found.length || last < 0 ? found : [last];
		}

		// Kinds of marks that the chart has, for its legend.
		keys() {
			const marks = this.panels().flatMap((panel) => (panel.curves || []).filter((curve) => curve.mark && this.shows(curve)));
			const bar = (curve) => (curve.low ? "up" : curve.left && curve.mark !== curve.note && "across");
			const found = new Map(marks.map((curve) => [curve.mark, { name: curve.mark, symbol: curve.note && curve.symbol, open: curve.open, dots: Boolean(curve.note), bar: bar(curve) }]));
			return [...found.values()];
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
				const colour = colours[ruleInk(rule)];
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
			if (panel.range?.[0] > 0 && !panel.log) pen.line(BREAK.map(([x, y]) => [left + x, box.y + box.h - 10 + y]), colours.ink, 1.4);
			if (this.at !== null && !this.shared) pen.line([[toX(this.at), box.y], [toX(this.at), box.y + box.h]], colours.alarm, 1.5, DASHES.dash);
		}

		// The words of a panel where they stand, { found }; and { unnamed }, the lines and levels that are named neither
		// there nor in the legend.
		words(panel, laid, box, toX, toY, family, size) {
			const few = laid.groups.length <= FEW, named = laid.groups.length <= LABELLED ? laid.groups : [];
			const ends = few ? new Map() : this.ends(named, box);
			const wanted = [...this.levels(panel, box, toX, toY), ...(few && new Set(laid.lines.map(({ curve }) => curve.of)).size === 1 ? this.notes(panel, box, toX, toY) : [])];
			for (const group of named) {
				const curves = group.map(({ curve }) => curve), all = together(curves.map(({ name }) => name), !few);
				const end = ends.get(group), room = end ? box.x + box.w - end[0] - Pens.SAMPLE - 6 : 0;
				// Where many curves come together again, names stand where each leaves the others.
				const leaving = panel.floor !== undefined && this.below(panel, curves, box, toX, toY, few ? ROWS_BELOW_FEW : ROWS_BELOW);
				const isEnd = !leaving && room >= LEAST_PX;
				const text = isEnd ? ChartLabels.shortened(all, room, family, size) : few && group.length > 1 ? `${all}, alike` : all;
				const wide = ChartLabels.widthOf(text, family, size) + Pens.SAMPLE + 4;
				// Names of many are all above their curves, so that none is taken for that of the curve below it.
				const along = this.along(group, wide, box, named, few);
				const places = few ? [...along, ...(leaving || [])] : leaving || (isEnd ? [end, ...along] : along);
				wanted.push({ text, curve: { ...curves[0], alike: group.length > 1 && Boolean(curves[0].symbol) }, places, names: curves });
			}
			const put = ChartLabels.placed(wanted, box, this.taken(panel, laid, box, toX, toY), family, size);
			// All names stand in the panel, or none: the legend has them.
			const isLeftOut = (label) => label.names && put.rest.some(({ names }) => names);
			const found = put.found.filter((label) => !isLeftOut(label)), rest = [...put.rest, ...put.found.filter(isLeftOut)];
			const entries = new Map(this.entries().map((entry) => [entry.key, entry])), at = (curve) => entries.get(curve.key);
			const isKnown = (curve) => at(curve)?.name === curve.name || at(curve)?.alike;
			const curves = named.length ? rest.flatMap((label) => label.names || []) : laid.lines.map(({ curve }) => curve);
			return { found, unnamed: [...curves.filter((curve) => !isKnown(curve)), ...rest.filter((label) => label.rule).map((label) => label.rule)] };
		}

		levels(panel, box, toX, toY) {
			const [left, right] = [box.x, box.x + box.w], wanted = [];
			for (const rule of panel.rules || []) {
				const at = toY(rule.value), isAbove = at < box.y - 1;
				if (at > box.y + box.h + 1) continue;
				const across = [];
				for (let x = right - 4; x > left + 40; x -= STEP_PX) across.push(x);
				const down = isAbove ? [box.y + 12] : [at - 4, at + 13];
				const text = isAbove ? `↑ ${rule.name}` : rule.name;
				wanted.push({ text, places: down.flatMap((y) => across.map((x) => [x, y, "end"])), alarm: rule.alarm, soft: true, rule: { name: text, ink: ruleInk(rule), dash: rule.alarm && "dash" } });
			}
			for (const band of panel === this.panels()[0] ? this.figure.bands || [] : []) {
				if (band.key || !band.name || !this.shows(band) || toX(band.high) < left || toX(band.low) > right) continue;
				const x = Math.max(left, toX(band.low)), bottom = box.y + box.h, down = [12, 26, box.h - 4, box.h - 18, box.h / 2];
				const beside = [[x + 4, "start"], [x - 8, "end"]]; // to the left where there is no room to the right
				wanted.push({ text: band.name, places: beside.flatMap(([at, side]) => down.map((by) => [at, Math.min(bottom, box.y + by), side])), soft: true });
			}
			return wanted;
		}

		notes(panel, box, toX, toY) {
			const [left, right] = [box.x, box.x + box.w], noted = [];
			for (const curve of (panel.curves || []).filter((one) => one.note && this.shows(one))) {
				const x = toX(curve.x[0]), y = toY(curve.y[0]);
				// Marks of both directions are often one.
				if (x < left || x > right || noted.some((one) => one.text === curve.note && Math.hypot(one.x - x, one.y - y) < NEAR)) continue;
				const around = [16, -9, 30, -23, 44, -37].flatMap((down) => [[x + 9, y + down, "start"], [x - 9, y + down, "end"]]);
				noted.push({ text: curve.note, x, y, places: around });
			}
			return noted;
		}

		// Places for a name below the marks of its curves.
		below(panel, curves, box, toX, toY, rows) {
			const mark = (panel.curves || []).find((curve) => curve.note && curves.some(({ of, name }) => of === curve.of && name === curve.name));
			if (!mark) return null;
			const [x, y] = [toX(mark.x[0]), toY(mark.y[0])], found = [];
			for (let down = y + 20; down < Math.min(box.y + box.h, y + 20 + 14 * rows); down += 14) found.push([x - Pens.SAMPLE / 2, down, "start"], [x + Pens.SAMPLE / 2, down, "end"]);
			return found;
		}

		// Places for names behind the ends of many curves, one below the other: in the order of the ends, at one height in
		// that of the names.
		ends(groups, box) {
			const nameOf = ({ group: [{ curve }] }) => curve.name;
			const found = groups.map((group) => {
				const last = group.flatMap(({ points }) => points).findLast(([x, y]) => y !== null && x <= box.x + box.w + 1);
				return { group, x: last?.[0], y: last?.[1] };
			}).filter(({ x }) => x !== undefined).sort((one, other) => Math.round(one.y) - Math.round(other.y) || nameOf(one).localeCompare(nameOf(other), "en", { numeric: true }));
			const { LINE } = ChartLabels;
			let least = box.y + LINE - 4, most = box.y + box.h - 4;
			for (const one of found) least = (one.at = Math.max(one.y + 4, least)) + LINE;
			for (const one of found.toReversed()) most = (one.at = Math.min(one.at, most)) - LINE;
			return new Map(found.map(({ group, x, at }) => [group, [x + NEAR, at, "start"]]));
		}

		// Places for a name right above or below its curves, from their end to the left, where no other curve is as near.
		along(group, wide, box, groups, few) {
			const others = groups.filter((other) => other !== group).map(([line]) => line.path), [{ path }] = group;
			const points = group.flatMap((line) => line.points).filter(([x, y]) => y !== null && x >= box.x - 1 && x <= box.x + box.w + 1), found = [];
			if (!points.length) return found;
			const [first, last] = [Math.min(...points.map(([x]) => x)), Math.max(...points.map(([x]) => x))];
			for (let end = Math.max(last, Math.min(first + wide, box.x + box.w - 4)); end - wide > box.x - STEP_PX; end -= STEP_PX) {
				const from = Math.max(box.x, end - wide), below = points.filter(([x], place) => x >= from && x <= end || (points[place + 1]?.[0] > from && x < from) || (points[place - 1]?.[0] < end && x > end)).map(([, y]) => y);
				if (!below.length) continue;
				const [high, low] = [Math.min(...below), Math.max(...below)];
				if (low - high > STEEP_PX) continue;
				for (const at of few ? [high - 9, low + 18] : [high - 9]) {
					const name = { left: from, right: end, top: at - NAME_PX, bottom: at + 3 };
					if (distance([path], name) + APART_PX <= distance(others, name)) found.push([end, at, "end"]);
				}
				if (end <= first) break;
			}
			return found;
		}

		// All lines and marks of a panel, which no word may lie on.
		taken(panel, laid, box, toX, toY) {
			const lines = new ChartLabels.Lines(box), [low, high] = this.xRange(), [left, right] = [box.x, box.x + box.w];
			const mark = ([x, y], half = 5) => { if (y !== null) for (const at of [y - half, y, y + half]) lines.add([[x - half, at], [x + half, at]]); };
			for (const rule of panel.rules || []) lines.add([[left, toY(rule.value)], [right, toY(rule.value)]]);
			if (panel.diagonal) lines.add([[toX(low), toY(low)], [toX(high), toY(high)]]);
			for (const band of this.figure.bands || []) {
				if (this.shows(band)) for (const at of [band.low, band.high]) lines.add([[toX(at), box.y], [toX(at), box.y + box.h]]);
			}
			for (const { points, path, marks } of laid.lines) {
				lines.add(path);
				for (const place of marks) mark(points[place]);
			}
			for (const curve of (panel.curves || []).filter((one) => one.dots && this.shows(one))) {
				curve.x.forEach((x, place) => {
					if (curve.y[place] !== null) mark([toX(x), toY(curve.y[place])], curve.note ? 7 : 5);
					if (curve.left) lines.add([[toX(curve.left[place]), toY(curve.y[place])], [toX(curve.right[place]), toY(curve.y[place])]]);
				});
			}
			return lines;
		}
	};
})();
