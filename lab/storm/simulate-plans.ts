import { type PlanRequest, planCapability } from "@paraph/core";
import type { LabClient } from "../lab-client.ts";
import { answerApproval, drawIntention, hangMs } from "./simulate-people.ts";

type PlanRequestStep = PlanRequest["steps"][number];

/** The kinds of steps. A step that takes a value needs its own approval once the value is known. */
const stepKinds = [
  ...["reversible.keyed", "reversible.none", "reversible.natural", "reversible.probe"],
  ...["free.keyed", "asked.keyed", "asked.probe", "paired.keyed", "checked.keyed", "taking"],
] as const;

/**
 * Runs a plan of three to six steps. People approve the plan, sometimes without every step, and decide on its steps.
 * They may also withdraw or undo the plan.
 */
export async function runOnePlan(client: LabClient, number: number, chance: () => number): Promise<void> {
  const key = `p${number}`;
  const document = drawPlan(number, chance);
  const copies = chance() < 0.1 ? 2 : 1;
  const [first] = await Promise.all(
    Array.from({ length: copies }, () => client.call(key, planCapability, document)),
  );
  const { call } = first!;
  if (call === undefined) return;
  const outcome = await followPlan(client, { key, call, document }, chance);
  if (outcome !== "succeeded" || chance() < 0.7) return;
  const { body } = await client.act("agent", { kind: "undo", call });
  if (body.call !== undefined) await followPlan(client, { key: `undo:${call}`, call: body.call }, chance);
}

function drawPlan(number: number, chance: () => number): PlanRequest {
  const roll = <T>(of: readonly T[]): T => of[Math.floor(chance() * of.length)]!;
  const steps: PlanRequestStep[] = [
    { id: "s0", capability: "free.read", input: { name: `p${number}-read` } },
  ];
  const length = 2 + Math.floor(chance() * 4);
  for (let n = 1; n <= length; n += 1) {
    const kind = roll(stepKinds);
    const prefix = chance() < 0.1 ? roll(["undoable-", "flaky-", "reset-"]) : chance() < 0.3 ? "wary-" : "";
    const name = kind === "taking" ? { $from: "s0", path: "/name" } : `${prefix}p${number}-${n}`;
    steps.push({
      id: `s${n}`,
      capability: kind === "taking" ? "asked.natural" : kind,
      input: { name, ...(chance() < 0.15 && { lock: `door${Math.floor(chance() * 5)}` }) },
      ...(chance() < 0.4 && { after: steps.slice(-1 - Math.floor(chance() * n)).map(({ id }) => id) }),
      ...(chance() < 0.2 && { after: [] }),
      ...(chance() < 0.05 && { requires_confirmation: true }),
    });
  }
  return { version: 1, onFailure: roll(["stop", "continue", "compensate", "compensate"]), steps };
}

interface OpenPlan {
  readonly key: string;
  readonly call: string;
  /** The plan's document, if people may edit it or decline its steps. */
  readonly document?: PlanRequest;
}

/** Follows a plan to its end and decides on every approval of the plan and its steps, at any depth. */
async function followPlan(
  client: LabClient,
  { key, call, document }: OpenPlan,
  chance: () => number,
): Promise<string | undefined> {
  const patience = Date.now() + hangMs;
  const fate = document ? chance() : 1;
  let view = await client.getCall(key, planCapability, call, 0);
  while (view.state !== "closed" && Date.now() < patience) {
    const asked = view.waiting?.approval;
    if (asked) await decidePlan(client, asked, document, fate, chance);
    if (view.state === "composing") {
      await answerSteps(client, call, chance);
      // A later step of this plan may wait for the lock of an unknown one.
      if (chance() < 0.2) await resolveSteps(client, call);
    }
    if (fate < 0.06) await client.act("agent", { kind: "withdraw", call });
    view = await client.getCall(key, planCapability, call, 1);
  }
  const { successor, outcome } = view;
  await resolveSteps(client, call);
  if (successor !== undefined) return followPlan(client, { key: successor, call: successor }, chance);
  return outcome?.kind;
}

/** Decides on the plan. People deny it, edit it, or both approve it, often without some steps. */
async function decidePlan(
  client: LabClient,
  { id, digest }: { readonly id: string; readonly digest: string },
  document: PlanRequest | undefined,
  fate: number,
  chance: () => number,
): Promise<void> {
  if (document && fate < 0.16) {
    const input = { ...document, steps: document.steps.slice(0, -1) };
    if (fate < 0.1) await client.decide(id, "deny", digest);
    else await client.act("editor", { kind: "edit", approval: id, digest, input });
    return;
  }
  const ids = document?.steps.map(({ id }) => id) ?? [];
  for (const person of ["approver", "second"] as const) {
    const declined = fate < 0.5 ? ids.filter(() => chance() < 0.2) : [];
    await client.decide(id, "approve", digest, person, declined);
  }
}

async function answerSteps(client: LabClient, plan: string, chance: () => number): Promise<void> {
  for (const { capability, call, state } of await client.steps(plan)) {
    if (call === undefined || state === "closed") continue;
    if (capability === planCapability) await answerSteps(client, call, chance);
    const asked = state === "asking" ? await client.findApproval(call) : undefined;
    if (asked) await answerApproval(client, asked, call, drawIntention(chance), chance);
  }
}

/** Resolves the steps with an unknown outcome. Such steps keep their locks, and other calls wait for these locks. */
async function resolveSteps(client: LabClient, plan: string): Promise<void> {
  for (const { capability, call, outcome } of await client.steps(plan)) {
    if (call === undefined) continue;
    if (capability === planCapability) await resolveSteps(client, call);
    else if (outcome?.kind === "unknown")
      await client.act("approver", { kind: "resolve", call, finding: "happened" });
  }
}
