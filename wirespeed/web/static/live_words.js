"use strict";
// Figures of the live page as words.
const Words = (() => {
	const NARROW = "\u202f";

	const digits = (value) => {
		if (!value) return "0";
		const places = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
		return value.toFixed(Math.min(places, 9));
	};
	const scaleOf = (pps) => {
		const [size, letter] = [[1e9, "G"], [1e6, "M"], [1e3, "k"]].find(([one]) => pps >= one) || [1, ""];
		return { size, unit: letter + "pps" };
	};
	// Rates that stand side by side have the scale of the highest.
	const rate = (pps, { size, unit } = scaleOf(pps)) => digits(pps / size) + NARROW + unit;
	const loss = (ratio) => {
		if (!ratio) return "none";
		if (ratio < 1e-4) return digits(ratio * 1e6) + NARROW + "ppm";
		return digits(ratio * 100) + NARROW + "%";
	};
	const clock = (seconds) => {
		const whole = Math.max(0, Math.round(seconds));
		const two = (value) => String(value).padStart(2, "0");
		const hours = Math.floor(whole / 3600);
		return (hours ? hours + ":" + two(Math.floor(whole / 60) % 60) : Math.floor(whole / 60)) + ":" + two(whole % 60);
	};
	return {
		NARROW, digits, loss, clock, scaleOf, rate,
		micros: (value) => digits(value) + NARROW + "µs",
		cycles: (value) => digits(value) + NARROW + "cycles",
	};
})();
