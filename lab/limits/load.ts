import { setTimeout as sleep } from "node:timers/promises";
import type { LabClient } from "../lab-client.ts";
import { botIds } from "../lab-cluster.ts";

const callers = ["agent", ...botIds] as const;

/** 64 callers side by side until so many calls were wanted; how many of those were not even taken. */
export async function spendLimits(
  client: LabClient,
  calls: number,
  chance: () => number,
  wanted: (number: number) => void,
): Promise<{ refused: number }> {
  let number = 0;
  let refused = 0;
  // Where a place is never given back, everybody would come again for ever.
  const patience = Date.now() + 60_000 + calls * 200;
  const caller = async () => {
    while (number < calls && Date.now() < patience) {
      const mine = ++number;
      wanted(mine);
      if ((await makeOneCall(client, mine, chance, patience)) === "refused") refused += 1;
    }
  };
  await Promise.all(Array.from({ length: 64 }, caller));
  return { refused };
}

/** Two of three spend from the budgets, the third lives on the grant: once that is spent, people say no. */
async function makeOneCall(
  client: LabClient,
  number: number,
  chance: () => number,
  patience: number,
): Promise<"made" | "refused"> {
  const isGranted = chance() < 0.33;
  const capability = isGranted ? "asked.keyed" : chance() < 0.75 ? "costly.keyed" : "costly.none";
  const as = callers[number % callers.length]!;
  const input = {
    name: drawName(number, isGranted, chance),
    cents: 1 + Math.floor(chance() * 100),
    // What takes a lock is accepted first and waits for its place afterwards; the rest is told to come again.
    ...(chance() < 0.4 && { lock: `lock${number}` }),
  };
  const key = `k${number}`;
  let view = await client.call(key, capability, input, { as });
  while (view.code === "limit-reached" && view.resetAt === undefined && Date.now() < patience) {
    await sleep(100 + chance() * 400);
    view = await client.call(key, capability, input, { as });
  }
  const { call } = view;
  if (call === undefined) return "refused";
  while (view.state !== "closed" && Date.now() < patience) {
    const asked = view.waiting?.approval;
    if (asked) await client.decide(asked.id, "deny", asked.digest);
    view = await client.getCall(key, capability, call, 5);
  }
  return "made";
}

/** Some are slow, cost less than was set aside, are turned away once, or lose their answer. */
function drawName(number: number, isGranted: boolean, chance: () => number): string {
  if (isGranted) return `granted-${number}`;
  const roll = chance();
  const kind =
    roll < 0.4 ? "slow" : roll < 0.6 ? "cheap" : roll < 0.7 ? "flaky" : roll < 0.75 ? "reset" : "plain";
  return `${kind}-${number}`;
}
