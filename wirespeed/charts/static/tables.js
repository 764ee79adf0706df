"use strict";

// The figures of a chart as rows, and as a table.
const ChartTables = (() => {
	const { digits } = ChartScales;

	// A row an x; points of one curve at the same x have rows of their own. `places` are which point of a curve a row has.
	function rowsOf(curves) {
		if (curves.length && curves.every((curve) => curve.x === curves[0].x)) {
			const whole = { get: (row) => row };
			return { rows: curves[0].x.map((x, place) => [x, ...curves.map((curve) => curve.y[place] ?? NaN)]), places: { get: () => whole } };
		}
		const found = [], places = new Map();
		curves.forEach((curve, number) => {
			const seen = new Map();
			curve.x.forEach((x, place) => {
				const nth = seen.get(x) || 0;
				seen.set(x, nth + 1);
				found.push([x, nth, number, curve.y[place], place]);
			});
		});
		found.sort((one, other) => one[0] - other[0] || one[1] - other[1]);
		const rows = [];
		let last = null;
		for (const [x, nth, number, y, place] of found) {
			if (!last || last[0] !== x || last[1] !== nth) {
				last = [x, nth];
				rows.push([x, ...curves.map(() => null)]);
			}
			rows.at(-1)[number + 1] = y === null ? NaN : y;
			if (!places.has(number)) places.set(number, new Map());
			places.get(number).set(rows.length - 1, place);
		}
		return { rows, places };
	}

	// A table a panel, of what is drawn between the ends of the x axis; `where` writes an x.
	function tablesOf(chart, make) {
		const [left, right] = chart.xRange(), { figure } = chart;
		const tables = [];
		for (const panel of figure.panels) {
			const curves = (panel.curves || []).filter((curve) => chart.shows(curve));
			if (!curves.length) continue;
			const head = make("tr", {}, ...[figure.xTitle, ...curves.map((curve) => curve.name + (curve.note ? `: ${curve.note}` : ""))].map((text) => make("th", { scope: "col", textContent: text })));
			const { rows: all, places } = rowsOf(curves);
			const cell = (y, number, row) => {
				const text = y === null || Number.isNaN(y) ? "" : digits(y), page = text && curves[number].links?.[places.get(number).get(row)];
				return make("td", { className: "figure" }, page ? make("a", { href: page, textContent: text }) : text);
			};
			const rows = all.flatMap(([x, ...values], row) => (x < left || x > right || values.every((y) => y === null || Number.isNaN(y)) ? [] : [make("tr", {}, make("th", { scope: "row", textContent: chart.where(x) }), ...values.map((y, number) => cell(y, number, row)))]));
			const table = make("table", {}, make("caption", { textContent: panel.title }), make("thead", {}, head), make("tbody", {}, ...rows));
			const box = make("div", { className: "scroll" }, table);
			box.tabIndex = 0;
			box.setAttribute("role", "region");
			box.setAttribute("aria-label", `${panel.title} as a table: ${figure.sentence}`);
			tables.push(box);
		}
		return tables;
	}

	return { rowsOf, tablesOf };
})();
