
// What jobs take of pools and of hosts that they share, and their partitions. Only pages of machines that have some, and
// with workloads, which say it, have this part, behind page.js, while the page waits for its data. It replaces functions
// that know only processors.

// --- Data ---------------------------------------------------------------------------------------------------------

async function unpackUse(packed, unit) {
  const factor = report.seconds_per_tick;
  const time = await column(packed.time, packed.count, { signed: true, sum: true, factor });
  const taken = await column(packed.taken, packed.count, { signed: true, sum: true, factor: unit });
  return { time, taken, integral: { taken: integral(time, taken) } };
}
const unpackHosts = unpackProcessors;
const unpackPanels = (packed) => Promise.all((packed.panels || [])
  .map((panel) => unpackHosts({ ...panel, count: packed.count })));
unpackProcessors = async (packed) => {
  const run = runs.find(({ jobs }) => jobs === packed);
  run.uses = await Promise.all(report.resources.map(({ unit }, i) => unpackUse(run.use[i], unit)));
  for (const one of report.resources.filter(({ held }) => !held.level)) {
    one.held.level = await unpackUse(one.held, one.unit);
  }
  for (const panel of report.panels.filter(({ firstRows }) => !firstRows)) {
    panel.firstRows = await column(panel.first_rows, report.processors + 1, { signed: true, sum: true });
  }
  return { ...await unpackHosts(packed), panels: await unpackPanels(packed),
    partition: packed.partition && await column(packed.partition, packed.count) };
};

// --- Hosts that jobs share ----------------------------------------------------------------------------------------

// A host is a band of rows, and each job on it a stripe of some of them.
const [hostPanel, gpuPanel] = report.panels;
const hasSharedHosts = Boolean(hostPanel);

// The jobs with their rows on a panel instead of processors.
function rowsOn(panel, rows) {
  return { ...rows, ...rows.panels[report.panels.indexOf(panel)] };
}
// Calls then(ROWS) while the height of a chart is that of a panel's rows.
function onPanel(panel, rows, then) {
  const hosts = report.processors_drawn;
  report.processors_drawn = panel.rows;
  try {
    return then(rowsOn(panel, rows));
  } finally {
    report.processors_drawn = hosts;
  }
}
// Lines between the bands, where there is room.
function paintBands(panel, context, box) {
  if (box.height / report.processors < 6) {
    return;
  }
  context.fillStyle = palette.line;
  for (const row of panel.firstRows) {
    context.fillRect(box.x, Math.round(box.y + row / panel.rows * box.height), box.width, 1);
  }
}
const paintProcessors = paintGantt;
const markProcessors = markHolders;
const placeOnProcessors = placeAt;
function paintPanel(panel, rows, context, box, ...times) {
  return onPanel(panel, rows, (stripes) => {
    paintBands(panel, context, box);
    return paintProcessors(stripes, context, box, ...times);
  });
}
function markOnPanel(panel, run, ...place) {
  onPanel(panel, run.rows, (rows) => markProcessors({ rows, marked: run.marked }, ...place));
}
const placeOnPanel = (panel, rows, time, share) => onPanel(panel, rows, (stripes) => placeOnProcessors(stripes, time, share));
const hostAt = (panel, share) => d3.bisectRight(panel.firstRows, Math.min(panel.rows - 1, Math.floor(share * panel.rows))) - 1;
if (hasSharedHosts) {
  paintGantt = (...place) => paintPanel(hostPanel, ...place);
  markHolders = (...place) => markOnPanel(hostPanel, ...place);
  placeAt = (...place) => placeOnPanel(hostPanel, ...place);
}
const tellOnPanel = (panel, rows, i, share) => textOfJob(rows, i, hostAt(panel, share));
const tellProcessors = jobAt;
jobAt = (rows, time, share) => {
  const i = placeAt(rows, time, share);
  return i < 0 ? "" : (hasSharedHosts ? tellOnPanel(hostPanel, rows, i, share) : tellProcessors(rows, time, share)) +
    partitionOf(rows, i);
};
const partitionOf = (rows, i) => (rows.partition ? `\npartition ${partitionName(report.partitions[rows.partition[i]])}` : "");

// How many jobs with rows on a panel run between two instants.
function countOn(panel, rows, from, until) {
  const { firstInterval } = rowsOn(panel, rows);
  const [first, last] = runningBetween(rows, from, until);
  let count = 0;
  for (let i = first; i < last; ++i) {
    count += rows.finish[i] >= from && firstInterval[i + 1] > firstInterval[i] ? 1 : 0;
  }
  return count;
}
// Calls `then` while the windows of hosts lie on the rows of a panel.
function withWindowsOn(panel, then) {
  const kept = drawnWindows.map(({ intervals }) => intervals);
  drawnWindows.forEach((one) => {
    const rows = [];
    for (let k = 0; k < one.intervals.length; k += 2) {
      const [first, last] = [panel.firstRows[one.intervals[k]], panel.firstRows[one.intervals[k + 1] + 1] - 1];
      if (first <= last) {
        rows.push(first, last);
      }
    }
    one.intervals = rows;
  });
  try {
    then();
  } finally {
    drawnWindows.forEach((one, i) => { one.intervals = kept[i]; });
  }
}
function paintWindowsOfGpus(rows, areBorders, ...place) {
  if (report.windows) {
    onPanel(gpuPanel, rows, () => withWindowsOn(gpuPanel,
      () => (areBorders ? paintWindowBorders : paintWindows)(...place)));
  }
}
function gpuChart(run, i) {
  const { rows } = run;
  return addTimeChart({ id: `gpus-${i}`, height: Math.min(220, Math.max(110, gpuPanel.rows * 6)) + 34, top: gpuPanel.rows,
    mark: gpuPanel.rows, downwards: true,
    bands: hostNames.map((name, host) => ({ name, from: gpuPanel.firstRows[host], until: gpuPanel.firstRows[host + 1] })),
    paint: (context, box, from, until) => {
      paintWindowsOfGpus(rows, false, context, box, from, until);
      paintPanel(gpuPanel, rows, context, box, from, until);
      paintWindowsOfGpus(rows, true, context, box, from, until);
      markOnPanel(gpuPanel, run, context, box, from, until);
      return countOn(gpuPanel, rows, from, until);
    },
    tell: (time, share) => {
      const job = placeOnPanel(gpuPanel, rows, time, share);
      return job < 0 ? "" : tellOnPanel(gpuPanel, rows, job, share) + partitionOf(rows, job);
    } },
  `${runs.length > 1 ? `${run.label}: ` : ""}${gpuPanel.capacity} of all hosts, in the order of the hosts`,
  `Gantt chart of ${run.label}: jobs on ${number(gpuPanel.rows)} ${gpuPanel.capacity}.`);
}
// Makes charts of processors ones of hosts, which are higher.
function showSharedHosts() {
  runs.forEach((run, i) => {
    const chart = charts.find(({ id }) => id === `gantt-${i}`);
    if (!chart) {
      return;
    }
    chart.height = Math.min(400, Math.max(180, report.processors * 32)) / (runs.length > 2 ? 1.4 : 1) + 34;
    const figure = chart.canvas.closest("figure");
    figure.querySelector("figcaption").textContent =
      `${runs.length > 1 ? `${run.label}: hosts` : "Hosts"}, each divided by ${hostPanel.capacity}`;
    if (gpuPanel) {
      figure.after(gpuChart(run, i));
    }
  });
}

// --- Pools and capacities over time -------------------------------------------------------------------------------

// Amounts are shown in one of these units, so that they fit beside the axis.
const amountUnits = [[1, ""], [1e3, " (in thousands)"], [1e6, " (in millions)"], [1e9, " (in billions)"],
  [1e12, " (in 10^12)"], [1e15, " (in 10^15)"]];
// Calls `then` while the levels of the runs are those of a resource, in a unit.
function withUse(resource, unit, then) {
  const kept = runs.map(({ levels }) => levels);
  const inUnit = (values) => (unit === 1 ? values : values.map((value) => value / unit));
  runs.forEach((run) => {
    const { time, taken, integral: sums } = run.uses[resource];
    run.levels = { time, taken: inUnit(taken), integral: { taken: inUnit(sums.taken) } };
  });
  try {
    return then();
  } finally {
    runs.forEach((run, i) => { run.levels = kept[i]; });
  }
}
// What windows take, from the total downwards.
function paintHeld({ held: { level }, total }, top, context, box, from, until) {
  const place = (time) => box.x + Math.min(1, Math.max(0, (time - from) / (until - from))) * box.width;
  level.taken.forEach((taken, i) => {
    const left = place(level.time[i]);
    const right = place(i + 1 < level.time.length ? level.time[i + 1] : report.span);
    if (taken > 0 && right > left) {
      context.fillStyle = hatches(context);
      context.fillRect(left, box.y + (1 - total / top) * box.height, Math.max(right - left, 0.7),
        Math.min(taken, total) / top * box.height);
    }
  });
}
function useChart(resource, i) {
  const [unit, inUnit] = amountUnits.find(([size]) => resource.total / size < 1e6) || amountUnits[5];
  const most = Math.max(resource.total, ...runs.map((run) => d3.max(run.uses[i].taken) || 0));
  return addTimeChart({ id: `use-${i}`, height: 78 + 34, top: most / unit, mark: resource.total / unit,
    tell: (time) => withUse(i, 1, () => tellLevels("taken", `of ${number(resource.total)} ${resource.name}`)(time)),
    paint: (...place) => {
      paintHeld(resource, most, ...place);
      return withUse(i, unit, () => paintLevels("taken", most / unit, ...place));
    } },
  `${resource.name} in use${inUnit}, of ${number(resource.total / unit, resource.total % unit ? 1 : 0)}`,
  `${resource.name} in use over time.`);
}
// The mean use between two instants.
const meanOf = (use, from, until) => (until > from
  ? (integralUpTo(use, "taken", until) - integralUpTo(use, "taken", from)) / (until - from) : 0);
const inNumbersOfProcessors = inNumbers;
inNumbers = (run) => {
  const result = inNumbersOfProcessors(run);
  if (report.resources.length) {
    result.append(table(`${run.label}: pools and capacities in use in ${run.periods.length} equal periods`,
      ["from", "until", ...report.resources.map(({ name, total }) => `${name}, of ${number(total)}`)],
      run.periods.map(({ from, until }) => [periodLabel(run, from), periodLabel(run, until), ...report.resources.map(({ total }, i) => {
          const mean = meanOf(run.uses[i], from, until);
          return `${number(mean, 1)} (${number(mean / total * 100, 1)} %)`;
        })])));
  }
  return result;
};
const sectionOfProcessors = timeSection;
timeSection = () => {
  sectionOfProcessors();
  if (hasSharedHosts) {
    showSharedHosts();
  }
  const queue = document.getElementById("queue").closest("figure");
  report.resources.forEach((resource, i) => {
    const figure = useChart(resource, i);
    figure.style.marginBottom = ".2rem";  // several, close to each other
    queue.before(figure);
  });
};

// --- Partitions ---------------------------------------------------------------------------------------------------

if (report.partitions?.length) {
  groupsSection = () => {
    const kinds = [["partitions", "partition"], ["queues", "queue"], ["users", "user"]]
      .filter(([kind]) => report[kind].length);
    const title = kinds.map(([kind]) => kind).join(", ").replace(/, (?=[a-z]+$)/, " and ");
    section("groups", title[0].toUpperCase() + title.slice(1), ...kinds.map(([kind, one]) => groups(kind, one)));
  };
}
