import { mkdir, mkdtemp, realpath, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Adapter, Capability, ExecutionContext, OpenAdapter } from "@paraph/core";
import { mcp } from "../index.ts";

export interface McpFixture extends AsyncDisposable {
  readonly open: OpenAdapter;
  /** The folder of the configuration. */
  readonly folder: string;
  /** Resolves at the next announced change after this call. */
  waitForChange(): Promise<void>;
  /** Returns the number of announced changes. */
  countChanges(): number;
  capability(verb: string): Promise<Capability>;
}

/** Creates a temporary folder for a configuration. */
export async function createFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "paraph-mcp-")));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Opens the adapter under the name `srv`. */
export async function createMcpFixture(
  adapter: Adapter,
  folder: string,
  secrets: Record<string, string> = {},
): Promise<McpFixture> {
  const waiting: (() => void)[] = [];
  let turn = Promise.resolve();
  let changes = 0;
  let open: OpenAdapter | undefined;
  const opened = await adapter.open({
    name: "srv",
    folder,
    signal: AbortSignal.timeout(60_000),
    // Lists the capabilities immediately after a change, as Paraph does.
    announceChange: () => {
      changes += 1;
      turn = turn.then(async () => void (await open?.capabilities().catch(() => {})));
      for (const tell of waiting.splice(0)) tell();
    },
    credential: async (name) => {
      if (secrets[name] === undefined) throw new Error(`no secret ${name}`);
      return secrets[name];
    },
  });
  open = opened;
  return {
    open: opened,
    folder,
    countChanges: () => changes,
    waitForChange: () => new Promise((resolve) => waiting.push(resolve)),
    capability: async (verb) => {
      const found = (await opened.capabilities()).find(({ contract }) => contract.name === `srv.${verb}`);
      if (!found) throw new Error(`there is no srv.${verb}`);
      return found;
    },
    [Symbol.asyncDispose]: async () => {
      await turn;
      await opened.close?.();
    },
  };
}

/** Opens the misbehaving test server. `say` changes its behavior and its definitions. */
export async function createMisbehaving(
  folder: string,
  script: object,
  options: Partial<Parameters<typeof mcp.stdio>[0]> = {},
) {
  // The script has its own folder, because the server treats any change in that folder as a change of its script.
  const path = join(folder, "script", "script.json");
  await mkdir(dirname(path), { recursive: true });
  const say = async (next: object) => {
    await writeFile(`${path}.next`, JSON.stringify(next));
    await rename(`${path}.next`, path);
  };
  await say(script);
  const program = fileURLToPath(new URL("./misbehaving.ts", import.meta.url));
  const adapter = mcp.stdio({
    command: process.execPath,
    args: ["--no-warnings", program, path],
    sandbox: false,
    ...options,
  });
  return { adapter, say, program, path };
}

export function createTool(name: string, more: object = {}) {
  return { name, description: `Does ${name}.`, inputSchema: { type: "object", properties: {} }, ...more };
}

const require = createRequire(import.meta.url);
const packages = {
  "server-filesystem": require.resolve("@modelcontextprotocol/server-filesystem/package.json"),
  "server-everything": require.resolve("@modelcontextprotocol/server-everything/package.json"),
};

/** Returns the entry file of a published server. */
export function findPublishedServer(name: keyof typeof packages): string {
  return join(dirname(packages[name]), "dist/index.js");
}

export function createMcpTestContext(context: Partial<ExecutionContext> = {}): ExecutionContext {
  const call = context.call ?? "0198c0de-call";
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
    ...context,
  };
}
