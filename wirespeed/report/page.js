"use strict";

// Draws the figures of the page in the colours of its style sheet, sorts its tables and copies its listings.

const figures = JSON.parse(document.getElementById("figures").textContent);
const PRINT = { width: 1000, height: 600 }; // what A4 landscape holds beside a heading and a caption

function colour(name) {
	return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function themed(layout, printing) {
	const ink = printing ? "#000000" : colour("--ink");
	const grid = printing ? "#dddddd" : colour("--grid");
	const rule = printing ? "#bbbbbb" : colour("--rule");
	const paper = printing ? "#ffffff" : colour("--paper");
	const font = { family: getComputedStyle(document.body).fontFamily, size: 12, color: ink };
	const size = printing ? { width: PRINT.width, height: Math.min(layout.height, PRINT.height) } : { autosize: true };
	const result = {
		...structuredClone(layout), ...size, font, paper_bgcolor: paper, plot_bgcolor: paper,
		hoverlabel: { bgcolor: paper, bordercolor: rule, font, align: "left", namelength: -1 },
		modebar: { ...layout.modebar, bgcolor: "rgba(0,0,0,0)", color: rule, activecolor: ink },
		uirevision: "a new theme keeps zoom and hidden traces",
	};
	for (const key of Object.keys(layout).filter((name) => /^[xy]axis/.test(name))) {
		Object.assign(result[key], { gridcolor: grid, linecolor: rule, spikecolor: ink });
	}
	return result;
}

function draw(node, printing = false) {
	const figure = figures[node.id];
	const layout = themed(figure.layout, printing);
	node.style.height = `${layout.height}px`;
	return Plotly.react(node, figure.data, layout, {
		responsive: true, displaylogo: false, showSendToCloud: false, plotlyServerURL: "",
		modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"],
		toImageButtonOptions: { filename: `${document.title} ${node.id}`, scale: 2 },
	});
}

function visible(node) {
	const details = node.closest("details");
	return !details || details.open;
}

const charts = [...document.querySelectorAll(".chart")];

function drawAll(printing = false) {
	return Promise.all(charts.filter(visible).map((node) => draw(node, printing)));
}

for (const details of document.querySelectorAll("details")) {
	details.addEventListener("toggle", () => {
		if (details.open) details.querySelectorAll(".chart").forEach((node) => draw(node));
	});
}
// A figure of the evidence leads to the chart that shows it, and marks the load that it is of.
for (const link of document.querySelectorAll(".evidence a[href^='#']")) {
	link.addEventListener("click", async () => {
		const node = document.getElementById(link.hash.slice(1));
		const details = node.closest("details");
		if (details) details.open = true;
		await draw(node);
		if (link.dataset.at === undefined) return;
		const at = Number(link.dataset.at);
		const line = { color: colour("--alarm"), width: 1.5, dash: "dash" };
		Plotly.relayout(node, { shapes: [{ type: "line", x0: at, x1: at, yref: "paper", y0: 0, y1: 1, line }] });
	});
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawAll());
addEventListener("beforeprint", () => drawAll(true));
addEventListener("afterprint", () => drawAll());

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

drawAll().then(() => { document.documentElement.dataset.drawn = "yes"; });
