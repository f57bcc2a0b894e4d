import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Adapter } from "@paraph/core";
import { mcp } from "../../packages/server/src/adapters/mcp/index.ts";
import { misbehaving, published, tool } from "../../packages/server/src/adapters/mcp/testing/ground.ts";
import { sandboxIsHere } from "../../packages/server/src/adapters/process/testing.ts";
import { Whole } from "../whole.ts";
import { eventually } from "./feature.ts";
import { noteTaker, type PostOffice, postOffice } from "./spies.ts";

/** How long a client waits for a person here. */
const patienceMs = 600;
/** How many resources the server `many` offers: more than a page. */
export const manyCount = 205;

const read = { effect: "read", risk: "low" } as const;
const write = { effect: "write", risk: "low" } as const;

/** What a server that misbehaves offers at first; what each tool does is in its name. */
export const behaved = {
  tools: [
    ...["echo", "fail", "crash", "slow", "huge", "endless", "changing", "leaving"].map((name) => tool(name)),
    tool("poisoned", { description: "Does nothing.\u200b\u2062" }),
  ],
};

/** A whole Paraph with real MCP servers behind it, and the same servers asked directly. */
export class Ground {
  readonly whole: Whole;
  readonly office: PostOffice;
  readonly notes: () => Promise<string>;
  /** Changes what the misbehaving server of this name does and offers. */
  readonly say: ReadonlyMap<string, (script: object) => Promise<void>>;
  readonly everything: Client;
  readonly files: Client;
  /** A folder that `files` serves, with one file in it. */
  readonly root: string;
  readonly #folder: string;

  private constructor(parts: Omit<Ground, "stop" | "approve" | "askedAbout"> & { readonly folder: string }) {
    this.whole = parts.whole;
    this.office = parts.office;
    this.notes = parts.notes;
    this.say = parts.say;
    this.everything = parts.everything;
    this.files = parts.files;
    this.root = parts.root;
    this.#folder = parts.folder;
  }

  /** `columns`: each has a misbehaving server of its own, which may be broken while others are not. */
  static async start(columns: readonly string[]): Promise<Ground> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "paraph-matrix-")));
    const root = join(folder, "files");
    await mkdir(root);
    await writeFile(join(root, "a.txt"), "one\n");
    const office = await postOffice();
    const taker = noteTaker(folder);
    const bad = await Promise.all(
      columns.map(async (name) => {
        const { adapter, say } = await misbehaving(join(folder, name), behaved, { tools: badTerms });
        return { name, adapter, say };
      }),
    );
    const many = await misbehaving(join(folder, "many"), {
      resources: Array.from({ length: manyCount }, (_, each) => ({ name: `${each}`, uri: `many://${each}` })),
    });
    const adapters: Record<string, Adapter> = {
      everything: mcp.stdio({
        ...started(published("server-everything"), "stdio"),
        tools: {
          echo: read,
          "get-tiny-image": read,
          "get-structured-content": read,
          "trigger-long-running-operation": write,
        },
      }),
      files: mcp.stdio({ ...started(published("server-filesystem"), root), profile: "filesystem" }),
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a secret is named, not put in.
      office: mcp.http(office.url, { credential: "Bearer ${office}", tools: { countLetters: read } }),
      spy: mcp.stdio({
        command: process.execPath,
        args: taker.args,
        sandbox: false,
        tools: { look: read },
        // biome-ignore lint/suspicious/noTemplateCurlyInString: a secret is named, not put in.
        env: { SPY_TOKEN: "${spy}" },
      }),
      many: many.adapter,
      ...Object.fromEntries(bad.map(({ name, adapter }) => [name, adapter])),
    };
    const whole = await Whole.start(
      {
        adapters,
        rules: [
          ...columns.map((name) => ({ capability: `${name}.*`, allow: "unattended" as const })),
          { capability: "spy.prompt_ask", ask: true },
        ],
      },
      [
        { tenant: "acme", id: "owner", kind: "person" },
        { tenant: "acme", id: "ana", kind: "person" },
        { tenant: "acme", id: "bot", kind: "agent", owner: "owner" },
        { tenant: "acme", id: "other", kind: "agent", owner: "owner" },
      ],
      { "deployment/office": "the-gateways-own-token", "deployment/spy": "the-gateways-own-secret" },
      undefined,
      { patienceMs },
    );
    const [everything, files] = await Promise.all([
      direct(published("server-everything"), "stdio"),
      direct(published("server-filesystem"), root),
    ]);
    const say = new Map(bad.map((each) => [each.name, each.say]));
    return new Ground({ whole, office, notes: taker.notes, say, everything, files, root, folder });
  }

  /** What a person is asked about this call, as soon as they are. */
  askedAbout(call: string): Promise<{ readonly id: string; readonly digest: string }> {
    return eventually(async () => {
      const { body } = await this.whole.request("ana", "GET", `/v1/calls/${call}`);
      return body.waiting?.approval;
    });
  }

  async approve(call: string): Promise<void> {
    const { id, digest } = await this.askedAbout(call);
    const decision = { decision: "approve", digest };
    const { status } = await this.whole.request("ana", "POST", `/v1/approvals/${id}/decision`, decision);
    if (status !== 200) throw new Error(`nobody could approve it: ${status}`);
  }

  async stop(): Promise<void> {
    await Promise.all([this.everything.close(), this.files.close()]);
    await this.whole.stop();
    await this.office[Symbol.asyncDispose]();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** What a misbehaving server's tools are: writes, of which nobody can say afterwards whether they were done. */
const badTerms = {
  echo: read,
  fail: read,
  huge: read,
  crash: write,
  endless: write,
  changing: write,
  leaving: write,
  poisoned: write,
  slow: { ...write, timeout: "1500ms" as const },
};

const modules = dirname(fileURLToPath(new URL("../../node_modules/.package-lock.json", import.meta.url)));

function started(program: string, argument: string) {
  return {
    command: process.execPath,
    args: [program, argument],
    sandbox: sandboxIsHere
      ? { read: [modules], write: argument.startsWith("/") ? [argument] : [] }
      : (false as const),
  };
}

async function direct(program: string, argument: string): Promise<Client> {
  const client = new Client({ name: "direct", version: "1" });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [program, argument],
      stderr: "ignore",
    }),
  );
  return client;
}
