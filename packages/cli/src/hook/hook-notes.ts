import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findStateHome } from "@paraph/server/local-record";
import type { ToolUse } from "./hook-event.ts";

/** The claim of an allowed tool use. The hook needs it to report the result afterwards. */
export interface ClaimNote {
  readonly call: string;
  readonly claimToken: string;
  readonly verb: string;
}

/**
 * The notes that one run of the hook leaves for the next. They hold only ids and no content, and only this user can
 * read them. If a claim is lost, the hook cannot report the result, and the call ends as unknown. If the note of a
 * waiting call is lost, Paraph asks the approvers again.
 */
export class HookNotes {
  readonly #folder: string;

  constructor(environment: NodeJS.ProcessEnv) {
    this.#folder = join(findStateHome(environment), "hook");
  }

  writeClaim(of: ToolUse, taken: ClaimNote): void {
    this.#write(buildFileName("taken", of.client, of.session, of.useId ?? serializeRequest(of)), taken);
  }

  /** Returns a claim and removes it, so that the hook reports the result only once. */
  takeClaim(of: ToolUse): ClaimNote | undefined {
    const name = buildFileName("taken", of.client, of.session, of.useId ?? serializeRequest(of));
    const found = this.#read<ClaimNote>(name);
    this.#remove(name);
    return found;
  }

  forgetClaim(of: ToolUse): void {
    this.#remove(buildFileName("taken", of.client, of.session, of.useId ?? serializeRequest(of)));
  }

  /** Returns the id of the call that was waiting when the agent last made this request. */
  findWaiting(session: string, request: string): string | undefined {
    return this.#read<{ call: string }>(buildFileName("waiting", session, request))?.call;
  }

  writeWaiting(session: string, request: string, call: string): void {
    this.#write(buildFileName("waiting", session, request), { call });
  }

  forgetWaiting(session: string, request: string): void {
    this.#remove(buildFileName("waiting", session, request));
  }

  /** Removes notes that are older than two days. */
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

function serializeRequest({ tool, input }: ToolUse): string {
  return JSON.stringify([tool, input]);
}

function buildFileName(kind: string, ...parts: readonly string[]): string {
  return `${kind}-${createHash("sha256").update(JSON.stringify(parts)).digest("hex")}.json`;
}
