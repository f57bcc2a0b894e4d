import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { provision } from "../packages/server/src/postgres/index.ts";
import { freePort, type LocalRestate, startRestate } from "../packages/server/src/servers/index.ts";
import { type TestDatabase, testDatabase } from "./database.ts";
import { fromSource } from "./from-source.ts";
import { Oracle } from "./oracle.ts";

/** Real processes around one database and one engine, started and killed as a test needs. */
export class Cluster {
  readonly database: TestDatabase;
  readonly oracle: Oracle;
  readonly folder: string;
  readonly keys: { agent: string; owner: string };
  restate: LocalRestate;
  /** What API processes believe to be the engine: a test can put a proxy there. */
  ingressUrl: string;
  /** More variables for the processes that are started from now on. */
  environment: Record<string, string> = {};
  /** What the processes wrote to standard error: their logs. */
  logs = "";
  readonly #workerPort: number;
  readonly #processes = new Set<ChildProcess>();

  private constructor(
    given: Pick<Cluster, "database" | "oracle" | "folder" | "keys" | "restate"> & { workerPort: number },
  ) {
    this.database = given.database;
    this.oracle = given.oracle;
    this.folder = given.folder;
    this.keys = given.keys;
    this.restate = given.restate;
    this.ingressUrl = given.restate.ingressUrl;
    this.#workerPort = given.workerPort;
  }

  static async start(engine: Record<string, string> = {}): Promise<Cluster> {
    const folder = await mkdtemp(join(tmpdir(), "paraph-cluster-"));
    const [database, oracle, restate] = await Promise.all([
      testDatabase(),
      new Oracle().start(),
      startRestate({ folder, env: { ...replayEverywhere, ...engine } }),
    ]);
    const keys = await provision(database.ownerUrl, async (p) => {
      await p.tenant("acme");
      await p.principal({ tenant: "acme", id: "owner", kind: "person" });
      await p.principal({ tenant: "acme", id: "agent", kind: "agent", owner: "owner" });
      return { agent: await p.key("acme", "agent"), owner: await p.key("acme", "owner") };
    });
    return new Cluster({ database, oracle, folder, keys, restate, workerPort: await freePort() });
  }

  /** Ends every process in order and leaves the engine and the database. */
  async stopProcesses(): Promise<void> {
    await Promise.all([...this.#processes].map((child) => killed(child, "SIGTERM")));
  }

  /** A process of its own; resolves when it serves. Workers share a port, as several on one machine do. */
  async process(
    roles: string,
    environment: Record<string, string> = {},
  ): Promise<{ child: ChildProcess; url: string; metricsUrl: string; kill(): Promise<void> }> {
    const child = spawn(process.execPath, ["--conditions=paraph-source", "--no-warnings", script], {
      cwd: root,
      stdio: ["pipe", "pipe", "pipe"],
      env: {
        ...fromSource,
        ROLES: roles,
        DATABASE_URL: this.database.url,
        RESTATE_INGRESS_URL: this.ingressUrl,
        RESTATE_ADMIN_URL: this.restate.adminUrl,
        RESTATE_PUBLIC_KEYS: this.restate.publicKey,
        SIGNING_KEY: join(this.folder, "signing.pem"),
        ORACLE_URL: this.oracle.url,
        WORKER_PORT: String(this.#workerPort),
        HTTP_PORT: "0",
        // Tests that kill processes need not wait as long for it to be noticed as a deployment does.
        LEASE_GRACE_MS: "1500",
        // Tests expect to be asked in the answer to a new call, also on a machine that delays a preview for seconds.
        PREVIEW_PATIENCE_MS: "60000",
        ...this.environment,
        ...environment,
      },
    });
    let said = "";
    child.stderr.on("data", (chunk) => {
      said += chunk;
      this.logs += chunk;
    });
    this.#processes.add(child);
    child.once("exit", () => this.#processes.delete(child));
    const line = await firstLine(child, () => said);
    return { child, ...JSON.parse(line), kill: () => killed(child, "SIGKILL") };
  }

  async wipeEngine(): Promise<void> {
    await this.restate.kill();
    await rm(join(this.folder, "restate"), { recursive: true, force: true });
    this.restate = await startRestate({ folder: this.folder, env: replayEverywhere });
  }

  async stop(): Promise<void> {
    await this.stopProcesses();
    await this.restate.stop();
    await this.oracle.stop();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** `PARAPH_TEST_REPLAY=1`: the engine forgets its place at every await and has the handler replay. */
const replayEverywhere: Record<string, string> = process.env.PARAPH_TEST_REPLAY
  ? { RESTATE_WORKER__INVOKER__INACTIVITY_TIMEOUT: "0s" }
  : {};

const root = fileURLToPath(new URL("..", import.meta.url));
const script = fileURLToPath(new URL("../lab/process/main.ts", import.meta.url));

async function firstLine(child: ChildProcess, said: () => string): Promise<string> {
  const lines = createInterface({ input: child.stdout! });
  const line = await Promise.race([
    once(lines, "line").then(([text]) => String(text)),
    once(child, "close").then(() => undefined),
  ]);
  if (line === undefined)
    throw new Error(`the process ended before it was ready: ${said() || "it said nothing"}`);
  return line;
}

async function killed(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, "exit");
}
