import { setTimeout as delay } from "node:timers/promises";
import { SeededRandom } from "@paraph/core/testing";
import { computeLatency, type Latency } from "../lib/stats.ts";
import {
  type DecisionTiming,
  requestApprovals,
  sendDecision,
  type WaitingCall,
} from "./approval-requests.ts";
import { type ApprovalsCluster, agentIds, approvers } from "./cluster.ts";
import { topicCapabilities } from "./config.ts";
import { findFaults, waitForStarts } from "./wait-for-starts.ts";

/** Decisions at an even pace, as people give them. */
export interface PacedResult {
  readonly perSecond: number;
  readonly seconds: number;
  /** From the moment a decision is sent to the moment its call is begun to be carried out, in milliseconds. */
  readonly toApply: Latency;
  /** From the same moment until the decision is answered. */
  readonly answered: Latency;
  readonly faults: readonly string[];
}

/** Decides so many a second for so long, whatever the answers take; the first few are not measured. */
export async function measurePacedDecisions(
  cluster: ApprovalsCluster,
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
  const measured = asked.slice(unmeasured).map(({ call }, n) => ({
    answered: sent[n + unmeasured] as DecisionTiming,
    begunAt: begun.get(call)?.[0] ?? Number.NaN,
  }));
  return {
    perSecond,
    seconds,
    toApply: computeLatency(measured.map(({ answered, begunAt }) => begunAt - answered.at)),
    answered: computeLatency(measured.map(({ answered }) => answered.ms)),
    faults: findFaults(asked, sent, begun),
  };
}

/** Each within its own part of the time, not on its edge: nothing else that is regular may meet them all or none. */
async function sendAtPace(cluster: ApprovalsCluster, asked: readonly WaitingCall[], everyMs: number) {
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
