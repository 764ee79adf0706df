"use strict";

// The report's own doings: which results are shown, what leads where, sorting, copying; and all of it in the address, so
// that a link shows what its sender saw.
(async () => {
	const { figures, listed, folds: kept } = await unpacked;
	const numbers = new Map(listed.map((one, number) => [one.name, number]));
	const at = (id) => document.getElementById(id);
	const choose = at("choose"), filter = at("filter");
	const THEMES = ["", "light", "dark"];
	const picked = new Set();
	let theme = "";

	// ---- which results are shown

	const wanted = () => (filter ? filter.value.toLowerCase().split(/\s+/).filter(Boolean) : []);
	function isShown(number) {
		return (!picked.size || picked.has(number)) && wanted().every((word) => listed[number].text.includes(word));
	}
	const hides = (name) => numbers.has(name) && !isShown(numbers.get(name));

	function show() {
		const shown = listed.map((_, number) => isShown(number));
		const many = shown.filter(Boolean).length;
		for (const node of document.querySelectorAll("[data-of]")) node.hidden = hides(node.dataset.of);
		// Rows of plain tables begin with the name of a result.
		for (const row of document.querySelectorAll("table.grid tbody tr")) row.hidden = hides(row.cells[0].textContent);
		const table = document.querySelector("#matrix table");
		if (table) {
			const rows = [...table.tBodies[0].rows], head = table.tHead.rows[0];
			for (const row of rows) row.hidden = !row.querySelector("a.cell:not([hidden])");
			for (let column = 1; column < head.cells.length; column++) {
				const empty = many < listed.length && !rows.some((row) => row.cells[column].querySelector("a.cell:not([hidden])"));
				for (const row of [head, ...rows]) row.cells[column].hidden = empty;
			}
		}
		for (const chart of charts.values()) {
			chart.hidden = hides;
			const of = [...new Set(chart.figure.panels.flatMap((panel) => (panel.curves || []).map((curve) => curve.of)))].filter(Boolean);
			const heading = chart.node.previousElementSibling;
			if (chart.node.closest("section.load")) chart.node.hidden = of.length > 0 && of.every(hides);
			if (heading?.matches("section.load h3")) heading.hidden = chart.node.hidden;
			chart.redraw();
		}
		for (const section of document.querySelectorAll("section.load")) {
			section.hidden = [...section.querySelectorAll(":scope > .chart")].every((node) => node.hidden);
		}
		for (const section of document.querySelectorAll("#why, #nodes, section.kind")) {
			const parts = [...section.querySelectorAll("[data-of]")];
			if (parts.length) section.hidden = parts.every((part) => part.hidden);
		}
		if (choose) at("chosen").textContent = many === listed.length ? `${many} results` : `${many} of ${listed.length} results`;
		if (choose) at("all").disabled = many === listed.length && !picked.size;
		compare();
	}

	// Those that are ticked, side by side; the first is what the others are compared with.
	function compare() {
		if (!choose) return;
		const rows = [...picked].sort((a, b) => a - b).map((number) => {
			const all = [...document.querySelectorAll("#summary tbody tr")].filter((row) => row.dataset.of === listed[number].name);
			return all.find((row) => row.classList.contains("sum")) ?? all[0];
		}).filter(Boolean);
		const place = at("compared");
		place.replaceChildren();
		if (rows.length < 2) return;
		const heads = [...document.querySelectorAll("#summary thead th")].map((head) => head.textContent);
		const columns = [0, 2, 3, 4, 7], most = (row) => Number(row.cells[4].dataset.key) || null;
		const table = document.createElement("table");
		const line = (cells, tag) => {
			const row = document.createElement("tr");
			cells.forEach((text, column) => {
				const cell = document.createElement(tag === "th" || column === 0 ? "th" : "td");
				cell.scope = tag === "th" ? "col" : "row";
				cell.className = column > 1 ? "figure" : "text";
				cell.textContent = text;
				row.append(cell);
			});
			return row;
		};
		const base = most(rows[0]);
		table.createTHead().append(line([...columns.map((column) => heads[column]), "against the first"], "th"));
		const body = table.createTBody();
		rows.forEach((row, number) => {
			const share = base && most(row) ? (100 * most(row)) / base - 100 : null;
			const said = number === 0 ? "–" : share === null ? "–" : `${share > 0 ? "+" : ""}${share.toFixed(2)} %`;
			body.append(line([...columns.map((column) => row.cells[column].textContent), said], "td"));
		});
		const box = document.createElement("div");
		Object.assign(box, { className: "scroll", tabIndex: 0 });
		box.setAttribute("role", "region");
		box.setAttribute("aria-label", "Compared");
		box.append(table);
		place.append(box);
	}

	// What waits until its fold is opened.
	function fill(fold) {
		const place = fold.open && fold.querySelector(":scope > [data-fold]");
		if (!place) return;
		place.insertAdjacentHTML("afterend", kept[Number(place.dataset.fold)]);
		place.remove();
		WideTables.watch(fold);
		show();
	}

	// ---- all of it in the address

	const folds = [...document.querySelectorAll("main details")];
	const opened = folds.map((fold) => fold.open);
	let restoring = false;

	function remember() {
		if (restoring) return;
		const state = new URLSearchParams();
		if (filter?.value.trim()) state.set("show", filter.value.trim());
		if (picked.size) state.set("pick", [...picked].sort((a, b) => a - b).join(" "));
		if (theme) state.set("theme", theme);
		const turned = folds.flatMap((fold, number) => (fold.open === opened[number] ? [] : [number]));
		if (turned.length) state.set("folds", turned.join(" "));
		for (const [id, chart] of charts) {
			if (chart.view) state.set(`x.${id}`, chart.view.map((x) => Number(x.toPrecision(6))).join(" "));
			const keys = (chart.figure.legend || []).flatMap((entry, number) => (chart.off.has(entry.key) === Boolean(entry.off) ? [] : [number]));
			if (keys.length) state.set(`turned.${id}`, keys.join(" "));
			if (chart.shared) state.set(`percent.${id}`, "1");
			if (chart.open.size) state.set(`open.${id}`, [...chart.open].sort((a, b) => a - b).join(" "));
		}
		const text = state.toString();
		history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
	}

	function restore() {
		const hash = location.hash.slice(1);
		if (!hash.includes("=")) {
			if (hash) lead(decodeURIComponent(hash));
			return;
		}
		restoring = true;
		const state = new URLSearchParams(hash), list = (key) => (state.get(key) ?? "").split(" ").filter(Boolean).map(Number);
		if (filter) filter.value = state.get("show") ?? "";
		picked.clear();
		for (const number of list("pick")) if (listed[number]) picked.add(number);
		for (const box of document.querySelectorAll("#pick input")) box.checked = picked.has(Number(box.value));
		turnTo(THEMES.includes(state.get("theme")) ? state.get("theme") : "");
		for (const number of list("folds")) if (folds[number]) folds[number].open = !opened[number];
		for (const [id, chart] of charts) {
			chart.share(state.get(`percent.${id}`) === "1");
			const range = list(`x.${id}`);
			chart.view = range.length === 2 && range.every(Number.isFinite) && range[0] < range[1] ? range : null;
			const legend = chart.figure.legend || [], turned = new Set(list(`turned.${id}`));
			chart.off = new Set(legend.filter((entry, number) => Boolean(entry.off) !== turned.has(number)).map((entry) => entry.key));
			const open = new Set(list(`open.${id}`).filter((number) => chart.figure.panels[number]?.folded));
			if (String([...open]) !== String([...chart.open])) chart.unfold(open);
		}
		restoring = false;
	}

	// ---- leading to a chart, and to a load in it

	function lead(id, place) {
		const node = at(id);
		if (!node) return;
		for (let fold = node.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
		const chart = charts.get(id);
		if (chart) {
			chart.draw();
			chart.at = place ?? null;
			chart.redraw();
		}
		if (!node.hasAttribute("tabindex")) node.tabIndex = -1;
		node.focus({ preventScroll: true });
		node.scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
	}

	document.addEventListener("click", (event) => {
		const link = event.target.closest("a[href^='#']");
		if (!link) return;
		event.preventDefault();
		lead(link.hash.slice(1), link.dataset.at === undefined ? null : Number(link.dataset.at));
	});

	// ---- light, dark, or as the system has it

	function turnTo(next) {
		theme = next;
		if (theme) document.documentElement.dataset.theme = theme; else delete document.documentElement.dataset.theme;
		at("theme").textContent = `Theme: ${theme || "as the system"}`;
	}
	at("theme").addEventListener("click", () => {
		turnTo(THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]);
		Charts.redrawAll();
		remember();
	});

	// ---- tables that sort, listings that are copied

	function sort(table, column, ascending) {
		const body = table.tBodies[0];
		const numeric = table.tHead.rows[0].cells[column].classList.contains("figure");
		const key = (row) => row.cells[column].dataset.key;
		const order = (a, b) => (numeric ? Number(key(a)) - Number(key(b)) : key(a).localeCompare(key(b), "en", { numeric: true }));
		const rows = [...body.rows];
		// What is not known stays last in both directions.
		const known = rows.filter((row) => key(row) !== "").sort((a, b) => (ascending ? order(a, b) : order(b, a)));
		body.append(...known, ...rows.filter((row) => key(row) === ""));
	}

	for (const table of document.querySelectorAll("table.sortable")) {
		const heads = [...table.tHead.rows[0].cells];
		heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
			const first = head.classList.contains("figure") ? "descending" : "ascending";
			const other = first === "ascending" ? "descending" : "ascending";
			const next = head.getAttribute("aria-sort") === first ? other : first;
			heads.forEach((each) => each.removeAttribute("aria-sort"));
			head.setAttribute("aria-sort", next);
			sort(table, column, next === "ascending");
		}));
	}

	for (const button of document.querySelectorAll("button.copy")) {
		const code = button.parentElement.querySelector("code");
		button.addEventListener("click", async () => {
			try {
				await navigator.clipboard.writeText(code.textContent);
				button.textContent = "Copied";
			} catch { // a browser may keep the clipboard from a page
				getSelection().selectAllChildren(code);
				button.textContent = "Selected: now Ctrl-C";
			}
		});
	}

	// ---- and begin

	const charts = Charts.begin(figures, remember);
	const anew = () => { show(); remember(); };
	if (choose) {
		choose.hidden = false;
		choose.addEventListener("submit", (event) => event.preventDefault());
		filter.addEventListener("input", anew);
		at("pick").addEventListener("change", (event) => {
			if (event.target.checked) picked.add(Number(event.target.value)); else picked.delete(Number(event.target.value));
			anew();
		});
		at("all").addEventListener("click", () => {
			filter.value = "";
			picked.clear();
			for (const box of document.querySelectorAll("#pick input")) box.checked = false;
			anew();
		});
	}
	for (const fold of folds) fold.addEventListener("toggle", () => { fill(fold); remember(); });
	turnTo("");
	WideTables.watch(document);
	restore();
	show();
	addEventListener("hashchange", () => { restore(); show(); });
	// The observer tells of what is in sight in the next frames; then the page is as its reader sees it.
	requestAnimationFrame(() => requestAnimationFrame(() => { document.documentElement.dataset.drawn = "yes"; }));
})();
