import { describe, expect, it } from "vitest";
import { createMailbox } from "../../../../../test/support/mailbox.ts";
import { createPerson, testAgent } from "../../../../../test/support/test-pipeline.ts";
import type { Call } from "../../call.ts";
import { acknowledge } from "./acknowledge.ts";

const minute = 60_000;
const settings = {
  acknowledgeMs: 15 * minute,
  escalation: {
    low: [],
    normal: [],
    high: [{ afterMs: 10 * minute }, { afterMs: 60 * minute, group: "leads" }],
    critical: [],
  },
};
const toGiven = (call: Call, by = createPerson("bo")) => ({
  approval: call.approval!.id,
  digest: call.approval!.digest,
  by,
});

describe("an acknowledgement", () => {
  it("is an event of the call and delays the next reminder or escalation, once per person", async () => {
    const { ask, advance, clock, ports } = await createMailbox({ settings });
    const call = await ask();
    const askedAt = clock.now();
    clock.advance(5 * minute);
    const { call: after, until } = await acknowledge(toGiven(call), ports);
    expect(until).toBe(askedAt + 20 * minute);
    expect(after.events.at(-1)).toMatchObject({ kind: "acknowledged", data: { by: "bo", round: 1, until } });
    expect(after.nextAt).toBe(until);
    clock.advance(14 * minute);
    expect((await advance(call)).events.at(-1)).toMatchObject({ kind: "acknowledged" });
    expect((await acknowledge(toGiven(call), ports)).until).toBe(until);
    clock.advance(minute);
    expect((await advance(call)).events.at(-1)).toMatchObject({ kind: "reminded" });
  });

  it("never delays the expiry", async () => {
    const { ask, ports, clock, advance } = await createMailbox({ settings });
    const call = await ask();
    clock.advance(call.approval!.expiresAt - clock.now() - 5 * minute);
    await advance(call);
    expect((await acknowledge(toGiven(call), ports)).until).toBe(call.approval!.expiresAt);
    clock.advance(5 * minute);
    expect((await advance(call)).outcome).toMatchObject({ kind: "expired" });
  });

  it("is only for people who may decide, while the round is open", async () => {
    const { ask, decide, ports } = await createMailbox({ settings });
    const call = await ask();
    await expect(acknowledge(toGiven(call, testAgent), ports)).rejects.toMatchObject({
      code: "approver-not-allowed",
    });
    await expect(acknowledge({ ...toGiven(call), digest: "other" }, ports)).rejects.toMatchObject({
      code: "approval-changed",
    });
    await decide(call, "deny");
    await expect(acknowledge(toGiven(call), ports)).rejects.toMatchObject({ code: "approval-closed" });
  });
});
