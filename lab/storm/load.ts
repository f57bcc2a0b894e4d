import type { LabOptions } from "../lab.ts";
import type { LabClient } from "../lab-client.ts";
import { simulatePeople } from "./simulate-people.ts";
import { runOnePlan } from "./simulate-plans.ts";

/** The kinds of calls of the load, with their share in percent. */
const loadProfile = [
  [5, "free.keyed"],
  [5, "free.natural"],
  [10, "free.probe"],
  [5, "free.none"],
  [5, "free.read"],
  [15, "asked.keyed"],
  [5, "paired.keyed"],
  [5, "asked.probe"],
  [5, "asked.natural"],
  [5, "granted"],
  [5, "checked.keyed"],
  [3, "costly.keyed"],
  [2, "costly.none"],
  [10, "locked"],
  [5, "doubtful"],
  [10, "plan"],
] as const;
type LoadKind = (typeof loadProfile)[number][1];

/** The grant that some calls of the load use. */
export const loadGrant = {
  id: "grant_load",
  capability: "asked.natural",
  bounds: { name: { startsWith: "granted-" } },
  countLeft: 1_000_000,
} as const;

/** Describes a run with this load, for its history. */
export function describeLoadRun(
  run: string,
  { seed }: LabOptions,
  { startedAt, minSucceeded }: { startedAt: number; minSucceeded: number },
) {
  const granted = { [loadGrant.id]: { count: loadGrant.countLeft } };
  return { run, seed, startedAt, minSucceeded, granted };
}

/**
 * Runs concurrent callers until they made this many calls, or until `isOver` returns true. Each waits for its outcome,
 * whichever process dies meanwhile.
 */
export async function generateLoad(
  client: LabClient,
  options: {
    calls: number;
    callers: number;
    chance: () => number;
    made: (count: number) => void;
    isOver?: () => boolean;
  },
): Promise<void> {
  let count = 0;
  const caller = async () => {
    while (count < options.calls && !options.isOver?.()) {
      const number = ++count;
      options.made(number);
      await makeOneCall(client, number, options.chance);
    }
  };
  await Promise.all(Array.from({ length: options.callers }, caller));
}

async function makeOneCall(client: LabClient, number: number, chance: () => number): Promise<void> {
  const wish = drawKind(chance);
  if (wish === "plan") return runOnePlan(client, number, chance);
  const capability = toCapability(wish);
  const trouble = chance() < 0.05 ? (chance() < 0.5 ? "flaky-" : "reset-") : "";
  const input = {
    name: `${wish === "granted" ? "granted-" : wish === "doubtful" ? drawLossPrefix(chance) : trouble}n${number}`,
    ...(capability.startsWith("costly.") && { cents: Math.floor(chance() * 1_000) }),
    ...(wish === "locked" && { lock: `door${Math.floor(chance() * 5)}` }),
  };
  const key = `k${number}`;
  // Sends the same request several times concurrently, as impatient clients and retrying proxies do.
  const copies = chance() < 0.1 ? 2 + Math.floor(chance() * 3) : 1;
  const answers = await Promise.all(
    Array.from({ length: copies }, () => client.call(key, capability, input)),
  );
  const { call } = answers[0]!;
  if (call === undefined) return;
  await simulatePeople(client, { key, capability, call }, chance, answers[0]!);
}

function toCapability(wish: Exclude<LoadKind, "plan">): string {
  switch (wish) {
    case "locked":
      return "free.keyed";
    case "granted":
      return loadGrant.capability;
    case "doubtful":
      return "free.none";
    default:
      return wish;
  }
}

/**
 * Draws a prefix that makes the oracle lose the request before the effect, or the response after it. The outcome is
 * unknown until a person resolves it.
 */
const drawLossPrefix = (chance: () => number) => (chance() < 0.5 ? "cut-" : "reset-");

function drawKind(chance: () => number): LoadKind {
  let left = chance() * 100;
  for (const [weight, wish] of loadProfile) {
    left -= weight;
    if (left < 0) return wish;
  }
  return "free.keyed";
}
