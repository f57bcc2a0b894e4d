import type { LabClient } from "../client.ts";

/** What one caller may want, how often of a hundred, and how it is answered. */
const wishes = [
  [20, "free.keyed"],
  [5, "free.natural"],
  [10, "free.probe"],
  [5, "free.none"],
  [15, "free.read"],
  [10, "asked.keyed"],
  [5, "asked.probe"],
  [5, "asked.natural"],
  [5, "granted"],
  [5, "checked.keyed"],
  [3, "costly.keyed"],
  [2, "costly.none"],
  [10, "locked"],
] as const;

/** A yes in advance, for the calls that wish for one. */
export const loadGrant = {
  ...{ id: "grant_load", capability: "asked.natural" },
  ...{ bounds: { name: { startsWith: "granted-" } }, countLeft: 1_000_000 },
} as const;

/** Callers side by side until so many calls were made; each waits for its outcome, whatever dies meanwhile. */
export async function load(
  client: LabClient,
  options: { calls: number; callers: number; chance: () => number; made: (count: number) => void },
): Promise<void> {
  let count = 0;
  const caller = async () => {
    while (count < options.calls) {
      const number = ++count;
      options.made(number);
      await oneCall(client, number, options.chance);
    }
  };
  await Promise.all(Array.from({ length: options.callers }, caller));
}

async function oneCall(client: LabClient, number: number, chance: () => number): Promise<void> {
  const wish = choose(chance);
  const capability = wish === "locked" ? "free.keyed" : wish === "granted" ? loadGrant.capability : wish;
  const trouble = chance() < 0.05 ? (chance() < 0.5 ? "flaky-" : "reset-") : "";
  const input = {
    name: wish === "granted" ? `granted-n${number}` : `${trouble}n${number}`,
    ...(capability.startsWith("costly.") && { cents: Math.floor(chance() * 1_000) }),
    ...(wish === "locked" && { lock: `door${Math.floor(chance() * 5)}` }),
  };
  const key = `k${number}`;
  // Duplicate delivery: the same request several times at once, as impatient clients and retrying proxies do.
  const copies = chance() < 0.1 ? 2 + Math.floor(chance() * 3) : 1;
  const answers = await Promise.all(
    Array.from({ length: copies }, () => client.call(key, capability, input)),
  );
  const { call } = answers[0]!;
  if (call === undefined) return;
  const decision = chance() < 0.15 ? "deny" : "approve";
  // A call that never ends is not waited for either: it stays open, and the checker names it.
  const patience = Date.now() + 120_000;
  for (
    let view = answers[0]!;
    view.state !== "closed" && Date.now() < patience;
    view = await client.look(key, capability, call, 5)
  ) {
    const asked = view.waiting?.approval;
    if (!asked) continue;
    const voices = chance() < 0.2 ? 3 : 1;
    await Promise.all(Array.from({ length: voices }, () => client.decide(asked.id, decision, asked.digest)));
  }
}

function choose(chance: () => number): (typeof wishes)[number][1] {
  let left = chance() * 100;
  for (const [weight, wish] of wishes) {
    left -= weight;
    if (left < 0) return wish;
  }
  return "free.keyed";
}
