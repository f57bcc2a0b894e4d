import { setTimeout as delay } from "node:timers/promises";
import { SeededRandom } from "@paraph/core/testing";
import { type Latency, latencyOf } from "../lib/stats.ts";
import { type Answered, type Asked, askAll, decide } from "./asking.ts";
import { agents, type Cluster, people } from "./cluster.ts";
import { topics } from "./config.ts";
import { faultsOf, performed } from "./performed.ts";

/** Decisions at an even pace, as people give them. */
export interface Paced {
  readonly perSecond: number;
  readonly seconds: number;
  /** From the moment a decision is sent to the moment its call is begun to be carried out, in milliseconds. */
  readonly toApply: Latency;
  /** From the same moment until the decision is answered. */
  readonly answered: Latency;
  readonly faults: readonly string[];
}

/** Decides so many a second for so long, whatever the answers take; the first few are not measured. */
export async function decideAtPace(
  cluster: Cluster,
  { perSecond, seconds, unmeasured }: { perSecond: number; seconds: number; unmeasured: number },
): Promise<Paced> {
  const count = unmeasured + perSecond * seconds;
  const asked = await askAll(
    cluster,
    Array.from({ length: count }, (_, n) => ({
      agent: agents[n % agents.length] as string,
      capability: topics[n % topics.length] as string,
    })),
  );
  const sent = await Promise.all(await sentAtPace(cluster, asked, 1_000 / perSecond));
  const begun = await performed(cluster, asked);
  const measured = asked.slice(unmeasured).map(({ call }, n) => ({
    answered: sent[n + unmeasured] as Answered,
    begunAt: begun.get(call)?.[0] ?? Number.NaN,
  }));
  return {
    perSecond,
    seconds,
    toApply: latencyOf(measured.map(({ answered, begunAt }) => begunAt - answered.at)),
    answered: latencyOf(measured.map(({ answered }) => answered.ms)),
    faults: faultsOf(asked, sent, begun),
  };
}

/** Each within its own part of the time, not on its edge: nothing else that is regular may meet them all or none. */
async function sentAtPace(cluster: Cluster, asked: readonly Asked[], everyMs: number) {
  const random = new SeededRandom("paced");
  const started = performance.now();
  const sent: Promise<Answered>[] = [];
  for (const [n, each] of asked.entries()) {
    await delay(Math.max(0, started + (n + random.chance()) * everyMs - performance.now()));
    const person = people[n % people.length] as string;
    sent.push(decide(cluster, each, { person, decision: "approve" }));
  }
  return sent;
}
