
// The windows of the machine: announced maintenance and reservations. Only pages of machines with windows have this
// part, behind page.js, while the page waits for its data. It replaces functions that know nothing of windows.
const machineWindows = report.windows.map((one) => ({ ...one, from: one.from * report.seconds_per_tick,
  until: one.until * report.seconds_per_tick }));
const drawnWindows = machineWindows.filter((one) => one.intervals.length);

// Calls visit(window, left, top, width, height) for each rectangle between two instants.
function eachWindowRectangle(box, from, until, visit) {
  const place = (time) => box.x + Math.min(1, Math.max(0, (time - from) / (until - from))) * box.width;
  const row = box.height / report.processors_drawn;
  for (const one of drawnWindows.filter((other) => other.from < until && other.until > from)) {
    const left = place(one.from);
    for (let k = 0; k < one.intervals.length; k += 2) {
      visit(one, left, box.y + one.intervals[k] * row, Math.max(place(one.until) - left, 0.7),
        (one.intervals[k + 1] - one.intervals[k] + 1) * row);
    }
  }
}
const windowColour = () => palette.runs[3];
function hatches(context) {
  const tile = element("canvas", { width: 8, height: 8 });
  const lines = tile.getContext("2d");
  lines.strokeStyle = windowColour();
  lines.beginPath();
  for (const x of [-8, 0, 8]) {
    lines.moveTo(x - 1, 9);
    lines.lineTo(x + 9, -1);
  }
  lines.stroke();
  return context.createPattern(tile, "repeat");
}
function paintWindows(context, box, from, until) {
  const pattern = hatches(context);
  eachWindowRectangle(box, from, until, (one, ...rectangle) => {
    context.globalAlpha = 0.15;
    context.fillStyle = windowColour();
    context.fillRect(...rectangle);
    context.globalAlpha = 1;
    context.fillStyle = pattern;
    context.fillRect(...rectangle);
  });
}
// Borders, and names where there is room.
function paintWindowBorders(context, box, from, until) {
  context.font = "12px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.lineJoin = "round";
  eachWindowRectangle(box, from, until, (one, left, top, width, height) => {
    context.strokeStyle = windowColour();
    context.lineWidth = 1;
    context.strokeRect(left, top, width, height);
    if (context.measureText(one.name).width + 8 < width && height > 15) {
      context.strokeStyle = palette.ground;
      context.lineWidth = 4;
      context.strokeText(one.name, left + width / 2, top + height / 2);
      context.fillStyle = palette.text;
      context.fillText(one.name, left + width / 2, top + height / 2);
    }
  });
}
const windowText = (one) => `window ${one.name}: ${one.takes}\n${instant(one.from + report.first, 1)} to ` +
  `${instant(one.until + report.first, 1)}${one.for.length ? `\nfor ${one.for.join(", ")}` : ""}`;
function windowsAt(time, share) {
  const processor = share * report.processors_drawn;
  return drawnWindows.filter(({ from, until, intervals }) => from <= time && time < until && intervals.some(
    (first, k) => k % 2 === 0 && first <= processor && processor < intervals[k + 1] + 1));
}
function windowKey() {
  const item = element("li");
  item.innerHTML = `<svg width="14" height="14" aria-hidden="true"><rect width="13" height="13" x=".5" y=".5"
    style="fill:var(--run3);fill-opacity:.15;stroke:var(--run3)"/><path d="M1 7L7 1M1 13L13 1M7 13L13 7"
    style="stroke:var(--run3)"/></svg>`;
  item.append("window: announced maintenance or a reservation");
  return element("ul", { class: "legend", id: "window-key", "aria-label": "Windows" }, item);
}

const paintJobs = paintGantt;
paintGantt = (rows, context, box, from, until) => {
  paintWindows(context, box, from, until);
  const marks = paintJobs(rows, context, box, from, until);
  paintWindowBorders(context, box, from, until);
  return marks;
};
const tellJob = jobAt;
jobAt = (rows, time, share) => [tellJob(rows, time, share), ...windowsAt(time, share).map(windowText)]
  .filter(Boolean).join("\n");
const sectionWithoutWindows = timeSection;
timeSection = () => {
  sectionWithoutWindows();
  if (drawnWindows.length) {
    document.getElementById("gantt-0").closest("figure").before(windowKey());
  }
  if (machineWindows.length) {
    document.getElementById("time").append(folded("Windows of the machine", table("Windows of the machine",
      ["window", "from", "until", "takes", "for"], machineWindows.map((one) => [one.name,
        instant(one.from + report.first, 60), instant(one.until + report.first, 60), one.takes,
        one.for.join(", ")]))));
  }
};
