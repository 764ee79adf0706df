"use strict";

// What the page has packed, and the scripts in it: an inline script may add others.
const unpacked = (async () => {
	const bytes = Uint8Array.from(atob(document.getElementById("data").textContent), (letter) => letter.charCodeAt(0));
	return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
})();
unpacked.then(({ scripts }) => {
	for (const text of scripts) document.body.append(Object.assign(document.createElement("script"), { textContent: text }));
});
