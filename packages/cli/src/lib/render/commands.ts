import type { Paint } from "../terminal/output.ts";
import { measureWidth, padToWidth } from "../terminal/width.ts";

/** Typed as the reader types it: somebody who came through npx has no `paraph` of their own. */
const programName = process.env.npm_command === "exec" ? "npx paraph" : "paraph";

/** What to type next, and what it is for. */
export function formatCommands(entries: readonly (readonly [string, string])[], paint: Paint): string {
  const typed = entries.map(([text, meaning]) => [text.replace(/^paraph/, programName), meaning] as const);
  const width = Math.max(...typed.map(([text]) => measureWidth(text)));
  return typed
    .map(([text, meaning]) => `  ${paint("cyan", padToWidth(text, width))}  ${paint("dim", `# ${meaning}`)}`)
    .join("\n");
}
