// The first screen: which run is better, for whom, and by how much.
"use strict";

const comparing = runs.length > 1;
const listed = (names) => (names.length < 2 ? names.join("")
  : `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`);
const firstScreen = report.first_screen;
const metricOf = (name) => report.metrics.find((metric) => metric.name === name);

// --- Bars ---------------------------------------------------------------------------------------------------------

// The metrics of the jobs that all runs finished, and two of all that a run did.
function headlineMetrics() {
  const use = metricOf("utilisation") || metricOf("utilisation_of_cores") ||
    report.metrics.find(({ name }) => name.startsWith("utilisation_of_"));
  const known = firstScreen.metrics.filter(({ values }) => values.some((value) => value !== null));
  return [...known, use, metricOf("user_fairness")].filter(Boolean);
}
const threeDigits = (value) => number(value, value < 10 ? 2 : value < 100 ? 1 : 0);
// A value in as few words as a bar has room for. Shares have a unit in their text.
function textOf(metric, value, text = "") {
  return metric.unit === "seconds" ? duration(value) : value === null || text.includes("%") ? text : threeDigits(value);
}
// What stands before the name of a run.
function markOf(metric, run) {
  const mark = metric.marks ? metric.marks[run] : "";
  const [sign, meaning] = mark === "best" ? ["\u2605", "best, and told apart from runs without a mark"]
    : mark === "not_told_apart" ? ["~", "not told apart from the best"] : ["", ""];
  return sign ? element("span", { role: "img", "aria-label": meaning, title: meaning }, `${sign} `) : "";
}
function barRow(metric, run, scale) {
  const value = metric.values[run];
  const percent = (part) => `${Number((100 * Math.min(Math.max(part / scale, 0), 1)).toFixed(2))}%`;
  const track = element("span", { class: "track", "aria-hidden": "true" }, value === null ? ""
    : element("span", { class: "bar", style: `width:${percent(value)};background:${runColour(run)}` }));
  const shown = element("span", { class: "value" }, textOf(metric, value, metric.texts[run]));
  if (metric.low && metric.low[run] !== null) {
    const [low, high] = [metric.low[run], metric.high[run]];
    track.append(element("span", { class: "whisker", style: `left:${percent(low)};width:${percent(high - low)}` }));
    const text = (bound) => (metric.unit === "seconds" ? inOneUnit(bound) : threeDigits(bound));
    shown.append(element("small", {}, ` (${text(low)} to ${text(high)})`));
  }
  if (comparing && run !== report.baseline && metric.differences[run] !== "-") {
    shown.append(element("small", { class: "change" }, ` ${metric.differences[run].replace(" ", "\u00a0")}`));
  }
  const isBest = metric.marks && metric.marks[run] === "best";
  const name = element("span", { class: "name" }, markOf(metric, run), comparing ? breakable(runs[run].label) : "");
  return element("li", { class: isBest ? "best" : "" }, name, track, shown);
}
function bars(metric) {
  const largest = d3.max([...metric.values, ...(metric.high || [])]);
  const scale = metric.better === "more" && largest <= 1 ? 1 : largest || 1;
  return element("figure", { class: "bars", "data-marks": runs.length }, element("figcaption", {}, metric.title.trim().replace(" (s)", ""),
    element("small", {}, metric.better ? `, ${metric.better} is better` : "")),
  element("ul", {}, ...runs.map((_, run) => barRow(metric, run, scale))));
}

// --- The answer ---------------------------------------------------------------------------------------------------

// Which run is best, how sure that is, and how many jobs are not compared.
function answer() {
  const { verdict, jobs, left_out: others } = firstScreen;
  const left = others ? `${counted(others, "job")} that not every run finished ${others === 1 ? "is" : "are"} left out.` : "";
  return [jobs ? verdict : "Nothing is compared: no job finished in every run.", left].filter(Boolean).join(" ");
}
// The job that makes a mean.
function decisiveJob() {
  const { id, run, share, means_without: means } = firstScreen.decisive_job;
  return `Job ${id} alone is ${number(100 * share)} % of all waiting under ${runs[run].label}: without it, the mean waits are ` +
    `${listed(means.map((mean, i) => `${inOneUnit(mean)} (${runs[i].label})`))}.`;
}
// The user whom a run starves.
function starvedUser() {
  const { name, jobs, run, times, mean_wait: wait, other_run: other, other_mean_wait: less } = firstScreen.starved_user;
  return `Under ${runs[run].label}, user ${name} (${counted(jobs, "job")}) waits ${inOneUnit(wait)} on average, ${number(times)} times the mean of all ` +
    `jobs. Under ${runs[other].label} it is ${inOneUnit(less)}.`;
}
function howTold() {
  const { metrics, weeks } = firstScreen;
  const hasIntervals = metrics.some(({ low }) => low.some((bound) => bound !== null));
  if (!hasIntervals) {
    return comparing ? "" : "There are no intervals: they need 20 weeks of jobs. ";
  }
  const hasMarks = metrics.some(({ marks }) => marks.some(Boolean));
  return `Intervals are of 95 %, over ${number(weeks)} weeks of submissions, each for itself. ` + (comparing
    ? (hasMarks ? "\u2605 marks a run that is best and told apart from those without a mark, ~ one that is not told apart " +
        "from it. " : "") +
      "Of pages of equal schedulers, at most 5 % have a mark: marks rest on the mean wait, and hold for all pairs of runs " +
      "together. The longest wait, and the metrics below, are measured once for each run. " : "");
}

// --- Who waits less, who longer -----------------------------------------------------------------------------------

const shorter = "#2166ac";
const longer = "#b35806";
const largestChange = 86400;
// A change of a wait in seconds on a scale from -1 to 1, logarithmic from some minutes on.
function changeScale(seconds) {
  const size = Math.log1p(Math.min(Math.abs(seconds), largestChange) / 300) / Math.log1p(largestChange / 300);
  return Math.sign(seconds) * size;
}
const changeColour = (seconds) =>
  d3.interpolateLab("#f4f4f4", seconds < 0 ? shorter : longer)(Math.abs(changeScale(seconds)));
const signed = (seconds) => `${seconds > 0 ? "+" : seconds < 0 ? "\u2212" : ""}${inOneUnit(Math.abs(seconds))}`;
const changeTable = (cells) => classTable(`Change of the mean wait by ${units} requested and run time`, cells,
  (cell) => ({ colour: changeColour(cell.change), content: [signed(cell.change)],
    title: `${counted(cell.jobs, "job")}, mean wait ${duration(cell.mean_wait)}` }));
const isBeyond = ({ change }) => Math.abs(change) > largestChange;
// A triangle that points to where a dot would lie.
function triangle(x, y, radius, sign) {
  const size = sign * radius;
  return `M${x + size},${y}L${x - 0.8 * size},${y - radius}L${x - 0.8 * size},${y + radius}Z`;
}
// A dot for each user, where its mean wait has changed so much. Dots of one place stand on each other. Beyond the ends
// of the axis stand triangles.
function userDots(users) {
  const width = 420;
  const height = 120;
  const box = { left: 34, right: 34, bottom: 34 };
  const most = d3.max(users, (user) => user.processor_seconds) || 1;
  const x = d3.scaleLinear([-1, 1], [box.left, width - box.right]);
  const svg = d3.create("svg").attr("class", "chart").attr("viewBox", `0 0 ${width} ${height}`).attr("role", "img")
    .attr("aria-label", "A dot for each user, by the change of the mean wait. The table of users has the numbers.");
  const ground = height - box.bottom;
  const step = 6;
  const columnOf = (user) => Math.round(x(changeScale(user.change)) / step) +
    (isBeyond(user) ? 3 * Math.sign(user.change) : 0);
  const columns = d3.nest().key(columnOf).entries(users);
  const labels = [];
  const radius = (user) => (isBeyond(user) ? 4 : 2) + 7 * Math.sqrt(user.processor_seconds / most);
  for (const { key, values } of columns) {
    const full = d3.sum(values, (user) => 2 * radius(user));
    const squeeze = Math.min(1, (ground - 4) / full);
    let y = ground;
    for (const user of values.sort((a, b) => b.processor_seconds - a.processor_seconds)) {
      y -= radius(user) * squeeze;
      const mark = isBeyond(user)
        ? svg.append("path").attr("d", triangle(Number(key) * step, y, radius(user), Math.sign(user.change)))
        : svg.append("circle").attr("cx", Number(key) * step).attr("cy", y).attr("r", radius(user));
      mark.style("fill", user.change < 0 ? "var(--less)" : user.change > 0 ? "var(--more)" : "#8c8c8c")
        .attr("fill-opacity", 0.75).append("title").text(`${groupName(user.name)}: ${signed(user.change)}, ` +
          `${counted(user.jobs, "job")}, ${number(user.processor_seconds / 3600)} ${timeName} hours`);
      if (user.name === firstScreen.starved_user?.name) {
        labels.push({ user, x: Number(key) * step, y });
      }
      y -= radius(user) * squeeze;
    }
  }
  // The user of whom the first screen has a sentence has its name beside the mark, on the side of the middle.
  for (const { user, x: middle, y } of labels) {
    const side = middle > width / 2 ? -1 : 1;
    svg.append("text").attr("class", "named").attr("x", middle + side * (radius(user) + 3)).attr("y", y + 4)
      .attr("text-anchor", side < 0 ? "end" : "start").text(groupName(user.name));
  }
  const ticks = [[-86400, "\u22121 d"], [-3600, "\u22121 h"], [0, "0"], [3600, "+1 h"], [86400, "+1 d"]];
  svg.append("g").attr("class", "axis").attr("transform", `translate(0,${ground})`)
    .call(d3.axisBottom(x).tickValues(ticks.map(([change]) => changeScale(change))).tickSizeOuter(0)
      .tickFormat((_, i) => ticks[i][1]));
  svg.attr("data-marks", users.length || "none");
  return svg.node();
}
function countsOf(changed, one, many) {
  const less = changed.filter(({ change }) => change < 0).length;
  const more = changed.filter(({ change }) => change > 0).length;
  return ` Of ${number(changed.length)} ${changed.length === 1 ? one : many}, ` +
    `${number(less)} ${less === 1 ? "waits" : "wait"} less and ${number(more)} longer.`;
}
// Which jobs a comparison leaves out.
const jobsOfBoth = ({ jobs, left_out: others, jobs_without_user: unknown }) =>
  (jobs ? "" : " No job finished in both runs.") +
  (others ? ` ${counted(others, "job")} that only one of the two runs finished ${others === 1 ? "is" : "are"} left out.`
    : "") +
  (unknown ? ` ${counted(unknown, "job")} ${unknown === 1 ? "has" : "have"} no user.` : "");
const classesOfJobs = "A job is in the class of its longest run time in any of the runs.";
function whoSection() {
  const before = runs[report.baseline];
  const panels = runs.filter((run) => run.changes).map((run) => {
    const { classes, users } = run.changes;
    return element("figure", { class: "who" }, element("figcaption", {}, breakable(run.label),
      element("small", {}, ` instead of ${before.label}.` +
        (classes.length ? countsOf(classes, "class of jobs", "classes of jobs") : "") +
        (users.length ? countsOf(users, "user", "users") : "") + jobsOfBoth(run.changes))),
    element("div", { class: "sides" }, classes.length ? changeTable(classes) : "",
      users.length ? userDots(users) : ""));
  });
  const users = runs.flatMap((run) => (run.changes ? run.changes.users : []));
  if (panels.length) {
    section("who", "Who waits less, who longer", element("p", { class: "note" }, "Change of the mean wait: ",
      element("span", { class: "key", style: "background:var(--less)" }), " less, ",
      element("span", { class: "key", style: "background:var(--more)" }), " longer, full colour from a day on. " +
      classesOfJobs + (users.length ? ` Each dot is a user; its area grows with the ${timeName} time.` : ""),
    ...(users.some(isBeyond) ? [" ", element("span", { style: "color:var(--less)" }, "\u25c0"), " and ",
      element("span", { style: "color:var(--more)" }, "\u25b6"),
      " are users whose mean wait changes by more than a day."] : [])),
    element("div", { class: panels.length > 1 ? "whos" : "" }, ...panels));
  }
}
function summarySection() {
  const finished = runs.some((run) => run.rows.count);
  const named = comparing ? [firstScreen.decisive_job ? decisiveJob() : "", firstScreen.starved_user ? starvedUser() : ""] : [];
  section("summary", comparing ? "Which is better" : "In short",
    comparing && finished ? element("p", { class: "answer" }, answer()) : "",
    ...named.filter(Boolean).map((text) => element("p", {}, text)),
    ...report.notes.map((text) => element("p", { class: "note" }, `Note: ${text}.`)),
    element("div", { class: "headline" }, ...headlineMetrics().map(bars)),
    element("p", { class: "note" }, howTold() + (comparing
      ? `Differences are to ${runs[report.baseline].label}; a share's are in percentage points.` : "")));
}
