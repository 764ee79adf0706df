"use strict";

// What draws lines, boxes, marks and words in pixels: on a canvas, or as the text of an SVG. Both take the same calls.
const Pens = (() => {
	const DOT = 3, RADIUS = 4;
	const DASHES = { dash: [7, 4], dot: [2, 3], dashdot: [7, 3, 2, 3], longdash: [16, 5] };
	const escaped = (text) => String(text).replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

	// Lines of a symbol in pixels; null for a dot or a circle.
	const outlines = (symbol, x, y) => {
		const polygon = SHAPES.polygons[symbol], lines = polygon ? [[...polygon, polygon[0]]] : SHAPES.strokes[symbol];
		return lines ? lines.map((points) => points.map(([across, down]) => [x + across * RADIUS, y + down * RADIUS])) : null;
	};

	function canvasPen(canvas) {
		const path = (points) => {
			canvas.beginPath();
			let open = false;
			for (const [x, y] of points) {
				if (y === null || Number.isNaN(y)) { open = false; continue; }
				if (open) canvas.lineTo(x, y); else canvas.moveTo(x, y);
				open = true;
			}
		};
		const pen = {
			line(points, colour, width, dash) {
				canvas.save();
				Object.assign(canvas, { strokeStyle: colour, lineWidth: width });
				canvas.setLineDash(dash || []);
				path(points);
				canvas.stroke();
				canvas.restore();
			},
			box(x, y, w, h, colour) {
				canvas.save();
				canvas.fillStyle = colour;
				canvas.fillRect(x, y, w, h);
				canvas.restore();
			},
			mark(symbol, x, y, colour, fill = colour) {
				const shape = outlines(symbol, x, y);
				canvas.save();
				Object.assign(canvas, { strokeStyle: colour, fillStyle: fill, lineWidth: 1.6 });
				canvas.setLineDash([]);
				if (!shape) {
					canvas.beginPath();
					canvas.arc(x, y, symbol === "circle" ? RADIUS : DOT, 0, 2 * Math.PI);
					canvas.fill();
					canvas.stroke();
				}
				for (const points of shape || []) {
					path(points);
					canvas.fill();
					canvas.stroke();
				}
				canvas.restore();
			},
		};
		return pen;
	}

	function svgPen() {
		const parts = [];
		let clips = 0;
		const at = (value) => Number(value.toFixed(2));
		const path = (points) => {
			let open = false, text = "";
			for (const [x, y] of points) {
				if (y === null || Number.isNaN(y)) { open = false; continue; }
				text += `${open ? "L" : "M"}${at(x)} ${at(y)}`;
				open = true;
			}
			return text;
		};
		return {
			text: () => parts.join(""),
			line(points, colour, width, dash) {
				parts.push(`<path d="${path(points)}" fill="none" stroke="${colour}" stroke-width="${width}"${dash ? ` stroke-dasharray="${dash.join(" ")}"` : ""}/>`);
			},
			box(x, y, w, h, colour) {
				parts.push(`<rect x="${at(x)}" y="${at(y)}" width="${at(w)}" height="${at(h)}" fill="${colour}"/>`);
			},
			words(text, x, y, colour, align, bold, size) {
				parts.push(`<text x="${at(x)}" y="${at(y)}" fill="${colour}" text-anchor="${align}"${bold ? ' font-weight="600"' : ""}${size ? ` font-size="${size}"` : ""}>${escaped(text)}</text>`);
			},
			mark(symbol, x, y, colour, fill = colour, page = "") {
				if (y === null) return;
				if (page) parts.push(`<a href="${escaped(page)}">`);
				const shape = outlines(symbol, x, y);
				if (!shape) parts.push(`<circle cx="${at(x)}" cy="${at(y)}" r="${symbol === "circle" ? RADIUS : DOT}" fill="${fill}" stroke="${colour}" stroke-width="1.6"/>`);
				for (const points of shape || []) parts.push(`<path d="${path(points)}" fill="${fill}" stroke="${colour}" stroke-width="1.6"/>`);
				if (page) parts.push("</a>");
			},
			clip(box, draw) {
				const name = `clip${Math.random().toString(36).slice(2)}${clips++}`;
				parts.push(`<clipPath id="${name}"><rect x="${box.x}" y="${box.y}" width="${box.w}" height="${box.h}"/></clipPath><g clip-path="url(#${name})">`);
				draw();
				parts.push("</g>");
			},
		};
	}

	// How a curve looks, in a row of words: its line and its mark. `paper` fills outlines.
	const SAMPLE = 26;
	function sample(pen, { colour, dash, symbol, open, dots, bar, alike }, x, y, paper) {
		if (bar) pen.line(bar === "up" ? [[x + SAMPLE / 2, y - 6], [x + SAMPLE / 2, y + 6]] : [[x + 2, y], [x + SAMPLE / 2, y]], colour, 1);
		else if (!dots) pen.line([[x, y], [x + SAMPLE, y]], colour, 2.2, DASHES[dash]);
		if (alike) for (const [part, fill] of [[0.25, colour], [0.75, paper]]) pen.mark(symbol, x + SAMPLE * part, y, colour, fill);
		else if (symbol || dots) pen.mark(symbol || "dot", x + SAMPLE / 2, y, colour, open ? paper : colour);
	}

	function swatch(curve) {
		const pen = svgPen();
		sample(pen, curve, 1, 7, "var(--paper)");
		const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
		svg.setAttribute("width", SAMPLE + 2);
		svg.setAttribute("height", 14);
		svg.setAttribute("aria-hidden", "true");
		svg.innerHTML = pen.text();
		return svg;
	}

	return { canvasPen, svgPen, escaped, sample, swatch, DOT, DASHES, SAMPLE };
})();
