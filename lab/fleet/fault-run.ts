import { judgeHistory } from "../history/checker.ts";
import { checkClusterReplay } from "../history/replay.ts";
import type { LabOptions, LabResult } from "../lab.ts";
import { LabClient } from "../lab-client.ts";
import type { LabCluster } from "../lab-cluster.ts";
import { createRandom } from "../random.ts";
import { formatCounts } from "../report/coverage.ts";
import { finishRun } from "../report/finish.ts";
import { computePercentile } from "../report/percentile.ts";
import { describeLoadRun, generateLoad } from "../storm/load.ts";
import {
  type FaultPeriod,
  type Fleet,
  findFalseDeaths,
  findFalseUnknowns,
  findSlowRecoveries,
  requestMs,
  type Service,
  ServiceProbe,
} from "./service.ts";

/** A fault that kills no Paraph process. */
export interface FleetFault {
  readonly name: string;
  /** Begins the fault, and resolves when it has an effect. */
  begin(): Promise<unknown>;
  /** Ends the fault after its time, and resolves when it has no effect any more. */
  end(): Promise<unknown>;
  /** Prepares the next fault, after every process serves again. */
  prepareNext?(): Promise<unknown>;
}

interface Recovery extends Service, FaultPeriod {
  readonly fault: string;
  /** The time from the end of the fault until every process serves again. */
  readonly ms: number;
  readonly outageMs: number;
}

/**
 * Runs calls of every kind while one fault after another begins and ends. Judges the history, and the time until every
 * process serves again after each fault.
 */
export async function runFaultsUnderLoad(
  options: LabOptions,
  cluster: LabCluster,
  fleet: Fleet,
  given: {
    readonly run: string;
    readonly faults: readonly FleetFault[];
    readonly covers: readonly string[];
  },
): Promise<LabResult> {
  const startedAt = Date.now();
  const { run, faults } = given;
  const client = new LabClient(cluster.keys, () => fleet.urls, { requestMs });
  const probe = new ServiceProbe(cluster, fleet);
  const recoveries: Recovery[] = [];
  let isOver = false;
  let made = 0;
  let undisturbedMs = 0;
  const failing = (async () => {
    await probe.waitUntilServed(Promise.resolve());
    const askedAt = Date.now();
    undisturbedMs = (await probe.waitUntilServed(Promise.resolve())).at - askedAt;
    for (const fault of faults) {
      const recovery = await injectFault(fault, probe);
      recoveries.push(recovery);
      options.progress(
        `${recoveries.length}/${faults.length} faults, ${made} calls; ${fault.name}, all served ${recovery.ms} ms after it, last ${recovery.last}`,
      );
      await fault.prepareNext?.();
    }
  })().finally(() => {
    isOver = true;
  });
  const loading = generateLoad(client, {
    calls: options.calls ?? Number.POSITIVE_INFINITY,
    callers: 8,
    chance: createRandom(options.seed),
    made: (count) => {
      made = count;
    },
    isOver: () => isOver,
  });
  await Promise.all([failing, loading]);
  options.progress("letting everything come to rest");
  await cluster.waitForRest();
  const falseDeaths = await findFalseDeaths(cluster);
  const history = await cluster.collectHistory(
    describeLoadRun(run, options, { startedAt, minSucceeded: Math.floor(made * 0.7) }),
    [...client.records, ...probe.records],
  );
  const replay = await checkClusterReplay(cluster);
  const violations = [
    ...(await judgeHistory(history)),
    ...replay.violations,
    ...falseDeaths,
    ...findFalseUnknowns(history, recoveries),
    ...findSlowRecoveries(recoveries),
  ];
  const served = recoveries.map(({ ms }) => ms);
  const outages = recoveries.map(({ outageMs }) => outageMs);
  const figures = {
    calls: history.ledger.length,
    effects: history.oracle.length,
    "calls rebuilt": replay.calls,
    faults: recoveries.length,
    "without a fault ms": undisturbedMs,
    "served again p50 ms": computePercentile(served, 0.5),
    "served again p99 ms": computePercentile(served, 0.99),
    "outage p50 ms": computePercentile(outages, 0.5),
    "outage p99 ms": computePercentile(outages, 0.99),
    "longest fault ms": Math.max(...recoveries.map(({ beganAt, endedAt }) => endedAt - beganAt)),
    seconds: Math.round((Date.now() - startedAt) / 1_000),
  };
  return finishRun(options, history, violations, figures, [
    ...given.covers,
    ...formatCounts(
      "Faults",
      recoveries.map(({ fault }) => fault),
    ),
    "Served again: from the end of a fault until calls through every API process have ended and every process holds its lease.",
    "Without a fault: the time of the same calls under load before the first fault. The limit of ten seconds for `served again` does not depend on it.",
    "Outage: from the beginning of the fault until the same moment.",
    `${replay.calls} calls rebuilt from their events and compared with their rows.`,
  ]);
}

async function injectFault(fault: FleetFault, probe: ServiceProbe): Promise<Recovery> {
  const beganAt = Date.now();
  await fault.begin();
  const ended = fault.end().then(() => Date.now());
  const [endedAt, service] = await Promise.all([ended, probe.waitUntilServed(ended)]);
  // A fault need not affect the probing calls. They may then end before the fault does.
  return {
    ...service,
    fault: fault.name,
    beganAt,
    endedAt,
    ms: Math.max(0, service.at - endedAt),
    outageMs: service.at - beganAt,
  };
}
