import { fileURLToPath } from "node:url";
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

function given(option: string, value: string | undefined): string[] {
  return value === undefined ? [] : [option, quoted(value)];
}

function quoted(word: string): string {
  return /^[\w./:@=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
