"use strict";
// What the live page draws, from the frames of a test or of a machine, as `wirespeed.charts` describes charts.
const LiveCharts = (live) => {
	const SENT = live.dataset.sent, OF_TEST = "ofTest" in live.dataset;
	const { colours: COLOURS, marks: MARKS, classes: CLASSES, dashes: DASHES, alone: ALONE, grey: GREY } = JSON.parse(live.dataset.looks);
	const COSTS_SHOWN = 3; // times the median: a warm-up polls for few packets, which would flatten the rest
	const THRESHOLDS = [1e-3]; // the axis begins below the loss that a test allows unless told otherwise
	const MOST_PHASES = 6;
	const SAME = 0.005; // of the highest load: loads that differ by less are one line
	const PARTS = ["rates", "losses", "latencies", "costs"];
	const at = (id) => document.getElementById(id);
	const most = (values) => values.reduce((found, value) => Math.max(found, value), 0); // there may be more than a call takes
	let running = false, colour = "", phases = [];

	// A direction of a test has its DUT's colour and a dash of its own, as in reports; a port of a machine a colour of its
	// own.
	const looks = (number, of) => {
		const chosen = colour || COLOURS[number % COLOURS.length];
		const dash = colour && of === 1 ? ALONE : DASHES[(colour ? number : Math.floor(number / COLOURS.length)) % DASHES.length];
		return { colour: chosen, dash, symbol: MARKS[chosen], open: Boolean(colour) && number % 2 === 1 };
	};
	const same = (one, other, most) => one.every((value, place) => Math.abs((value ?? 0) - (other[place] ?? 0)) <= SAME * most);

	// One panel over time; `text` writes the last value of a curve for the legend.
	function draw(id, title, unit, height, curves, text, rest = {}) {
		const drawn = curves.filter((curve) => curve.y.some((y) => y !== null));
		at(id + "-part").hidden = !drawn.length;
		if (!drawn.length) return;
		at(id).setAttribute("aria-label", title);
		const last = (curve) => (running && curve.y.at(-1) !== null ? text(curve.y.at(-1)) : "");
		const figure = {
			sentence: title + " over time", title: `${at("name").textContent}: ${title}`, xTitle: "time since the start (s)", xUnit: "s", xLow: 0, bands: phases,
			panels: [{ title, unit, height, curves: drawn.map((curve) => ({ ...curve, key: curve.name })), ...rest }],
			legend: drawn.map(({ name, colour, dash, symbol, open, ...curve }) => ({ key: name, name, colour, dash, symbol, open, value: last(curve) })),
		};
		const known = Charts.of(at(id));
		if (known) known.renew(figure); else Charts.add(at(id), figure).draw();
	}

	// Where the phases of a test begin.
	function phasesOf(frames) {
		const found = [];
		let before = 0;
		for (const { t, what } of frames) {
			if (found.at(-1)?.name !== what) found.push({ name: what, low: before, high: before, colour: GREY, dash: "dot" });
			before = t;
		}
		return found.length > 1 && found.length <= MOST_PHASES ? found : [];
	}

	function rates(frames, x, names) {
		const way = (name, place) => frames.map((frame) => frame.ways[name]?.[place] ?? null);
		const wanted = frames.map((frame) => most(Object.values(frame.ways).map((one) => one[3] || 0)) || null);
		const line = frames.map((frame) => (frame.line ? frame.line / Object.keys(frame.ways).length : 0)).findLast(Boolean);
		const { size, unit } = Words.scaleOf(most([...names.flatMap((name) => [...way(name, 0), ...way(name, 1)]), ...wanted]));
		const scaled = (values) => values.map((value) => (value === null ? null : value / size));
		const curves = names.map((name, number) => ({ ...looks(number, names.length), name: name + " received", x, y: scaled(way(name, 1)) }));
		// Offered loads are mostly the same in all directions, and what was intended.
		const offered = names.map((name) => scaled(way(name, 0))), intended = scaled(wanted), highest = most([...offered.flat(), ...intended]);
		const each = "each direction", isOne = OF_TEST && names.length > 1 && offered.every((one) => same(one, offered[0], highest));
		const isIntended = OF_TEST && intended.some(Boolean) && offered.every((one) => same(one, intended, highest));
		const told = isIntended ? SENT + " as intended" : SENT;
		if (isOne) curves.push({ name: `${told}, ${each}`, colour: GREY, dash: "dot", width: 1.6, x, y: offered[0] });
		else names.forEach((name, number) => curves.push({ ...looks(number, names.length), symbol: "", dash: "dot", width: 1.2, name: `${name} ${told}`, x, y: offered[number] }));
		if (!isIntended) curves.push({ name: "intended, " + each, colour: GREY, dash: "dash", width: 1.2, x, y: intended });
		const rules = line ? [{ name: "line rate " + Words.rate(line) + " of " + each, value: line / size }] : [];
		draw("rates", `${SENT}, dotted, and received (${unit})`, unit, 300, curves, (value) => Words.rate(value * size, { size, unit }), { rules });
	}

	function losses(frames, x, names) {
		const scale = ChartScales.losses(frames.flatMap((frame) => Object.values(frame.ways).map((way) => way[2])), THRESHOLDS);
		const y = (name) => frames.map((frame) => (frame.ways[name] ? Math.max(frame.ways[name][2], scale.floor) : null));
		const curves = names.map((name, number) => ({ ...looks(number, names.length), name, x, y: y(name) }));
		const title = live.dataset.lost + ", log scale";
		draw("losses", title, "", 180, curves, (ratio) => Words.loss(ratio > scale.floor ? ratio : 0), scale);
	}

	function latencies(frames, x, names) {
		const y = (name, place) => frames.map((frame) => frame.latency[name]?.[place] ?? null);
		const curves = names.flatMap((name, number) => [
			{ ...looks(number, names.length), name: name + " mean", x, y: y(name, 0) },
			{ ...looks(number, names.length), dash: "dot", width: 1.2, name: name + " worst", x, y: y(name, 1) },
		]);
		const known = curves.flatMap((curve) => curve.y.filter((value) => value > 0));
		draw("latencies", `latency, worst dotted (µs)${known.length ? ", log scale" : ""}`, "µs", 180, curves, Words.micros, known.length ? { log: true, ...ChartScales.decades(known) } : {});
	}

	function costs(frames) {
		const told = frames.filter((frame) => frame.cost), x = told.map((frame) => frame.t);
		const sums = told.map((frame) => frame.cost.cycles), sorted = [...sums].sort((a, b) => a - b);
		const scale = COSTS_SHOWN * sorted[Math.floor(sorted.length / 2)], high = most(sums);
		const curves = [{ name: "all nodes", colour: GREY, dash: "dash", x, y: sums }];
		for (const [name, colour] of Object.entries(CLASSES)) {
			curves.push({ name, colour, dash: "", x, y: told.map((frame) => frame.cost.classes[name] ?? 0) });
		}
		draw("costs", "cycles per packet, by class of node", "cycles / packet", 180, curves.filter((curve) => most(curve.y) > 0), Words.cycles, { range: [0, Math.min(scale, high) * 1.08] });
		at("costs-note").textContent = high > scale ? "Above this scale: " + Words.cycles(high) + " at " + Words.digits(x[sums.indexOf(high)]) + " s." : "";
	}

	Charts.begin({});
	return {
		show(all, runs, dut) {
			// After the traffic packets are waited for, with no load.
			const frames = all.filter((frame) => frame.what !== "drain");
			if (!frames.length) return;
			[running, colour, phases] = [runs, dut, phasesOf(frames)];
			const x = frames.map((frame) => frame.t), names = [...new Set(frames.flatMap((frame) => Object.keys(frame.ways)))];
			rates(frames, x, names);
			losses(frames, x, names);
			latencies(frames, x, names);
			costs(frames);
		},
		clear() {
			for (const id of PARTS) at(id + "-part").hidden = true;
		},
	};
};
