// The data of the page, and what all its scripts use: texts and elements.
"use strict";
const report = JSON.parse(document.getElementById("data").textContent);
const runs = report.runs;
const root = document.documentElement;
const runColours = 8;
const dashes = ["", "7 3", "2 3", "9 3 2 3", "12 4", "4 4", "9 3 2 3 2 3", "16 3 4 3"];
const categories = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8a900", "#8c8c8c"];

// What jobs request: hosts where they share them, else processors. Time on the machine may count their cores.
const unitName = report.has_shared_hosts ? "host" : "processor";
const units = `${unitName}s`;
const timeName = report.counts_cores ? "core" : unitName;
// What hosts that jobs share are called, by number. Filled before anything is drawn.
const hostNames = [];
const hostName = (host) => hostNames[host] ?? number(host);

// --- Data ---------------------------------------------------------------------------------------------------------

// The bytes that packed() of src/report/columns.hpp compressed.
async function unpacked(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) {
    bytes[i] = text.charCodeAt(i);
  }
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Reads a column of src/report/columns.hpp: `signed` numbers or numbers from 0, each times `factor`. With `sum`, each
// is the difference to the one before. A single loop, since columns have millions of numbers.
async function column(packed, count, { signed = false, sum = false, factor = 1 } = {}) {
  const bytes = await unpacked(packed);
  const values = new Float64Array(count);
  let at = 0;
  let before = 0;
  for (let i = 0; i < count; ++i) {
    let byte = bytes[at++];
    let value = byte & 127;
    for (let weight = 128; byte > 127; weight *= 128) {
      byte = bytes[at++];
      value += (byte & 127) * weight;
    }
    if (signed) {
      value = value % 2 === 1 ? -(value + 1) / 2 : value / 2;
    }
    if (sum) {
      value = before += value;
    }
    values[i] = value * factor;
  }
  return values;
}

// The processors of the jobs: job i has the intervals firstInterval[i] to firstInterval[i + 1] - 1; interval k begins
// with processor intervals[2 * k] and ends with intervals[2 * k + 1].
async function unpackProcessors(packed) {
  const perJob = await column(packed.intervals_of_job, packed.count);
  const firstInterval = new Int32Array(packed.count + 1);
  for (let i = 0; i < packed.count; ++i) {
    firstInterval[i + 1] = firstInterval[i] + perJob[i];
  }
  const intervals = await column(packed.intervals, 2 * firstInterval[packed.count]);
  for (let i = 0; i < packed.count; ++i) {
    let next = 0;
    for (let k = firstInterval[i]; k < firstInterval[i + 1]; ++k) {
      intervals[2 * k] += next;
      intervals[2 * k + 1] += intervals[2 * k];
      next = intervals[2 * k + 1];
    }
  }
  return { firstInterval, intervals };
}

// The integral of a level over the time up to each step.
function integral(time, level) {
  const sums = new Float64Array(time.length);
  for (let i = 1; i < time.length; ++i) {
    sums[i] = sums[i - 1] + level[i - 1] * (time[i] - time[i - 1]);
  }
  return sums;
}

async function unpackHostNames() {
  if (report.has_shared_hosts) {
    hostNames.push(...JSON.parse(new TextDecoder().decode(await unpacked(report.host_names))));
  }
}

// The jobs by start and the steps of a run as columns. Times are in seconds from the first instant.
async function unpack(run) {
  const packed = run.jobs;
  const count = packed.count;
  const factor = report.seconds_per_tick;
  const start = await column(packed.start, count, { signed: true, sum: true, factor });
  const finish = await column(packed.run, count, { signed: true, factor });
  const latest = new Float64Array(count);
  for (let i = 0; i < count; ++i) {
    finish[i] += start[i];
    latest[i] = i ? Math.max(latest[i - 1], finish[i]) : finish[i];
  }
  const ids = JSON.parse(new TextDecoder().decode(await unpacked(packed.ids)));
  run.rows = {
    count, start, finish, ...await unpackProcessors(packed),
    latest,  // the last finish of the jobs up to here, to find those that run at an instant
    wait: await column(packed.wait, count, { signed: true, factor }),
    processors: await column(packed.processors, count, { signed: true }),
    state: await column(packed.state, count),
    user: packed.user && await column(packed.user, count),
    queue: packed.queue && await column(packed.queue, count),
    id: (i) => packed.id_prefix + ids[i],
    colours: {},  // the colour of each job by kind of colouring, once it was needed
  };
  const time = await column(run.steps.time, run.steps.count, { signed: true, sum: true, factor });
  const busy = await column(run.steps.busy, run.steps.count, { signed: true, sum: true });
  const waiting = await column(run.steps.waiting, run.steps.count, { signed: true, sum: true });
  run.levels = { count: run.steps.count, time, busy, waiting,
    integral: { busy: integral(time, busy), waiting: integral(time, waiting) } };
}

// --- Texts --------------------------------------------------------------------------------------------------------

// A text that may begin with a number, with the sign that a negative one has in print.
const withMinus = (text) => text.replace(/^-(?=\d)/, "\u2212");
for (const metric of [...report.metrics, ...report.first_screen.metrics]) {
  metric.texts = metric.texts.map(withMinus);
  metric.differences = metric.differences.map(withMinus);
  if (report.has_shared_hosts) {
    metric.title = metric.title.replace(/\bprocessors\b/g, "hosts");
    metric.meaning = metric.meaning.replace(/\bprocessors\b/g, "hosts").replace(/\bProcessors\b/g, "Hosts");
  }
}

const number = (value, digits = 0) => (value === null || value === undefined ? "-"
  : withMinus(value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })));

const counted = (amount, what) => `${number(amount)} ${what}${amount === 1 ? "" : "s"}`;

// A duration for people, in at most two units.
function duration(seconds) {
  if (seconds === null || seconds === undefined) {
    return "-";
  }
  const size = Math.abs(seconds);
  const sign = seconds < 0 ? "\u2212" : "";
  if (size < 60) {
    return `${sign}${Number(size.toFixed(size < 10 ? 1 : 0))} s`;
  }
  for (const [unit, of, below, name, lower] of [[60, 1, 3600, "min", "s"], [3600, 60, 86400, "h", "min"],
    [86400, 3600, Infinity, "d", "h"]]) {
    const parts = Math.round(size / of);
    if (parts * of < below) {
      const rest = parts % (unit / of);
      const units = parts / (unit / of);
      const whole = units < 100 ? Math.floor(units) : Math.round(units);
      return `${sign}${number(whole)} ${name}${rest && whole < 100 ? ` ${rest} ${lower}` : ""}`;
    }
  }
  return "-";
}

// A length of time in the largest unit of which it has one.
function inOneUnit(seconds) {
  if (seconds === null || seconds === undefined) {
    return "-";
  }
  const [unit, name] = [[86400, "d"], [3600, "h"], [60, "min"]].find(([of]) => seconds >= of) || [1, "s"];
  return `${number(seconds / unit, unit > 60 && seconds / unit < 10 ? 1 : 0)}\u00a0${name}`;
}

// An instant, counted from the clock's zero.
function instant(seconds, step) {
  const day = Math.floor(seconds / 86400);
  if (step >= 86400) {
    return `day ${number(day)}`;
  }
  const clock = new Date(Math.round((seconds - day * 86400) * 1000)).toISOString().slice(11, step < 1 ? 23 : step < 60 ? 19 : 16);
  return `day ${number(day)}, ${clock}`;
}

const timeSteps = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 15, 30, 60, 300, 900, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 86400, 2 * 86400,
  5 * 86400, 10 * 86400, 20 * 86400, 50 * 86400, 100 * 86400, 200 * 86400, 500 * 86400];
function timeTicks(from, until, count) {
  let step = timeSteps.find((candidate) => (until - from) / candidate <= count);
  if (step === undefined) {
    step = 86400 * Math.pow(10, Math.ceil(Math.log10((until - from) / 86400 / count)));
  }
  return { step, at: d3.range(Math.ceil(from / step) * step, until, step) };
}

// --- Elements -----------------------------------------------------------------------------------------------------

function element(name, attributes = {}, ...children) {
  const result = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    result.setAttribute(key, value);
  }
  result.append(...children);
  return result;
}
function section(id, title, ...children) {
  const result = element("section", { id, "aria-labelledby": `${id}-title` },
    element("h2", { id: `${id}-title` }, title), ...children);
  document.getElementById("main").append(result);
  document.getElementById("contents").append(element("a", { href: `#${id}` }, title));
  return result;
}
// A table with a cell for each class of jobs, by width and length. `shown` gives its colour, content and title.
function classTable(caption, classes, shown) {
  const widths = [...new Map(classes.map((one) => [one.width, one.name]))].sort((a, b) => a[0] - b[0]);
  const rows = widths.map(([width, name]) => [name, ...report.length_classes.map((_, length) => {
    const found = classes.find((one) => one.width === width && one.length === length);
    if (!found) {
      return element("td", { class: "cell" }, "");
    }
    const { colour, content, title } = shown(found);
    const text = d3.lab(colour).l < 55 ? "#fff" : "#000";
    return element("td", { class: "cell", style: `background:${colour};color:${text}`, title }, ...content);
  })]);
  const result = table(caption, [units, ...report.length_classes], rows);
  result.dataset.marks = classes.length || "none";
  return result;
}
// A table. The first cell of each row is a header.
function table(caption, head, rows) {
  const body = element("tbody");
  for (const row of rows) {
    const [first, ...cells] = row;
    body.append(element("tr", {}, element("th", { scope: "row" }, first),
      ...cells.map((cell) => (cell instanceof Node ? cell : element("td", {}, cell)))));
  }
  return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    element("table", {}, element("caption", {}, caption),
      element("thead", {}, element("tr", {}, ...head.map((cell) => element("th", { scope: "col" }, cell)))), body));
}
function folded(summary, ...children) {
  return element("details", {}, element("summary", {}, summary), ...children);
}
const style = (name) => getComputedStyle(root).getPropertyValue(name).trim();
// Two runs of the first 64 have not both in common.
const runColour = (i) => `var(--run${i % runColours})`;
const runDash = (i) => dashes[(i + Math.floor(i / runColours)) % dashes.length];
function legend(shown = runs) {
  const list = element("ul", { class: "legend", "aria-label": "Runs" });
  if (runs.length > 1) {
    shown.forEach((run) => {
      const i = runs.indexOf(run);
      const item = element("li");
      item.innerHTML = `<svg width="34" height="10" aria-hidden="true"><line x1="1" x2="33" y1="5" y2="5"
        style="stroke:${runColour(i)};stroke-width:2.5" stroke-dasharray="${runDash(i)}"/></svg>`;
      item.append(run.label);
      list.append(item);
    });
  }
  return list;
}
