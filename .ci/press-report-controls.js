// .ci/prove-report appends this to a copy of a page of `batfill report`. It presses every control and key of the charts
// over time, and says on the console which one did not change the view, or left a chart blank.
"use strict";
(() => {
  window.requestAnimationFrame = (draw) => draw();  // so that each press is drawn before the next one
  const canvases = [...document.querySelectorAll("canvas.chart")];
  const first = canvases[0];
  const pictures = () => canvases.map((canvas) => canvas.toDataURL());
  const beginning = pictures();
  let pressed = 0;

  // Whether there is anything inside of the axes.
  function hasContent(canvas) {
    const { width, height } = canvas;
    const copy = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const [left, top] = [66, 10];
    const { data } = copy.getImageData(left, top, width - left - 14, height - top - 28);
    const colours = new Uint32Array(data.buffer);
    return colours.some((colour) => colour !== colours[0]);
  }
  function fail(name, problem) {
    console.error(`${name}: ${problem}`);
  }
  function requireDrawn(name) {
    if (!canvases.some((canvas) => Number(canvas.dataset.marks) > 0)) {
      fail(name, "no chart shows anything");
    }
    for (const canvas of canvases.filter(({ dataset }) => Number(dataset.marks) > 0)) {
      if (!hasContent(canvas)) {
        fail(name, `${canvas.id} is blank`);
      }
    }
  }
  function press(name, act) {
    const before = pictures();
    act();
    ++pressed;
    pictures().forEach((picture, i) => {
      if (picture === before[i]) {
        fail(name, `${canvases[i].id} does not change`);
      }
    });
    requireDrawn(name);
  }
  function pressAndSeeAll(name, act) {
    press(name, act);
    pictures().forEach((picture, i) => {
      if (picture !== beginning[i]) {
        fail(name, `${canvases[i].id} is not as in the beginning`);
      }
    });
  }
  const button = (label) => [`button ${label}`, () => document.querySelector(`button[aria-label="${label}"]`).click()];
  const key = (name) => [`key ${name}`, () => first.dispatchEvent(
    new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }))];
  const mouse = (target, type, x) => target.dispatchEvent(new MouseEvent(type, { view: window, bubbles: true,
    cancelable: true, clientX: first.getBoundingClientRect().left + x, clientY: first.getBoundingClientRect().top + 50 }));

  press(...button("Zoom in"));
  press(...button("Earlier"));
  press(...button("Later"));
  pressAndSeeAll(...button("Zoom out"));
  press(...button("Zoom in"));
  pressAndSeeAll(...button("Show all"));
  for (const more of ["+", "="]) {
    press(...key(more));
    press(...key("ArrowLeft"));
    press(...key("ArrowRight"));
    pressAndSeeAll(...key("-"));
  }
  press(...key("+"));
  pressAndSeeAll(...key("0"));
  press("mouse wheel", () => first.dispatchEvent(new WheelEvent("wheel", { deltaY: -300, ctrlKey: true, bubbles: true,
    cancelable: true, clientX: first.getBoundingClientRect().left + 300 })));
  press("drag", () => {
    mouse(first, "mousedown", 300);
    mouse(window, "mousemove", 280);
    mouse(window, "mouseup", 280);
  });
  pressAndSeeAll(...key("0"));  // D3 takes no click for one that comes at once after a drag
  const select = document.getElementById("colour-by");
  const looks = new Set();
  for (const { value } of select.options) {
    select.value = value;
    select.dispatchEvent(new Event("change"));
    ++pressed;
    requireDrawn(`colour by ${value}`);
    looks.add(pictures().join());
  }
  if (looks.size < 2) {
    fail("colour by", "all colourings look the same");
  }
  document.documentElement.dataset.pressed = pressed;
})();
