import type { Paint } from "../output.ts";
import { padTo, widthOf } from "../width.ts";

/** Typed as the reader types it: somebody who came through npx has no `paraph` of their own. */
const program = process.env.npm_command === "exec" ? "npx paraph" : "paraph";

/** What to type next, and what it is for. */
export function commands(entries: readonly (readonly [string, string])[], paint: Paint): string {
  const typed = entries.map(([text, meaning]) => [text.replace(/^paraph/, program), meaning] as const);
  const width = Math.max(...typed.map(([text]) => widthOf(text)));
  return typed
    .map(([text, meaning]) => `  ${paint("cyan", padTo(text, width))}  ${paint("dim", `# ${meaning}`)}`)
    .join("\n");
}
