import type { LabClient } from "../lab-client.ts";

interface OpenCall {
  readonly key: string;
  readonly capability: string;
  readonly call: string;
}

/**
 * Simulates the people who act on a call, until the call has ended and afterwards. Mostly they approve. Some deny,
 * return, edit or withdraw the call. They also resolve unknown outcomes, and treat a successor the same way.
 */
export async function simulatePeople(
  client: LabClient,
  { key, capability, call }: OpenCall,
  chance: () => number,
  first?: Awaited<ReturnType<LabClient["getCall"]>>,
): Promise<void> {
  const intention = drawIntention(chance);
  const patience = Date.now() + hangMs;
  let view = first ?? (await client.getCall(key, capability, call, 0));
  while (view.state !== "closed" && Date.now() < patience) {
    const asked = view.waiting?.approval;
    if (asked) await answerApproval(client, asked, call, intention, chance);
    view = await client.getCall(key, capability, call, 5);
  }
  const { successor, outcome } = view;
  if (successor !== undefined)
    await simulatePeople(client, { key: successor, capability, call: successor }, chance);
  if (outcome?.kind === "unknown" && chance() < 0.8) await resolveOutcome(client, call, chance);
}

/** The limit of a hang, not a claim about speed. A call that never ends stays open, and the checker reports it. */
export const hangMs = 600_000;

export type Intention = "approve" | "deny" | "return" | "edit" | "withdraw";

export function drawIntention(chance: () => number): Intention {
  const roll = chance();
  if (roll < 0.08) return "deny";
  if (roll < 0.14) return "return";
  if (roll < 0.26) return "edit";
  return roll < 0.3 ? "withdraw" : "approve";
}

export async function answerApproval(
  client: LabClient,
  { id: approval, digest }: { readonly id: string; readonly digest: string },
  call: string,
  intention: Intention,
  chance: () => number,
): Promise<void> {
  const yes = () => client.decide(approval, "approve", digest, chance() < 0.5 ? "approver" : "second");
  // This early approval counts as one of two votes. If one vote is enough, the intended action comes too late.
  if (chance() < 0.2) await yes();
  switch (intention) {
    case "edit": {
      const edit = () =>
        client.act("editor", {
          kind: "edit",
          approval,
          digest,
          input: { name: `edited-${call}` },
        });
      // Two concurrent edits must create one successor.
      await Promise.all(chance() < 0.3 ? [edit(), edit()] : [edit()]);
      return;
    }
    case "withdraw":
      await client.act("agent", { kind: "withdraw", call });
      return;
    case "approve": {
      const voices = chance() < 0.2 ? 3 : 1;
      await Promise.all(Array.from({ length: voices }, yes));
      return;
    }
    default:
      await client.decide(approval, intention, digest);
  }
}

/** Lets two people resolve the call concurrently, sometimes with different findings. Paraph accepts one of them. */
async function resolveOutcome(client: LabClient, call: string, chance: () => number): Promise<void> {
  const find = (finding: "happened" | "not-happened") =>
    client.act("approver", { kind: "resolve", call, finding });
  const findings = chance() < 0.5 ? (["happened", "not-happened"] as const) : (["not-happened"] as const);
  const statuses = await Promise.all(findings.map(async (finding) => (await find(finding)).status));
  if (statuses.at(-1) !== 200 || chance() < 0.5) return;
  const { status, body } = await client.act("approver", { kind: "retry", call });
  if (status < 300 && body.call !== undefined)
    await simulatePeople(client, { key: `retry:${call}`, capability: "free.none", call: body.call }, chance);
}
