import { setTimeout as sleep } from "node:timers/promises";
import type { Violation } from "../history/checker.ts";
import type { ClientRecord, LabHistory } from "../history/history.ts";
import { LabClient } from "../lab-client.ts";
import type { LabCluster } from "../lab-cluster.ts";
import { runApprovedCanary, runCanary } from "../storm/canary.ts";

/** The time within which every process must serve again after a fault is over. */
export const maxRecoveryMs = 10_000;

/**
 * The time after which a caller repeats a request without a response. It is longer than the requests wait for a call,
 * and shorter than the time within which every process must serve again.
 */
export const requestMs = 7_000;

/** The processes of a run. */
export interface Fleet {
  /** The URLs of the API processes. */
  readonly urls: readonly string[];
  /** The number of all processes. */
  readonly processes: number;
}

/** The time at which every process serves again, and the part that took longest. */
export interface Service {
  readonly at: number;
  readonly last: string;
}

/**
 * Measures when every process of a cluster serves again after a fault that kills no process. Each API process gets its
 * own calls, and each process must hold its lease.
 */
export class ServiceProbe {
  readonly #cluster: LabCluster;
  readonly #processes: number;
  readonly #clients: readonly LabClient[];
  #probes = 0;

  constructor(cluster: LabCluster, { urls, processes }: Fleet) {
    this.#cluster = cluster;
    this.#processes = processes;
    this.#clients = urls.map((url) => new LabClient(cluster.keys, () => [url], { requestMs }));
  }

  get records(): readonly ClientRecord[] {
    return this.#clients.flatMap(({ records }) => records);
  }

  /**
   * Requests calls from every API process now, although the fault lasts. Resolves when these calls have ended and every
   * process holds its lease. The leases are read after `isOver` resolves.
   */
  async waitUntilServed(isOver: Promise<unknown>): Promise<Service> {
    const probe = ++this.#probes;
    const parts = this.#clients.flatMap((client, api) => [
      nameEnd("a call", runCanary(client, `canary${probe}.${api}`)),
      nameEnd("an approved call", runApprovedCanary(client, `approved${probe}.${api}`)),
    ]);
    const leases = nameEnd(
      "a lease",
      isOver.then(() => this.#waitForLeases()),
    );
    const ends = await Promise.all([...parts, leases]);
    return ends.reduce((a, b) => (b.at > a.at ? b : a));
  }

  async #waitForLeases(): Promise<number> {
    while ((await this.#countHeldLeases()) < this.#processes) await sleep(50);
    return Date.now();
  }

  async #countHeldLeases(): Promise<number> {
    const held = "select from paraph.process_lease where dead_at is null and paraph.lease_held(life)";
    return (await this.#cluster.query(held)).length;
  }
}

const nameEnd = async (last: string, end: Promise<number>): Promise<Service> => ({ at: await end, last });

/**
 * Finds the processes that were declared dead although the run killed none. Call it before the processes stop, because
 * a stopping process ends its lease.
 */
export async function findFalseDeaths(cluster: LabCluster): Promise<Violation[]> {
  const dead = await cluster.query<{ life: number }>(
    "select life from paraph.process_lease where dead_at is not null order by life",
  );
  return dead.map(({ life }) => ({
    rule: "lease",
    call: "-",
    what: `the process with lease ${life} was declared dead and was alive`,
  }));
}

/** The time of a fault. */
export interface FaultPeriod {
  readonly beganAt: number;
  readonly endedAt: number;
}

/**
 * Finds outcomes that are unknown only because Paraph lost sight of an attempt whose process was alive. During a fault
 * that lasts as long as an attempt may take, this can be right: the end of the attempt cannot be recorded in time.
 */
export function findFalseUnknowns({ ledger }: LabHistory, faults: readonly FaultPeriod[]): Violation[] {
  const longFaults = faults.filter(({ beganAt, endedAt }) => endedAt - beganAt > attemptMs);
  return ledger.flatMap(({ call, outcome, events }) => {
    if (outcome?.kind !== "unknown") return [];
    const attempts = events.filter(({ kind }) => kind === "attempted");
    const lost = attempts.find(({ data }) => data.as === "lost");
    if (!lost || attempts.some(({ data }) => data.as === "ambiguous")) return [];
    const isHonest = longFaults.some(
      ({ beganAt, endedAt }) => lost.at > beganAt && lost.at < endedAt + maxRecoveryMs,
    );
    return isHonest
      ? []
      : [{ rule: "unknown", call, what: "is unknown although the process of its attempt never died" }];
  });
}

/** The timeout of an attempt in the configuration of the laboratory, less a margin. */
const attemptMs = 7_000;

export function findSlowRecoveries(
  recoveries: readonly { readonly fault: string; readonly ms: number }[],
): Violation[] {
  return recoveries
    .filter(({ ms }) => ms > maxRecoveryMs)
    .map(({ fault, ms }) => ({
      rule: "service",
      call: "-",
      what: `not every process served ${maxRecoveryMs} ms after the fault (${fault}) was over, but after ${ms} ms`,
    }));
}
