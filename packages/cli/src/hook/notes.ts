import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stateHome } from "@paraph/server/local-record";
import type { ToolUse } from "./event.ts";

/** Taken before a tool was let through, needed to say afterwards what came of it. */
export interface Taken {
  readonly call: string;
  readonly claimToken: string;
  readonly verb: string;
}

/**
 * What one run of the hook leaves for the next: ids, and nothing of what was asked. For this user only; a note that is lost
 * costs a report (the call ends unknown), or that people are asked again.
 */
export class Notes {
  readonly #folder: string;

  constructor(environment: NodeJS.ProcessEnv) {
    this.#folder = join(stateHome(environment), "hook");
  }

  writeTaken(of: ToolUse, taken: Taken): void {
    this.#write(nameOf("taken", of.client, of.session, of.use ?? requestOf(of)), taken);
  }

  /** Once: whoever reads it reports it. */
  takeTaken(of: ToolUse): Taken | undefined {
    const name = nameOf("taken", of.client, of.session, of.use ?? requestOf(of));
    const found = this.#read<Taken>(name);
    this.#remove(name);
    return found;
  }

  forgetTaken(of: ToolUse): void {
    this.#remove(nameOf("taken", of.client, of.session, of.use ?? requestOf(of)));
  }

  /** The call that waited when the agent was last told so. */
  waiting(session: string, request: string): string | undefined {
    return this.#read<{ call: string }>(nameOf("waiting", session, request))?.call;
  }

  writeWaiting(session: string, request: string, call: string): void {
    this.#write(nameOf("waiting", session, request), { call });
  }

  forgetWaiting(session: string, request: string): void {
    this.#remove(nameOf("waiting", session, request));
  }

  /** What nobody came back for in two days. */
  sweep(now: number): void {
    for (const name of readdirSync(this.#folder)) {
      const path = join(this.#folder, name);
      if (now - statSync(path).mtimeMs > 2 * 24 * 60 * 60 * 1_000) rmSync(path, { force: true });
    }
  }

  #read<T>(name: string): T | undefined {
    try {
      return JSON.parse(readFileSync(join(this.#folder, name), "utf8")) as T;
    } catch {
      return undefined;
    }
  }

  #write(name: string, value: object): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const path = join(this.#folder, name);
    writeFileSync(`${path}.${process.pid}`, JSON.stringify(value), { mode: 0o600 });
    renameSync(`${path}.${process.pid}`, path);
  }

  #remove(name: string): void {
    rmSync(join(this.#folder, name), { force: true });
  }
}

function requestOf({ tool, input }: ToolUse): string {
  return JSON.stringify([tool, input]);
}

function nameOf(kind: string, ...parts: readonly string[]): string {
  return `${kind}-${createHash("sha256").update(JSON.stringify(parts)).digest("hex")}.json`;
}
