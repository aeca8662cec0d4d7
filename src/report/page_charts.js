// The charts over time of the page.
"use strict";

// --- The time axis that all charts over time share ----------------------------------------------------------------

const margin = { left: 64, right: 12 };
const charts = [];
let transform = d3.zoomIdentity;
let pending = false;
let palette = {};

function widthOf(canvas) {
  return Math.max(200, canvas.parentNode.clientWidth);
}
function view(width) {
  const inner = width - margin.left - margin.right;
  const scale = d3.scaleLinear([0, report.span || 1], [0, inner]);
  return transform.rescaleX(scale).domain();
}
function redraw() {
  if (!pending) {
    pending = true;
    requestAnimationFrame(() => {
      pending = false;
      drawAll();
    });
  }
}
function drawAll() {
  const began = performance.now();
  palette = { ground: style("--ground"), text: style("--text"), faint: style("--faint"), line: style("--line"),
    runs: d3.range(runColours).map((i) => style(`--run${i}`)) };
  for (const chart of charts) {
    draw(chart);
  }
  root.dataset.redraw = (performance.now() - began).toFixed(1);  // for measurements
}
function draw(chart) {
  const { canvas, height } = chart;
  const width = widthOf(canvas);
  const ratio = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  const box = { x: margin.left, y: 8, width: width - margin.left - margin.right, height: height - 34, ratio };
  const [from, until] = view(width);
  canvas.dataset.marks = chart.paint(context, box, from, until);
  // Drawn last, over whatever touches the border.
  context.font = "12px system-ui, sans-serif";
  context.fillStyle = palette.faint;
  context.strokeStyle = palette.line;
  context.lineWidth = 1;
  context.strokeRect(box.x - 0.5, box.y - 0.5, box.width + 1, box.height + 1);
  if (chart.mark < chart.top) {  // the schedule of a log may use more than the machine has
    const y = box.y + (chart.downwards ? chart.mark : chart.top - chart.mark) / chart.top * box.height;
    context.fillRect(box.x, Math.round(y), box.width, 1);
  }
  context.textAlign = "center";
  context.textBaseline = "top";
  const { step, at } = timeTicks(from + report.first, until + report.first, Math.max(2, box.width / 120));
  for (const tick of at) {
    const x = box.x + (tick - report.first - from) / (until - from) * box.width;
    context.fillRect(Math.round(x), box.y + box.height, 1, 5);
    const text = instant(tick, step);
    const half = context.measureText(text).width / 2;
    if (x + half <= width && x - half >= 0) {
      context.fillText(text, x, box.y + box.height + 8);
    }
  }
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (const { value, text } of rowTicks(chart, box)) {
    const y = box.y + (chart.downwards ? value : chart.top - value) / chart.top * box.height;
    context.fillRect(box.x - 5, Math.round(y), 5, 1);
    context.fillText(fitting(text, box.x - 10, context), box.x - 8,
      Math.min(Math.max(y, box.y + 5), box.y + box.height - 5));
  }
}
// Numbers, or the names of some bands of rows.
function rowTicks(chart, box) {
  if (!chart.bands) {
    return d3.ticks(0, chart.top, Math.max(2, box.height / 45)).filter(Number.isInteger)
      .map((value) => ({ value, text: number(value) }));
  }
  const least = 16 * chart.top / box.height;
  const ticks = [];
  for (const { name, from, until } of chart.bands) {
    const value = (from + until) / 2;
    if (until > from && (!ticks.length || value - ticks[ticks.length - 1].value >= least)) {
      ticks.push({ value, text: name });
    }
  }
  return ticks;
}
// The name of a host without that of its network, and of a long one what is last, where names differ.
function fitting(text, width, context) {
  let part = text.replace(/\.[a-z].*$/i, "");
  let shown = part;
  while (part.length > 1 && context.measureText(shown).width > width) {
    part = part.slice(1);
    shown = `…${part}`;
  }
  return shown;
}

function addTimeChart(chart, caption, label) {
  const canvas = element("canvas", { class: "chart", tabindex: "0", role: "img", "aria-label":
    `${label} Arrow keys move, plus and minus zoom, 0 shows everything. The tables have the same in numbers.` });
  canvas.id = chart.id;
  chart.canvas = canvas;
  charts.push(chart);
  const zoom = d3.zoom().scaleExtent([1, Math.max(2, report.span)])
    .filter(() => d3.event.type !== "wheel" || d3.event.ctrlKey || d3.event.metaKey ||
      document.activeElement === canvas)
    .on("zoom", () => {
      transform = d3.event.transform;
      charts.forEach((other) => { other.canvas.__zoom = transform; });
      hideTooltip();
      redraw();
    });
  const bounds = () => {
    const end = [widthOf(canvas) - margin.left - margin.right, chart.height];
    zoom.extent([[0, 0], end]).translateExtent([[0, 0], end]);
  };
  chart.bounds = bounds;
  const selection = d3.select(canvas).call(zoom).on("pointerdown.focus", () => canvas.focus());
  // scaleBy takes a point, not a number, as its second argument. Its default is the middle of the chart.
  chart.change = (action, value) => (action === "reset" ? selection.call(zoom.transform, d3.zoomIdentity)
    : action === "zoom" ? selection.call(zoom.scaleBy, value) : selection.call(zoom.translateBy, value, 0));
  // Shows [first, last] of the time axis, and a little more on both sides.
  chart.show = (first, last) => {
    const inner = widthOf(canvas) - margin.left - margin.right;
    const length = Math.min(report.span, Math.max(1, last - first) * 1.2);
    const from = Math.min(report.span - length, Math.max(0, (first + last - length) / 2));
    const scale = report.span / length;
    selection.call(zoom.transform, d3.zoomIdentity.translate(-from / report.span * inner * scale, 0).scale(scale));
  };
  canvas.addEventListener("keydown", (event) => {
    const actions = { "+": ["zoom", 1.5], "=": ["zoom", 1.5], "-": ["zoom", 1 / 1.5], 0: ["reset"],
      ArrowLeft: ["move", 80 / transform.k], ArrowRight: ["move", -80 / transform.k] };
    if (actions[event.key] && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      chart.change(...actions[event.key]);
    }
  });
  if (chart.tell) {
    const tell = (event) => {
      const place = canvas.getBoundingClientRect();
      const [from, until] = view(place.width);
      const x = (event.clientX - place.left - margin.left) / (place.width - margin.left - margin.right);
      const y = (event.clientY - place.top - 8) / (chart.height - 34);
      const text = x >= 0 && x <= 1 && y >= 0 && y <= 1 ? chart.tell(from + x * (until - from), y) : "";
      text ? showTooltip(text, event) : hideTooltip();
      if (chart.pick && event.type === "click" && text) {
        chart.pick(from + x * (until - from), y);
      }
    };
    canvas.addEventListener("mousemove", tell);
    canvas.addEventListener("click", tell);  // a tap
    canvas.addEventListener("mouseleave", hideTooltip);
  }
  return element("figure", {}, element("figcaption", {}, caption), canvas);
}
const tooltip = document.getElementById("tooltip");
function showTooltip(text, event) {
  tooltip.textContent = text;
  tooltip.hidden = false;
  tooltip.style.left = `${Math.min(event.clientX + 14, window.innerWidth - tooltip.offsetWidth - 8)}px`;
  tooltip.style.top = `${Math.min(event.clientY + 14, window.innerHeight - tooltip.offsetHeight - 8)}px`;
}
function hideTooltip() {
  tooltip.hidden = true;
}

// --- The Gantt chart ----------------------------------------------------------------------------------------------

const waitShare = (seconds) => Math.min(1, 0.05 + 0.95 * Math.log(Math.max(seconds, 10) / 10) / Math.log(8640));
// Without the darkest colours, which look the same on a dark background.
const shade = (share) => d3.interpolateCividis(0.25 + 0.75 * share);
const waitColour = (seconds) => shade(seconds <= 0 ? 0 : waitShare(seconds));
const waitRamp = d3.range(64).map((i) => shade(i / 63));
const colourings = {
  wait: { name: "wait", colours: waitRamp,
    of: (rows, i) => (rows.wait[i] <= 0 ? 0 : Math.round(waitShare(rows.wait[i]) * 63)) },
  width: { name: `${units} requested`, colours: waitRamp,
    of: (rows, i) => Math.round(Math.log2(Math.max(1, rows.processors[i])) /
      Math.max(1, Math.log2(report.processors)) * 63) },
  state: { name: "how it ended", colours: ["", "", "", categories[0], categories[5], categories[1], categories[3],
    categories[7]], of: (rows, i) => rows.state[i] },
  job: { name: "job, to tell neighbours apart", colours: categories, of: (rows, i) => i * 5 % 8 },
};
// The largest groups have a colour of their own; all others share the last colour.
const groupName = (name) => (name && name !== "-1" ? name : "(not known)");
const partitionName = (name) => name || "(none asked for)";
for (const [kind, one, nameOf] of [["users", "user", groupName], ["queues", "queue", groupName],
  ["partitions", "partition", partitionName]]) {
  const names = (report[kind] || []).map(nameOf);
  if (names.length) {
    const own = names.length > categories.length ? categories.length - 1 : names.length;
    colourings[one] = { name: one, colours: categories, of: (rows, i) => Math.min(rows[one][i], own),
      labels: [...names.slice(0, own), ...(own < names.length ? [`the other ${names.length - own}`] : [])] };
  }
}
let colouring = colourings.wait;

// The number of the colour of each job.
function coloursOf(rows) {
  const key = Object.keys(colourings).find((name) => colourings[name] === colouring);
  if (!rows.colours[key]) {
    rows.colours[key] = Uint8Array.from({ length: rows.count }, (_, i) => colouring.of(rows, i));
  }
  return rows.colours[key];
}
// The jobs that may run between two instants: from the first to before the last of these, and some that ended before.
const runningBetween = (rows, from, until) => [d3.bisectLeft(rows.latest, from), d3.bisectRight(rows.start, until)];

// Paints a few jobs one by one, each with a border if there is room. With many jobs, each pixel gets the colour of
// the job that covers most of it, as strongly as all jobs cover it.
function paintGantt(rows, context, box, from, until) {
  if (rows.count === 0) {
    return paintNothing(context, box);
  }
  const [first, last] = runningBetween(rows, from, until);
  const visible = new Int32Array(Math.max(0, last - first));
  let count = 0;
  let pieces = 0;
  for (let i = first; i < last; ++i) {
    if (rows.finish[i] >= from) {
      visible[count++] = i;
      pieces += rows.firstInterval[i + 1] - rows.firstInterval[i];
    }
  }
  (pieces <= 6000 ? paintRectangles : paintCoverage)(rows, visible.subarray(0, count), context, box, from, until);
  return count;
}
function paintNothing(context, box) {
  context.fillStyle = palette.faint;
  context.font = "14px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText("no finished job", box.x + box.width / 2, box.y + box.height / 2);
  return "none";
}
function paintRectangles(rows, visible, context, box, from, until) {
  const perSecond = box.width / (until - from);
  const row = box.height / report.processors_drawn;
  context.save();
  context.beginPath();
  context.rect(box.x, box.y, box.width, box.height);
  context.clip();
  context.strokeStyle = palette.ground;
  context.lineWidth = 1;
  const colours = coloursOf(rows);
  for (const i of visible) {
    const left = box.x + Math.max(0, (rows.start[i] - from) * perSecond);
    const right = box.x + Math.min(box.width, (rows.finish[i] - from) * perSecond);
    context.fillStyle = colouring.colours[colours[i]];
    for (let k = rows.firstInterval[i]; k < rows.firstInterval[i + 1]; ++k) {
      const top = box.y + rows.intervals[2 * k] * row;
      const height = (rows.intervals[2 * k + 1] - rows.intervals[2 * k] + 1) * row;
      context.fillRect(left, top, Math.max(right - left, 0.7), height);
      if (right - left > 3 && height > 3) {
        context.strokeRect(left, top, right - left, height);
      }
    }
  }
  context.restore();
}
// Marks the instant that was chosen in an explanation, the explained job with dashes, and the jobs that hold what it
// lacks.
function markHolders(run, context, box, from, until) {
  if (!run.marked) {
    return;
  }
  const place = (time) => box.x + Math.min(box.width, Math.max(0, (time - from) / (until - from) * box.width));
  const row = box.height / report.processors_drawn;
  const { rows, marked } = run;
  // Two colours, as one of them would be lost on some jobs.
  for (const [width, colour] of [[5, palette.ground], [2, palette.text]]) {
    context.lineWidth = width;
    context.strokeStyle = colour;
    for (const i of [...marked.jobs, ...marked.explained]) {
      context.setLineDash(marked.explained.includes(i) ? [6, 4] : []);
      for (let k = rows.firstInterval[i]; k < rows.firstInterval[i + 1]; ++k) {
        const left = place(rows.start[i]);
        context.strokeRect(left, box.y + rows.intervals[2 * k] * row, place(rows.finish[i]) - left,
          (rows.intervals[2 * k + 1] - rows.intervals[2 * k] + 1) * row);
      }
    }
  }
  context.setLineDash([]);
  if (marked.time >= from && marked.time <= until) {
    context.fillStyle = palette.text;
    context.fillRect(Math.round(place(marked.time)) - 1, box.y, 2, box.height);
  }
}
// How much of each pixel all jobs cover, the most that one job covers, and that job's colour. By columns of pixels, as
// most jobs are high and narrow. Kept from one drawing to the next.
let covered = new Float32Array(0);
let most = new Float32Array(0);
let colour = new Uint8Array(0);
function clearCoverage(pixels) {
  if (covered.length !== pixels) {
    covered = new Float32Array(pixels);
    most = new Float32Array(pixels);
    colour = new Uint8Array(pixels);
  } else {
    covered.fill(0);
    most.fill(0);
  }
}
function cover(pixel, part, kind) {
  covered[pixel] += part;
  if (part > most[pixel]) {
    most[pixel] = part;
    colour[pixel] = kind;
  }
}
// Covers a part of the width of a column of pixels, which begins with pixel `column`, from `top` to `bottom`.
function coverColumn(column, top, bottom, part, kind) {
  const first = column + Math.floor(top);
  const last = column + Math.ceil(bottom) - 1;
  if (first >= last) {
    cover(first, part * (bottom - top), kind);
    return;
  }
  cover(first, part * (first + 1 - column - top), kind);
  for (let pixel = first + 1; pixel < last; ++pixel) {
    cover(pixel, part, kind);
  }
  cover(last, part * (column + bottom - last), kind);
}
function paintCoverage(rows, visible, context, box, from, until) {
  const width = Math.max(1, Math.round(box.width * box.ratio));
  // A row of pixels for each processor, if there are as many, else for several.
  const height = Math.min(report.processors_drawn, Math.max(1, Math.round(box.height * box.ratio)));
  const perSecond = width / (until - from);
  const row = height / report.processors_drawn;
  const colours = coloursOf(rows);
  const { start, finish, firstInterval, intervals } = rows;
  clearCoverage(width * height);
  for (const i of visible) {
    const left = Math.max(0, (start[i] - from) * perSecond);
    const right = Math.min(width, (finish[i] - from) * perSecond);
    for (let x = Math.floor(left); x < right; ++x) {
      const part = Math.min(x + 1, right) - Math.max(x, left);
      for (let k = firstInterval[i]; k < firstInterval[i + 1]; ++k) {
        coverColumn(x * height, intervals[2 * k] * row, Math.min(height, (intervals[2 * k + 1] + 1) * row), part,
          colours[i]);
      }
    }
  }
  const canvas = paintCoverage.canvas || (paintCoverage.canvas = document.createElement("canvas"));
  canvas.width = width;
  canvas.height = height;
  canvas.getContext("2d").putImageData(coveredImage(width, height), 0, 0);
  context.imageSmoothingEnabled = false;
  context.drawImage(canvas, box.x, box.y, box.width, box.height);
}
function coveredImage(width, height) {
  const image = new ImageData(width, height);
  const colours = colouring.colours.map((text) => d3.rgb(text || "#888"));
  for (let x = 0; x < width; ++x) {
    for (let y = 0; y < height; ++y) {
      const part = covered[x * height + y];
      if (part > 0) {
        const of = colours[colour[x * height + y]];
        const at = 4 * (y * width + x);
        image.data[at] = of.r;
        image.data[at + 1] = of.g;
        image.data[at + 2] = of.b;
        image.data[at + 3] = 255 * Math.min(1, part);
      }
    }
  }
  return image;
}
// The place of the job there among the rows; none: -1.
function placeAt(rows, time, share) {
  const processor = Math.min(report.processors_drawn - 1, Math.floor(share * report.processors_drawn));
  const [first, last] = runningBetween(rows, time, time);
  for (let i = first; i < last; ++i) {
    if (rows.finish[i] <= time) {
      continue;
    }
    for (let k = rows.firstInterval[i]; k < rows.firstInterval[i + 1]; ++k) {
      if (rows.intervals[2 * k] <= processor && processor <= rows.intervals[2 * k + 1]) {
        return i;
      }
    }
  }
  return -1;
}
// What the tooltip says of a job, on the host with this number.
function textOfJob(rows, i, host) {
  return `job ${rows.id(i)}: ${counted(rows.processors[i], unitName)}\n` +
    (hostNames.length ? `here on host ${hostName(host)}\n` : "") +
    `waited ${duration(rows.wait[i])}, ran ${duration(rows.finish[i] - rows.start[i])}\n` +
    `started ${instant(rows.start[i] + report.first, 1)}\n${report.states[rows.state[i]]}` +
    (rows.user ? `\nuser ${groupName(report.users[rows.user[i]])}` : "") +
    (rows.queue ? `\nqueue ${groupName(report.queues[rows.queue[i]])}` : "");
}
function jobAt(rows, time, share) {
  const i = placeAt(rows, time, share);
  return i < 0 ? "" : textOfJob(rows, i, Math.floor(share * report.processors_drawn));
}

// --- Steps over time ----------------------------------------------------------------------------------------------

function integralUpTo(levels, name, instant) {
  const at = d3.bisectRight(levels.time, instant) - 1;
  return at < 0 ? 0 : levels.integral[name][at] + levels[name][at] * (instant - levels.time[at]);
}
// The mean of a level over each pixel, a line per run. A single run is filled below its line.
function paintLevels(name, top, context, box, from, until) {
  const columns = Math.max(1, Math.round(box.width));
  const second = (until - from) / columns;
  let marks = 0;
  context.save();
  context.beginPath();
  context.rect(box.x, box.y - 1, box.width, box.height + 2);
  context.clip();
  runs.forEach((run, r) => {
    const { time } = run.levels;
    const upTo = (instant) => integralUpTo(run.levels, name, instant);
    marks += d3.bisectRight(time, until) - d3.bisectRight(time, from);
    context.beginPath();
    let before = upTo(from);
    for (let x = 0; x < columns; ++x) {
      const now = upTo(from + (x + 1) * second);
      const y = box.y + box.height * (1 - (now - before) / second / top);
      x ? context.lineTo(box.x + x + 0.5, y) : context.moveTo(box.x, y);
      before = now;
    }
    context.strokeStyle = palette.runs[r % runColours];
    context.lineWidth = 1.3;
    context.setLineDash(runDash(r).split(" ").filter(Boolean).map(Number));
    context.stroke();
    context.setLineDash([]);
    if (runs.length === 1) {
      context.lineTo(box.x + box.width, box.y + box.height);
      context.lineTo(box.x, box.y + box.height);
      context.globalAlpha = 0.25;
      context.fillStyle = palette.runs[0];
      context.fill();
      context.globalAlpha = 1;
    }
  });
  context.restore();
  return marks;
}
function tellLevels(name, what) {
  return (time) => `${instant(time + report.first, 1)}\n` + runs.map((run) => {
    const at = d3.bisectRight(run.levels.time, time) - 1;
    return `${run.label}: ${number(at < 0 ? 0 : run.levels[name][at])} ${what}`;
  }).join("\n");
}
