import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { findFreePort, type LocalRestate, startRestate } from "@paraph/dev-servers";
import { provision } from "../../../packages/server/src/postgres/index.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";
import { nodeFlags, sourceEnvironment } from "./source-environment.ts";
import { TestOracle } from "./test-oracle.ts";

export interface TestClusterOptions {
  readonly engine?: "postgres" | "restate";
  /** Further variables for Restate. */
  readonly restateEnv?: Record<string, string>;
}

/** Real processes that a test starts and kills. They share one database and one engine. */
export class TestCluster {
  readonly database: TestDatabase;
  readonly oracle: TestOracle;
  readonly folder: string;
  readonly keys: { agent: string; owner: string };
  /** The address of Restate for API processes. A test can put a proxy there. */
  ingressUrl: string | undefined;
  /** Further variables for processes that are started from now on. */
  environment: Record<string, string> = {};
  /** The standard error of the processes, which contains their logs. */
  logs = "";
  #restate: LocalRestate | undefined;
  readonly #workerPort: number;
  readonly #processes = new Set<ChildProcess>();

  private constructor(
    given: Pick<TestCluster, "database" | "oracle" | "folder" | "keys"> & {
      restate: LocalRestate | undefined;
      workerPort: number;
    },
  ) {
    this.database = given.database;
    this.oracle = given.oracle;
    this.folder = given.folder;
    this.keys = given.keys;
    this.#restate = given.restate;
    this.ingressUrl = given.restate?.ingressUrl;
    this.#workerPort = given.workerPort;
  }

  static async start({ engine = "postgres", restateEnv }: TestClusterOptions = {}): Promise<TestCluster> {
    const folder = await mkdtemp(join(tmpdir(), "paraph-cluster-"));
    const [database, oracle, restate] = await Promise.all([
      createTestDatabase(),
      new TestOracle().start(),
      engine === "restate"
        ? startRestate({ folder, env: { ...replayEnvironment, ...restateEnv } })
        : undefined,
    ]);
    const keys = await provision(database.ownerUrl, async (p) => {
      await p.addTenant("acme");
      await p.addPrincipal({ tenant: "acme", id: "owner", kind: "person" });
      await p.addPrincipal({ tenant: "acme", id: "agent", kind: "agent", owner: "owner" });
      return { agent: await p.createKey("acme", "agent"), owner: await p.createKey("acme", "owner") };
    });
    return new TestCluster({ database, oracle, folder, keys, restate, workerPort: await findFreePort() });
  }

  get restate(): LocalRestate {
    if (!this.#restate) throw new Error("The engine of this cluster is PostgreSQL.");
    return this.#restate;
  }

  set restate(restate: LocalRestate) {
    this.#restate = restate;
  }

  /** Stops every process gracefully and leaves the engine and the database running. */
  async stopProcesses(): Promise<void> {
    await Promise.all([...this.#processes].map((child) => killAndWait(child, "SIGTERM")));
  }

  /** Starts a process and resolves when it serves. Workers share a port, as several workers on one machine do. */
  async startProcess(
    roles: string,
    environment: Record<string, string> = {},
  ): Promise<{
    child: ChildProcess;
    url: string;
    metricsUrl: string;
    stop(): Promise<void>;
    kill(): Promise<void>;
  }> {
    const child = spawn(process.execPath, [...nodeFlags, script], {
      cwd: root,
      stdio: ["pipe", "pipe", "pipe"],
      env: {
        ...sourceEnvironment,
        ROLES: roles,
        DATABASE_URL: this.database.url,
        ...(this.ingressUrl !== undefined && {
          RESTATE_INGRESS_URL: this.ingressUrl,
          RESTATE_ADMIN_URL: this.restate.adminUrl,
          RESTATE_PUBLIC_KEYS: this.restate.publicKey,
        }),
        SIGNING_KEY: join(this.folder, "signing.pem"),
        ORACLE_URL: this.oracle.url,
        WORKER_PORT: String(this.#workerPort),
        HTTP_PORT: "0",
        // Tests that kill processes need a shorter grace than a deployment.
        LEASE_GRACE_MS: "1500",
        // Tests expect the approval in the response to a new call, even on a machine that delays a preview for seconds.
        PREVIEW_PATIENCE_MS: "60000",
        // An attempt must not time out because the machine delays the process or the oracle for seconds. API processes
        // perform no attempt with a longer timeout.
        ATTEMPT_TIMEOUT: "30s",
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
    const line = await readFirstLine(child, () => said);
    const stop = () => killAndWait(child, "SIGTERM");
    return { child, ...JSON.parse(line), stop, kill: () => killAndWait(child, "SIGKILL") };
  }

  async wipeEngine(): Promise<void> {
    await this.restate.kill();
    await rm(join(this.folder, "restate"), { recursive: true, force: true });
    this.restate = await startRestate({ folder: this.folder, env: replayEnvironment });
  }

  async stop(): Promise<void> {
    await this.stopProcesses();
    await this.#restate?.stop();
    await this.oracle.stop();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** With `PARAPH_TEST_REPLAY=1`, the engine suspends at every await and replays the handler. */
const replayEnvironment: Record<string, string> = process.env.PARAPH_TEST_REPLAY
  ? { RESTATE_WORKER__INVOKER__INACTIVITY_TIMEOUT: "0s" }
  : {};

const root = fileURLToPath(new URL("..", import.meta.url));
const script = fileURLToPath(new URL("../../../lab/process/main.ts", import.meta.url));

async function readFirstLine(child: ChildProcess, said: () => string): Promise<string> {
  const lines = createInterface({ input: child.stdout! });
  const line = await Promise.race([
    once(lines, "line").then(([text]) => String(text)),
    once(child, "close").then(() => undefined),
  ]);
  if (line === undefined)
    throw new Error(`the process ended before it was ready: ${said() || "it said nothing"}`);
  return line;
}

async function killAndWait(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, "exit");
}
