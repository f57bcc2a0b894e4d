import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type FleetFault, runFaultsUnderLoad } from "../fleet/fault-run.ts";
import type { LabOptions, LabResult } from "../lab.ts";
import { LabCluster } from "../lab-cluster.ts";
import { createRandom } from "../random.ts";
import { ProcessPool } from "../storm/fault-schedule.ts";
import { loadGrant } from "../storm/load.ts";
import { mountSmallDisk, type SmallDisk } from "./small-disk.ts";

/**
 * Runs calls of every kind on two API processes and two workers, while a dependency does not work: PostgreSQL's disk is
 * full, PostgreSQL is read-only, signing fails, and Restate is absent or frozen if it is the engine.
 */
export async function runOutage(options: LabOptions): Promise<LabResult> {
  options.progress("starting the engine, PostgreSQL, the oracle, two API processes and two workers");
  const disk = await mountSmallDisk();
  try {
    const cluster = await LabCluster.start({ engine: options.engine, hooks: true, disk: disk.folder });
    try {
      // The write-ahead log must leave room for the tables on the small disk.
      await setServer(cluster, "max_wal_size", "'128MB'");
      await cluster.createGrant(loadGrant);
      const signerFault = join(cluster.folder, "signer-fails");
      const pool = await ProcessPool.start(cluster, 2, 2, { SIGNER_FAULT: signerFault });
      const kinds = [
        createFullDisk(cluster, disk),
        createFullLog(cluster, disk),
        createReadOnlyDatabase(cluster),
        createSignerFault(signerFault),
        ...(cluster.nodes.length > 0 ? [createAbsentEngine(cluster), createFrozenEngine(cluster)] : []),
      ];
      const chance = createRandom(options.seed + 1);
      const count = options.kills ?? kinds.length * (options.quick ? 1 : 10);
      const faults = Array.from({ length: count }, (_, number) =>
        kinds[number % kinds.length]!(1_000 + chance() * 5_000),
      );
      return await runFaultsUnderLoad(
        options,
        cluster,
        { urls: pool.urls(), processes: 4 },
        {
          run: "outage",
          faults,
          covers: [
            `2 API processes, 2 workers, PostgreSQL on a disk of 512 MB, ${cluster.engineText}; 8 callers.`,
            "Each fault lasts between one and six seconds. If PostgreSQL exits because of its full disk, it is started again when there is space.",
          ],
        },
      );
    } finally {
      await cluster.stop();
    }
  } finally {
    disk.remove();
  }
}

/** Creates a fault that lasts for the given time. */
type FaultKind = (ms: number) => FleetFault;

const defineFault =
  (name: string, begin: () => Promise<unknown>, end: () => Promise<unknown>): FaultKind =>
  (ms) => ({ name, begin, end: () => sleep(ms).then(end) });

const createFullDisk = (cluster: LabCluster, disk: SmallDisk): FaultKind =>
  defineFault("disk full", disk.fill, async () => {
    await disk.free();
    await waitForPostgres(cluster);
  });

/** Creates a full disk on which PostgreSQL needs the next segment of its log. PostgreSQL then crashes. */
const createFullLog = (cluster: LabCluster, disk: SmallDisk): FaultKind => {
  const createFault = createFullDisk(cluster, disk);
  return (ms) => ({
    ...createFault(ms),
    name: "disk full, PostgreSQL crashed",
    begin: async () => {
      await disk.fill();
      await exhaustLog(cluster);
    },
  });
};

/** Begins new segments of the log until PostgreSQL crashes. Each segment takes 16 MB. */
async function exhaustLog(cluster: LabCluster): Promise<void> {
  for (let segment = 0; segment < 100; segment++) {
    try {
      await cluster.query("select pg_logical_emit_message(false, 'lab', ''), pg_switch_wal()");
    } catch {
      return;
    }
  }
  throw new Error("PostgreSQL did not crash although its disk is full");
}

const createReadOnlyDatabase = (cluster: LabCluster): FaultKind =>
  defineFault(
    "database read-only",
    () => setServer(cluster, "default_transaction_read_only", "on"),
    () => setServer(cluster, "default_transaction_read_only", "off"),
  );

const createSignerFault = (file: string): FaultKind =>
  defineFault(
    "signing fails",
    () => writeFile(file, ""),
    () => rm(file),
  );

const createAbsentEngine = (cluster: LabCluster): FaultKind =>
  defineFault(
    "engine absent",
    () => cluster.nodes[0]!.kill(),
    () => cluster.restartNode(0),
  );

const createFrozenEngine = (cluster: LabCluster): FaultKind =>
  defineFault(
    "engine frozen",
    async () => process.kill(cluster.nodes[0]!.pid, "SIGSTOP"),
    async () => process.kill(cluster.nodes[0]!.pid, "SIGCONT"),
  );

/** Waits until PostgreSQL answers. It ends itself if it cannot write its log, and is then started again. */
async function waitForPostgres(cluster: LabCluster): Promise<void> {
  for (;;) {
    const { exited } = cluster.postgres;
    const hasExited = await Promise.race([exited.then(() => true), sleep(50, false)]);
    if (hasExited) return cluster.restartPostgres();
    try {
      await cluster.query("select");
      return;
    } catch {
      // PostgreSQL recovers from its crash.
    }
  }
}

/** Changes a setting of the running PostgreSQL. */
async function setServer(cluster: LabCluster, name: string, value: string): Promise<void> {
  await cluster.query(`alter system set ${name} = ${value}`);
  await cluster.query("select pg_reload_conf()");
}
