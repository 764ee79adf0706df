"use strict";
// Charts of the live page: each has a title, a legend with the last values, and a note, all of them text.
const LiveCharts = (live) => {
	const SENT = live.dataset.sent;
	const { NARROW, NO_LOSS } = Words;
	// Okabe and Ito's order.
	const COLOURS = ["#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9"];
	const GREY = "#808890";
	const CLASSES = ["input", "lookup", "rewrite", "output", "tx", "other"];
	const CLASS_COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"];
	const DOTTED = { strokePattern: [2, 3], strokeWidth: 1.4 };
	const DASHED = { strokePattern: [7, 4], strokeWidth: 1.2, highlightCircleSize: 0 };
	const THIN = { strokeWidth: 1, highlightCircleSize: 0 };
	const LINE_FITS = 1.25; // times the largest rate: line rate further up would flatten the curves
	const COSTS_SHOWN = 3; // times the median: a warm-up polls for few packets, which would flatten the rest
	const DECADES = [[NO_LOSS, "none"], [1e-6, "1" + NARROW + "ppm"], [1e-4, "100" + NARROW + "ppm"], [1e-2, "1" + NARROW + "%"], [1, "100" + NARROW + "%"]];
	const at = (id) => document.getElementById(id);
	let plots = {}, running = false;

	function legend(id, series, rows, text) {
		const last = running ? rows[rows.length - 1] : [];
		at(id + "-legend").replaceChildren(...series.map(({ name, colour, style }, number) => {
			const item = document.createElement("li"), swatch = document.createElement("span");
			swatch.className = "swatch" + (style === DOTTED ? " dotted" : style === DASHED ? " dashed" : "");
			swatch.style.setProperty("--series", colour);
			swatch.setAttribute("aria-hidden", "true");
			const value = last[number + 1];
			item.append(swatch, name + (value === null || value === undefined ? "" : " " + text(value)));
			return item;
		}));
	}

	// One chart: `series` are { name, colour, style }, `rows` begin with the time, `text` writes a value.
	function draw(id, series, rows, text, note, options) {
		at(id + "-part").hidden = !rows.length || !series.length;
		if (at(id + "-part").hidden) return;
		legend(id, series, rows, text);
		at(id + "-note").textContent = note;
		if (typeof Dygraph === "undefined") return;
		const labels = ["seconds", ...series.map(({ name }) => name)], shape = labels.join("\u0000");
		if (plots[id] && plots[id].shape === shape) {
			plots[id].graph.updateOptions({ file: rows, ...options });
			return;
		}
		if (plots[id]) plots[id].graph.destroy();
		const page = getComputedStyle(document.body);
		const styles = Object.fromEntries(series.map(({ name, style }) => [name, style || {}]));
		const y = { axisLabelFormatter: text, valueFormatter: text, axisLabelWidth: 78, ...options.y };
		plots[id] = { shape, graph: new Dygraph(at(id), rows, {
			labels, colors: series.map(({ colour }) => colour), series: styles, legend: "follow", animatedZooms: false,
			gridLineColor: page.getPropertyValue("--grid").trim(), axisLineColor: page.getPropertyValue("--rule").trim(),
			xlabel: "seconds since the start", connectSeparatedPoints: true, strokeWidth: 2, highlightCircleSize: 3, rightGap: 12,
			underlayCallback: phaseLines, ...options, axes: { y },
		}) };
	}

	// Where a phase ends, and the one after it begins: [seconds, the phase that ends].
	let ends = [];
	function phasesOf(frames) {
		ends = [];
		frames.forEach((frame, number) => {
			const next = frames[number + 1];
			if (next && next.what !== frame.what) ends.push([frame.t, frame.what]);
		});
		const last = frames[frames.length - 1];
		if (!last.what || !ends.length || ends.length > 5) return "";
		return "Phases: " + ends.map(([t, what]) => what + " until " + Words.digits(t) + NARROW + "s, ").join("") + "then " + last.what + ". ";
	}
	function phaseLines(canvas, area, graph) {
		if (ends.length > 5) return;
		canvas.fillStyle = GREY;
		for (const [t] of ends) {
			const x = graph.toDomXCoord(t);
			if (x > area.x && x < area.x + area.w) canvas.fillRect(Math.round(x), area.y, 1, area.h);
		}
	}

	function rates(frames, names, phases) {
		const of = (frame, name, place) => (frame.ways[name] ? frame.ways[name][place] : null);
		const series = names.flatMap((name, number) => [
			{ name: name + " " + SENT, colour: COLOURS[number % 6], style: DOTTED, of: (frame) => of(frame, name, 0) },
			{ name: name + " received", colour: COLOURS[number % 6], of: (frame) => of(frame, name, 1) },
		]);
		const wanted = (frame) => Math.max(...Object.values(frame.ways).map((way) => way[3] || 0)) || null;
		if (frames.some(wanted)) series.push({ name: "intended per direction", colour: GREY, style: DASHED, of: wanted });
		const line = (frame) => (frame.line ? frame.line / Object.keys(frame.ways).length : null);
		const lines = frames.map(line).filter(Boolean), rate = lines.length ? lines[lines.length - 1] : 0;
		const most = Math.max(...frames.flatMap((frame) => series.map((one) => one.of(frame) || 0)));
		let note = phases;
		if (rate && rate <= LINE_FITS * most) series.push({ name: "line rate per direction", colour: GREY, style: THIN, of: line });
		else if (rate) note += "Line rate: " + Words.rate(rate) + " per direction, above this scale.";
		const rows = frames.map((frame) => [frame.t, ...series.map((one) => one.of(frame))]);
		draw("rates", series, rows, Words.rate, note, { includeZero: true });
	}

	function losses(frames, names) {
		const loss = (frame, name) => (frame.ways[name] ? Math.max(frame.ways[name][2], NO_LOSS) : null);
		const series = names.map((name, number) => ({ name, colour: COLOURS[number % 6] }));
		const rows = frames.map((frame) => [frame.t, ...names.map((name) => loss(frame, name))]);
		draw("losses", series, rows, Words.loss, "", {
			logscale: true, valueRange: [NO_LOSS / 2, 1.5], drawPoints: true, pointSize: 2,
			y: { ticker: () => DECADES.map(([v, label]) => ({ v, label })) },
		});
	}

	function latencies(frames, names) {
		const measured = names.filter((name) => frames.some((frame) => frame.latency[name]));
		const series = measured.flatMap((name) => {
			const colour = COLOURS[names.indexOf(name) % 6];
			return [{ name: name + " mean", colour }, { name: name + " worst", colour, style: DOTTED }];
		});
		const rows = frames.map((frame) => [frame.t, ...measured.flatMap((name) => frame.latency[name] || [null, null])]);
		draw("latencies", series, rows, Words.micros, "", { logscale: true });
	}

	function costs(frames) {
		const told = frames.filter((frame) => frame.cost);
		if (!told.length) return draw("costs", [], [], Words.cycles, "", {});
		const sums = told.map((frame) => frame.cost.cycles), sorted = [...sums].sort((a, b) => a - b);
		const scale = COSTS_SHOWN * sorted[Math.floor(sorted.length / 2)], most = Math.max(...sums), cut = most > scale;
		const known = told.some((frame) => Object.keys(frame.cost.classes).length);
		const series = (known ? CLASSES : ["all nodes"]).map((name, number) => ({ name, colour: CLASS_COLOURS[number] }));
		const rows = told.map((frame) => [frame.t, ...(known ? CLASSES.map((name) => frame.cost.classes[name] || 0) : [frame.cost.cycles])]);
		const note = cut ? "Above this scale: " + Words.cycles(most) + " at " + Words.digits(told[sums.indexOf(most)].t) + NARROW + "s." : "";
		draw("costs", series, rows, Words.cycles, note, {
			stackedGraph: true, includeZero: true, valueRange: [0, (cut ? scale : most) * 1.08],
		});
	}

	return {
		show(all, runs) {
			// After the traffic packets are waited for, with no load.
			const frames = all.filter((frame) => frame.what !== "drain");
			running = runs;
			const names = [...new Set(frames.flatMap((frame) => Object.keys(frame.ways)))];
			if (!frames.length) return;
			rates(frames, names, phasesOf(frames));
			losses(frames, names);
			latencies(frames, names);
			costs(frames);
		},
		clear() {
			for (const one of Object.values(plots)) one.graph.destroy();
			plots = {};
			for (const id of ["rates", "losses", "latencies", "costs"]) at(id + "-part").hidden = true;
		},
	};
};
