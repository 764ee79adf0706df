"use strict";

// Figures and places of axes: pure, no page.
const ChartScales = (() => {
	const NARROW = "\u202f", LEAST_LOSS = 1e-7;
	// Four digits, in the notation of tables.
	const digits = (value) => {
		if (!value || !Number.isFinite(value)) return String(value ?? "–");
		const places = Math.max(0, 3 - Math.floor(Math.log10(Math.abs(value))));
		return Number(value.toPrecision(4)).toLocaleString("en", { maximumFractionDigits: Math.min(places, 9) });
	};
	// About `many` round places between two ends.
	const steps = (low, high, many) => {
		const raw = (high - low) / many, power = 10 ** Math.floor(Math.log10(raw));
		const step = power * [1, 2, 5, 10].find((times) => times * power >= raw);
		const found = [];
		for (let at = Math.ceil(low / step - 1e-9); at * step <= high * (1 + 1e-12); at++) found.push(Number((at * step).toPrecision(12)));
		return found;
	};
	// Share of the way from the low end of a y axis to its high end, 0 to 1 within it.
	const share = (value, [low, high], logarithmic) =>
		(logarithmic ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low));
	// A logarithmic axis around positive values, with a tick a decade.
	const decades = (values) => {
		const low = Math.log10(values.reduce((one, other) => Math.min(one, other))), high = Math.log10(values.reduce((one, other) => Math.max(one, other)));
		const ticks = [];
		for (let power = Math.floor(low); power <= Math.ceil(high); power++) {
			for (const step of high - low < 2 ? [1, 2, 5] : [1]) ticks.push([step * 10 ** power, digits(step * 10 ** power)]);
		}
		return { range: [10 ** (low - 0.12), 10 ** (high + 0.12)], ticks };
	};
	// The axis of loss: the floor stands for none. The same as `wirespeed.charts.scales` makes for reports.
	const losses = (ratios, thresholds) => {
		const least = [...ratios, ...thresholds].reduce((found, ratio) => (ratio > 0 ? Math.min(found, ratio) : found), Infinity);
		const lowest = Math.floor(Math.log10(Math.max(LEAST_LOSS, Number.isFinite(least) ? least : LEAST_LOSS))) - 1;
		const floor = Number(`1e${lowest}`), each = 1 + Math.floor(-lowest / 6), ticks = [[floor, "none"]];
		for (let power = lowest + 1; power <= 0; power++) {
			if (power % each === 0) ticks.push([Number(`1e${power}`), `${(100 * 10 ** power).toFixed(Math.max(0, -power - 2))} %`]);
		}
		return { log: true, range: [10 ** (lowest - 0.15), 10 ** 0.15], floor, ticks };
	};
	return { digits, steps, share, decades, losses, NARROW };
})();
