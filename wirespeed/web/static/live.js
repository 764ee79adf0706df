"use strict";
// Follows one test by server-sent events: figures in cards, charts that grow, the result at the end. It sends nothing.
(() => {
	const live = document.getElementById("live");
	const OF_TEST = "ofTest" in live.dataset;
	const { NARROW } = Words;
	const SO_FAR = 2; // lines of the verdict while the test runs: the figures, and what limits
	const at = (id) => document.getElementById(id);
	const charts = LiveCharts(live);
	let frames = [], head = {}, ended = false, over = false, running = false, heardAt = Date.now();

	const set = (id, text) => { at(id).textContent = text; };
	const made = (tag, text, name) => {
		const element = document.createElement(tag);
		element.textContent = text;
		if (name) element.className = name;
		return element;
	};
	// What is tested, which a file's name need not say.
	function showTitle() {
		const title = head.load ? head.load + (head.dut ? " through " + head.dut : "") : head.name || "a test";
		set("name", title);
		document.title = (running ? "▶ " : "") + title;
		set("what", [head.kind, head.load && head.name, head.version && `version ${head.version}`, head.started.slice(0, 19).replace("T", " ")].filter(Boolean).join(" · ") + " · ");
	}
	const sum = (frame, place) => Object.values(frame.ways).reduce((total, way) => total + way[place], 0);

	function showNow() {
		const frame = frames[frames.length - 1];
		if (!frame) {
			for (const id of ["phase", "received", "offered", "loss", "cost"]) set(id, "–");
			for (const id of ["elapsed", "share", "health", "lost", "vectors"]) set(id, "");
			at("ways").replaceChildren();
			return;
		}
		const offered = sum(frame, 0), received = sum(frame, 1), intended = sum(frame, 3);
		const ways = Object.entries(frame.ways), scale = Words.scaleOf(Math.max(offered, received, intended || 0));
		const rate = (pps) => Words.rate(pps, scale);
		const lost = ways.reduce((total, [, way]) => total + way[OF_TEST ? 0 : 1] * way[2], 0);
		set("phase", frame.what);
		set("elapsed", Words.digits(frame.t) + NARROW + "s since the start");
		set("received", rate(received));
		set("share", frame.line ? Words.digits(Math.min(100, 100 * received / frame.line)) + NARROW + "% of line rate" : "");
		set("offered", rate(offered));
		const unsent = frame.tester.unsent;
		if (unsent) set("health", (intended ? "of " + rate(intended) + " intended: " : "") + unsent.toLocaleString("en") + " packets not sent by the tester");
		else set("health", OF_TEST ? "the tester sent all of it" : "");
		const base = OF_TEST ? offered : received;
		set("loss", Words.loss(base ? lost / base : 0));
		const worst = ways.reduce((found, [name, way]) => (way[2] > found[1] ? [name, way[2]] : found), ["", 0]);
		set("lost", ways.length > 1 && worst[0] ? "worst: " + worst[0] + ", " + Words.loss(worst[1]) : "");
		set("cost", frame.cost ? Words.digits(frame.cost.cycles) : "–");
		set("vectors", frame.cost ? Words.digits(frame.cost.vectors) + " vectors/call" : "the DUT does not report it");
		at("ways").replaceChildren(...ways.map(([name, way]) => {
			const row = document.createElement("tr"), first = made("th", name);
			first.scope = "row";
			const latency = frame.latency[name];
			const cells = [rate(way[0]), rate(way[1]), Words.loss(way[2]),
				latency ? Words.digits(latency[0]) + " and " + Words.micros(latency[1]) : "–"];
			row.append(first, ...cells.map((text) => made("td", text, "figure")));
			return row;
		}));
		if (!OF_TEST || ended) return;
		at("progress").hidden = false;
		at("done").hidden = !head.most_s;
		if (!head.most_s) return set("time", "for " + Words.clock(frame.t) + ", end not known");
		const whole = Math.floor(frame.t), most = Math.round(head.most_s);
		at("done").value = Math.min(1, whole / most);
		const left = whole > most ? Words.clock(whole - most) + " longer than planned" : "at most " + Words.clock(most - whole) + " left";
		set("time", "for " + Words.clock(whole) + ", " + left + "; Ctrl-C in its terminal ends the test");
	}

	function showResult(state) {
		ended = OF_TEST && !state.running && !state.fault && state.status !== "waiting";
		if (!OF_TEST) return;
		at("result").hidden = !ended;
		at("now").hidden = ended;
		at("progress").hidden = ended || !frames.length;
		at("verdict-part").hidden = !state.verdicts.length;
		set("verdict", ended ? "Verdict" : "So far");
		at("verdicts").replaceChildren(...state.verdicts.slice(0, ended ? undefined : SO_FAR).map((text) => {
			const item = document.createElement("li");
			item.append(...text.split("`").map((part, number) => (number % 2 ? made("code", part) : part)));
			return item;
		}));
		if (!ended) return;
		at("figures").replaceChildren(...state.figures.map((figure, number) => {
			const card = made("div", "", number ? "card second" : "card"), rate = made("p", "", "rate");
			rate.append(made("b", figure.rate), NARROW + figure.unit);
			card.append(made("h3", figure.name), rate, made("p", [figure.share, figure.loss].filter(Boolean).join(", "), "bounds"), made("p", figure.trust, "trust"));
			return card;
		}));
		const link = made("a", "Report of this test");
		link.href = live.dataset.root + "report/" + live.dataset.test;
		at("report").replaceChildren(link);
	}

	let due = 0;
	function show() {
		if (due) return;
		due = requestAnimationFrame(() => { due = 0; showNow(); charts.show(frames, !ended && !over, head.colour || ""); });
	}

	function heard() {
		heardAt = Date.now();
		live.classList.remove("lost");
	}

	const source = new EventSource(live.dataset.events);
	source.addEventListener("head", (event) => {
		heard();
		head = JSON.parse(event.data);
		if (head.fresh) {
			frames = [];
			charts.clear();
		}
		showTitle();
		live.dataset.test = head.id;
		show();
	});
	source.addEventListener("frames", (event) => { heard(); frames.push(...JSON.parse(event.data)); show(); });
	source.addEventListener("state", (event) => {
		heard();
		const state = JSON.parse(event.data);
		running = state.running;
		set("state", state.fault || (running ? "▶ running" : state.status));
		if (head.started !== undefined) showTitle();
		showResult(state);
		show();
	});
	// The server ends in the normal way: what the page shows stays.
	source.addEventListener("over", (event) => {
		over = true;
		source.close();
		const { file } = JSON.parse(event.data);
		live.classList.remove("lost");
		set("state", "The server of this page has ended; the figures stay.");
		if (file) at("report").replaceChildren("The result is in ", made("code", file), "; its report: ", made("code", "wirespeed report " + file));
	});
	source.onopen = heard;
	setInterval(() => {
		if (over || source.readyState === EventSource.OPEN) return;
		if (source.readyState === EventSource.CLOSED) location.reload();
		live.classList.add("lost");
		set("state", "connection lost " + Math.round((Date.now() - heardAt) / 1000) + " s ago; these are the last figures");
	}, 1000);
})();
