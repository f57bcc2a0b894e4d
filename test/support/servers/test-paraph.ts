import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Clock, Principal } from "@paraph/core";
import { type LocalRestate, startRestate } from "@paraph/dev-servers";
import { createClient } from "@paraph/sdk";
import {
  type Config,
  createFileSigner,
  type ParaphOptions,
  type ParaphServer,
  startParaph,
} from "@paraph/server";
import { runCli } from "../../../packages/cli/src/testing/run-cli.ts";
import { provision } from "../../../packages/server/src/postgres/index.ts";
import { PlainBrowser } from "../web/plain-browser.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";

interface TestParaphOptions extends Pick<ParaphOptions, "mcpMaxWaitMs" | "http"> {
  readonly engine?: "postgres" | "restate";
}

/**
 * A complete Paraph server in this process, with an API, a worker and real PostgreSQL, and real Restate if the test
 * chooses that engine. Tests use it over HTTP, with a browser, on the command line and through the SDK.
 */
export class TestParaph {
  readonly folder: string;
  readonly database: TestDatabase;
  readonly logged: string[] = [];
  #restate: LocalRestate | undefined;
  readonly #keys = new Map<string, string>();
  #paraph: ParaphServer | undefined;
  #clock: Clock | undefined;

  private constructor(folder: string, database: TestDatabase, restate: LocalRestate | undefined) {
    this.folder = folder;
    this.database = database;
    this.#restate = restate;
  }

  /**
   * Starts a Paraph server. `secrets` contains the credential files by tenant and name. `furnish` puts the files that
   * the configuration names into its folder.
   */
  static async start(
    config: Config,
    people: readonly Principal[],
    secrets: Record<string, string> = {},
    furnish: (folder: string) => Promise<unknown> = async () => {},
    { engine = "postgres", ...more }: TestParaphOptions = {},
  ): Promise<TestParaph> {
    const folder = await mkdtemp(join(tmpdir(), "paraph-whole-"));
    const [database, restate] = await Promise.all([
      createTestDatabase(),
      engine === "restate" ? startRestate({ folder }) : undefined,
    ]);
    const paraph = new TestParaph(folder, database, restate);
    await provision(database.ownerUrl, async (p) => {
      for (const tenant of new Set(people.map((each) => each.tenant))) await p.addTenant(tenant);
      for (const each of people) {
        await p.addPrincipal(each);
        paraph.#keys.set(each.id, await p.createKey(each.tenant, each.id));
      }
    });
    for (const [name, secret] of Object.entries(secrets)) {
      await mkdir(join(folder, "secrets", name, ".."), { recursive: true });
      await writeFile(join(folder, "secrets", name), secret);
    }
    await furnish(folder);
    const signer = createFileSigner(join(folder, "signing.pem"));
    paraph.#paraph = await startParaph({
      config,
      folder,
      databaseUrl: database.url,
      signer,
      publicKeys: [signer.publicKey],
      restate: restate && { ...restate, publicKeys: [restate.publicKey] },
      version: "0.0.0",
      // Tests use the adapters at once, even on a machine where the programs need long to start.
      adapterStartTimeoutMs: 60_000,
      ...more,
      log: (_level, code) => void paraph.logged.push(code),
      wrapPorts: (parts) => {
        paraph.#clock = parts.ports.clock;
        // Tests expect the approval in the response to a new call, even on a machine that delays a preview for seconds.
        const settings = { ...parts.ports.settings, previewPatienceMs: 60_000 };
        return { ...parts, ports: { ...parts.ports, settings } };
      },
    });
    return paraph;
  }

  get url(): string {
    return this.#paraph!.url!;
  }

  key(principal: string): string {
    return this.#keys.get(principal)!;
  }

  agent(principal: string) {
    return createClient({ url: this.url, key: this.key(principal) });
  }

  async request(as: string, method: string, path: string, body?: object) {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        authorization: `Bearer ${this.key(as)}`,
        ...(body && { "content-type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    });
    // biome-ignore lint/suspicious/noExplicitAny: whatever the API says is looked at by the test that asked.
    return { status: response.status, body: (await response.json()) as any };
  }

  /** Runs `paraph …` in its own process, as this person and this agent. */
  cli(as: { person?: string; agent?: string }, ...args: string[]) {
    const keys = {
      ...(as.person !== undefined && { PARAPH_APPROVER_KEY: this.key(as.person) }),
      ...(as.agent !== undefined && { PARAPH_KEY: this.key(as.agent) }),
    };
    return runCli(args, { folder: this.folder, environment: { PARAPH_URL: this.url, ...keys } });
  }

  /** Returns a browser in which this person has logged in. */
  async browser(tenant: string, person: string): Promise<PlainBrowser> {
    const browser = new PlainBrowser();
    await browser.submit(await browser.open(await this.createLoginLink(tenant, person)));
    return browser;
  }

  /** Creates a link with which this person logs in once. */
  async createLoginLink(tenant: string, person: string): Promise<string> {
    return (await this.#paraph!.createLoginLink(tenant, person))!;
  }

  /**
   * Moves PostgreSQL's clock ahead of the machine's clock. PostgreSQL's clock determines when waits end. Resolves once
   * Paraph knows the new time, because Paraph reads that clock only once per second.
   */
  async clockAhead(hours: number): Promise<void> {
    await this.database.query(
      `create or replace function paraph.now() returns timestamptz language sql volatile as 'select clock_timestamp() + make_interval(hours => ${hours})'`,
    );
    const isThere = () => Math.abs(this.#clock!.now() - Date.now() - hours * 3_600_000) < 60_000;
    while (!isThere()) await setTimeout(25);
  }

  async killEngine(): Promise<void> {
    await this.#restate!.kill();
  }

  /** Starts a new, empty engine at the old one's address. */
  async newEngine(): Promise<void> {
    await rm(join(this.folder, "restate"), { recursive: true, force: true });
    this.#restate = await startRestate({ folder: this.folder });
  }

  async stop(): Promise<void> {
    await this.#paraph?.stop();
    await this.#restate?.stop();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }
}
