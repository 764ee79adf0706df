"use strict";

// A chart as SVG: for files, for paper, and for the screen where there is no dygraphs.
const ChartPaper = (() => {
	const RIGHT = 16, GAP = 26, SIZE = 12, TITLE = 15;
	const FAMILY = "system-ui, 'DejaVu Sans', sans-serif";
	const { svgPen, escaped, sample, DASHES, SAMPLE } = Pens;

	// A title in lines that are as wide as the picture.
	function lines(text, width) {
		const found = [""];
		for (const word of text.split(" ")) {
			const longer = found.at(-1) ? `${found.at(-1)} ${word}` : word;
			// Bold letters are a tenth wider.
			if (found.at(-1) && 1.1 * ChartLabels.widthOf(longer, FAMILY, TITLE) > width) found.push(word);
			else found[found.length - 1] = longer;
		}
		return found;
	}

	function svgOf(chart, colours, width) {
		const panels = chart.panels(), figures = panels.flatMap((panel) => chart.yTicks(panel).map(([, text]) => ChartLabels.widthOf(text, FAMILY, SIZE)));
		const left = 14 + Math.ceil(Math.max(20, ...figures));
		const pen = svgPen(), inner = { x: left, w: width - left - RIGHT }, { figure } = chart;
		let top = 2, at = 0;
		for (const line of lines(figure.title || figure.sentence, width)) {
			top += TITLE + 6;
			pen.words(line, 0, top, colours.ink, "start", true, TITLE);
		}
		top += 22;
		const fresh = () => { if (at > 0) { at = 0; top += 18; } };
		const name = (curve, text) => {
			const wide = SAMPLE + 24 + ChartLabels.widthOf(text, FAMILY, SIZE);
			if (at + wide > width) fresh();
			sample(pen, curve, at, top - 4, colours.paper);
			pen.words(text, at + SAMPLE + 6, top, colours.ink, "start");
			at += wide;
		};
		for (const entry of chart.entries().filter((one) => !chart.off.has(one.key))) name(entry, [entry.name, entry.value].filter(Boolean).join(": "));
		for (const key of chart.keys()) name({ ...key, colour: colours.soft }, key.name);
		const [low, high] = chart.xRange();
		panels.forEach((panel, number) => {
			top += GAP;
			pen.words(panel.title, 0, top - 6, colours.ink, "start", true);
			const box = { ...inner, y: top, h: panel.height }, range = chart.yRange(panel);
			const toX = (x) => box.x + ((x - low) / (high - low)) * box.w;
			const toY = (y) => box.y + box.h * (1 - ChartScales.share(y, range, panel.log));
			const words = () => {
				const laid = chart.laid(panel, box, toX, toY);
				return { laid, ...chart.words(panel, laid, box, toX, toY, FAMILY, SIZE) };
			};
			at = 0;
			const { unnamed } = words();
			if (unnamed.length) top += 14;
			for (const curve of unnamed) name({ ...curve, colour: curve.ink ? colours[curve.ink] : curve.colour }, curve.name);
			if (unnamed.length) top += 8;
			box.y = top;
			const { laid, found } = words();
			for (const [y, text] of chart.yTicks(panel)) {
				pen.line([[box.x, toY(y)], [box.x + box.w, toY(y)]], colours.grid, 1);
				pen.words(text, box.x - 6, toY(y) + 4, colours.soft, "end");
			}
			for (const [x, text] of chart.xTicks(inner.w)) {
				if (toX(x) < box.x || toX(x) > box.x + box.w) continue;
				pen.line([[toX(x), box.y], [toX(x), box.y + box.h]], colours.grid, 1);
				const half = ChartLabels.widthOf(text, FAMILY, SIZE) / 2;
				if (number === panels.length - 1) pen.words(text, Math.max(half, Math.min(width - half, toX(x))), box.y + box.h + 16, colours.soft, "middle");
			}
			pen.line([[box.x, box.y], [box.x, box.y + box.h], [box.x + box.w, box.y + box.h]], colours.rule, 1);
			pen.clip({ x: box.x - 5, y: box.y - 8, w: box.w + RIGHT + 5, h: box.h + 12 }, () => {
				chart.under(panel, pen, box, toX, toY, colours);
				const fill = (curve) => (curve.open ? colours.paper : curve.colour);
				for (const { curve, points, path, marks, dots } of laid.lines) {
					pen.line(path, curve.colour, curve.width || 2, DASHES[curve.dash]);
					for (const [x, y] of dots) pen.box(x - 1.6, y - 1.6, 3.2, 3.2, curve.colour);
					for (const place of marks) pen.mark(curve.symbol, ...points[place], curve.colour, fill(curve));
				}
				for (const curve of (panel.curves || []).filter((one) => chart.shows(one) && (one.dots || one.links))) {
					curve.x.forEach((x, place) => pen.mark(curve.symbol || "dot", toX(x), curve.y[place] === null ? null : toY(curve.y[place]), curve.colour, fill(curve), (curve.links || [])[place]));
				}
			});
			for (const label of found) {
				const wide = label.curve ? SAMPLE + 4 : 0;
				if (label.curve) sample(pen, label.curve, label.left, label.y - 4, colours.paper);
				pen.words(label.text, label.left + wide, label.y, label.alarm ? colours.alarm : label.soft ? colours.soft : colours.ink, "start");
			}
			top += panel.height;
		});
		top += 36;
		pen.words(figure.xTitle, left + inner.w / 2, top, colours.ink, "middle");
		const height = top + 8;
		return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(figure.sentence)}" ` +
			`font-family="${FAMILY}" font-size="${SIZE}"><rect width="100%" height="100%" fill="${colours.paper}"/>${pen.text()}</svg>`;
	}

	function offer(blob, name) {
		const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
		link.click();
		setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
	}

	// `kind` is svg or png.
	async function save(text, kind, name) {
		const vector = new Blob([text], { type: "image/svg+xml" });
		if (kind === "svg") return offer(vector, name);
		const image = new Image(), address = URL.createObjectURL(vector);
		image.src = address;
		await image.decode();
		const canvas = Object.assign(document.createElement("canvas"), { width: image.width * 2, height: image.height * 2 });
		canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
		URL.revokeObjectURL(address);
		return offer(await new Promise((done) => canvas.toBlob(done, "image/png")), name);
	}

	return { svgOf, save };
})();
