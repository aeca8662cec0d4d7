// Draws what `batfill report` computed. The data has every number on the page, except for averages over a pixel.
"use strict";

// --- Distributions ------------------------------------------------------------------------------------------------

const waitTicks = [1, 10, 60, 600, 3600, 6 * 3600, 86400, 10 * 86400, 100 * 86400, 1000 * 86400];
function distribution(id, title, of, { low, tickValues, format, linear = false, mark = null, unit = "" }) {
  const shown = runs.map((run, i) => ({ run, i, data: of(run) })).filter(({ data }) => data && data.count);
  const width = 560;
  const height = 300;
  const box = { left: 46, right: 28, top: 10, bottom: 38 };
  const last = d3.max(shown, ({ data }) => data.values[data.values.length - 1]) || 0;
  const smallest = d3.min(shown, ({ data }) => data.values[0]);
  const first = linear ? Math.min(low, smallest) : low;
  const x = (linear ? d3.scaleLinear() : d3.scaleLog()).domain([first, Math.max(last, linear ? first + 1 : low * 10)])
    .range([box.left, width - box.right]).clamp(true);
  const y = d3.scaleLinear([0, 1], [height - box.bottom, box.top]);
  const svg = d3.create("svg").attr("class", "chart").attr("id", id).attr("viewBox", `0 0 ${width} ${height}`)
    .attr("role", "img").attr("aria-label", `${title}: the share of the jobs up to each value. The table below has ` +
      "the quantiles.");
  const ticks = (tickValues || x.ticks(6)).filter((value) => value >= x.domain()[0] && value <= x.domain()[1]);
  svg.append("g").attr("class", "axis").attr("transform", `translate(0,${height - box.bottom})`)
    .call(d3.axisBottom(x).tickValues(ticks).tickSizeOuter(0)
      .tickFormat((value) => (value === low && !linear && smallest < low ? `≤ ${format(value)}` : format(value))));
  svg.append("g").attr("class", "axis").attr("transform", `translate(${box.left},0)`)
    .call(d3.axisLeft(y).ticks(5, "%"));
  svg.append("g").attr("class", "axis").selectAll("line").data(y.ticks(5)).join("line").attr("x1", box.left)
    .attr("x2", width - box.right).attr("y1", y).attr("y2", y);
  if (mark !== null) {
    svg.append("line").attr("x1", x(mark)).attr("x2", x(mark)).attr("y1", box.top).attr("y2", height - box.bottom)
      .style("stroke", "var(--text)").style("stroke-dasharray", "3 3");
  }
  const line = d3.line().curve(d3.curveStepAfter).x(([value]) => x(Math.max(value, x.domain()[0])))
    .y(([, share]) => y(share));
  let marks = 0;
  for (const { i, data } of shown) {
    const points = [[x.domain()[0], 0], ...data.values.map((value, k) => [value, data.shares[k]]),
      [x.domain()[1], 1]];
    marks += data.values.length;
    svg.append("path").attr("class", "curve").attr("d", line(points)).style("stroke", runColour(i))
      .attr("stroke-dasharray", runDash(i) || null);
  }
  svg.attr("data-marks", marks);
  const percent = (share) => (share === 1 ? "max" : `${number(share * 100)} %`);
  return element("figure", {}, element("figcaption", {}, title), svg.node(),
    table(`${title}: quantiles${unit}`, ["run", ...report.quantiles.map(percent)],
      shown.map(({ run, data }) => [run.label, ...data.quantiles.map(format)])));
}

// --- Heat maps ----------------------------------------------------------------------------------------------------

function heatMap(run) {
  const result = classTable(`${run.label}: mean wait and number of jobs, by ${units} requested and run time`,
    run.classes, (cell) => ({ colour: waitColour(cell.mean_wait),
      content: [duration(cell.mean_wait), element("br"), element("small", {}, counted(cell.jobs, "job"))],
      title: `mean bounded slowdown ${number(cell.mean_bounded_slowdown, 1)}, longest wait ${duration(cell.max_wait)}` }));
  result.classList.add("heat");
  return result;
}
const rampLegend = (from, until) => element("p", { class: "note" }, from, element("span", { class: "ramp",
  style: `background:linear-gradient(90deg,${waitRamp.join(",")})`, "aria-hidden": "true" }), until);
const waitLegend = () => rampLegend("waited 0 s", "a day or longer, on a logarithmic scale from 10 s on");

// --- Groups -------------------------------------------------------------------------------------------------------

// A table with a row per user or queue, and a bar for each mean wait.
function groups(kind, title) {
  const of = runs.map((run) => new Map(run[kind].map((group) => [group.name, group])));
  const shown = 15;
  const members = report[kind].map((name) => [name, of.map((groupsOfRun) => groupsOfRun.get(name))]);
  const longestWait = (some) => d3.max(some, ([, inRuns]) => d3.max(inRuns, (group) => group && group.mean_wait)) || 1;
  const longestShown = longestWait(members.slice(0, shown));
  const longestOther = longestWait(members.slice(shown));
  const rows = members.map(([name, inRuns], place) => {
    const any = inRuns.find(Boolean);
    const longest = place < shown ? longestShown : longestOther;
    return [(kind === "partitions" ? partitionName : groupName)(name), number(any.jobs), number(any.processor_seconds / 3600),
      ...inRuns.map((group, i) => (group ? groupCell(group, longest, i) : "-"))];
  });
  const head = () => [title, "jobs", `${timeName} hours`, ...runs.map(({ label }) => (comparing ? breakable(label) : "mean wait"))];
  const haveLimits = of.some((inRun) => [...inRun.values()].some((group) => group.limit_wait_share !== undefined));
  const result = element("div", { "data-marks": rows.length, class: "groups" },
    element("p", { class: "note" }, "Mean wait; beneath it the longest wait and the mean bounded slowdown" + (haveLimits
      ? ", and the share of all waiting in which a limit keeps jobs from starting: the rest is waiting for the machine. "
      : ". ") + "All bars of a table have one scale."),
    table(`By ${title}, those with most ${timeName} time first`, head(), rows.slice(0, shown)));
  if (rows.length > shown) {
    result.append(folded(`The other ${number(rows.length - shown)}`,
      table(`By ${title}, the others`, head(), rows.slice(shown))));
  }
  return result;
}
// The mean wait as text and bar, above the longest wait and the mean bounded slowdown. All bars have one scale.
function groupCell(group, longest, run) {
  const width = Number((3.5 * Math.max(group.mean_wait || 0, 0) / longest).toFixed(3));
  return element("td", {}, inOneUnit(group.mean_wait), element("span", { class: "bar", "aria-hidden": "true",
    style: `width:${width}rem;background:${runColour(run)}` }),
  element("small", {}, inOneUnit(group.max_wait)), element("small", {}, number(group.mean_bounded_slowdown, 1)),
  group.limit_wait_share === undefined ? "" : element("small", {}, `${number(100 * group.limit_wait_share)} % for limits`));
}

// --- The page -----------------------------------------------------------------------------------------------------

// A name that may have a line end behind each comma.
function breakable(name) {
  return element("span", {}, ...name.split(/(?<=,)/).flatMap((part, i) => (i ? [element("wbr"), part] : [part])));
}
function metricCell(metric, run) {
  const value = metric.values[run];
  const cell = element("td", { title: value === null ? "" : String(value) }, metric.texts[run]);
  if (metric.unit === "seconds" && value !== null && Math.abs(value) >= 60) {
    cell.append(element("small", {}, duration(value)));
  }
  if (comparing && run !== report.baseline) {
    cell.append(element("small", {}, metric.differences[run]));
  }
  return cell;
}
// The title of a metric, which says on demand what it means. One that is indented is a part of the one above.
function metricTitle({ title, meaning }) {
  const name = title.trim();
  const indent = title.length - title.trimStart().length;
  return element("div", { style: `padding-left:${indent / 2}em` }, meaning ? folded(name, element("p", {}, meaning)) : name);
}
function metricsSection() {
  const hasContent = ({ values }) => values.some((value) => value !== null && value !== 0);
  const rows = report.metrics.filter(hasContent).map((metric) =>
    [metricTitle(metric), ...runs.map((_, run) => metricCell(metric, run))]);
  const others = report.metrics.filter((metric) => !hasContent(metric)).map(({ title }) => title.trim());
  section("metrics", "All metrics", folded(`${number(rows.length)} metrics, as batfill metrics prints them`,
    comparing ? element("p", { class: "note" }, `Differences to ${runs[report.baseline].label} are beneath the values; ` +
      "a share's are in percentage points.") : "",
    table(comparing ? "Metrics of the runs" : `Metrics of ${runs[0].label}`,
      ["", ...runs.map(({ label }) => breakable(label))], rows),
    others.length ? element("p", { class: "note" }, `0 in all runs: ${others.join(", ")}.`) : ""));
}
// A legend of colours.
function swatches(pairs) {
  return element("ul", { class: "legend", "aria-label": "Colours" }, ...pairs.map(([label, colour]) => {
    const item = element("li");
    item.innerHTML = `<svg width="14" height="14" aria-hidden="true"><rect width="14" height="14"
      fill="${colour}"/></svg>`;
    item.append(label);
    return item;
  }));
}
// The buttons that move all charts over time.
function viewButtons() {
  return [["+", "Zoom in", "zoom", 2], ["\u2212", "Zoom out", "zoom", 0.5], ["\u2190", "Earlier", "back"],
    ["\u2192", "Later", "on"], ["All", "Show all", "reset"]].map(([text, label, ...action]) => {
    const button = element("button", { type: "button", "aria-label": label, title: label }, text);
    button.addEventListener("click", () => {
      const move = charts[0].canvas.clientWidth / 3 / transform.k;
      charts[0].change(...(action[0] === "back" ? ["move", move] : action[0] === "on" ? ["move", -move] : action));
    });
    return button;
  });
}
// The choice of what colours mean, and a key for each.
function colourChoice() {
  const select = element("select", { id: "colour-by" });
  const keyOf = {};
  for (const [key, { name }] of Object.entries(colourings)) {
    select.append(element("option", { value: key }, name));
  }
  keyOf.wait = waitLegend();
  keyOf.width = rampLegend(`1 ${unitName}`, "the whole machine, on a logarithmic scale");
  keyOf.state = swatches(report.states.map((state, i) => [state, colourings.state.colours[i]])
    .filter(([state, colour]) => colour && state !== "REJECTED"));
  for (const key of ["user", "queue", "partition"].filter((one) => colourings[one])) {
    keyOf[key] = swatches(colourings[key].labels.map((label, i) => [label, categories[i]]));
  }
  const showKey = () => Object.entries(keyOf).forEach(([key, node]) => { node.hidden = key !== select.value; });
  showKey();
  select.addEventListener("change", () => {
    colouring = colourings[select.value];
    showKey();
    redraw();
  });
  return { select, keys: Object.values(keyOf) };
}
// An instant where a period of a run begins or ends. Tells also those of a short run apart.
function periodLabel(run, seconds) {
  const length = report.span / run.periods.length;
  return instant(seconds + report.first, length < 1 ? 0.001 : length < 60 ? 1 : 60);
}
// Not the number of hosts that jobs share: a host would count for each of its jobs.
const showsBusy = !report.has_shared_hosts;
function inNumbers(run) {
  const busy = ({ busy: mean }) => [number(mean, 1), `${number(mean / report.processors * 100, 1)} %`];
  return folded(`${run.label} in numbers`,
    table(`${run.label}: ${showsBusy ? "use and queue" : "queue"} in ${run.periods.length} equal periods`,
      ["from", "until", ...(showsBusy ? ["processors in use", "of all"] : []), "jobs waiting (mean)", "most waiting"],
      run.periods.map((period) => [periodLabel(run, period.from), periodLabel(run, period.until),
        ...(showsBusy ? busy(period) : []), number(period.waiting, 1), number(period.max_waiting)])),
    table(`${run.label}: the longest waits`, ["job", units, "submitted", "waited", "ran"],
      run.longest_waits.map((job) => [job.id, number(job.processors), instant(job.submit, 60), duration(job.wait),
        duration(job.run)])));
}
// Why jobs waited, as simulate --explain wrote it: a choice of the jobs, and the instants at which the answer changed.
// An instant that is chosen shows on the chart, with the jobs that hold what is lacking.
function explanations(run, number) {
  if (!run.explained) {
    return null;
  }
  const jobs = [...new Set(run.explained.map(({ job }) => job))];
  const select = element("select", { id: `explained-${number}` },
    ...jobs.map((job) => element("option", { value: job }, `job ${job}`)));
  const list = element("ol", { class: "reasons" });
  // Of a single workload, explanations leave out its name. Jobs that the scheduler registered keep theirs.
  const isSingle = jobs.some((job) => !job.includes("!"));
  const nameAt = (i) => (isSingle ? run.rows.id(i).replace(/^(?!dynamic!)[^!]*!/, "") : run.rows.id(i));
  const places = new Map(Array.from({ length: run.rows.count }, (_, i) => [nameAt(i), i]));
  const show = (job) => {
    select.value = job;
    run.marked = null;
    list.replaceChildren(...run.explained.filter((reason) => reason.job === job).map((reason) => {
      const time = reason.time * report.seconds_per_tick;
      const button = element("button", { type: "button" }, instant(time + report.first, 1));
      button.addEventListener("click", () => {
        list.querySelectorAll("button").forEach((other) => other.setAttribute("aria-pressed", other === button));
        const found = (ids) => ids.map((id) => places.get(id)).filter((i) => i !== undefined);
        run.marked = { time, jobs: found(reason.holders), explained: found([job]) };
        const marked = [...run.marked.jobs, ...run.marked.explained];
        charts[0].show(d3.min([time, ...marked.map((i) => run.rows.start[i])]),
          d3.max([time, ...marked.map((i) => run.rows.finish[i])]));
        redraw();
      });
      return element("li", {}, button, ` (${time + report.first}) ${reason.text}`);
    }));
    redraw();
  };
  select.addEventListener("change", () => show(select.value));
  show(jobs[0]);
  return { pick: (i) => jobs.includes(nameAt(i)) && show(nameAt(i)), node: element("div", { class: "explained" },
    element("label", { for: select.id }, `${runs.length > 1 ? `${run.label}: why` : "Why"} did it wait?`), " ", select,
    element("p", { class: "note" }, "Click an instant to mark it on the chart, with the job in dashes and the jobs that " +
      "hold what it lacks. Click a job of this list in the chart to choose it."), list) };
}
function timeSection() {
  const { select, keys } = colourChoice();
  const controls = element("div", { class: "controls", role: "group", "aria-label": "View" }, ...viewButtons(),
    element("label", { for: "colour-by" }, "Colour jobs by"), select);
  const height = Math.min(340, Math.max(140, report.processors_drawn * 8)) / (runs.length > 2 ? 1.4 : 1) + 34;
  const explained = runs.map(explanations);
  const bands = hostNames.length ? hostNames.map((name, i) => ({ name, from: i, until: i + 1 })) : undefined;
  const figures = runs.map((run, i) => (run.has_hosts ? addTimeChart({ id: `gantt-${i}`, height, top: report.processors_drawn,
    mark: report.processors, downwards: true, bands, paint: (...place) => {
      const marks = paintGantt(run.rows, ...place);
      markHolders(run, ...place);
      return marks;
    },
    tell: (time, share) => jobAt(run.rows, time, share),
    pick: (time, share) => {
      explained[i] && explained[i].pick(placeAt(run.rows, time, share));
    } },
  runs.length > 1 ? `${run.label}: ${units}` : `${units[0].toUpperCase()}${units.slice(1)}`,
  `Gantt chart of ${run.label}: ${number(run.rows.count)} jobs on ${counted(report.processors, unitName)}.`)
    : element("p", { class: "note" }, `${run.label}: nobody knows which hosts its jobs had, or what they took of them. It ` +
      "is on no chart of hosts.")));
  const longest = d3.max(runs, (run) => d3.max(run.levels.waiting)) || 1;
  const levels = [
    ...(showsBusy ? [addTimeChart({ id: "busy", height: 164, top: report.processors_drawn, mark: report.processors,
      tell: tellLevels("busy", "processors in use"),
      paint: (...place) => paintLevels("busy", report.processors_drawn, ...place) },
    "Processors in use (mean over each pixel)", "Processors in use over time.")] : []),
    addTimeChart({ id: "queue", height: 164, top: longest, tell: tellLevels("waiting", "jobs waiting"),
      paint: (...place) => paintLevels("waiting", longest, ...place) },
    "Jobs waiting (mean over each pixel)", "Length of the queue over time.")];
  section("time", "The machine over time",
    element("p", { class: "note hint" }, "Mouse: drag to move; the wheel zooms a chart that was clicked, and any with " +
      "Ctrl. Keys, on a chart: arrows, + and -, 0 for all. Touch: drag to move, pinch to zoom, tap to see a job. All " +
      "charts of this part move together."),
    controls, ...keys, ...figures.flatMap((figure, i) => (explained[i] ? [figure, explained[i].node] : [figure])),
    legend(), ...levels, ...runs.map(inNumbers));
}
function waitsSection() {
  section("waits", "Waits and slowdowns",
    element("p", { class: "note" }, "Each curve shows the share of the jobs whose value is not above that on the " +
      `logarithmic axis. The bound of the slowdown is ${duration(report.tau)}.`), legend(),
    element("div", { class: "pair" },
      distribution("wait-distribution", "Wait", (run) => run.waits,
        { low: 1, tickValues: waitTicks, format: duration }),
      distribution("slowdown-distribution", "Bounded slowdown", (run) => run.bounded_slowdowns,
        { low: 1, tickValues: d3.range(0, 12).map((i) => Math.pow(10, i)),
          format: (value) => number(value, value < 100 && value % 1 ? 1 : 0) })));
  section("classes", "Waits by width and length", waitLegend(), comparing ? element("p", { class: "note" }, classesOfJobs) : "", element("div", { class: "pair wide" },
    ...runs.map(heatMap)));
}
function groupsSection() {
  const kinds = [["queues", "queue"], ["users", "user"]].filter(([kind]) => report[kind].length);
  if (kinds.length) {
    section("groups", "Users and queues", ...kinds.map(([kind, title]) => groups(kind, title)));
  }
}
function promisesSection() {
  if (runs.some((run) => run.deadline_usage)) {
    const jobs = metricOf("deadline_jobs");
    const late = metricOf("deadline_violations");
    section("deadlines", "Deadlines", table("Deadlines met", ["run", "jobs with a deadline", "met", "missed", "of all met"],
      runs.map((run, i) => [run.label, number(jobs.values[i]), number(jobs.values[i] - late.values[i]),
        number(late.values[i]), `${number((1 - late.values[i] / jobs.values[i]) * 100, 2)} %`])), legend(),
    distribution("deadline-distribution", "Time to the deadline that jobs used (above 100 % it was missed)",
      (run) => run.deadline_usage, { low: 0, linear: true, mark: 1, format: (value) => `${number(value * 100)} %` }));
  }
  const promising = runs.filter((run) => run.guarantees);
  if (promising.length) {
    section("guarantees", "Guaranteed starts", table("Guarantees kept",
      ["run", "jobs", "guaranteed a start", "kept", "started later", "never started", "of all kept",
        report.windows?.length ? "moved by losses and windows" : "moved by losses"],
      promising.map(({ label, guarantees: of }) => [label, number(of.jobs), number(of.given), number(of.kept),
        number(of.late), number(of.never_started), of.given ? `${number(of.kept / of.given * 100, 2)} %` : "-",
        of.moved_by_losses === undefined ? "0" : number(of.moved_by_losses)])), legend(promising),
    promising.some((run) => run.guarantees.early)
      ? distribution("guarantee-distribution", "By how much jobs started before their guarantee",
        (run) => run.guarantees && run.guarantees.early,
        { low: 1, tickValues: waitTicks, format: duration }) : "");
  }
}
function sourcesSection() {
  const said = (run, name) => (run.summary.find(([column]) => column === name) || ["", "-"])[1];
  const count = (run, name) => (said(run, name) === "-" ? "-" : number(Number(said(run, name))));
  const parts = [element("p", {}, element("code", {}, report.command)),
    element("p", { class: "note" }, `batfill ${report.version}; drawn with D3 ${d3.version}, © Mike Bostock, ` +
      "BSD 3-Clause licence (in the source of this page)." + (report.processors_known ? ""
      : ` The number of processors was not given: ${number(report.processors)} is that of the highest one used.`)),
    table("Runs", ["run", "jobs", "finished", "written by", units], runs.map((run) => [run.label,
      count(run, "nb_jobs"), number(run.rows.count), said(run, "batsim_version"),
      count(run, "nb_computing_machines")])),
    table("Files that this page was made of", ["file", "bytes", "SHA-256"], report.files.map((file) =>
      [file.path, number(file.bytes), element("td", { class: "text" }, element("code", {}, file.sha256))]))];
  const values = (title, caption, head, of) => runs.filter((run) => of(run).length).map((run) =>
    folded(`${run.label}: ${title}`, table(`${run.label}: ${caption}`, [head, "value"], of(run))));
  section("sources", "What this was made of", ...parts,
    ...values("what its schedule.csv says", "schedule.csv", "column", ({ summary }) => summary),
    ...values("what its algorithm counted", "statistics", "statistic", ({ statistics }) => statistics));
}

function drawSections() {
  summarySection();
  if (runs.some((run) => run.rows.count)) {
    whoSection();
    timeSection();
    waitsSection();
    groupsSection();
  } else {
    section("time", "Nothing to draw", element("p", {}, (runs.length > 1 ? "No job of these runs" : "No job of this run") +
      " finished, and charts show finished jobs only."));
  }
  promisesSection();
  metricsSection();
  sourcesSection();
}
function drawWhenNeeded() {
  const resized = () => {
    charts.forEach((chart) => chart.bounds());
    redraw();
  };
  charts.forEach((chart) => chart.bounds());
  drawAll();
  window.addEventListener("resize", resized);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  for (const [event, isPaper] of [["beforeprint", true], ["afterprint", false]]) {
    window.addEventListener(event, () => {
      root.classList.toggle("paper", isPaper);
      drawAll();
    });
  }
}
async function drawPage() {
  document.getElementById("title").textContent = report.title;
  document.getElementById("subtitle").textContent = `${runs.length > 1 ? `${runs.length} runs` : "1 run"}, ` +
    `${counted(report.processors, unitName)}, ${duration(report.span)} from ${instant(report.first, 60)} on`;
  if (!window.DecompressionStream) {
    document.getElementById("main").append(
      "This page needs a newer browser: Chromium 80, Firefox 113, Safari 16.4, or any later one.");
    return;
  }
  root.classList.toggle("many", runs.length > 5);
  await Promise.all([...runs.map(unpack), unpackHostNames()]);
  drawSections();
  drawWhenNeeded();
  // For measurements: the time from the start of the page until it was usable.
  root.dataset.interactive = Math.round(performance.now());
}
drawPage();
