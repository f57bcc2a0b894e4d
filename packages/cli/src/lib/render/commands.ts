import type { Paint } from "../terminal/output.ts";
import { measureWidth, padToWidth } from "../terminal/width.ts";

/**
 * The program name as the reader types it. A user who runs Paraph with npx must type `npx paraph`, because `paraph` is
 * not installed.
 */
const programName = process.env.npm_command === "exec" ? "npx paraph" : "paraph";

export function formatCommands(entries: readonly (readonly [string, string])[], paint: Paint): string {
  const typed = entries.map(([text, meaning]) => [text.replace(/^paraph/, programName), meaning] as const);
  const width = Math.max(...typed.map(([text]) => measureWidth(text)));
  return typed
    .map(([text, meaning]) => `  ${paint("cyan", padToWidth(text, width))}  ${paint("dim", `# ${meaning}`)}`)
    .join("\n");
}
