import fc from "fast-check";
import { expect, it } from "vitest";
import { z } from "zod";
import {
  createPerson,
  createTestPipeline,
  testAgent,
  testTenant,
} from "../../../../../test/support/test-pipeline.ts";
import type { Call } from "../../call.ts";
import { defineCapability } from "../../capability/capability.ts";
import { Catalog } from "../../capability/catalog.ts";
import { eventsOfKind } from "../../event.ts";
import { ParaphError } from "../../paraph-error.ts";
import type { Ports } from "../../ports.ts";
import { verifyReceipt } from "../../receipts/verify.ts";
import { createPlainPolicy } from "../../testing/plain-policy.ts";
import { admit } from "../admission/admit.ts";
import { advance } from "../advance.ts";
import { decide } from "../approval/decide.ts";
import { withdrawCall } from "../approval/withdraw.ts";
import { claimCall } from "./claim.ts";
import { type Report, reportResult } from "./report.ts";

/**
 * One disturbance around a call that the agent performs. `lost` means that the process dies before the agent gets the
 * answer.
 */
type Blow =
  | { readonly kind: "segment" | "move" | "freeze" | "thaw" | "withdraw" }
  | { readonly kind: "decide"; readonly decision: "approve" | "deny" }
  | { readonly kind: "claim"; readonly claimToken: string; readonly lost: boolean }
  | {
      readonly kind: "report";
      readonly claimToken: string;
      readonly as: Report["as"];
      readonly lost: boolean;
    }
  | { readonly kind: "pass"; readonly ms: number };

const claimToken = fc.constantFrom("ticket-a", "ticket-b");
const lost = fc.boolean();
const as = fc.constantFrom("succeeded" as const, "not-performed" as const, "ambiguous" as const);
const only = <K extends Blow["kind"]>(kind: K) => fc.constant(kind);
const blows = fc.array(
  fc.oneof<fc.WeightedArbitrary<Blow>[]>(
    { weight: 4, arbitrary: fc.record({ kind: only("segment") }) },
    { weight: 4, arbitrary: fc.record({ kind: only("claim"), claimToken, lost }) },
    { weight: 3, arbitrary: fc.record({ kind: only("report"), claimToken, as, lost }) },
    {
      weight: 3,
      arbitrary: fc.record({ kind: only("decide"), decision: fc.constantFrom("approve", "approve", "deny") }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: only("pass"), ms: fc.constantFrom(10, 59_000, 61_000, 3_600_000) }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("move", "freeze", "thaw", "withdraw") }) },
  ),
  { maxLength: 30, size: "max" },
);

const capability = (asked: boolean, look: () => number) =>
  defineCapability({
    name: asked ? "own.asked" : "own.free",
    version: 1,
    summary: "Send a message",
    performer: "agent",
    effect: "write",
    idempotency: "none",
    input: z.object({}),
    output: z.object({}),
    timeout: "1m",
    preview: async () => ({ changes: [], basis: look() }),
  });

const reportOf = (said: Report["as"]): Report =>
  said === "succeeded"
    ? { as: said, output: {} }
    : { as: said, code: "no-answer", message: "Nobody answered." };

/**
 * Applies all disturbances, then lets time pass until the call has ended. Returns the broken rules and the path of the
 * call.
 */
async function weather(asked: boolean, storm: readonly Blow[]): Promise<{ broken: string[]; lived: string }> {
  const { store, clock, signer, ports: portsOf } = await createTestPipeline("taking-storm");
  let basis = 0;
  const catalog = new Catalog([capability(asked, () => basis)]);
  const policy = createPlainPolicy({ "own.free": "allow", "own.asked": { ask: 1 } });
  const broken: string[] = [];
  const told: { claimToken: string; attempt: number }[] = [];
  const ports = (given: Partial<Ports> = {}) => portsOf({ policy, catalog, ...given });
  const request = { principal: testAgent, capability: asked ? "own.asked" : "own.free", input: {} };
  const { call: ref } = await admit(request, ports(), () => true);
  const now = async (): Promise<Call> => (await store.load(ref))!;

  const strike = async (blow: Blow): Promise<void> => {
    // Each disturbance acts through its own process. A lost answer means that the process died after its write.
    const process = store.startProcess();
    const by = ports({ store: process });
    const dies = "lost" in blow && blow.lost;
    switch (blow.kind) {
      case "segment":
        await advance(ref, by);
        break;
      case "claim": {
        const { perform } = await claimCall(
          { call: ref.call, by: testAgent, claimToken: blow.claimToken },
          by,
        );
        if (!perform || dies) break;
        const { state, approval, attempts } = await now();
        told.push({ claimToken: blow.claimToken, attempt: perform.attempt });
        if (state !== "performing") broken.push(`[P7] handed out while ${state}`);
        if (attempts.at(-1)?.number !== perform.attempt) broken.push("[P7] handed out without its intent");
        if (asked && approval?.status !== "approved")
          broken.push("[P5] handed out without an approval in force");
        break;
      }
      case "report":
        await reportResult(
          { call: ref.call, by: testAgent, claimToken: blow.claimToken, report: reportOf(blow.as) },
          by,
        );
        break;
      case "decide": {
        const { approval } = await now();
        if (!approval) break;
        const { id, digest } = approval;
        await decide({ approval: id, digest, decision: blow.decision, voter: createPerson("ana") }, by);
        break;
      }
      case "withdraw":
        await withdrawCall({ call: ref.call, by: testAgent }, by);
        break;
      case "move":
        basis += 1;
        break;
      case "freeze":
        store.freeze(testTenant, { id: "freeze_1", kind: "tenant", subject: testTenant, by: "ana" });
        break;
      case "thaw":
        store.thaw(testTenant, "freeze_1");
        break;
      case "pass":
        await clock.advance(blow.ms, async () => {});
        break;
    }
    if (dies) process.die();
  };
  for (const blow of storm) {
    await strike(blow).catch((error) => {
      if (!(error instanceof ParaphError)) broken.push(`[P9] escaped: ${String(error)}`);
    });
  }
  store.thaw(testTenant, "freeze_1");
  for (let turn = 0; turn < 20 && (await now()).state !== "closed"; turn += 1) {
    await advance(ref, ports());
    await clock.advance(6 * 3_600_000, async () => {});
  }

  const ended = await now();
  const { outcome, attempts, events } = ended;
  if (ended.state !== "closed") broken.push(`[P2] never ended (${ended.state})`);
  if (attempts.length > 1) broken.push("[P7] taken more than once");
  if (new Set(told.map((one) => one.claimToken)).size > 1) broken.push("[P7] handed out to two takers");
  const ends = eventsOfKind(events, "attempted").map(({ data }) => data.as);
  const expected = {
    succeeded: "succeeded",
    "not-performed": "failed",
    ambiguous: "unknown",
    lost: "unknown",
  };
  const [end] = ends.filter((word) => word !== undefined) as (keyof typeof expected)[];
  if (attempts.length === 1 && outcome?.kind !== expected[end!])
    broken.push(`[P8] ${end} ended ${outcome?.kind}`);
  if (attempts.length === 0 && !["refused", "denied", "expired", "cancelled"].includes(outcome?.kind ?? ""))
    broken.push(`[P4] nobody took it, and it ended ${outcome?.kind}`);
  const mediaType = "application/vnd.paraph.receipt.v1+json";
  const { story } = await verifyReceipt({ mediaType, envelope: store.envelope(ref), disclosures: {} }, [
    signer.publicKey,
  ]);
  if ((story.performer === "agent") !== (attempts.length === 1)) broken.push("the receipt says it wrongly");
  return { broken, lived: `${outcome?.kind} ${outcome?.code}` };
}

it("[P2] [P4] [P5] [P7] a call is claimed at most once and ends once, in any order of claims, reports, votes, crashes, freezes and delays", async () => {
  const lived = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(fc.boolean(), blows, async (asked, storm) => {
      const { broken, lived: how } = await weather(asked, storm);
      lived.set(how, (lived.get(how) ?? 0) + 1);
      expect(broken).toEqual([]);
    }),
    { numRuns: 500, seed: 11 },
  );
  for (const how of [
    ...["succeeded done", "failed no-answer", "unknown no-answer", "unknown not-reported"],
    ...["expired not-claimed", "expired no-answer", "denied denied", "cancelled withdrawn"],
  ])
    expect(lived.get(how) ?? 0, how).toBeGreaterThan(0);
});
