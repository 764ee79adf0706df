"use strict";
// Follows one test by server-sent events: figures in cards, charts that grow. Nothing is sent but the wish to see.
(() => {
	const live = document.getElementById("live");
	const SENT = live.dataset.sent, OF_TEST = "ofTest" in live.dataset;
	const at = (id) => document.getElementById(id);
	const NARROW = "\u202f";
	// Okabe and Ito's order; offered is thin and dotted, received in the direction's colour.
	const COLOURS = ["#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9"];
	const CLASSES = ["input", "lookup", "rewrite", "output", "tx", "other"];
	const NO_LOSS = 1e-9;
	let frames = [];
	let running = false;
	let heardAt = Date.now();
	let plots = {};

	const digits = (value) => {
		if (!value) return "0";
		const places = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
		return value.toFixed(Math.min(places, 9));
	};
	const scaled = (value, unit) => {
		for (const [size, letter] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]])
			if (value >= size) return digits(value / size) + NARROW + letter + unit;
		return digits(value) + NARROW + unit;
	};
	const DECADES = [[NO_LOSS, "none"], [1e-6, "1" + NARROW + "ppm"], [1e-4, "100" + NARROW + "ppm"], [1e-2, "1" + NARROW + "%"], [1, "100" + NARROW + "%"]];
	const lossText = (ratio) => {
		if (!ratio) return "none";
		if (ratio < 1e-4) return digits(ratio * 1e6) + NARROW + "ppm";
		return digits(ratio * 100) + NARROW + "%";
	};
	const set = (id, text) => { at(id).textContent = text; };
	const sum = (frame, place) => Object.values(frame.ways).reduce((total, way) => total + way[place], 0);

	function showNow() {
		const frame = frames[frames.length - 1];
		if (!frame) {
			for (const id of ["phase", "received", "offered", "loss", "cost"]) set(id, "–");
			for (const id of ["time", "share", "health", "latency", "vectors"]) set(id, "");
			at("ways").replaceChildren();
			return;
		}
		const offered = sum(frame, 0), received = sum(frame, 1);
		const lost = Object.values(frame.ways).reduce((total, way) => total + way[OF_TEST ? 0 : 1] * way[2], 0);
		set("phase", frame.what);
		set("time", digits(frame.t) + NARROW + "s since the start");
		set("received", scaled(received, "pps"));
		set("share", frame.line ? digits(Math.min(100, 100 * received / frame.line)) + NARROW + "% of the line" : "");
		set("offered", scaled(offered, "pps"));
		const unsent = frame.tester.unsent;
		if (unsent) set("health", unsent.toLocaleString("en") + " packets not sent by the tester");
		else set("health", OF_TEST ? "the tester sent all of it" : "");
		set("loss", lossText((OF_TEST ? offered : received) ? lost / (OF_TEST ? offered : received) : 0));
		const latencies = Object.values(frame.latency);
		set("latency", latencies.length ? "latency " + digits(Math.max(...latencies.map((one) => one[0]))) + NARROW + "µs" : "");
		set("cost", frame.cost ? digits(frame.cost.cycles) + NARROW + "clocks" : "–");
		set("vectors", frame.cost ? digits(frame.cost.vectors) + " packets per call" : "the device does not tell");
		at("ways").replaceChildren(...Object.entries(frame.ways).map(([name, way]) => {
			const row = document.createElement("tr");
			const head = document.createElement("th");
			head.scope = "row";
			head.textContent = name;
			row.append(head);
			const latency = frame.latency[name];
			const cells = [scaled(way[0], "pps"), scaled(way[1], "pps"), lossText(way[2]),
				latency ? digits(latency[0]) + " and " + digits(latency[1]) + NARROW + "µs" : "–"];
			for (const text of cells) {
				const cell = document.createElement("td");
				cell.className = "figure";
				cell.textContent = text;
				row.append(cell);
			}
			return row;
		}));
	}

	function common(colours, more) {
		const ink = getComputedStyle(document.body);
		return {
			colors: colours, legend: "follow", animatedZooms: false, gridLineColor: ink.getPropertyValue("--grid").trim(),
			axisLineColor: ink.getPropertyValue("--rule").trim(), xlabel: "seconds", connectSeparatedPoints: true,
			strokeWidth: 2, highlightCircleSize: 3, rightGap: 12, ...more,
		};
	}

	function draw(id, labels, rows, options) {
		if (typeof Dygraph === "undefined" || !rows.length) return;
		const shape = labels.join("\u0000");
		if (plots[id] && plots[id].shape === shape) {
			plots[id].graph.updateOptions({ file: rows });
			return;
		}
		if (plots[id]) plots[id].graph.destroy();
		plots[id] = { shape, graph: new Dygraph(at(id), rows, { labels, ...options }) };
	}

	function showCharts() {
		const names = [...new Set(frames.flatMap((frame) => Object.keys(frame.ways)))];
		const value = (frame, name, place) => (frame.ways[name] ? frame.ways[name][place] : null);
		const hasLine = frames.some((frame) => frame.line);
		const labels = ["seconds"], colours = [], series = {};
		names.forEach((name, number) => {
			labels.push(name + " " + SENT, name + " received");
			colours.push(COLOURS[number % 6], COLOURS[number % 6]);
			series[name + " " + SENT] = { strokePattern: [2, 3], strokeWidth: 1.4 };
		});
		if (hasLine) {
			labels.push("line, a direction");
			colours.push("#808890");
			series["line, a direction"] = { strokeWidth: 1, highlightCircleSize: 0 };
		}
		const rate = (pps) => scaled(pps, "pps");
		draw("rates", labels, frames.map((frame) => [frame.t,
			...names.flatMap((name) => [value(frame, name, 0), value(frame, name, 1)]),
			...(hasLine ? [frame.line ? frame.line / Object.keys(frame.ways).length : null] : [])]),
		common(colours, { series, includeZero: true, axes: { y: { axisLabelFormatter: rate, valueFormatter: rate, axisLabelWidth: 78 } } }));
		draw("losses", ["seconds", ...names], frames.map((frame) => [frame.t,
			...names.map((name) => { const loss = value(frame, name, 2); return loss === null ? null : Math.max(loss, NO_LOSS); })]),
		common(COLOURS, { logscale: true, valueRange: [NO_LOSS / 2, 1.5], drawPoints: true, pointSize: 2,
			axes: { y: { ticker: () => DECADES.map(([v, label]) => ({ v, label })), valueFormatter: (loss) => lossText(loss <= NO_LOSS ? 0 : loss), axisLabelWidth: 78 } } }));
		const costly = frames.filter((frame) => frame.cost);
		at("costs-part").hidden = !costly.length;
		if (costly.length) draw("costs", ["seconds", ...CLASSES], costly.map((frame) => [frame.t, ...CLASSES.map((name) => frame.cost.classes[name] || 0)]),
			common(["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"], { stackedGraph: true, includeZero: true, axes: { y: { axisLabelWidth: 78 } } }));
	}

	let due = 0;
	function show() {
		if (due) return;
		due = requestAnimationFrame(() => { due = 0; showNow(); showCharts(); });
	}

	function told() {
		heardAt = Date.now();
		live.classList.remove("lost");
	}

	const source = new EventSource(live.dataset.events);
	source.addEventListener("head", (event) => {
		told();
		const head = JSON.parse(event.data);
		if (head.fresh) {
			frames = [];
			for (const one of Object.values(plots)) one.graph.destroy();
			plots = {};
		}
		set("name", head.name || "a test");
		document.title = head.name || "live";
		set("what", [head.kind, head.load, head.box && "through " + head.box, head.started.slice(0, 19).replace("T", " ")].filter(Boolean).join(" · ") + " · ");
		live.dataset.test = head.id;
		show();
	});
	source.addEventListener("frames", (event) => { told(); frames.push(...JSON.parse(event.data)); show(); });
	source.addEventListener("state", (event) => {
		told();
		const state = JSON.parse(event.data);
		running = state.running;
		const line = at("state");
		line.textContent = state.fault || (running ? "▶ running" : state.status);
		if (OF_TEST && !running && !state.fault && state.status !== "waiting") {
			const link = document.createElement("a");
			link.href = live.dataset.root + "report/" + live.dataset.test;
			link.textContent = "report";
			line.append(" · ", link);
		}
		at("verdicts").replaceChildren(...state.verdicts.map((text) => {
			const item = document.createElement("li");
			item.textContent = text;
			return item;
		}));
	});
	source.onopen = told;
	setInterval(() => {
		if (source.readyState === EventSource.OPEN) return;
		if (source.readyState === EventSource.CLOSED) location.reload();
		live.classList.add("lost");
		set("state", "connection lost " + Math.round((Date.now() - heardAt) / 1000) + " s ago; these are the last figures");
	}, 1000);
})();
