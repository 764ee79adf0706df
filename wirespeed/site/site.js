"use strict";

// Sorts and searches the tables of a site, and lays results side by side. Works on files as on a server.

const STEP = 100;
const FIELDS = window.wirespeedFields;

function cell(row, text, page, why, isFigure) {
	const made = row.insertCell();
	made.dataset.key = text || "";
	if (isFigure) made.className = "figure";
	if (why) made.title = why;
	put(made, text, page);
	return made;
}

function put(node, text, page) {
	if (!page) return void node.append(text || "–");
	const link = document.createElement("a");
	link.href = page;
	link.textContent = text || "–";
	node.append(link);
}

function head(row, text, page) {
	const made = document.createElement("th");
	made.scope = "row";
	put(made, text, page);
	row.append(made);
}

// Three significant digits, as all pages have it.
function digits(value) {
	if (!value) return "0";
	const rounded = Number(value.toPrecision(3)); // 99.97 becomes 100, which has no place after the point
	const places = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(rounded))));
	return rounded.toLocaleString("en", { minimumFractionDigits: places, maximumFractionDigits: places });
}

// The reader's choice of theme holds for all pages, where the browser keeps it.
function themes(button) {
	const all = ["", "dark", "light"];
	const keep = (act) => {
		try { return act(window.localStorage); } catch { return ""; }
	};
	let theme = keep((store) => store.getItem("theme")) || "";
	const show = () => {
		if (theme) document.documentElement.dataset.theme = theme; else delete document.documentElement.dataset.theme;
		button.textContent = `Theme: ${theme || "as the system"}`;
	};
	button.addEventListener("click", () => {
		theme = all[(all.indexOf(theme) + 1) % all.length];
		keep((store) => store.setItem("theme", theme));
		show();
	});
	button.hidden = false;
	show();
}

// Heads of a table sort it: of one that stands in the page by its cells, of all results by their fields.
function sorted(heads, order) {
	heads.forEach((button, column) => button.addEventListener("click", () => {
		const each = button.closest("th");
		const isFigure = each.classList.contains("figure");
		const first = isFigure ? "descending" : "ascending";
		const next = each.getAttribute("aria-sort") === first ? (isFigure ? "ascending" : "descending") : first;
		heads.forEach((other) => other.closest("th").removeAttribute("aria-sort"));
		each.setAttribute("aria-sort", next);
		order(column, isFigure, next === "ascending" ? 1 : -1);
	}));
}

// What is not known stays last in both directions.
function compared(key, isFigure, sign) {
	return (a, b) => {
		const [x, y] = [key(a), key(b)];
		if (x === "" || y === "") return (x === "") - (y === "");
		return sign * (isFigure ? Number(x) - Number(y) : x.localeCompare(y, "en", { numeric: true }));
	};
}

for (const table of document.querySelectorAll("table.sortable")) {
	const body = table.tBodies[0];
	sorted([...table.tHead.querySelectorAll("button")], (column, isFigure, sign) => {
		body.append(...[...body.rows].sort(compared((row) => row.cells[column].dataset.key || "", isFigure, sign)));
	});
}

for (const find of document.querySelectorAll("p.find")) {
	const [input, output] = [find.querySelector("input"), find.querySelector("output")];
	const rows = [...find.parentElement.querySelector("table").tBodies[0].rows];
	const texts = rows.map((row) => row.textContent.toLowerCase());
	const counted = output.textContent;
	find.hidden = false;
	input.addEventListener("input", () => {
		const words = input.value.toLowerCase().split(/\s+/);
		rows.forEach((row, place) => { row.hidden = !words.every((word) => texts[place].includes(word)); });
		const seen = rows.filter((row) => !row.hidden).length;
		output.textContent = seen === rows.length ? counted : `${seen} of ${counted}`;
	});
}

function results(all) {
	const at = Object.fromEntries(FIELDS.map((name, place) => [name, place]));
	const get = (row, name) => row[at[name]];
	const page = (row) => (get(row, "key") ? `results/${get(row, "key")}.html` : "");
	const texts = all.map((row) => row.join(" ").toLowerCase());
	const [body, finder, more] = [document.querySelector("#all tbody"), document.getElementById("finder"), document.getElementById("more")];
	const [words, found, ticked] = [document.getElementById("words"), document.getElementById("found"), document.getElementById("ticked")];
	const chosen = new Set();
	let shown = all.map((_, place) => place);
	let most = STEP;
	let order = null;
	let base = 0; // the rate that others are compared with
	const fields = (heads) => [...document.querySelectorAll(heads)].map((one) => one.dataset.field);
	const [columns, compared_columns] = [fields("#all thead button"), fields("#ticked thead th")];
	const labels = [...document.querySelectorAll("#all thead button")].map((one) => one.textContent);
	const counted = found.textContent;

	// In Mpps or Mpps/W, with the trust mark of the figure.
	const unrated = (row, field) => (field === "rate" && get(row, "mark") ? `${get(row, "at_least")} ${get(row, "mark")}` : "");
	const marked = (row, field) => !get(row, field) ? unrated(row, field) : `${get(row, "at_least")}${digits(Number(get(row, field)) / 1e6)} ${get(row, "mark")}`;

	function put_field(made, row, field) {
		const rate = Number(get(row, "rate"));
		switch (field) {
			case "title": return head(made, get(row, "title"), page(row));
			case "rate":
			case "per_watt": return cell(made, marked(row, field), "", get(row, "why"), true);
			case "share": return cell(made, base && get(row, "rate") ? `${digits((100 * rate) / base)} %` : "–", "", "", true);
			case "dut": return cell(made, get(row, "dut"), `boxes/${get(row, "dut_page")}.html`);
			case "test": return cell(made, get(row, "test"), get(row, "test_page"));
			default: cell(made, get(row, field)).className = field === "date" ? field : "";
		}
	}

	function draw() {
		body.replaceChildren();
		for (const place of shown.slice(0, most)) {
			const row = all[place];
			const made = body.insertRow();
			const tick = document.createElement("input");
			tick.type = "checkbox";
			tick.checked = chosen.has(place);
			tick.setAttribute("aria-label", `compare ${get(row, "title")}`);
			tick.addEventListener("change", () => {
				if (tick.checked) chosen.add(place); else chosen.delete(place);
				sideBySide();
			});
			const first = made.insertCell();
			first.className = "tick";
			first.append(tick);
			columns.forEach((field, column) => {
				put_field(made, row, field);
				made.lastChild.dataset.label = labels[column];
			});
		}
		found.textContent = shown.length === all.length ? counted : `${shown.length} of ${counted}`;
		more.hidden = shown.length <= most;
	}

	function search() {
		const wanted = words.value.toLowerCase().split(/\s+/);
		const picked = [...finder.querySelectorAll("select")].filter((one) => one.value);
		shown = all.map((_, place) => place).filter((place) =>
			wanted.every((word) => texts[place].includes(word)) && picked.every((one) => get(all[place], one.dataset.field) === one.value));
		if (order) shown.sort(order);
		most = STEP;
		draw();
	}

	function sideBySide() {
		const table = ticked.querySelector("tbody") || ticked.querySelector("table").createTBody();
		table.replaceChildren();
		ticked.hidden = chosen.size === 0;
		base = Number(get(all[[...chosen][0]] || [], "rate"));
		for (const place of chosen) {
			const row = all[place];
			const made = table.insertRow();
			for (const field of compared_columns) put_field(made, row, field);
		}
	}

	const heads = [...document.querySelectorAll("#all thead button")];
	sorted(heads, (column, isFigure, sign) => {
		const field = heads[column].dataset.field;
		order = compared((place) => get(all[place], field), isFigure, sign);
		shown.sort(order);
		draw();
	});
	finder.hidden = false;
	finder.addEventListener("input", search);
	finder.addEventListener("submit", (event) => event.preventDefault());
	more.addEventListener("click", () => {
		most += STEP;
		draw();
	});
	draw();
}

themes(document.getElementById("theme"));
WideTables.watch(document);
if (document.getElementById("figures")) Charts.begin(JSON.parse(document.getElementById("figures").textContent));
if (window.wirespeedResults && document.getElementById("all")) results(window.wirespeedResults);
document.documentElement.dataset.drawn = "yes";
