"use strict";

// Charts as `wirespeed.charts` describes them: drawn by dygraphs to be looked into, and as SVG for files and paper. Where
// dygraphs is not in the page they are SVG on the screen too.
const Charts = (() => {
	const PAPER = { paper: "#ffffff", ink: "#1c2430", soft: "#4d5765", grid: "#dfe3e8", rule: "#7d8590", alarm: "#b3401a" };
	const LEFT = 78, RIGHT = 16, LABELLED = 4, NAMED = 12;
	const { canvasPen, svgPen, DOT, DASHES } = Pens;
	const { digits, steps, NARROW } = ChartScales;
	const { rowsOf, tablesOf } = ChartTables;
	const DYGRAPHS = typeof Dygraph !== "undefined";
	const charts = new Map();

	const theme = () => {
		const read = getComputedStyle(document.documentElement);
		return Object.fromEntries(Object.keys(PAPER).map((name) => [name, read.getPropertyValue(`--${name}`).trim()]));
	};
	const make = (tag, properties = {}, ...children) => {
		const node = Object.assign(document.createElement(tag), properties);
		node.append(...children);
		return node;
	};
	class Chart {
		constructor(node, figure) {
			this.node = node;
			this.figure = figure;
			this.view = null; // ends of the x axis, where somebody zoomed
			this.off = new Set((figure.legend || []).filter((entry) => entry.off).map((entry) => entry.key));
			this.hidden = () => false; // results that the page does not show now
			this.at = null; // a place that somebody was led to
			this.open = new Set(); // numbers of folded panels that somebody opened
			this.graphs = [];
			this.told = () => {};
		}

		// ---- what is to be seen

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
			for (const rule of panel.rules || []) if (rule.value < most * 4) most = Math.max(most, rule.value);
			return [0, most ? most * 1.08 : 1];
		}

		xTicks() {
			const names = this.figure.categories;
			const [low, high] = this.xRange();
			if (names) return names.map((name, at) => [at, name]);
			return steps(low, high, 8).map((at) => [at, digits(at)]);
		}

		yTicks(panel, range = this.yRange(panel)) {
			if (panel.ticks) return panel.ticks.filter(([at]) => at >= range[0] && at <= range[1]);
			return steps(range[0], range[1], Math.max(2, Math.floor(panel.height / 45))).map((at) => [at, digits(at)]);
		}

		where(x) {
			const { categories, xUnit } = this.figure;
			return categories ? categories[x] ?? "" : `${digits(x)}${NARROW}${xUnit || ""}`;
		}

		// Curves whose names stand at their ends, while they are few.
		labelled(panel) {
			const drawn = this.lines(panel);
			return drawn.length <= LABELLED ? drawn : [];
		}

		lines(panel) {
			return (panel.curves || []).filter((curve) => this.shows(curve) && !curve.dots);
		}

		// Names of a panel's lines that stand neither at their ends nor in the legend of the chart.
		unnamed(panel) {
			const known = new Set(this.entries().map((entry) => entry.name)), drawn = this.lines(panel);
			return drawn.length <= LABELLED ? [] : drawn.filter((curve) => !known.has(curve.name));
		}

		notes(panel) {
			const drawn = (panel.curves || []).filter((curve) => this.shows(curve));
			return drawn.filter((curve) => !curve.dots).length <= LABELLED ? drawn.filter((curve) => curve.note) : [];
		}

		// ---- all that is not a curve, by anything that draws lines, boxes and words in pixels

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
			if (this.at !== null) pen.line([[toX(this.at), box.y], [toX(this.at), box.y + box.h]], colours.alarm, 1.5, DASHES.dash);
		}

		// Names of rules, notes of marks and names of curves at their ends, each where it would stand.
		labels(panel, box, toX, toY) {
			const [left, right] = [box.x, box.x + box.w], wanted = [];
			for (const rule of panel.rules || []) {
				const at = toY(rule.value);
				if (at < box.y - 1 || at > box.y + box.h + 1) continue;
				wanted.push({ text: rule.name, x: right - 4, y: at < box.y + 16 ? at + 12 : at - 4, align: "end", alarm: rule.alarm, soft: true });
			}
			for (const curve of this.notes(panel)) {
				const x = toX(curve.x[0]), y = toY(curve.y[0]);
				if (x < left || x > right) continue;
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

		// ---- on the screen

		draw() {
			if (this.drawn) return;
			this.drawn = true;
			this.node.replaceChildren();
			this.node.append(this.bar());
			this.stage = make("div", { className: "stage" });
			this.node.append(this.stage);
			this.set();
			if (this.figure.panels.some((panel) => panel.folded)) this.node.append(this.doors());
			const twin = make("details", { className: "twin screen" }, make("summary", { textContent: "These figures as a table" }));
			twin.addEventListener("toggle", () => { if (twin.open) this.tabulate(twin); });
			this.node.append(twin);
			this.node.style.minHeight = "";
		}

		set() {
			for (const graph of this.graphs) graph.destroy();
			this.graphs = [];
			this.stage.replaceChildren();
			if (!DYGRAPHS) return this.redraw();
			this.panels().forEach((panel) => this.drawPanel(panel));
			this.stage.append(make("p", { className: "x-title", textContent: this.figure.xTitle }));
		}

		unfold(open) {
			this.open = open;
			if (!this.drawn) return;
			this.set();
			this.node.querySelector(".doors")?.replaceWith(this.doors());
		}

		// A button for each folded panel.
		doors() {
			const doors = make("div", { className: "doors screen" }, make("span", { textContent: "More panels:" }));
			this.figure.panels.forEach((panel, number) => {
				if (!panel.folded) return;
				const button = make("button", { type: "button", textContent: panel.title });
				button.setAttribute("aria-pressed", String(this.open.has(number)));
				button.addEventListener("click", () => {
					if (this.open.has(number)) this.open.delete(number); else this.open.add(number);
					button.setAttribute("aria-pressed", String(this.open.has(number)));
					this.set();
					this.told();
				});
				doors.append(button);
			});
			return doors;
		}

		bar() {
			const keys = make("ul", { className: "legend" });
			for (const entry of this.entries()) {
				const button = make("button", { type: "button" }, this.swatch(entry), entry.name);
				button.setAttribute("aria-pressed", String(!this.off.has(entry.key)));
				button.addEventListener("click", () => this.toggle(entry.key));
				button.addEventListener("dblclick", () => this.alone(entry.key));
				button.dataset.key = entry.key;
				keys.append(make("li", {}, button));
			}
			const tools = make("div", { className: "tools screen" });
			const tool = (text, name, act) => {
				const button = make("button", { type: "button", textContent: text, title: name });
				button.setAttribute("aria-label", `${name}: ${this.figure.sentence}`);
				button.addEventListener("click", act);
				tools.append(button);
			};
			if (DYGRAPHS) {
				tool("+", "Zoom in", () => this.zoom(0.5));
				tool("−", "Zoom out", () => this.zoom(2));
				tool("whole", "Show the whole", () => this.look(null));
			}
			tool("PNG", "Save as PNG", () => this.save("png"));
			tool("SVG", "Save as SVG", () => this.save("svg"));
			return make("div", { className: "chart-bar" }, keys, tools);
		}

		swatch(entry) {
			const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
			svg.setAttribute("width", 24);
			svg.setAttribute("height", 12);
			svg.setAttribute("aria-hidden", "true");
			const pen = svgPen();
			if (entry.symbol) pen.mark(entry.symbol, 12, 6, entry.colour);
			else pen.line([[1, 6], [23, 6]], entry.colour, 2.4, DASHES[entry.dash]);
			svg.innerHTML = pen.text();
			return svg;
		}

		drawPanel(panel) {
			const plot = make("div", { className: "plot" });
			plot.style.height = `${panel.height + (panel === this.panels().at(-1) ? 22 : 6)}px`;
			plot.setAttribute("role", "img");
			plot.setAttribute("aria-label", `${panel.title}: ${this.figure.sentence}`);
			const tip = make("div", { className: "tip", hidden: true }), layer = make("div", { className: "labels" });
			const names = make("ul", { className: "legend names" }), stand = make("div", { className: "stand" }, plot, layer);
			this.stage.append(make("figure", { className: "panel" }, make("figcaption", { textContent: panel.title }), names, stand, tip));
			const curves = panel.curves || [];
			const { rows, places } = rowsOf(curves);
			const graph = new Dygraph(plot, rows.length ? rows : [[this.span()[0], null]], {
				labels: ["x", ...(curves.length ? curves.map((_, number) => String(number)) : ["none"])],
				visibility: curves.length ? curves.map((curve) => this.shows(curve)) : [true],
				series: Object.fromEntries(curves.map((curve, number) => [String(number), this.look_of(curve)])),
				connectSeparatedPoints: true, legend: "never", animatedZooms: false, rightGap: RIGHT, xRangePad: 0, yRangePad: 0,
				logscale: Boolean(panel.log), highlightCircleSize: 4, highlightSeriesOpts: { highlightCircleSize: 5 },
				highlightSeriesBackgroundAlpha: 1, ...this.frame(panel),
				underlayCallback: (canvas, box, graph) => {
					const toX = (x) => graph.toDomXCoord(x), toY = (y) => graph.toDomYCoord(y);
					this.under(panel, canvasPen(canvas), box, toX, toY, theme());
					ChartLabels.show(layer, ChartLabels.placed(this.labels(panel, box, toX, toY), box, getComputedStyle(document.body).fontFamily));
					this.name(panel, names);
				},
				highlightCallback: (event, x, points, row, name) => this.tell(panel, graph, tip, points, row, name, places),
				unhighlightCallback: () => { tip.hidden = true; },
				drawCallback: (graph, first) => { if (!first) this.moved(graph); },
			});
			graph.panel = panel;
			this.graphs.push(graph);
		}

		name(panel, list) {
			const found = new Map(this.unnamed(panel).map((curve) => [`${curve.name} ${curve.dash} ${curve.colour}`, curve]));
			const some = [...found.values()].slice(0, NAMED);
			list.replaceChildren(...some.map((curve) => make("li", {}, this.swatch(curve), curve.name)));
			if (found.size > NAMED) list.append(make("li", { textContent: `and ${found.size - NAMED} more, in the table` }));
		}

		look_of(curve) {
			const pattern = DASHES[curve.dash] || null;
			if (!curve.dots) return { color: curve.colour, strokeWidth: curve.width || 2, strokePattern: pattern, drawPoints: curve.x.length < 60, pointSize: 1.6 };
			const mark = (graph, name, canvas, x, y, colour) => canvasPen(canvas).mark(curve.symbol || "dot", x, y, colour);
			return { color: curve.colour, strokeWidth: 0, drawPoints: true, pointSize: DOT, drawPointCallback: mark, drawHighlightPointCallback: mark };
		}

		frame(panel) {
			const colours = theme(), last = panel === this.panels().at(-1);
			const tick = ([v, label]) => ({ v, label });
			return {
				dateWindow: this.xRange(), valueRange: this.yRange(panel), gridLineColor: colours.grid, axisLineColor: colours.rule,
				axes: {
					x: { ticker: () => this.xTicks().map(([v, label]) => ({ v, label: last ? label : "" })), axisHeight: last ? 22 : 6, axisLabelWidth: 60 },
					y: { ticker: (low, high) => this.yTicks(panel, [low, high]).map(tick), axisLabelWidth: LEFT - 8 },
				},
			};
		}

		tell(panel, graph, tip, points, row, name, places) {
			const curve = (panel.curves || [])[Number(name)], point = points.find((one) => one.name === name);
			if (!curve || !point) return;
			const place = places.get(Number(name))?.get(row);
			const told = place === undefined ? "" : (curve.told || [])[place];
			const y = panel.unit || !told ? `${digits(point.yval)}${NARROW}${panel.unit || ""}` : "";
			tip.replaceChildren(make("b", { textContent: curve.name }),
				...[this.where(point.xval), [y, told].filter(Boolean).join(", ")].filter(Boolean).map((text) => make("span", { textContent: text })));
			tip.hidden = false;
			const left = point.canvasx > tip.parentElement.clientWidth / 2;
			tip.style.left = left ? "" : `${point.canvasx + 14}px`;
			tip.style.right = left ? `${tip.parentElement.clientWidth - point.canvasx + 14}px` : "";
			tip.style.top = `${Math.max(0, point.canvasy - 6)}px`;
		}

		// A drag or a double click in one panel moves them all.
		moved(graph) {
			if (this.moving) return;
			const range = graph.xAxisRange(), now = this.xRange();
			if (Math.abs(range[0] - now[0]) + Math.abs(range[1] - now[1]) < 1e-9 * Math.abs(now[1] - now[0])) return;
			this.look(graph.isZoomed("x") ? range : null);
		}

		zoom(times) {
			const [low, high] = this.xRange(), middle = (low + high) / 2, half = ((high - low) / 2) * times;
			const [least, most] = this.whole();
			const next = [Math.max(least, middle - half), Math.min(most, middle + half)];
			this.look(next[0] <= least && next[1] >= most ? null : next);
		}

		look(range) {
			this.view = range;
			this.redraw();
			this.told();
		}

		toggle(key) {
			if (this.off.has(key)) this.off.delete(key); else this.off.add(key);
			this.redraw();
			this.told();
		}

		alone(key) {
			const others = this.entries().map((entry) => entry.key).filter((other) => other !== key);
			const alone = others.every((other) => this.off.has(other));
			this.off = new Set(alone ? [] : others);
			this.redraw();
			this.told();
		}

		redraw() {
			if (!this.drawn) return;
			const bar = this.node.querySelector(".chart-bar");
			const focused = document.activeElement?.dataset?.key;
			const next = this.bar();
			if (bar.contains(document.activeElement) && focused === undefined) bar.querySelector(".legend").replaceWith(next.querySelector(".legend"));
			else bar.replaceWith(next);
			if (focused !== undefined) [...this.node.querySelectorAll(".legend button")].find((button) => button.dataset.key === focused)?.focus();
			if (!DYGRAPHS) {
				this.stage.innerHTML = this.svg(theme());
				return;
			}
			this.moving = true;
			for (const graph of this.graphs) {
				const curves = graph.panel.curves || [];
				if (curves.length) graph.setVisibility(Object.fromEntries(curves.map((curve, number) => [number, this.shows(curve)])));
				graph.updateOptions(this.frame(graph.panel));
			}
			this.moving = false;
			const twin = this.node.querySelector(".twin");
			if (twin?.open) this.tabulate(twin);
		}

		tabulate(twin) {
			[...twin.querySelectorAll(".scroll")].forEach((box) => box.remove());
			twin.append(...tablesOf(this, make));
		}

		// ---- as a picture

		svg(colours = PAPER) {
			return ChartPaper.svgOf(this, colours);
		}

		save(kind) {
			const name = `${document.title} ${this.node.id}.${kind}`.replace(/[^\p{L}\p{N}. _-]+/gu, "-");
			return ChartPaper.save(this.svg(), kind, name);
		}
	}

	// ---- the charts of a page: each is drawn as it comes into sight

	function of(node) {
		return charts.get(node.id);
	}

	function begin(figures, told) {
		const seen = new IntersectionObserver((entries) => {
			for (const entry of entries) if (entry.isIntersecting) of(entry.target).draw();
		}, { rootMargin: "200px" });
		for (const node of document.querySelectorAll(".chart")) {
			const chart = new Chart(node, figures[node.id]);
			chart.told = told;
			charts.set(node.id, chart);
			seen.observe(node);
		}
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawAll);
		addEventListener("beforeprint", () => {
			for (const chart of charts.values()) {
				if (chart.node.closest("details:not([open]), [hidden]")) continue;
				chart.node.querySelector(".paper")?.remove();
				const paper = make("div", { className: "paper" });
				paper.innerHTML = chart.svg();
				chart.node.append(paper);
			}
		});
		addEventListener("afterprint", () => document.querySelectorAll(".chart .paper").forEach((paper) => paper.remove()));
		return charts;
	}

	function redrawAll() {
		for (const chart of charts.values()) chart.redraw();
	}

	return { begin, of, redrawAll };
})();
