"use strict";

// Says beside each table that is wider than its box that it scrolls.
const WideTables = (() => {
	const widths = new ResizeObserver((entries) => entries.forEach(({ target: box }) => {
		const hint = box.previousElementSibling;
		if (hint?.matches(".aside")) hint.hidden = box.scrollWidth <= box.clientWidth + 1;
	}));
	return { watch: (part) => part.querySelectorAll(".scroll").forEach((box) => widths.observe(box)) };
})();
