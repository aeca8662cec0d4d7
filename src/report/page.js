// Draws what `batfill report` computed. The data has every number on the page, except for averages over a pixel.
"use strict";
(() => {
  const report = JSON.parse(document.getElementById("data").textContent);
  const runs = report.runs;
  const root = document.documentElement;
  const dashes = ["", "7 3", "2 3", "9 3 2 3", "12 4", "4 4"];
  const categories = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8a900", "#8c8c8c"];

  // --- Data ---------------------------------------------------------------------------------------------------------

  // Reads a column of src/report/columns.hpp: `signed` numbers or numbers from 0, each times `factor`. With `sum`, each
  // is the difference to the one before. A single loop, since columns have millions of numbers.
  function column(base64, count, { signed = false, sum = false, factor = 1 } = {}) {
    const bytes = atob(base64);
    const values = new Float64Array(count);
    let at = 0;
    let before = 0;
    for (let i = 0; i < count; ++i) {
      let byte = bytes.charCodeAt(at++);
      let value = byte & 127;
      for (let weight = 128; byte > 127; weight *= 128) {
        byte = bytes.charCodeAt(at++);
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

  // The jobs and the steps of a run as columns. Times are in seconds from the first instant.
  function unpack(run) {
    const packed = run.jobs;
    const count = packed.count;
    const factor = report.seconds_per_tick;
    const start = column(packed.start, count, { signed: true, sum: true, factor });
    const length = column(packed.run, count, { signed: true, factor });
    const perJob = column(packed.intervals_of_job, count);
    const firstInterval = new Int32Array(count + 1);
    for (let i = 0; i < count; ++i) {
      firstInterval[i + 1] = firstInterval[i] + perJob[i];
    }
    const intervals = column(packed.intervals, 2 * firstInterval[count]);
    for (let i = 0; i < count; ++i) {
      let next = 0;
      for (let k = firstInterval[i]; k < firstInterval[i + 1]; ++k) {
        intervals[2 * k] += next;
        intervals[2 * k + 1] += intervals[2 * k];
        next = intervals[2 * k + 1];
      }
    }
    run.rows = {
      count, start, firstInterval, intervals,
      finish: start.map((value, i) => value + length[i]),
      wait: column(packed.wait, count, { signed: true, factor }),
      processors: column(packed.processors, count, { signed: true }),
      state: column(packed.state, count),
      user: packed.user && column(packed.user, count),
      queue: packed.queue && column(packed.queue, count),
      id: (i) => packed.id_prefix + packed.ids[i],
    };
    run.levels = {
      count: run.steps.count,
      time: column(run.steps.time, run.steps.count, { signed: true, sum: true, factor }),
      busy: column(run.steps.busy, run.steps.count, { signed: true, sum: true }),
      waiting: column(run.steps.waiting, run.steps.count, { signed: true, sum: true }),
    };
  }

  // --- Texts --------------------------------------------------------------------------------------------------------

  const number = (value, digits = 0) => (value === null || value === undefined ? "-"
    : value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }));

  // A duration for people, in at most two units.
  function duration(seconds) {
    if (seconds === null || seconds === undefined) {
      return "-";
    }
    const size = Math.abs(seconds);
    const sign = seconds < 0 ? "-" : "";
    if (size < 60) {
      return `${sign}${Number(size.toFixed(size < 10 ? 1 : 0))} s`;
    }
    for (const [unit, of, below, name, lower] of [[60, 1, 3600, "min", "s"], [3600, 60, 86400, "h", "min"],
      [86400, 3600, Infinity, "d", "h"]]) {
      const parts = Math.round(size / of);
      if (parts * of < below) {
        const rest = parts % (unit / of);
        const whole = Math.floor(parts / (unit / of));
        return `${sign}${number(whole)} ${name}${rest && whole < 100 ? ` ${rest} ${lower}` : ""}`;
      }
    }
    return "-";
  }

  // An instant, counted from the clock's zero.
  function instant(seconds, step) {
    const day = Math.floor(seconds / 86400);
    if (step >= 86400) {
      return `day ${number(day)}`;
    }
    const clock = new Date(Math.round((seconds - day * 86400) * 1000)).toISOString().slice(11, step < 60 ? 19 : 16);
    return `day ${number(day)}, ${clock}`;
  }

  const timeSteps = [1, 5, 15, 30, 60, 300, 900, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 86400, 2 * 86400,
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
  const runColour = (i) => `var(--run${i % 6})`;
  function legend(shown = runs) {
    const list = element("ul", { class: "legend", "aria-label": "Runs" });
    if (runs.length > 1) {
      shown.forEach((run) => {
        const i = runs.indexOf(run);
        const item = element("li");
        item.innerHTML = `<svg width="34" height="10" aria-hidden="true"><line x1="1" x2="33" y1="5" y2="5"
          style="stroke:${runColour(i)};stroke-width:2.5" stroke-dasharray="${dashes[i % 6]}"/></svg>`;
        item.append(run.label);
        list.append(item);
      });
    }
    return list;
  }

  // --- The time axis that all charts over time share ----------------------------------------------------------------

  const margin = { left: 64, right: 12 };
  const charts = [];
  let transform = d3.zoomIdentity;
  let pending = false;
  let palette = {};

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
    palette = { ground: style("--ground"), text: style("--text"), faint: style("--faint"), line: style("--line"),
      runs: d3.range(6).map((i) => style(`--run${i}`)) };
    for (const chart of charts) {
      draw(chart);
    }
  }
  function draw(chart) {
    const { canvas, height } = chart;
    const width = Math.max(200, canvas.parentNode.clientWidth);
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
    for (const value of d3.ticks(0, chart.top, Math.max(2, box.height / 45))) {
      const y = box.y + (chart.downwards ? value : chart.top - value) / chart.top * box.height;
      context.fillRect(box.x - 5, Math.round(y), 5, 1);
      context.fillText(number(value), box.x - 8, Math.min(Math.max(y, box.y + 5), box.y + box.height - 5));
    }
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
      const end = [Math.max(200, canvas.parentNode.clientWidth) - margin.left - margin.right, chart.height];
      zoom.extent([[0, 0], end]).translateExtent([[0, 0], end]);
    };
    chart.bounds = bounds;
    const selection = d3.select(canvas).call(zoom).on("pointerdown.focus", () => canvas.focus());
    // scaleBy takes a point, not a number, as its second argument. Its default is the middle of the chart.
    chart.change = (action, value) => (action === "reset" ? selection.call(zoom.transform, d3.zoomIdentity)
      : action === "zoom" ? selection.call(zoom.scaleBy, value) : selection.call(zoom.translateBy, value, 0));
    canvas.addEventListener("keydown", (event) => {
      const actions = { "+": ["zoom", 1.5], "=": ["zoom", 1.5], "-": ["zoom", 1 / 1.5], 0: ["reset"],
        ArrowLeft: ["move", 80 / transform.k], ArrowRight: ["move", -80 / transform.k] };
      if (actions[event.key] && !event.ctrlKey && !event.metaKey) {
        event.preventDefault();
        chart.change(...actions[event.key]);
      }
    });
    if (chart.tell) {
      canvas.addEventListener("mousemove", (event) => {
        const place = canvas.getBoundingClientRect();
        const [from, until] = view(place.width);
        const x = (event.clientX - place.left - margin.left) / (place.width - margin.left - margin.right);
        const y = (event.clientY - place.top - 8) / (chart.height - 34);
        const text = x >= 0 && x <= 1 && y >= 0 && y <= 1 ? chart.tell(from + x * (until - from), y) : "";
        text ? showTooltip(text, event) : hideTooltip();
      });
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

  const waitScale = d3.scaleLog([10, 86400], [0.05, 1]).clamp(true);
  // Without the darkest colours, which look the same on a dark background.
  const shade = (share) => d3.interpolateCividis(0.25 + 0.75 * share);
  const waitColour = (seconds) => shade(seconds <= 0 ? 0 : waitScale(Math.max(seconds, 10)));
  const waitRamp = d3.range(64).map((i) => shade(i / 63));
  const colourings = {
    wait: { name: "wait", colours: waitRamp,
      of: (rows, i) => (rows.wait[i] <= 0 ? 0 : Math.round(waitScale(Math.max(rows.wait[i], 10)) * 63)) },
    width: { name: "processors requested", colours: waitRamp,
      of: (rows, i) => Math.round(Math.log2(Math.max(1, rows.processors[i])) /
        Math.max(1, Math.log2(report.processors)) * 63) },
    state: { name: "how it ended", colours: ["", "", "", categories[0], categories[5], categories[1], categories[3],
      categories[7]], of: (rows, i) => rows.state[i] },
    job: { name: "job, to tell neighbours apart", colours: categories, of: (rows, i) => i * 5 % 8 },
  };
  // The largest groups have a colour of their own; all others share the last colour.
  const groupName = (name) => name || "(not known)";
  for (const [kind, one] of [["users", "user"], ["queues", "queue"]]) {
    const names = report[kind].map(groupName);
    if (names.length) {
      const own = names.length > categories.length ? categories.length - 1 : names.length;
      colourings[one] = { name: one, colours: categories, of: (rows, i) => Math.min(rows[one][i], own),
        labels: [...names.slice(0, own), ...(own < names.length ? [`the other ${names.length - own}`] : [])] };
    }
  }
  let colouring = colourings.wait;

  // Paints a few jobs one by one, each with a border if there is room. With many jobs, each pixel gets the colour of
  // the job that covers most of it, as strongly as all jobs cover it.
  function paintGantt(rows, context, box, from, until) {
    if (rows.count === 0) {
      return paintNothing(context, box);
    }
    const visible = [];
    let pieces = 0;
    for (let i = 0; i < rows.count; ++i) {
      if (rows.start[i] > until) {
        break;
      }
      if (rows.finish[i] >= from) {
        visible.push(i);
        pieces += rows.firstInterval[i + 1] - rows.firstInterval[i];
      }
    }
    if (pieces <= 6000) {
      paintRectangles(rows, visible, context, box, from, until);
    } else {
      paintCoverage(rows, visible, context, box, from, until);
    }
    return visible.length;
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
    const row = box.height / report.processors;
    context.save();
    context.beginPath();
    context.rect(box.x, box.y, box.width, box.height);
    context.clip();
    context.strokeStyle = palette.ground;
    context.lineWidth = 1;
    for (const i of visible) {
      const left = box.x + Math.max(0, (rows.start[i] - from) * perSecond);
      const right = box.x + Math.min(box.width, (rows.finish[i] - from) * perSecond);
      context.fillStyle = colouring.colours[colouring.of(rows, i)];
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
  function paintCoverage(rows, visible, context, box, from, until) {
    const width = Math.max(1, Math.round(box.width * box.ratio));
    const height = Math.max(1, Math.round(box.height * box.ratio));
    const perSecond = width / (until - from);
    const row = height / report.processors;
    const covered = new Float32Array(width * height);
    const most = new Float32Array(width * height);
    const colour = new Uint8Array(width * height);
    for (const i of visible) {
      const left = Math.max(0, (rows.start[i] - from) * perSecond);
      const right = Math.min(width, (rows.finish[i] - from) * perSecond);
      const kind = colouring.of(rows, i);
      for (let k = rows.firstInterval[i]; k < rows.firstInterval[i + 1]; ++k) {
        const top = rows.intervals[2 * k] * row;
        const bottom = Math.min(height, (rows.intervals[2 * k + 1] + 1) * row);
        for (let y = Math.floor(top); y < bottom; ++y) {
          const share = Math.min(y + 1, bottom) - Math.max(y, top);
          for (let x = Math.floor(left); x < right; ++x) {
            const part = share * (Math.min(x + 1, right) - Math.max(x, left));
            const pixel = y * width + x;
            covered[pixel] += part;
            if (part > most[pixel]) {
              most[pixel] = part;
              colour[pixel] = kind;
            }
          }
        }
      }
    }
    const image = new ImageData(width, height);
    const colours = colouring.colours.map((text) => d3.rgb(text || "#888"));
    for (let pixel = 0; pixel < width * height; ++pixel) {
      if (covered[pixel] > 0) {
        const of = colours[colour[pixel]];
        image.data[4 * pixel] = of.r;
        image.data[4 * pixel + 1] = of.g;
        image.data[4 * pixel + 2] = of.b;
        image.data[4 * pixel + 3] = 255 * Math.min(1, covered[pixel]);
      }
    }
    const canvas = paintCoverage.canvas || (paintCoverage.canvas = document.createElement("canvas"));
    canvas.width = width;
    canvas.height = height;
    canvas.getContext("2d").putImageData(image, 0, 0);
    context.drawImage(canvas, box.x, box.y, box.width, box.height);
  }
  // The job at this place, for the tooltip.
  function jobAt(rows, time, share) {
    const processor = Math.min(report.processors - 1, Math.floor(share * report.processors));
    for (let i = 0; i < rows.count && rows.start[i] <= time; ++i) {
      if (rows.finish[i] <= time) {
        continue;
      }
      for (let k = rows.firstInterval[i]; k < rows.firstInterval[i + 1]; ++k) {
        if (rows.intervals[2 * k] <= processor && processor <= rows.intervals[2 * k + 1]) {
          return `job ${rows.id(i)}: ${number(rows.processors[i])} processors\n` +
            `waited ${duration(rows.wait[i])}, ran ${duration(rows.finish[i] - rows.start[i])}\n` +
            `started ${instant(rows.start[i] + report.first, 1)}\n${report.states[rows.state[i]]}` +
            (rows.user ? `\nuser ${groupName(report.users[rows.user[i]])}` : "") +
            (rows.queue ? `\nqueue ${groupName(report.queues[rows.queue[i]])}` : "");
        }
      }
    }
    return "";
  }

  // --- Steps over time ----------------------------------------------------------------------------------------------

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
      const { count, time } = run.levels;
      const level = run.levels[name];
      let next = d3.bisectRight(time, from);
      context.beginPath();
      for (let x = 0; x < columns; ++x) {
        const end = from + (x + 1) * second;
        let at = from + x * second;
        let area = 0;
        while (next < count && time[next] < end) {
          area += (next ? level[next - 1] : 0) * (time[next] - at);
          at = time[next++];
          ++marks;
        }
        area += (next ? level[next - 1] : 0) * (end - at);
        const y = box.y + box.height * (1 - area / second / top);
        x ? context.lineTo(box.x + x + 0.5, y) : context.moveTo(box.x, y);
      }
      context.strokeStyle = palette.runs[r % 6];
      context.lineWidth = 1.3;
      context.setLineDash(dashes[r % 6].split(" ").filter(Boolean).map(Number));
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
        .attr("stroke-dasharray", dashes[i % 6] || null);
    }
    svg.attr("data-marks", marks);
    const percent = (share) => (share === 1 ? "max" : `${number(share * 100)} %`);
    return element("figure", {}, element("figcaption", {}, title), svg.node(),
      table(`${title}: quantiles${unit}`, ["run", ...report.quantiles.map(percent)],
        shown.map(({ run, data }) => [run.label, ...data.quantiles.map(format)])));
  }

  // --- Heat maps ----------------------------------------------------------------------------------------------------

  function heatMap(run) {
    const widths = [...new Map(run.classes.map((cell) => [cell.width, cell.name]))].sort((a, b) => a[0] - b[0]);
    const rows = widths.map(([width, name]) => [`${name}`, ...report.length_classes.map((_, length) => {
      const cell = run.classes.find((other) => other.width === width && other.length === length);
      if (!cell) {
        return element("td", { class: "cell" }, "");
      }
      const colour = waitColour(cell.mean_wait);
      const dark = d3.lab(colour).l < 55;
      const result = element("td", { class: "cell", style: `background:${colour};color:${dark ? "#fff" : "#000"}` },
        duration(cell.mean_wait), element("br"),
        element("small", {}, `${number(cell.jobs)} ${cell.jobs === 1 ? "job" : "jobs"}`));
      result.title = `mean bounded slowdown ${number(cell.mean_bounded_slowdown, 1)}, longest wait ` +
        duration(cell.max_wait);
      return result;
    })]);
    const result = table(`${run.label}: mean wait and number of jobs, by processors requested and run time`,
      ["processors", ...report.length_classes], rows);
    result.dataset.marks = run.classes.length || "none";
    result.classList.add("heat");
    return result;
  }
  function waitLegend() {
    return element("p", { class: "note" }, "waited 0 s",
      element("span", { class: "ramp", style: `background:linear-gradient(90deg,${waitRamp.join(",")})`,
        "aria-hidden": "true" }), "a day or longer, on a logarithmic scale from 10 s on");
  }

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
      return [groupName(name), number(any.jobs), number(any.processor_seconds / 3600),
        ...inRuns.flatMap((group, i) => [bar(group && group.mean_wait, longest, i), duration(group && group.max_wait),
          number(group && group.mean_bounded_slowdown, 1)])];
    });
    const ofRun = (run) => (runs.length > 1 ? `${run.label}: ` : "");
    const head = [title, "jobs", "processor hours",
      ...runs.flatMap((run) => [`${ofRun(run)}mean wait`, "longest wait", "bounded slowdown"])];
    const result = element("div", { "data-marks": rows.length, class: "groups" },
      table(`By ${title}, those with most processor time first`, head, rows.slice(0, shown)));
    if (rows.length > shown) {
      result.append(folded(`The other ${number(rows.length - shown)}`,
        table(`By ${title}, the others`, head, rows.slice(shown))));
    }
    return result;
  }
  function bar(seconds, longest, run) {
    return element("td", {}, duration(seconds), element("span", { class: "bar", "aria-hidden": "true",
      style: `width:${Number((100 * Math.max(seconds || 0, 0) / longest).toFixed(2))}%;background:${runColour(run)}` }));
  }

  // --- The page -----------------------------------------------------------------------------------------------------

  function metricsSection() {
    const comparing = runs.length > 1;
    const head = ["", ...runs.flatMap((run, i) => (comparing && i !== report.baseline
      ? [run.label, "difference"] : [run.label]))];
    const rows = report.metrics.map((metric) => [metric.title, ...runs.flatMap((_, i) => {
      const value = element("td", { title: metric.values[i] === null ? "" : String(metric.values[i]) }, metric.texts[i]);
      return comparing && i !== report.baseline ? [value, element("td", { class: "less" }, metric.differences[i])]
        : [value];
    })]);
    section("metrics", "Metrics",
      element("p", { class: "note" }, "As batfill metrics prints them, and as docs/metrics.md defines them." +
        (comparing ? ` Differences are to ${runs[report.baseline].label}; a share's are in percentage points.` : "")),
      table(comparing ? "Metrics of the runs" : `Metrics of ${runs[0].label}`, head, rows));
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
  function timeSection() {
    const controls = element("div", { class: "controls", role: "group", "aria-label": "View" });
    for (const [text, label, ...action] of [["+", "Zoom in", "zoom", 2], ["\u2212", "Zoom out", "zoom", 0.5],
      ["\u2190", "Earlier", "back"], ["\u2192", "Later", "on"], ["All", "Show all", "reset"]]) {
      const button = element("button", { type: "button", "aria-label": label, title: label }, text);
      button.addEventListener("click", () => {
        const move = charts[0].canvas.clientWidth / 3 / transform.k;
        charts[0].change(...(action[0] === "back" ? ["move", move] : action[0] === "on" ? ["move", -move] : action));
      });
      controls.append(button);
    }
    const select = element("select", { id: "colour-by" });
    const keyOf = {};
    for (const [key, { name }] of Object.entries(colourings)) {
      select.append(element("option", { value: key }, name));
    }
    keyOf.wait = waitLegend();
    keyOf.width = element("p", { class: "note" }, "1 processor",
      element("span", { class: "ramp", style: `background:linear-gradient(90deg,${waitRamp.join(",")})`,
        "aria-hidden": "true" }), "the whole machine, on a logarithmic scale");
    keyOf.state = swatches(report.states.map((state, i) => [state, colourings.state.colours[i]])
      .filter(([state, colour]) => colour && state !== "REJECTED"));
    for (const key of ["user", "queue"].filter((one) => colourings[one])) {
      keyOf[key] = swatches(colourings[key].labels.map((label, i) => [label, categories[i]]));
    }
    const showKey = () => Object.entries(keyOf).forEach(([key, node]) => { node.hidden = key !== select.value; });
    showKey();
    select.addEventListener("change", () => {
      colouring = colourings[select.value];
      showKey();
      redraw();
    });
    controls.append(element("label", { for: "colour-by" }, "Colour jobs by"), select);
    const height = Math.min(340, Math.max(140, report.processors * 8)) / (runs.length > 2 ? 1.4 : 1) + 34;
    const figures = runs.map((run, i) => addTimeChart({ id: `gantt-${i}`, height, top: report.processors,
      downwards: true, paint: (...place) => paintGantt(run.rows, ...place),
      tell: (time, share) => jobAt(run.rows, time, share) },
    runs.length > 1 ? `${run.label}: processors` : "Processors",
    `Gantt chart of ${run.label}: ${number(run.rows.count)} jobs on ${number(report.processors)} processors.`));
    const longest = d3.max(runs, (run) => d3.max(run.levels.waiting)) || 1;
    const levels = [
      addTimeChart({ id: "busy", height: 164, top: report.processors, tell: tellLevels("busy", "processors in use"),
        paint: (...place) => paintLevels("busy", report.processors, ...place) },
      "Processors in use (mean over each pixel)", "Processors in use over time."),
      addTimeChart({ id: "queue", height: 164, top: longest, tell: tellLevels("waiting", "jobs waiting"),
        paint: (...place) => paintLevels("waiting", longest, ...place) },
      "Jobs waiting (mean over each pixel)", "Length of the queue over time.")];
    section("time", "The machine over time",
      element("p", { class: "note hint" }, "Drag to move; the mouse wheel zooms a chart that was clicked, and any with " +
        "Ctrl; keys: arrows, + and -, 0 for all. All charts of this part move together."),
      controls, ...Object.values(keyOf), ...figures, legend(), ...levels,
      ...runs.map((run) => folded(`${run.label} in numbers`,
        table(`${run.label}: use and queue in ${run.periods.length} equal periods`,
          ["from", "until", "processors in use", "of all", "jobs waiting (mean)", "most waiting"],
          run.periods.map((period) => [instant(period.from + report.first, 60), instant(period.until + report.first, 60),
            number(period.busy, 1), `${number(period.busy / report.processors * 100, 1)} %`,
            number(period.waiting, 1), number(period.max_waiting)])),
        table(`${run.label}: the longest waits`, ["job", "processors", "submitted", "waited", "ran"],
          run.longest_waits.map((job) => [job.id, number(job.processors), instant(job.submit, 60), duration(job.wait),
            duration(job.run)])))));
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
    section("classes", "Waits by width and length", waitLegend(), element("div", { class: "pair wide" },
      ...runs.map(heatMap)));
  }
  function groupsSection() {
    const kinds = [["queues", "queue"], ["users", "user"]].filter(([kind]) => report[kind].length);
    if (kinds.length) {
      section("groups", "Users and queues", ...kinds.map(([kind, title]) => groups(kind, title)));
    }
  }
  function promisesSection() {
    const metric = (name) => report.metrics.find((candidate) => candidate.name === name);
    if (runs.some((run) => run.deadline_usage)) {
      const jobs = metric("deadline_jobs");
      const late = metric("deadline_violations");
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
          "moved by losses"],
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
      table("Runs", ["run", "jobs", "finished", "written by", "processors"], runs.map((run) => [run.label,
        count(run, "nb_jobs"), number(run.rows.count), said(run, "batsim_version"),
        count(run, "nb_computing_machines")])),
      table("Files that this page was made of", ["file", "bytes", "SHA-256"], report.files.map((file) =>
        [file.path, number(file.bytes), element("td", { class: "text" }, element("code", {}, file.sha256))]))];
    for (const run of runs.filter(({ summary }) => summary.length)) {
      parts.push(folded(`${run.label}: what its schedule.csv says`, table(`${run.label}: schedule.csv`,
        ["column", "value"], run.summary)));
    }
    for (const run of runs.filter(({ statistics }) => statistics.length)) {
      parts.push(folded(`${run.label}: what its algorithm counted`, table(`${run.label}: statistics`,
        ["statistic", "value"], run.statistics)));
    }
    section("sources", "What this was made of", ...parts);
  }

  const baselineNote = runs.length > 1 ? `${runs.length} runs` : "1 run";
  document.getElementById("title").textContent = report.title;
  document.getElementById("subtitle").textContent = `${baselineNote}, ${number(report.processors)} processors, ` +
    `${duration(report.span)} from ${instant(report.first, 60)} on`;
  runs.forEach(unpack);
  metricsSection();
  if (runs.some((run) => run.rows.count)) {
    timeSection();
    waitsSection();
    groupsSection();
  } else {
    section("time", "Nothing to draw", element("p", {}, (runs.length > 1 ? "No job of these runs" : "No job of this run") +
      " finished, and charts show finished jobs only."));
  }
  promisesSection();
  sourcesSection();
  const resized = () => {
    charts.forEach((chart) => chart.bounds());
    redraw();
  };
  charts.forEach((chart) => chart.bounds());
  drawAll();
  window.addEventListener("resize", resized);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  window.addEventListener("beforeprint", () => {
    root.classList.add("paper");
    drawAll();
  });
  window.addEventListener("afterprint", () => {
    root.classList.remove("paper");
    drawAll();
  });
  // For measurements: the time from the start of the page until it was usable.
  root.dataset.interactive = Math.round(performance.now());
})();
