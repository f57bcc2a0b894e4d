import type { Paint } from "../terminal/output.ts";
import { measureWidth, padToWidth, wrapToWidth } from "../terminal/width.ts";

/** Formats names on the left and values on the right. Further lines of a value stay in the right column. */
export function formatFields(
  entries: readonly (readonly [string, string] | undefined)[],
  paint: Paint,
): string {
  const shown = entries.filter((entry) => entry !== undefined);
  const width = Math.max(...shown.map(([name]) => measureWidth(name)));
  return shown
    .map(([name, value]) => {
      const indent = " ".repeat(width + 4);
      const room = paint.width === undefined ? undefined : paint.width - indent.length;
      const [first = "", ...rest] = value.split("\n").flatMap((line) => wrapToWidth(line, room));
      return [
        `  ${paint("dim", padToWidth(name, width))}  ${first}`,
        ...rest.map((line) => indent + line),
      ].join("\n");
    })
    .join("\n");
}
