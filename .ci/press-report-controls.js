// press_report.py runs this in a page of `batfill report`: what it asks the page.
"use strict";

const batfillFrame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));

// Whether there is nothing inside of the axes.
function batfillBlank(canvas) {
  const [left, top] = [66, 10];
  const { data } = canvas.getContext("2d").getImageData(left, top, canvas.width - left - 14, canvas.height - top - 28);
  const colours = new Uint32Array(data.buffer);
  return colours.every((colour) => colour === colours[0]);
}
function batfillHash(text) {
  let hash = 0;
  for (let i = 0; i < text.length; ++i) {
    hash = (hash * 31 + text.charCodeAt(i)) | 0;
  }
  return hash;
}
// The charts over time, once the last press was drawn.
async function batfillPictures() {
  await batfillFrame();
  return [...document.querySelectorAll("canvas.chart")].map((canvas) => ({ id: canvas.id,
    marks: Number(canvas.dataset.marks) || 0, blank: batfillBlank(canvas), picture: batfillHash(canvas.toDataURL()) }));
}
// All charts, with what they show.
const batfillCharts = () => [...document.querySelectorAll("#main [data-marks]")].map((chart) => ({
  marks: chart.dataset.marks, label: chart.getAttribute("aria-label") || chart.id || chart.className }));
// How many parts can be unfolded. Their summaries get names.
function batfillFolds() {
  const summaries = [...document.querySelectorAll("summary")];
  summaries.forEach((summary, i) => { summary.id = `fold-${i}`; });
  return summaries.length;
}
// Unfolds what a part that can be unfolded lies in.
function batfillUnfoldAround(id) {
  let around = document.getElementById(id).parentNode.parentNode.closest("details");
  for (; around; around = around.parentNode.closest("details")) {
    around.open = true;
  }
}
// The middle of nine times in milliseconds that the page takes to draw its charts over time.
function batfillRedraw() {
  const times = Array.from({ length: 9 }, () => {
    drawAll();
    return Number(root.dataset.redraw);
  });
  return times.sort((a, b) => a - b)[4];
}

// What the page says that its numbers do not.
function batfillWords() {
  const shown = document.getElementById("main").cloneNode(true);
  shown.querySelectorAll("code, #sources").forEach((one) => one.remove());
  // With a line end behind each piece, as pieces do not touch on the page.
  const walker = document.createTreeWalker(shown, NodeFilter.SHOW_TEXT);
  const pieces = [];
  while (walker.nextNode()) {
    pieces.push(walker.currentNode.data);
  }
  const text = pieces.join("\n");
  const problems = [];
  const refuse = (what, pattern) => {
    const found = text.match(pattern);
    if (found) {
      problems.push(`${what}: "${found[0].trim()}"`);
    }
  };
  refuse("a hyphen as a sign", /(?<![\w.])-\d.{0,20}/);
  refuse("one of many", /(?<![\d.,])1 (processors|hosts|jobs|users|weeks|classes)\b.{0,20}/);
  if (report.has_shared_hosts) {
    refuse("processors where jobs share hosts", /.{0,30}processor.{0,20}/i);
  }
  const answer = shown.querySelector(".answer")?.textContent || "";
  const waits = report.metrics.find(({ name }) => name === "mean_wait")?.values || [];
  if (answer && waits.every((wait) => wait === waits[0]) && !/have the same mean wait|is open/.test(answer)) {
    problems.push(`one of equal runs is better: "${answer}"`);
  }
  for (const { caption, tBodies } of shown.querySelectorAll("table")) {
    const firsts = [...tBodies[0].rows].map((row) => row.cells[0].textContent);
    if (/equal periods/.test(caption.textContent) && new Set(firsts).size < firsts.length) {
      problems.push(`periods of one beginning in "${caption.textContent}"`);
    }
  }
  return problems;
}
