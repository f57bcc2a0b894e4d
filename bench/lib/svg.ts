import { formatFigure } from "./table.ts";

/** A value with its observed range. */
export interface Mark {
  readonly value: number;
  readonly low?: number;
  readonly high?: number;
}

interface Chart {
  readonly title: string;
  /** The unit of the values. */
  readonly unit: string;
  /** A line below the chart with the place and the time of the measurement. */
  readonly note: string;
  readonly groups: readonly string[];
}

export interface BarChart extends Chart {
  readonly series: readonly { readonly name: string; readonly marks: readonly Mark[] }[];
}

export interface LineChart extends Chart {
  readonly marks: readonly Mark[];
  /** A dashed line that the curve should stay above. */
  readonly floor: { readonly value: number; readonly name: string };
}

const size = { width: 760, height: 380 };
const plot = { left: 60, right: 740, top: 84, bottom: 304 };

/** Draws grouped bars, each with its value, and a whisker if the value has a range. */
export function drawBarChart({ series, ...chart }: BarChart): string {
  const scale = createScale(
    Math.max(...series.flatMap(({ marks }) => marks.map(({ value, high }) => high ?? value))),
  );
  const step = (plot.right - plot.left) / chart.groups.length;
  const width = Math.min(64, (step * 0.8) / series.length);
  const bars = series.flatMap(({ marks }, index) =>
    marks.map((mark, group) => {
      const x = plot.left + step * (group + 0.5) + (index - series.length / 2) * width;
      const y = scale.y(mark.value);
      const label = Math.min(y, scale.y(mark.high ?? mark.value)) - 6;
      return `<rect class="s${index}" x="${formatPixels(x + 2)}" y="${formatPixels(y)}" width="${formatPixels(width - 4)}" height="${formatPixels(plot.bottom - y)}" rx="2"/>${drawWhisker(x + width / 2, mark, scale)}${drawText(x + width / 2, label, formatFigure(mark.value), "value")}`;
    }),
  );
  const legend = series.map(({ name }, index) => {
    const x = plot.left + index * 150;
    return `<rect class="s${index}" x="${x}" y="52" width="11" height="11" rx="2"/>${drawText(x + 17, 62, name, "left")}`;
  });
  return drawChart(chart, scale, step, [...legend, ...bars]);
}

/** Draws a curve over groups, with whiskers and a floor. */
export function drawLineChart({ marks, floor, ...chart }: LineChart): string {
  const scale = createScale(Math.max(floor.value, ...marks.map(({ value, high }) => high ?? value)));
  const step = (plot.right - plot.left) / chart.groups.length;
  const x = (group: number) => plot.left + step * (group + 0.5);
  const points = marks.map((mark, group) => `${formatPixels(x(group))},${formatPixels(scale.y(mark.value))}`);
  const dots = marks.map((mark, group) => {
    const label = scale.y(mark.high ?? mark.value) - 9;
    return `${drawWhisker(x(group), mark, scale)}<circle class="s0" cx="${formatPixels(x(group))}" cy="${formatPixels(scale.y(mark.value))}" r="4.5"/>${drawText(x(group), label, formatFigure(mark.value), "value")}`;
  });
  const y = formatPixels(scale.y(floor.value));
  const aim = `<line class="floor" x1="${plot.left}" x2="${plot.right}" y1="${y}" y2="${y}"/>${drawText(plot.right, Number(y) + 16, floor.name, "right")}`;
  return drawChart(chart, scale, step, [
    aim,
    `<polyline class="curve" points="${points.join(" ")}"/>`,
    ...dots,
  ]);
}

interface Scale {
  readonly ticks: readonly number[];
  y(value: number): number;
}

/** Creates a scale from zero to a round number above the largest value. */
function createScale(largest: number): Scale {
  const rough = Math.max(largest, 1e-9) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const stepSize = ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  const count = Math.ceil((largest * 1.1) / stepSize);
  const top = stepSize * count;
  return {
    ticks: Array.from({ length: count + 1 }, (_, index) => index * stepSize),
    y: (value) => plot.bottom - (value / top) * (plot.bottom - plot.top),
  };
}

function drawWhisker(x: number, { low, high }: Mark, scale: Scale): string {
  if (low === undefined || high === undefined || high - low === 0) return "";
  const [from, to] = [formatPixels(scale.y(low)), formatPixels(scale.y(high))];
  return `<path class="whisker" d="M${formatPixels(x)} ${from}V${to}M${formatPixels(x - 5)} ${from}H${formatPixels(x + 5)}M${formatPixels(x - 5)} ${to}H${formatPixels(x + 5)}"/>`;
}

function drawChart(
  { title, unit, note, groups }: Chart,
  scale: Scale,
  step: number,
  marks: readonly string[],
): string {
  const grid = scale.ticks.map((tick) => {
    const y = formatPixels(scale.y(tick));
    return `<line class="grid" x1="${plot.left}" x2="${plot.right}" y1="${y}" y2="${y}"/>${drawText(plot.left - 8, Number(y) + 4, tick.toLocaleString("en"), "right")}`;
  });
  const names = groups.map((name, group) =>
    drawText(plot.left + step * (group + 0.5), plot.bottom + 22, name, "name"),
  );
  const body = [
    drawText(16, 30, title, "title"),
    drawText(plot.right, 30, unit, "right"),
    ...grid,
    ...names,
    ...marks,
    drawText(16, size.height - 18, note, "note"),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="${escapeText(title)}">\n<style>${style}</style>\n${body.join("\n")}\n</svg>\n`;
}

function drawText(x: number, y: number, content: string, kind: string): string {
  return `<text class="${kind}" x="${formatPixels(x)}" y="${formatPixels(y)}">${escapeText(content)}</text>`;
}

const formatPixels = (value: number): string => value.toFixed(1);
const escapeText = (content: string): string =>
  content.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/** The style sets no background, because pages may show the chart in light or dark mode. */
const style = `
svg{--ink:#1f2328;--dim:#59636e;--line:#d1d9e0;--s0:#2f6feb;--s1:#8250df;--s2:#bf8700;font:13px system-ui,sans-serif}
@media(prefers-color-scheme:dark){svg{--ink:#f0f6fc;--dim:#9198a1;--line:#3d444d;--s0:#6ea8ff;--s1:#c297ff;--s2:#e3b341}}
text{fill:var(--dim);text-anchor:middle}.title{fill:var(--ink);font-size:16px;font-weight:600;text-anchor:start}
.left,.note{text-anchor:start}.note{font-size:11px}.right{text-anchor:end}.name{fill:var(--ink)}.value{fill:var(--ink);font-size:12px}
.grid{stroke:var(--line)}.whisker{stroke:var(--ink);fill:none;opacity:.6}.floor{stroke:var(--s2);stroke-dasharray:6 4;stroke-width:1.5}
.curve{fill:none;stroke:var(--s0);stroke-width:2.5}.s0{fill:var(--s0)}.s1{fill:var(--s1)}.s2{fill:var(--s2)}`;
