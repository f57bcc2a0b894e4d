import type { Paint } from "../terminal/output.ts";
import { measureWidth, padToWidth } from "../terminal/width.ts";

/**
 * Returns the program name as the reader types it. If Paraph is installed in a project, `paraph` is not on the search
 * path, so a reader must type `npx paraph`.
 */
export function toProgramName(script: string, npmCommand: string | undefined): "paraph" | "npx paraph" {
  const isInProject = npmCommand === "exec" || /[\\/]node_modules[\\/]\.bin[\\/]/.test(script);
  return isInProject ? "npx paraph" : "paraph";
}

const programName = toProgramName(process.argv[1] ?? "", process.env.npm_command);

/** Returns a command as the reader types it. */
export function toTypedCommand(text: string): string {
  return text.replace(/^paraph/, programName);
}

export function formatCommands(entries: readonly (readonly [string, string])[], paint: Paint): string {
  const typed = entries.map(([text, meaning]) => [toTypedCommand(text), meaning] as const);
  const width = Math.max(...typed.map(([text]) => measureWidth(text)));
  return typed
    .map(([text, meaning]) => `  ${paint("cyan", padToWidth(text, width))}  ${paint("dim", `# ${meaning}`)}`)
    .join("\n");
}
