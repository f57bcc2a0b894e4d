import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Capability, OpenAdapter } from "@paraph/core";
import { terminal } from "./index.ts";

export { createOwnTestContext as worldOf, performOwnCall as perform } from "../testing.ts";

/** For the tests of the terminal: a configuration's folder with a workspace in it, and a folder beside. */
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
  // Tests may run as root, and there only in a machine of their own.
  return terminal({ allowRoot: true, ...configured }).open({
    name: "shell",
    folder,
    signal: AbortSignal.timeout(10_000),
    credential: () => Promise.reject(new Error("no credentials here")),
    announceChange: () => {},
  });
}

/** The script is the program's business: that there is a shell is what was asked for. */
export function toShellInput(script: string): { argv: string[] } {
  return { argv: ["sh", "-c", script] };
}

/** Everything in a folder as others see it: names, kinds, modes, targets and contents; with times where those count. */
export function snapshotWorkspace(folder: string, times = false): string {
  const looks = `%p %y %m %l${times ? " %T@ %C@" : ""}\\n`;
  const script = `find . -printf '${looks}' | sort; find . -type f -exec sha256sum {} + | sort`;
  return execFileSync("sh", ["-c", script], {
    cwd: folder,
    encoding: "latin1",
    env: { LC_ALL: "C", PATH: process.env.PATH },
  });
}
