import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Capability, OpenAdapter } from "@paraph/core";
import { terminal } from "./index.ts";

export { createOwnTestContext as worldOf, performOwnCall as perform } from "../testing.ts";

/** A configuration folder with a workspace in it and another folder next to the workspace, for the terminal's tests. */
export interface TerminalFixture extends AsyncDisposable {
  readonly folder: string;
  readonly workspace: string;
  readonly beside: string;
  readonly adapter: OpenAdapter;
  readonly run: Capability;
  readonly look: Capability;
  readonly restore: Capability;
}

type TerminalOptions = Partial<Parameters<typeof terminal>[0]>;

export async function createTerminalFixture(configured: TerminalOptions = {}): Promise<TerminalFixture> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "paraph-terminal-")));
  const [workspace, beside] = [join(folder, "work"), join(folder, "beside")];
  await Promise.all([mkdir(workspace), mkdir(beside)]);
  const adapter = await openTerminal(folder, { workspace: "work", ...configured });
  const [run, look, restore] = (await adapter.capabilities()) as [Capability, Capability, Capability];
  const remove = () => rm(folder, { recursive: true, force: true });
  return { folder, workspace, beside, adapter, run, look, restore, [Symbol.asyncDispose]: remove };
}

export function openTerminal(
  folder: string,
  configured: Parameters<typeof terminal>[0],
): Promise<OpenAdapter> {
  // Allows the tests to run as root. Run them as root only on a dedicated machine.
  return terminal({ allowRoot: true, ...configured }).open({
    name: "shell",
    folder,
    signal: AbortSignal.timeout(60_000),
    credential: () => Promise.reject(new Error("no credentials here")),
    announceChange: () => {},
  });
}

/** Returns the input for a script. The shell is the requested program itself. */
export function toShellInput(script: string): { argv: string[] } {
  return { argv: ["sh", "-c", script] };
}

/**
 * Returns everything in a folder as other programs see it: names, kinds, modes, targets, contents and optionally times.
 */
export function snapshotWorkspace(folder: string, times = false): string {
  const looks = `%p %y %m %l${times ? " %T@ %C@" : ""}\\n`;
  const script = `find . -printf '${looks}' | sort; find . -type f -exec sha256sum {} + | sort`;
  return execFileSync("sh", ["-c", script], {
    cwd: folder,
    encoding: "latin1",
    env: { LC_ALL: "C", PATH: process.env.PATH },
  });
}
