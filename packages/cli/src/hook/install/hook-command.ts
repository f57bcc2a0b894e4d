import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { HookClient } from "../hook-event.ts";

export interface HookOptions {
  readonly folder: string | undefined;
  readonly url: string | undefined;
  /** The state folder that contains the record of the Paraph in `folder`. */
  readonly state?: string | undefined;
  readonly adapter?: string | undefined;
  readonly gateways: readonly string[];
  readonly waitSeconds: number;
}

/**
 * Builds the hook command for a client's settings. The command contains absolute paths, because a client may start it
 * in any environment.
 */
export function buildHookCommand(client: HookClient, options: HookOptions): string {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const entry = fileURLToPath(new URL(`../main.${extension}`, import.meta.url));
  const words = [
    ...[process.execPath, ...process.execArgv, entry].map(quoteForShell),
    `hook run ${client}`,
    ...formatOption("--folder", options.folder),
    ...formatOption("--url", options.url),
    ...formatOption("--state", options.state),
    ...formatOption("--adapter", options.adapter),
    ...options.gateways.flatMap((name) => formatOption("--gateway", name)),
    `--wait ${options.waitSeconds}`,
  ];
  return words.join(" ");
}

/** The options that decide which Paraph the hook asks. */
export type TargetParaph = Pick<HookOptions, "folder" | "url" | "state">;

/**
 * Whether `buildHookCommand` would write this command for this Paraph. The function reads the options from the command
 * and builds the command again. If both texts are identical, the command starts only the hook.
 */
export function isHookCommand(command: string, client: HookClient, asked: TargetParaph): boolean {
  const text = command.replace(/ \|\| exit 2$/, "");
  const options = text.slice(text.indexOf(` hook run ${client} `)).match(/'(?:[^']|'\\'')*'|[^\s']+/g) ?? [];
  try {
    const { values } = parseArgs({
      args: options.map(unquote),
      strict: false,
      allowPositionals: true,
      options: {
        adapter: { type: "string" },
        gateway: { type: "string", multiple: true, default: [] },
        wait: { type: "string", default: "" },
      },
    });
    const { adapter, gateway, wait } = values as { adapter?: string; gateway: string[]; wait: string };
    return (
      text === buildHookCommand(client, { ...asked, adapter, gateways: gateway, waitSeconds: Number(wait) })
    );
  } catch {
    return false;
  }
}

function unquote(word: string): string {
  return word.startsWith("'") ? word.slice(1, -1).replaceAll("'\\''", "'") : word;
}

function formatOption(option: string, value: string | undefined): string[] {
  return value === undefined ? [] : [option, quoteForShell(value)];
}

function quoteForShell(word: string): string {
  return /^[\w./:@=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
