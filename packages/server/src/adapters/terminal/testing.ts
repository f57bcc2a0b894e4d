import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Capability, Json, OpenAdapter, World } from "@paraph/core";
import { inputOf } from "../testing.ts";
import { terminal } from "./index.ts";

/** For the tests of the terminal: a configuration's folder with a workspace in it, and a folder beside. */
export interface Ground extends AsyncDisposable {
  readonly folder: string;
  readonly workspace: string;
  readonly beside: string;
  readonly adapter: OpenAdapter;
  readonly run: Capability;
  readonly look: Capability;
  readonly restore: Capability;
}

type Configured = Partial<Parameters<typeof terminal>[0]>;

export async function ground(configured: Configured = {}): Promise<Ground> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "paraph-terminal-")));
  const [workspace, beside] = [join(folder, "work"), join(folder, "beside")];
  await Promise.all([mkdir(workspace), mkdir(beside)]);
  const adapter = await openIn(folder, { workspace: "work", ...configured });
  const [run, look, restore] = (await adapter.capabilities()) as [Capability, Capability, Capability];
  const remove = () => rm(folder, { recursive: true, force: true });
  return { folder, workspace, beside, adapter, run, look, restore, [Symbol.asyncDispose]: remove };
}

export function openIn(folder: string, configured: Parameters<typeof terminal>[0]): Promise<OpenAdapter> {
  return terminal(configured).open({
    name: "shell",
    folder,
    signal: AbortSignal.timeout(10_000),
    credential: () => Promise.reject(new Error("no credentials here")),
    changed: () => {},
  });
}

let calls = 0;

export function worldOf(over: Partial<World> = {}): World {
  const call = over.call ?? `call-${++calls}`;
  return {
    tenant: "acme",
    principal: { tenant: "acme", id: "agent", kind: "agent" },
    approvers: [],
    call,
    key: call,
    attempt: 1,
    basis: undefined,
    signal: new AbortController().signal,
    credential: () => Promise.reject(new Error("no credentials here")),
    progress: () => {},
    ...over,
  };
}

/** As the pipeline does it: input through the schema, a look where there is one, apply, output through the schema. */
// biome-ignore lint/suspicious/noExplicitAny: tests read the output's fields by name.
export async function perform(capability: Capability, raw: Json, over: Partial<World> = {}): Promise<any> {
  const input = inputOf(capability, raw);
  const basis = "basis" in over ? over.basis : (await capability.preview?.(input, worldOf()))?.basis;
  const output = capability.parseOutput(await capability.apply(input, worldOf({ ...over, basis })));
  if (output.kind === "invalid") throw new Error(output.faults.join("; "));
  return output.value;
}

/** The script is the program's business: that there is a shell is what was asked for. */
export function sh(script: string): { argv: string[] } {
  return { argv: ["sh", "-c", script] };
}

/** Everything in a folder as others see it: names, kinds, modes, targets and contents; with times where those count. */
export function picture(folder: string, times = false): string {
  const looks = `%p %y %m %l${times ? " %T@ %C@" : ""}\\n`;
  const script = `find . -printf '${looks}' | sort; find . -type f -exec sha256sum {} + | sort`;
  return execFileSync("sh", ["-c", script], {
    cwd: folder,
    encoding: "latin1",
    env: { LC_ALL: "C", PATH: process.env.PATH },
  });
}
