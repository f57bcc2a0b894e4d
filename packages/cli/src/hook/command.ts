import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Client } from "./event.ts";

export interface HookOptions {
  readonly folder: string | undefined;
  readonly url: string | undefined;
  /** The state folder in which the Paraph of `folder` is on record. */
  readonly state?: string | undefined;
  readonly adapter?: string | undefined;
  readonly gateways: readonly string[];
  readonly waitSeconds: number;
}

/** The command as settings have it: with whole paths, since nobody knows in which environment a client starts it. */
export function hookCommand(client: Client, options: HookOptions): string {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const entry = fileURLToPath(new URL(`./main.${extension}`, import.meta.url));
  const words = [
    ...[process.execPath, ...process.execArgv, entry].map(quoted),
    `hook run ${client}`,
    ...given("--folder", options.folder),
    ...given("--url", options.url),
    ...given("--state", options.state),
    ...given("--adapter", options.adapter),
    ...options.gateways.flatMap((name) => given("--gateway", name)),
    `--wait ${options.waitSeconds}`,
  ];
  return words.join(" ");
}

/** The part of the options that decides whom the hook asks. */
export type AskedParaph = Pick<HookOptions, "folder" | "url" | "state">;

/**
 * Whether a command is one that `hookCommand` writes for this Paraph. The options that a person chooses are read from it, and
 * the command is written again: only an equal text starts nothing else.
 */
export function isHookCommand(command: string, client: Client, asked: AskedParaph): boolean {
  const text = command.replace(/ \|\| exit 2$/, "");
  const options = text.slice(text.indexOf(` hook run ${client} `)).match(/'(?:[^']|'\\'')*'|[^\s']+/g) ?? [];
  try {
    const { values } = parseArgs({
      args: options.map(unquoted),
      strict: false,
      allowPositionals: true,
      options: {
        adapter: { type: "string" },
        gateway: { type: "string", multiple: true, default: [] },
        wait: { type: "string", default: "" },
      },
    });
    const { adapter, gateway, wait } = values as { adapter?: string; gateway: string[]; wait: string };
    return text === hookCommand(client, { ...asked, adapter, gateways: gateway, waitSeconds: Number(wait) });
  } catch {
    return false;
  }
}

function unquoted(word: string): string {
  return word.startsWith("'") ? word.slice(1, -1).replaceAll("'\\''", "'") : word;
}

function given(option: string, value: string | undefined): string[] {
  return value === undefined ? [] : [option, quoted(value)];
}

function quoted(word: string): string {
  return /^[\w./:@=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
