"use strict";
// Draws the regions, cuts them layer by layer, and tells about the one under the pointer.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const plot = document.getElementById("plot");
  const cells = document.getElementById("cells");
  const over = document.getElementById("mark");
  const facts = document.getElementById("facts");
  const slider = document.getElementById("step");
  const chooser = document.getElementById("colour");
  const { x, y, offsets, corners, beyond, cuts, areas, stops, groups } = data;
  const n = areas.length;
  const last = groups.length - 1;
  let step = last;
  let members = [];
  let marked = -1;
  let pinned = false;

  // Which region is where: the regions whose boxes touch each tile of a grid.
  const width = Math.max(1, Math.ceil(Math.sqrt(n)));
  const tiles = Array.from({ length: width * width }, () => []);
  const tile = (value, k) => {
    const share = (value - data.lower[k]) / (data.upper[k] - data.lower[k]);
    return Math.min(width - 1, Math.max(0, Math.floor(width * share)));
  };
  for (let r = 0; r < n; r++) {
    const box = [Infinity, -Infinity, Infinity, -Infinity];
    for (let i = offsets[r]; i < offsets[r + 1]; i++) {
      box[0] = Math.min(box[0], x[corners[i]]);
      box[1] = Math.max(box[1], x[corners[i]]);
      box[2] = Math.min(box[2], y[corners[i]]);
      box[3] = Math.max(box[3], y[corners[i]]);
    }
    for (let i = tile(box[0], 0); i <= tile(box[1], 0); i++) {
      for (let j = tile(box[2], 1); j <= tile(box[3], 1); j++) tiles[i * width + j].push(r);
    }
  }

  function regionAt(px, py) {
    for (const r of tiles[tile(px, 0) * width + tile(py, 1)]) {
      let inside = true;
      for (let i = offsets[r]; inside && i < offsets[r + 1]; i++) {
        const a = corners[i];
        const b = corners[i + 1 < offsets[r + 1] ? i + 1 : offsets[r]];
        inside = (x[b] - x[a]) * (py - y[a]) >= (y[b] - y[a]) * (px - x[a]);
      }
      if (inside) return r;
    }
    return -1;
  }

  function ring(pen, shape, r, at) {
    for (let i = shape.offsets[r]; i < shape.offsets[r + 1]; i++) {
      const px = at.toX(shape.x[shape.corners[i]]);
      const py = at.toY(shape.y[shape.corners[i]]);
      if (i === shape.offsets[r]) pen.moveTo(px, py); else pen.lineTo(px, py);
    }
    pen.closePath();
  }

  // One filled path for each colour. Polygons of one path meet without a seam; a thin line of
  // the colour closes the seams between paths.
  function fill(pen, at) {
    const isLast = step === last;
    const colouring = data.colourings[isLast ? chooser.value : "pattern"];
    const shape = colouring.shape || data;
    const chosen = colouring.steps[isLast ? colouring.steps.length - 1 : step];
    const parts = colouring.palette.map(() => []);
    for (let r = 0; r < chosen.length; r++) parts[chosen[r]].push(r);
    pen.lineWidth = 0.5;
    parts.forEach((part, k) => {
      if (part.length === 0) return;
      pen.beginPath();
      for (const r of part) ring(pen, shape, r, at);
      pen.fillStyle = colouring.palette[k];
      pen.strokeStyle = colouring.palette[k];
      pen.fill();
      pen.stroke();
    });
  }

  // The sides that layers up to this step have cut: those of earlier ones are white, of this one
  // dark.
  function drawSides(pen, at, isNew) {
    pen.beginPath();
    for (let r = 0; r < n; r++) {
      for (let i = offsets[r]; i < offsets[r + 1]; i++) {
        if (cuts[i] < 1 || cuts[i] > step || (cuts[i] === step) !== isNew) continue;
        if (beyond[i] >= 0 && beyond[i] < r) continue;
        const a = corners[i];
        const b = corners[i + 1 < offsets[r + 1] ? i + 1 : offsets[r]];
        pen.moveTo(at.toX(x[a]), at.toY(y[a]));
        pen.lineTo(at.toX(x[b]), at.toY(y[b]));
      }
    }
    pen.lineWidth = Math.min(1.2, Math.max(0.4, 30 / Math.sqrt(members.length)));
    pen.strokeStyle = isNew ? "#333333" : "#ffffff";
    pen.stroke();
  }

  // Make a canvas fit its place and keep what is drawn inside the plotted rectangle.
  function start(canvas, at) {
    const pen = canvas.getContext("2d");
    const scale = window.devicePixelRatio || 1;
    canvas.width = canvas.clientWidth * scale;
    canvas.height = canvas.clientHeight * scale;
    pen.scale(scale, scale);
    pen.beginPath();
    pen.rect(at.left, at.top, at.width, at.height);
    pen.clip();
    pen.lineCap = "round";
    pen.lineJoin = "round";
    return pen;
  }

  function paint() {
    const at = frame();
    const pen = start(cells, at);
    fill(pen, at);
    drawSides(pen, at, false);
    drawSides(pen, at, true);
    mark();
  }

  // What the colours stand for.
  function explain() {
    const key = document.getElementById("key");
    key.textContent = "";
    const { names } = data.colourings[chooser.value];
    for (const [name, colour] of step === last ? names : []) {
      const item = document.createElement("span");
      const swatch = document.createElement("i");
      swatch.style.background = colour;
      item.append(swatch, name);
      key.append(item);
    }
  }

  // Plotly draws axes and data points, and moves them; it leaves the regions to `paint`.
  function traces() {
    const regions = { type: "scatter", mode: "lines", x: [], y: [], showlegend: false };
    return [regions, ...data.points.map(([name, colour, px, py]) => ({
      type: "scatter", mode: "markers", x: px, y: py, name: String(name), hoverinfo: "skip",
      showlegend: name !== null,
      marker: { color: colour, size: 7, line: { color: "#ffffff", width: 1 } },
    }))];
  }

  const layout = {
    margin: { l: 60, r: 20, t: 36, b: 50 },
    xaxis: { title: { text: data.names[0], standoff: 6 }, range: [data.lower[0], data.upper[0]],
      zeroline: false, showgrid: false, constrain: "domain" },
    yaxis: { title: { text: data.names[1], standoff: 6 }, range: [data.lower[1], data.upper[1]],
      zeroline: false, showgrid: false, constrain: "domain" },
    dragmode: "pan", hovermode: false, showlegend: data.points.some((p) => p[0] !== null),
    modebar: { bgcolor: "rgba(255,255,255,0)", color: "#777777", activecolor: "#222222" },
    legend: { x: 1, y: 0, xanchor: "right", yanchor: "bottom", bgcolor: "rgba(255,255,255,0.8)" },
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
  };
  if (data.is_to_scale) Object.assign(layout.yaxis, { scaleanchor: "x", scaleratio: 1 });
  const config = { responsive: true, scrollZoom: true, doubleClick: "reset", displaylogo: false,
    modeBarButtons: [["zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "resetScale2d"]] };

  const count = (k, word) => `${k.toLocaleString("en")} ${word}${k === 1 ? "" : "s"}`;
  const short = (v) => (v === 0 ? "0" : Number(v.toPrecision(6)).toString());

  const soFar = () => (step ? `up to ${data.layers[step - 1]}` : "no layer");

  function draw() {
    const group = groups[step];
    members = [];
    for (let r = 0; r < n; r++) (members[group[r]] ||= []).push(r);
    document.getElementById("shown").textContent = `${soFar()}: ${count(members.length, "region")}`;
    chooser.disabled = step !== last;
    explain();
    forget();
    paint();
    document.body.dataset.step = String(step);
  }

  // The plotted rectangle, and the way between its pixels and coordinates.
  function frame() {
    const inside = plot.querySelector(".nsewdrag").getBoundingClientRect();
    const outside = plot.getBoundingClientRect();
    const [x0, x1] = plot._fullLayout.xaxis.range;
    const [y0, y1] = plot._fullLayout.yaxis.range;
    return {
      rect: inside, width: inside.width, height: inside.height,
      left: inside.left - outside.left, top: inside.top - outside.top,
      toX: (v) => inside.left - outside.left + (v - x0) / (x1 - x0) * inside.width,
      toY: (v) => inside.top - outside.top + (y1 - v) / (y1 - y0) * inside.height,
      fromX: (p) => x0 + (p - inside.left) / inside.width * (x1 - x0),
      fromY: (p) => y1 - (p - inside.top) / inside.height * (y1 - y0),
    };
  }

  function around(g) {
    const found = new Set();
    for (const r of members[g]) {
      for (let i = offsets[r]; i < offsets[r + 1]; i++) {
        if (beyond[i] >= 0 && groups[step][beyond[i]] !== g) found.add(groups[step][beyond[i]]);
      }
    }
    return [...found].sort((a, b) => a - b);
  }

  function mark() {
    const at = frame();
    const pen = start(over, at);
    if (marked < 0) return;
    pen.fillStyle = "rgba(0, 0, 0, 0.14)";
    for (const g of around(marked)) {
      pen.beginPath();
      for (const r of members[g]) ring(pen, data, r, at);
      pen.fill();
    }
    pen.beginPath();
    for (const r of members[marked]) {
      for (let i = offsets[r]; i < offsets[r + 1]; i++) {
        if (beyond[i] >= 0 && groups[step][beyond[i]] === marked) continue;
        const b = corners[i + 1 < offsets[r + 1] ? i + 1 : offsets[r]];
        pen.moveTo(at.toX(x[corners[i]]), at.toY(y[corners[i]]));
        pen.lineTo(at.toX(x[b]), at.toY(y[b]));
      }
    }
    pen.lineWidth = 2.5;
    pen.strokeStyle = "#000000";
    pen.stroke();
  }

  function entry(list, name, lines) {
    const term = document.createElement("dt");
    term.textContent = name;
    list.append(term);
    for (const line of lines) {
      const text = document.createElement("dd");
      text.textContent = line;
      list.append(text);
    }
  }

  function affine(row) {
    let text = "";
    row.forEach((v, k) => {
      if (v === 0 && (text || k < row.length - 1)) return;
      const sign = v < 0 ? (text ? " - " : "-") : (text ? " + " : "");
      const size = short(Math.abs(v));
      text += sign + (k < row.length - 1 ? `${size} ${data.names[k]}` : size);
    });
    return text;
  }

  function tell() {
    facts.textContent = "";
    const head = document.createElement("h2");
    facts.append(head);
    if (marked < 0) {
      head.textContent = "Point at a region.";
      const text = document.createElement("p");
      text.textContent = "Click to keep it, click again to let go. Drag moves the picture, the"
        + " wheel zooms, a double click shows all of it.";
      facts.append(text);
      return;
    }
    const own = members[marked];
    const first = own[0];
    head.textContent = `region ${marked}${step === last ? "" : `, ${soFar()}`}`
      + (pinned ? " (kept)" : "");
    const list = document.createElement("dl");
    facts.append(list);
    if (step) {
      entry(list, "pattern", data.layers.slice(0, step).map((name, k) =>
        `${data.patterns[first].slice(stops[k], stops[k + 1])} (${name})`));
    }
    entry(list, "area", [short(own.reduce((sum, r) => sum + areas[r], 0))]);
    const others = around(marked);
    entry(list, count(others.length, "neighbour"), [others.join(" ") || "none"]);
    if (step < last) {
      entry(list, "cut later into", [count(own.length, "region")]);
      return;
    }
    entry(list, "linear region", [String(data.linear[first])]);
    entry(list, `affine map ${data.maps[first]}`, data.affine[first].map((row, k) =>
      `output ${k} = ${affine(row)}`));
    if (data.more_outputs) entry(list, `and ${count(data.more_outputs, "output")} more`, []);
  }

  function forget() {
    marked = -1;
    pinned = false;
    mark();
    tell();
  }

  function point(event) {
    const at = frame();
    const isInside = event.clientX >= at.rect.left && event.clientX <= at.rect.right
      && event.clientY >= at.rect.top && event.clientY <= at.rect.bottom;
    const r = isInside ? regionAt(at.fromX(event.clientX), at.fromY(event.clientY)) : -1;
    const g = r < 0 ? -1 : groups[step][r];
    if (g === marked) return;
    marked = g;
    mark();
    tell();
  }

  let pressed = null;
  let isWaiting = false;
  slider.max = String(last);
  slider.value = String(last);
  for (const name of Object.keys(data.colourings)) chooser.add(new Option(name));
  chooser.value = data.colour;
  slider.addEventListener("input", () => {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      step = Number(slider.value);
      draw();
    });
  });
  chooser.addEventListener("change", draw);
  plot.addEventListener("mousemove", (event) => { if (!pinned && !event.buttons) point(event); });
  plot.addEventListener("mouseleave", () => { if (!pinned) forget(); });
  plot.addEventListener("pointerdown", (event) => {
    pressed = [event.clientX, event.clientY];
  }, true);
  document.addEventListener("pointerup", (event) => {
    const start = pressed;
    pressed = null;
    if (!start || event.target.closest(".modebar")) return;
    if (Math.hypot(event.clientX - start[0], event.clientY - start[1]) > 3) return;
    const wasPinned = pinned;
    pinned = false;
    point(event);
    pinned = !wasPinned && marked >= 0;
    tell();
  }, true);
  Plotly.newPlot(plot, traces(), layout, config).then(() => {
    plot.on("plotly_afterplot", paint);
    plot.on("plotly_relayouting", paint);
    draw();
    document.body.dataset.ready = "true";
  });
})();
