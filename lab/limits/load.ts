import { setTimeout as sleep } from "node:timers/promises";
import type { LabClient } from "../lab-client.ts";
import { botIds } from "../lab-cluster.ts";

const callers = ["agent", ...botIds] as const;
const callerCount = 64;

/**
 * Runs concurrent callers until they made this many requests and the limit of calls is used up, and returns how many
 * requests were refused. The callers draw what they request, so some runs need more requests, at most twice as many.
 */
export async function spendLimits(
  client: LabClient,
  calls: number,
  chance: () => number,
  wanted: (number: number) => void,
  isUsedUp: () => Promise<boolean>,
): Promise<{ wanted: number; refused: number }> {
  let number = 0;
  let refused = 0;
  // The time at which callers give up. Otherwise they would repeat their requests forever if Paraph never released a
  // place in a limit. It is the limit of a hang, not a claim about speed.
  const patience = Date.now() + 600_000 + calls * 200;
  const makeNext = async () => {
    const mine = ++number;
    wanted(mine);
    if ((await makeOneCall(client, mine, chance, patience)) === "refused") refused += 1;
  };
  const caller = async () => {
    while (number < calls && Date.now() < patience) await makeNext();
  };
  await Promise.all(Array.from({ length: callerCount }, caller));
  while (number < 2 * calls && Date.now() < patience && !(await isUsedUp()))
    await Promise.all(Array.from({ length: callerCount }, makeNext));
  return { wanted: number, refused };
}

/**
 * Makes one call. Two thirds of the calls spend from the budgets, and the rest use the grant. Once the grant is spent,
 * people deny the calls.
 */
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
    // Paraph accepts a call with a lock first, and the call then waits for its place in the limit. Paraph rejects other
    // calls when a limit is reached, and the caller repeats them.
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

/** Draws a name. Some calls are slow, cost less than reserved, are rejected once, or lose their response. */
function drawName(number: number, isGranted: boolean, chance: () => number): string {
  if (isGranted) return `granted-${number}`;
  const roll = chance();
  const kind =
    roll < 0.4 ? "slow" : roll < 0.6 ? "cheap" : roll < 0.7 ? "flaky" : roll < 0.75 ? "reset" : "plain";
  return `${kind}-${number}`;
}
