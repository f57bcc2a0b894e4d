import { migrateDatabase } from "../../packages/server/src/postgres/index.ts";
import { judgeHistory, type Violation } from "../history/checker.ts";
import type { LabHistory } from "../history/history.ts";
import { checkClusterReplay } from "../history/replay.ts";
import type { LabOptions, LabResult } from "../lab.ts";
import { LabClient } from "../lab-client.ts";
import { LabCluster } from "../lab-cluster.ts";
import type { LabProcess } from "../lab-process.ts";
import { createRandom } from "../random.ts";
import { finishRun } from "../report/finish.ts";
import { runApprovedCanary } from "../storm/canary.ts";
import { describeLoadRun, generateLoad, loadGrant } from "../storm/load.ts";
import { checkOutPrevious, type PreviousVersion } from "./previous-version.ts";

const capability = "asked.keyed";

/**
 * Upgrades a fleet under load, while approvals wait: the new version is refused before the migration, the database is
 * migrated while the previous version runs, and the processes are replaced one by one.
 */
export async function runUpgrade(options: LabOptions): Promise<LabResult> {
  const approvals = options.calls ?? (options.quick ? 100 : 1_000);
  const startedAt = Date.now();
  options.progress("checking out the previous version, and starting it on its own schema");
  const previous = await checkOutPrevious(options.from);
  const cluster = await LabCluster.start({
    engine: options.engine,
    hooks: true,
    migrate: previous.migrate,
  }).catch(async (error) => {
    await previous.remove();
    throw error;
  });
  try {
    await cluster.createGrant(loadGrant);
    const fleet = new UpgradedFleet(cluster, previous);
    await fleet.start();
    const waiting = new WaitingApprovals(fleet);
    await waiting.open(approvals, options.progress);
    const upgraded = await upgradeUnderLoad(options, cluster, fleet, waiting);
    options.progress("letting everything come to rest");
    await cluster.waitForRest();
    const history = await cluster.collectHistory(
      describeLoadRun("upgrade", options, { startedAt, minSucceeded: approvals }),
      upgraded.records,
    );
    const replay = await checkClusterReplay(cluster);
    const violations = [
      ...(await judgeHistory(history)),
      ...replay.violations,
      ...fleet.violations,
      ...waiting.findLost(history),
    ];
    const figures = {
      calls: history.ledger.length,
      effects: history.oracle.length,
      "waiting approvals": approvals,
      "migration ms": upgraded.migrationMs,
      "longest call during it ms": upgraded.longestCallMs,
      "longest drain ms": Math.max(...fleet.drains),
      "failed while draining": fleet.failedWhileDraining,
      seconds: Math.round((Date.now() - startedAt) / 1_000),
    };
    return await finishRun(options, history, violations, figures, [
      `2 API processes and 2 workers of commit ${previous.commit}, replaced one by one by this version; ${cluster.engineText}; 8 callers.`,
      "Before the migration, the new version is started once and must be refused.",
      "A third of the waiting approvals is decided before the migration, a third by a fleet of both versions, and the rest by the new version.",
      "A response with a 5xx status, or no response, breaks a rule unless its process was stopping.",
      `${replay.calls} calls rebuilt from their events and compared with their rows.`,
    ]);
  } finally {
    await cluster.stop();
    await previous.remove();
  }
}

/** Runs the steps of the upgrade while callers make calls. */
async function upgradeUnderLoad(
  options: LabOptions,
  cluster: LabCluster,
  fleet: UpgradedFleet,
  waiting: WaitingApprovals,
) {
  const client = fleet.createClient();
  let isOver = false;
  let migrationMs = 0;
  let longestCallMs = 0;
  const upgrading = (async () => {
    options.progress("starting the new version on the old schema, which must be refused");
    await fleet.requireRefusal();
    await waiting.approve(1 / 3);
    options.progress("migrating the database");
    const began = Date.now();
    const migrating = migrateDatabase(cluster.ownerUrl).then(() => {
      migrationMs = Date.now() - began;
    });
    for (let number = 1; migrationMs === 0; number++) {
      const asked = Date.now();
      await runApprovedCanary(client, `during-migration${number}`);
      longestCallMs = Math.max(longestCallMs, Date.now() - asked);
    }
    await migrating;
    for (const [index, role] of (["worker", "api", "worker", "api"] as const).entries()) {
      options.progress(`replacing process ${index + 1} of 4 (${role})`);
      await fleet.replace(role);
      if (index === 1) await waiting.approve(1 / 2);
    }
    await waiting.approve(1);
  })().finally(() => {
    isOver = true;
  });
  const loading = generateLoad(client, {
    calls: Number.POSITIVE_INFINITY,
    callers: 8,
    chance: createRandom(options.seed),
    made: () => {},
    isOver: () => isOver,
  });
  await Promise.all([upgrading, loading]);
  return { records: [...client.records, ...waiting.records], migrationMs, longestCallMs };
}

/** Two API processes and two workers that are replaced by a new version. */
class UpgradedFleet {
  readonly violations: Violation[] = [];
  readonly drains: number[] = [];
  failedWhileDraining = 0;
  readonly #cluster: LabCluster;
  readonly #previous: PreviousVersion;
  readonly #old: { readonly role: "api" | "worker"; readonly running: LabProcess }[] = [];
  readonly #urls: string[] = [];
  /** The URLs of processes that were told to stop. */
  readonly #stopping = new Set<string>();

  constructor(cluster: LabCluster, previous: PreviousVersion) {
    this.#cluster = cluster;
    this.#previous = previous;
  }

  async start(): Promise<void> {
    const { workspace } = this.#previous;
    for (const role of ["worker", "worker", "api", "api"] as const) {
      const running = await this.#cluster.startProcess(role, {}, { workspace });
      this.#old.push({ role, running });
      if (role === "api") this.#urls.push(running.ready.url);
    }
  }

  /** Creates a client that reports every failure of a process that was not told to stop. */
  createClient(): LabClient {
    return new LabClient(this.#cluster.keys, () => this.#urls, {
      onFailure: (url, status) => {
        if (this.#stopping.has(url)) this.failedWhileDraining++;
        else this.violations.push({ rule: "service", call: "-", what: `a running process: ${status}` });
      },
    });
  }

  /** Starts the new version, which must exit before it is ready. */
  async requireRefusal(): Promise<void> {
    const logs = this.#cluster.logs.length;
    const started = await this.#cluster.startProcess("api,worker").catch(() => undefined);
    if (started) await started.end();
    const reason = this.#cluster.logs.slice(logs);
    if (started || !reason.includes("schema-older"))
      this.violations.push({ rule: "schema", call: "-", what: "the new version was not refused" });
  }

  /** Starts a process of the new version, then stops one of the old version with the same role. */
  async replace(role: "api" | "worker"): Promise<void> {
    const next = await this.#cluster.startProcess(role);
    const index = this.#old.findIndex((each) => each.role === role);
    const { running } = this.#old[index]!;
    this.#old.splice(index, 1);
    if (role === "api") {
      // A load balancer takes the process out before it is told to stop. Requests that it has already received end.
      this.#urls.splice(this.#urls.indexOf(running.ready.url), 1, next.ready.url);
      this.#stopping.add(running.ready.url);
    }
    const began = Date.now();
    await running.end();
    this.drains.push(Date.now() - began);
  }
}

/** Calls that wait for an approval during the upgrade. */
class WaitingApprovals {
  readonly #client: LabClient;
  readonly #keys: string[] = [];
  readonly #open = new Map<string, string>();

  constructor(fleet: UpgradedFleet) {
    this.#client = fleet.createClient();
  }

  get records() {
    return this.#client.records;
  }

  async open(count: number, progress: (text: string) => void): Promise<void> {
    const openOne = async (number: number) => {
      const key = `waiting${number}`;
      const { call = "" } = await this.#client.call(key, capability, { name: key });
      this.#keys.push(key);
      this.#open.set(key, call);
      if (number % 100 === 0) progress(`${number}/${count} approvals wait`);
    };
    await inParallel(8, count, (index) => openOne(index + 1));
  }

  /** Approves a share of the calls that still wait, and waits until they have ended. */
  async approve(share: number): Promise<void> {
    const chosen = [...this.#open].slice(0, Math.ceil(this.#open.size * share));
    await inParallel(8, chosen.length, async (index) => {
      const [key, call] = chosen[index]!;
      this.#open.delete(key);
      const approval = await this.#client.findApproval(call);
      if (approval) await this.#client.decide(approval.id, "approve", approval.digest);
      while ((await this.#client.getCall(key, capability, call, 5)).state !== "closed");
    });
  }

  /** Finds the calls that did not succeed. The rules of the history find those that were performed twice. */
  findLost({ ledger }: LabHistory): Violation[] {
    const succeeded = new Set(
      ledger.filter(({ outcome }) => outcome?.kind === "succeeded").map(({ key }) => key),
    );
    return this.#keys
      .filter((key) => !succeeded.has(key))
      .map((key) => ({ rule: "lost", call: key, what: "waited for an approval and did not succeed" }));
  }
}

async function inParallel(
  lanes: number,
  count: number,
  body: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await body(next++);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
