"use strict";

// Charts as `wirespeed.charts` describes them: drawn by dygraphs to be looked into, and as SVG for files and paper. Where
// dygraphs is not in the page they are SVG on the screen too.
const Charts = (() => {
	const PAPER = { paper: "#ffffff", ink: "#1c2430", soft: "#4d5765", grid: "#dfe3e8", rule: "#7d8590", alarm: "#b3401a" };
	const RIGHT = 16, NAMED = 12, ROW = 6;
	const { canvasPen, swatch, DOT, DASHES } = Pens;
	const { digits, NARROW } = ChartScales;
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
	class Chart extends ChartFigure {
		constructor(node, figure, told) {
			super(figure);
			this.node = node;
			this.graphs = [];
			this.told = told;
		}

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

		// Later figures of the same chart, of a test that goes on.
		renew(figure) {
			const shape = (one) => JSON.stringify(one.panels.map((panel) => [panel.title, panel.log, (panel.curves || []).map((curve) => [curve.name, curve.key])]));
			const same = shape(figure) === shape(this.whole_figure);
			this.whole_figure = figure;
			if (!this.drawn) return this.draw();
			if (!same || !DYGRAPHS) this.set();
			else this.panels().forEach((panel, number) => {
				this.give(this.graphs[number], panel).isOld = true;
			});
			this.redraw();
		}

		set() {
			for (const graph of this.graphs) graph.destroy();
			this.graphs = [];
			this.stage.replaceChildren();
			if (!DYGRAPHS) return this.redraw();
			this.panels().forEach((panel) => this.drawPanel(panel));
			this.stage.append(make("p", { className: "x-title", textContent: this.figure.xTitle }));
		}

		// In percent or in the unit of the figures.
		share(shared) {
			if (shared === this.shared || !this.whole_figure.shares) return;
			this.shared = shared;
			this.view = null;
			if (!this.drawn) return;
			this.set();
			this.redraw();
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
			const waiting = make("ul"), entries = this.entries(), isLong = entries.length > ROW && entries.filter((entry) => entry.off).length > 1;
			for (const entry of entries) {
				const button = make("button", { type: "button" }, swatch(entry), entry.name, make("span", { textContent: entry.value || "" }));
				button.setAttribute("aria-pressed", String(!this.off.has(entry.key)));
				button.addEventListener("click", () => this.toggle(entry.key));
				button.addEventListener("dblclick", () => this.alone(entry.key));
				button.dataset.key = entry.key;
				(entry.off && isLong ? waiting : keys).append(make("li", {}, button));
			}
			for (const key of this.keys()) keys.append(make("li", { className: "key-mark" }, swatch({ ...key, colour: "currentColor" }), key.name));
			if (waiting.children.length) keys.append(make("li", {}, make("details", { className: "screen" }, make("summary", { textContent: `${waiting.children.length} more to show` }), waiting)));
			const tools = make("div", { className: "tools screen" });
			const tool = (text, name, act) => {
				const button = make("button", { type: "button", textContent: text, title: name });
				button.setAttribute("aria-label", `${name}: ${this.figure.sentence}`);
				button.addEventListener("click", act);
				tools.append(button);
			};
			if (this.whole_figure.shares) {
				tool("%", "Percent of each test's highest load", () => {
					this.share(!this.shared);
					this.told();
				});
				tools.lastChild.setAttribute("aria-pressed", String(this.shared));
			}
			if (DYGRAPHS) {
				tool("+", "Zoom in", () => this.zoom(0.5));
				tool("−", "Zoom out", () => this.zoom(2));
				tool("reset", "Reset the zoom", () => this.look(null));
			}
			tool("PNG", "Save as PNG", () => this.save("png"));
			tool("SVG", "Save as SVG", () => this.save("svg"));
			const isHigh = keys.children.length > ROW;
			return make("div", { className: isHigh ? "chart-bar long" : "chart-bar" }, ...(isHigh ? [tools, keys] : [keys, tools]));
		}

		drawPanel(panel) {
			const plot = make("div", { className: "plot" });
			plot.style.height = `${panel.height + (panel === this.panels().at(-1) ? 22 : 6)}px`;
			plot.setAttribute("role", "img");
			plot.setAttribute("aria-label", `${panel.title}: ${this.figure.sentence}`);
			const tip = make("div", { className: "tip", hidden: true }), layer = make("div", { className: "labels" });
			const names = make("ul", { className: "legend names" }), stand = make("div", { className: "stand" }, plot, layer);
			this.stage.append(make("figure", { className: "panel" }, make("figcaption", { textContent: panel.title }), names, stand, tip));
			const curves = panel.curves || [], known = this.give({}, panel);
			const graph = new Dygraph(plot, known.rows, {
				labels: ["x", ...(curves.length ? curves.map((_, number) => String(number)) : ["none"])],
				visibility: curves.length ? curves.map((curve) => this.shows(curve)) : [true],
				series: Object.fromEntries(curves.map((curve, number) => [String(number), this.look_of(curve)])),
				connectSeparatedPoints: true, legend: "never", animatedZooms: false, rightGap: RIGHT, xRangePad: 0, yRangePad: 0,
				logscale: Boolean(panel.log), highlightCircleSize: 4, highlightSeriesOpts: { highlightCircleSize: 5 },
				highlightSeriesBackgroundAlpha: 1, ...this.frame(panel),
				underlayCallback: (canvas, box, graph) => {
					const toX = (x) => graph.toDomXCoord(x), toY = (y) => graph.toDomYCoord(y), { panel } = graph.panel ? graph : known;
					this.under(panel, canvasPen(canvas), box, toX, toY, theme());
					const laid = this.laid(panel, box, toX, toY);
					const { found, unnamed } = this.words(panel, laid, box, toX, toY, getComputedStyle(document.body).fontFamily);
					graph.laid = { ...laid, panel };
					ChartLabels.show(layer, found);
					this.name(unnamed, names);
				},
				highlightCallback: (event, x, points, row, name) => this.tell(graph, tip, points, row, name),
				unhighlightCallback: () => { tip.hidden = true; },
				pointClickCallback: (event, point) => this.follow(graph, point),
				drawCallback: (graph, first) => { if (!first) this.moved(graph); },
			});
			Object.assign(graph, known);
			this.graphs.push(graph);
		}

		// What a graph draws, and which point of a curve a row of it has.
		give(graph, panel) {
			const { rows, places } = rowsOf(panel.curves || []);
			return Object.assign(graph, { panel, places, rows: rows.length ? rows : [[this.span()[0], null]] });
		}

		name(unnamed, list) {
			const found = new Map(unnamed.map((curve) => [`${curve.name} ${curve.dash} ${curve.colour}`, curve]));
			const some = [...found.values()].slice(0, NAMED);
			list.replaceChildren(...some.map((curve) => make("li", {}, swatch(curve.ink ? { ...curve, colour: `var(--${curve.ink})` } : curve), curve.name)));
			if (found.size > NAMED) list.append(make("li", { textContent: `and ${found.size - NAMED} more, in the table` }));
		}

		look_of(curve) {
			const fill = (colour) => (curve.open ? theme().paper : colour);
			if (!curve.dots) {
				return { color: curve.colour, strokeWidth: curve.width || 2, plotter: (drawing) => this.plot(drawing, fill(curve.colour)) };
			}
			const mark = (graph, name, canvas, x, y, colour) => canvasPen(canvas).mark(curve.symbol || "dot", x, y, colour, fill(colour));
			return { color: curve.colour, strokeWidth: 0, drawPoints: true, pointSize: DOT, drawPointCallback: mark, drawHighlightPointCallback: mark };
		}

		// A line as `laid` has it, with its marks.
		plot(drawing, fill) {
			const graph = drawing.dygraph, canvas = drawing.drawingContext;
			const { lines, panel } = graph.laid, line = lines.find(({ curve }) => curve === panel.curves[Number(drawing.setName)]);
			if (!line) return;
			const pen = canvasPen(canvas), { curve } = line;
			pen.line(line.path, curve.colour, curve.width || 2, DASHES[curve.dash]);
			for (const [x, y] of line.dots) pen.box(x - 1.6, y - 1.6, 3.2, 3.2, curve.colour);
			if (curve.links) for (const [x, y] of line.points) if (y !== null) pen.mark("dot", x, y, curve.colour, fill);
			for (const place of line.marks) pen.mark(curve.symbol, ...line.points[place], curve.colour, fill);
		}

		// Room for the figures of the y axes, the same in all panels.
		left() {
			const family = getComputedStyle(document.body).fontFamily;
			return 12 + Math.ceil(Math.max(20, ...this.panels().flatMap((panel) => this.yTicks(panel).map(([, text]) => ChartLabels.widthOf(text, family)))));
		}

		frame(panel) {
			const colours = theme(), last = panel === this.panels().at(-1);
			const tick = ([v, label]) => ({ v, label });
			return {
				dateWindow: this.xRange(), valueRange: this.yRange(panel), gridLineColor: colours.grid, axisLineColor: colours.rule,
				axes: {
					x: { ticker: (low, high, wide) => this.xTicks(wide).map(([v, label]) => ({ v, label: last ? label : "" })), axisHeight: last ? 22 : 6, axisLabelWidth: this.figure.categories ? 120 : 50 },
					y: { ticker: (low, high) => this.yTicks(panel, [low, high]).map(tick), axisLabelWidth: this.left() },
				},
			};
		}

		tell({ panel, places }, tip, points, row, name) {
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

		// A point of a curve with links leads to its page.
		follow({ panel, places }, point) {
			const page = panel.curves?.[Number(point.name)]?.links?.[places.get(Number(point.name))?.get(point.idx)];
			if (page) location.href = page;
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
			// Buttons stay those that somebody is about to press, and keep the focus.
			const next = this.bar(), [now, then] = [bar, next].map((one) => [...one.querySelectorAll("button")]);
			const same = now.length === then.length && now.every((button, number) => button.dataset.key === then[number].dataset.key && button.title === then[number].title);
			if (!same) bar.replaceWith(next);
			else now.forEach((button, number) => {
				button.replaceChildren(...then[number].childNodes);
				if (then[number].hasAttribute("aria-pressed")) button.setAttribute("aria-pressed", then[number].getAttribute("aria-pressed"));
			});
			if (!DYGRAPHS) {
				this.stage.innerHTML = this.svg(theme(), Math.max(360, this.node.clientWidth));
				return;
			}
			this.moving = true;
			for (const graph of this.graphs) {
				const seen = (graph.panel.curves || []).map((curve) => this.shows(curve));
				if (seen.length && String(seen) !== String(graph.visibility())) graph.setVisibility(Object.fromEntries(seen.entries()));
				graph.updateOptions({ ...this.frame(graph.panel), ...(graph.isOld && { file: graph.rows }) });
				graph.isOld = false;
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

		// `width` in pixels.
		svg(colours = PAPER, width = 1000) {
			return ChartPaper.svgOf(this, colours, width);
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

	function add(node, figure, told = () => {}) {
		const chart = new Chart(node, figure, told);
		charts.set(node.id, chart);
		return chart;
	}

	function begin(figures, told) {
		const seen = new IntersectionObserver((entries) => {
			for (const entry of entries) if (entry.isIntersecting) of(entry.target).draw();
		}, { rootMargin: "200px" });
		for (const node of document.querySelectorAll(".chart")) {
			if (!figures[node.id]) continue;
			add(node, figures[node.id], told);
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

	return { begin, add, of, redrawAll };
})();
