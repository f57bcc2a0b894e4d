import { Agent } from "undici";
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

const maxConnections = 500;

/** The result of sending one decision on each approval. All decisions are sent before the first response arrives. */
export interface ConcurrentResult {
  readonly decisions: number;
  /** The seconds until the last response, and until the last call was started. */
  readonly answeredSeconds: number;
  readonly begunSeconds: number;
  readonly decisionsPerSecond: number;
  readonly answered: Latency;
  readonly toApply: Latency;
  readonly faults: readonly string[];
}

export async function measureConcurrentDecisions(
  cluster: ApprovalsCluster,
  decisions: number,
): Promise<ConcurrentResult> {
  const asked = await requestApprovals(
    cluster,
    Array.from({ length: decisions }, (_, n) => ({
      agent: agentIds[n % agentIds.length] as string,
      capability: topicCapabilities[n % topicCapabilities.length] as string,
    })),
  );
  const { answers, seconds, startedAt } = await sendAllDecisions(cluster, asked, () => "approve");
  const begun = await waitForStarts(cluster, asked);
  const firsts = asked.map(({ call }) => begun.get(call)?.[0] ?? Number.NaN);
  return {
    decisions,
    answeredSeconds: seconds,
    begunSeconds: (Math.max(...firsts) - startedAt) / 1_000,
    decisionsPerSecond: decisions / seconds,
    answered: computeLatency(answers.map(({ ms }) => ms)),
    toApply: computeLatency(firsts.map((at, n) => at - (answers[n]?.at ?? Number.NaN))),
    faults: findFaults(asked, answers, begun),
  };
}

/** The result of many decisions on one approval, alternating approve and deny, by several people. */
export interface ContentionResult {
  readonly decisions: number;
  readonly seconds: number;
  readonly answered: Latency;
  readonly counted: number;
  readonly outcome: string;
  readonly receipts: number;
  readonly effects: number;
  readonly faults: readonly string[];
}

/** [TRUST 4] Sends many concurrent decisions on one approval. Exactly one of them must count. */
export async function measureContention(
  cluster: ApprovalsCluster,
  decisions: number,
): Promise<ContentionResult> {
  const [asked] = await requestApprovals(cluster, [
    { agent: agentIds[0] as string, capability: topicCapabilities[0] as string },
  ]);
  const same = Array.from({ length: decisions }, () => asked as WaitingCall);
  const { answers, seconds } = await sendAllDecisions(cluster, same, (n) =>
    n % 3 === 2 ? "deny" : "approve",
  );
  const begun = await waitForStarts(cluster, [asked as WaitingCall]);
  const [row] = await cluster.query<{ outcome: string; receipts: number; ended: number }>(
    `select c.outcome, (select count(*)::int from paraph.receipt r where r.call = c.id) as receipts,
            (select count(*)::int from paraph.event e where e.call = c.id and e.kind = 'closed') as ended
     from paraph.call c where c.id = $1`,
    [asked?.call],
  );
  const effects = begun.get(asked?.call ?? "")?.length ?? 0;
  const counted = answers.filter(({ status }) => status === 200).length;
  const { outcome = "none", receipts = 0, ended = 0 } = row ?? {};
  const wrong = answers.find(
    ({ status, code }) => status !== 200 && !(status === 409 && code === "approval-closed"),
  );
  return {
    decisions,
    seconds,
    answered: computeLatency(answers.map(({ ms }) => ms)),
    counted,
    outcome,
    receipts,
    effects,
    faults: [
      ...(wrong ? [`a decision was answered with ${wrong.status} ${wrong.code}`] : []),
      ...(counted === 1 ? [] : [`${counted} decisions counted`]),
      ...(receipts === 1 && ended === 1 ? [] : [`${receipts} receipts, ${ended} endings`]),
      ...(effects === (outcome === "succeeded" ? 1 : 0) ? [] : [`${outcome}, carried out ${effects} times`]),
    ],
  };
}

/**
 * Sends all decisions before the first response arrives. Each connection carries several decisions, because the machine
 * would otherwise spend its time refusing connections. Only the decisions are meant to compete.
 */
async function sendAllDecisions(
  cluster: ApprovalsCluster,
  asked: readonly WaitingCall[],
  decisionOf: (n: number) => "approve" | "deny",
): Promise<{ answers: readonly DecisionTiming[]; seconds: number; startedAt: number }> {
  const minutes = 5 * 60_000;
  const dispatcher = new Agent({
    connections: maxConnections,
    pipelining: Math.ceil(asked.length / maxConnections),
    connectTimeout: minutes,
    headersTimeout: minutes,
    bodyTimeout: minutes,
  });
  const startedAt = Date.now();
  const started = performance.now();
  const answers = await Promise.all(
    asked.map((each, n) =>
      sendDecision(
        cluster,
        each,
        { person: approvers[n % approvers.length] as string, decision: decisionOf(n) },
        dispatcher,
      ),
    ),
  );
  const seconds = (performance.now() - started) / 1_000;
  await dispatcher.close();
  return { answers, seconds, startedAt };
}
