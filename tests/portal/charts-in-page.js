// Runs in the page: measures every chart. Returns a list of faults.
(() => {
  const faults = [];
  const isApart = (a, b) =>
    a.right <= b.left + 0.5 || b.right <= a.left + 0.5 || a.bottom <= b.top + 0.5 || b.bottom <= a.top + 0.5;
  const nameOf = (chart) => chart.querySelector(".ch-plot")?.getAttribute("aria-label") ?? "?";
  const charts = [...document.querySelectorAll("figure.ch")];
  for (const chart of charts) {
    const name = nameOf(chart);
    for (const kind of [".ch-times span", ".ch-values span", ".ch-lane span", ".ch-tag"]) {
      const labels = [...chart.querySelectorAll(kind)];
      const boxes = labels.map((label) => label.getBoundingClientRect());
      boxes.forEach((a, i) =>
        boxes.slice(i + 1).forEach((b, j) => {
          if (!isApart(a, b))
            faults.push(`${name}: "${labels[i].textContent}" meets "${labels[i + j + 1].textContent}"`);
        }),
      );
      for (const label of labels) {
        const box = label.getBoundingClientRect();
        const sheet = chart.closest("section").getBoundingClientRect();
        if (box.left < sheet.left || box.right > sheet.right)
          faults.push(`${name}: "${label.textContent}" leaves its sheet`);
        if (label.scrollWidth > label.clientWidth + 1 && label.clientWidth > 0)
          faults.push(`${name}: "${label.textContent}" is cut`);
      }
    }
    const ticks = [...chart.querySelectorAll(".ch-values span")].length;
    if (ticks > 6) faults.push(`${name}: ${ticks} steps of y`);
    // Text is HTML, so that it is not stretched with the plot.
    if (chart.querySelector("svg text") !== null) faults.push(`${name}: text in the drawing`);
  }
  return { charts: charts.map(nameOf), faults };
})();
