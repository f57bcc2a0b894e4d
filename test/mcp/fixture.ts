import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { mcp } from "@paraph/adapters/mcp";
import type { Adapter } from "@paraph/core";
import {
  createMisbehaving,
  createTool,
  findPublishedServer,
} from "../../packages/adapters/src/mcp/testing/fixture.ts";
import { hasSandbox } from "../../packages/adapters/src/process/testing.ts";
import { TestParaph } from "../support/servers/test-paraph.ts";
import { pollUntil } from "./feature.ts";
import { createSpyServer, type PostOffice, startPostOffice } from "./spy-servers.ts";

const waitTimeoutMs = 600;
/** The number of resources of the server `many`. They fill more than one page. */
export const manyCount = 205;

const readTerms = { effect: "read", risk: "low" } as const;
const writeTerms = { effect: "write", risk: "low" } as const;

/** The initial tools of a misbehaving server. The name of each tool describes its behaviour. */
export const wellBehavedOffer = {
  tools: [
    ...["echo", "fail", "crash", "slow", "huge", "endless", "changing", "leaving"].map((name) =>
      createTool(name),
    ),
    createTool("poisoned", { description: "Does nothing.\u200b\u2062" }),
  ],
};

/** A complete Paraph server with real MCP servers behind it, and direct clients of the same servers. */
export class McpFixture {
  readonly whole: TestParaph;
  readonly office: PostOffice;
  readonly notes: () => Promise<string>;
  /** Functions that change the behaviour and the tools of a misbehaving server, by its name. */
  readonly say: ReadonlyMap<string, (script: object) => Promise<void>>;
  readonly everything: Client;
  readonly files: Client;
  /** The folder that `files` serves, with one file in it. */
  readonly root: string;
  readonly #folder: string;

  private constructor(
    parts: Omit<McpFixture, "stop" | "approve" | "askedAbout"> & { readonly folder: string },
  ) {
    this.whole = parts.whole;
    this.office = parts.office;
    this.notes = parts.notes;
    this.say = parts.say;
    this.everything = parts.everything;
    this.files = parts.files;
    this.root = parts.root;
    this.#folder = parts.folder;
  }

  /**
   * Starts the servers. Each of the `columns` has its own misbehaving server, so that one server can be broken while
   * the others work.
   */
  static async start(columns: readonly string[]): Promise<McpFixture> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "paraph-matrix-")));
    const root = join(folder, "files");
    await mkdir(root);
    await writeFile(join(root, "a.txt"), "one\n");
    const office = await startPostOffice();
    const taker = createSpyServer(folder);
    const bad = await Promise.all(
      columns.map(async (name) => {
        const { adapter, say } = await createMisbehaving(join(folder, name), wellBehavedOffer, {
          tools: badTerms,
        });
        return { name, adapter, say };
      }),
    );
    const many = await createMisbehaving(join(folder, "many"), {
      resources: Array.from({ length: manyCount }, (_, each) => ({ name: `${each}`, uri: `many://${each}` })),
    });
    const adapters: Record<string, Adapter> = {
      everything: mcp.stdio({
        ...toServerConfig(findPublishedServer("server-everything"), "stdio"),
        tools: {
          echo: readTerms,
          "get-tiny-image": readTerms,
          "get-structured-content": readTerms,
          "trigger-long-running-operation": writeTerms,
        },
      }),
      files: mcp.stdio({
        ...toServerConfig(findPublishedServer("server-filesystem"), root),
        profile: "filesystem",
      }),
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a secret is named, not put in.
      office: mcp.http(office.url, { credential: "Bearer ${office}", tools: { countLetters: readTerms } }),
      spy: mcp.stdio({
        command: process.execPath,
        args: taker.args,
        sandbox: false,
        tools: { look: readTerms },
        // biome-ignore lint/suspicious/noTemplateCurlyInString: a secret is named, not put in.
        env: { SPY_TOKEN: "${spy}" },
      }),
      many: many.adapter,
      ...Object.fromEntries(bad.map(({ name, adapter }) => [name, adapter])),
    };
    const paraph = await TestParaph.start(
      {
        adapters,
        // The columns poll concurrently while a server recovers, so they can send thousands of requests in a minute.
        budgets: { callsPerMinute: 1_000_000, requestsPerMinute: 1_000_000 },
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
      { mcpMaxWaitMs: waitTimeoutMs },
    );
    const [everything, files] = await Promise.all([
      connectDirectly(findPublishedServer("server-everything"), "stdio"),
      connectDirectly(findPublishedServer("server-filesystem"), root),
    ]);
    const say = new Map(bad.map((each) => [each.name, each.say]));
    return new McpFixture({
      whole: paraph,
      office,
      notes: taker.notes,
      say,
      everything,
      files,
      root,
      folder,
    });
  }

  /** Waits for an approval of this call and returns it. */
  askedAbout(call: string): Promise<{ readonly id: string; readonly digest: string }> {
    return pollUntil(async () => {
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

/** The terms of a misbehaving server's tools. Their writes cannot be probed afterwards. */
const badTerms = {
  echo: readTerms,
  fail: readTerms,
  huge: readTerms,
  crash: writeTerms,
  endless: writeTerms,
  changing: writeTerms,
  leaving: writeTerms,
  poisoned: writeTerms,
  slow: { ...writeTerms, timeout: "1500ms" as const },
};

const modulesFolder = dirname(
  fileURLToPath(new URL("../../node_modules/.package-lock.json", import.meta.url)),
);

function toServerConfig(program: string, argument: string) {
  return {
    command: process.execPath,
    args: [program, argument],
    sandbox: hasSandbox
      ? { read: [modulesFolder], write: argument.startsWith("/") ? [argument] : [] }
      : (false as const),
  };
}

async function connectDirectly(program: string, argument: string): Promise<Client> {
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
