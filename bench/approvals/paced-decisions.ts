import { setTimeout as delay } from "node:timers/promises";
import { SeededRandom } from "@paraph/core/testing";
import { computeLatency, type Latency } from "../lib/stats.ts";
import {
  type DecisionTiming,
  requestApprovals,
  sendDecision,
  type WaitingCall,
} from "./approval-requests.ts";
import { agentIds, approvers, type DecisionCluster } from "./cluster.ts";
import { topicCapabilities } from "./config.ts";
import { findFaults, readCloseTimes, waitForStarts } from "./wait-for-starts.ts";

/** The result of decisions at an even pace, as people make them. */
export interface PacedResult {
  readonly perSecond: number;
  readonly seconds: number;
  /** The milliseconds from sending a decision to the start of its call. */
  readonly toApply: Latency;
  /** The milliseconds from sending a decision to the end of its call, as the row of the call records it. */
  readonly toClosed: Latency;
  /** The milliseconds from sending a decision to its response. */
  readonly answered: Latency;
  readonly faults: readonly string[];
}

/** Sends this many decisions per second, however long responses take. The first few are not measured. */
export async function measurePacedDecisions(
  cluster: DecisionCluster,
  { perSecond, seconds, unmeasured }: { perSecond: number; seconds: number; unmeasured: number },
): Promise<PacedResult> {
  const count = unmeasured + perSecond * seconds;
  const asked = await requestApprovals(
    cluster,
    Array.from({ length: count }, (_, n) => ({
      agent: agentIds[n % agentIds.length] as string,
      capability: topicCapabilities[n % topicCapabilities.length] as string,
    })),
  );
  const sent = await Promise.all(await sendAtPace(cluster, asked, 1_000 / perSecond));
  const begun = await waitForStarts(cluster, asked);
  const closed = await readCloseTimes(cluster, asked);
  const measured = asked.slice(unmeasured).map(({ call }, n) => ({
    answered: sent[n + unmeasured] as DecisionTiming,
    begunAt: begun.get(call)?.[0] ?? Number.NaN,
    closedAt: closed.get(call) ?? Number.NaN,
  }));
  return {
    perSecond,
    seconds,
    toApply: computeLatency(measured.map(({ answered, begunAt }) => begunAt - answered.at)),
    toClosed: computeLatency(measured.map(({ answered, closedAt }) => closedAt - answered.at)),
    answered: computeLatency(measured.map(({ answered }) => answered.ms)),
    faults: findFaults(asked, sent, begun),
  };
}

/**
 * Sends each decision at a random time within its own interval. Otherwise another regular event could coincide with all
 * decisions or with none.
 */
async function sendAtPace(cluster: DecisionCluster, asked: readonly WaitingCall[], everyMs: number) {
  const random = new SeededRandom("paced");
  const started = performance.now();
  const sent: Promise<DecisionTiming>[] = [];
  for (const [n, each] of asked.entries()) {
    await delay(Math.max(0, started + (n + random.chance()) * everyMs - performance.now()));
    const person = approvers[n % approvers.length] as string;
    sent.push(sendDecision(cluster, each, { person, decision: "approve" }));
  }
  return sent;
}
