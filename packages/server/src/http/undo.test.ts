import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { TestServer } from "./testing/server.ts";

const server = new TestServer();
beforeAll(() => server.start());
afterAll(() => server.stop());
afterEach(() => server.service.notes.pinned.clear());

const pin = (id: string, place: string, text: unknown, more: object = {}) => ({
  id,
  capability: "notes.pin",
  input: { place, text },
  ...more,
});
const _refund = (id: string, payment: string, more: object = {}) => ({
  id,
  capability: "billing.refund",
  input: { payment, cents: 1250 },
  ...more,
});
const planned = (...steps: object[]) => ({ version: 1, steps });
const place = (plan: unknown, headers: Record<string, string> = {}, as = "bot") =>
  server.post("/v1/plans", as, { plan }, { prefer: "wait=60", ...headers });
const _decide = ({ waiting }: { waiting: { approval: { id: string; digest: string } } }, more: object = {}) =>
  server.post(`/v1/approvals/${waiting.approval.id}/decision`, "bo", {
    decision: "approve",
    digest: waiting.approval.digest,
    ...more,
  });

describe("POST /v1/calls/{call}/undo", () => {
  const undo = (call: string, as = "bot") =>
    server.post(`/v1/calls/${call}/undo`, as, {}, { prefer: "wait=60" });

  it("[P13] undoes a plan's steps in reverse order, once, as a call of the person who requests the undo", async () => {
    server.service.notes.pinned.set("door", "old");
    const { body } = await place(planned(pin("a", "door", "1"), pin("b", "wall", "2")));
    const response = await undo(body.call, "bo");
    expect(response.body).toMatchObject({
      capability: "plan.apply",
      outcome: { kind: "succeeded" },
      principal: { id: "bo" },
    });
    expect([...server.service.notes.pinned]).toEqual([["door", "old"]]);
    const again = await undo(body.call, "bo");
    expect([again.body.call, again.headers.get("idempotent-replay")]).toEqual([response.body.call, "true"]);
  });

  it("[TRUST 34] a call is undone once, whether the agent, its owner or another person requests it", async () => {
    const { body } = await server.call("notes.pin", { place: "hall", text: "x" }, { prefer: "wait=60" });
    const first = await undo(body.call);
    expect(first.body.outcome.kind).toBe("succeeded");
    for (const who of ["ana", "bo"]) {
      const { status, body: refused } = await undo(body.call, who);
      expect([status, refused.code, refused.detail]).toEqual([
        ...[409, "already-undone"],
        expect.stringContaining(first.body.call),
      ]);
    }
    expect((await undo(body.call)).body.call).toBe(first.body.call);
  });

  it("[P13] a call names its undo, and offers one only until there is an undo with an effect", async () => {
    const { body } = await server.call("notes.pin", { place: "lid", text: "x" }, { prefer: "wait=60" });
    const shown = async () => {
      const { undoneBy, links } = (await server.get(`/v1/calls/${body.call}`, "bo")).body;
      const { calls } = (await server.get("/v1/calls?capability=notes.pin", "bo")).body;
      const listed = calls.find(({ call }: { call: string }) => call === body.call);
      expect(listed.undoneBy).toBe(undoneBy);
      return [undoneBy, listed.undoOutcome, links.undo];
    };
    expect(await shown()).toEqual([undefined, undefined, `/v1/calls/${body.call}/undo`]);
    const { body: done } = await undo(body.call, "bo");
    expect(await shown()).toEqual([done.call, "succeeded", undefined]);
  });

  it("[TRUST 34] an effect is undone once, through the plan, through its step or by compensation", async () => {
    const code = async (call: string, as: string) => (await undo(call, as)).body.code;
    const { body: response } = await place(planned(pin("a", "one", "1"), pin("b", "two", "2")));
    expect((await undo(response.call, "bo")).body.outcome.kind).toBe("succeeded");
    for (const { call } of response.steps) expect(await code(call, "ana")).toBe("already-undone");
    const { body: parts } = await place(planned(pin("a", "three", "1"), pin("b", "four", "2")));
    expect((await undo(parts.steps[0].call, "bo")).body.outcome.kind).toBe("succeeded");
    expect(await code(parts.call, "ana")).toBe("already-undone");
    const failing = planned(pin("a", "five", "1"), pin("b", "six", ""));
    const { body: testResponse } = await place({ ...failing, onFailure: "compensate" });
    expect(testResponse.outcome.code).toBe("compensated");
    expect(await code(testResponse.steps[0].call, "bo")).toBe("already-undone");
  });

  it("[TRUST 16] refuses an undo to a person from whom a step is hidden, and allows it to the requester", async () => {
    const discreet = pin("a", "safe", "the code is 4711", { visibility: "approvers" });
    const { body } = await place(planned(discreet, pin("b", "door", "1")));
    const before = server.service.store.calls().length;
    for (const call of [body.call, body.steps[0].call]) {
      const refused = await undo(call, "bo");
      expect([refused.status, refused.body]).toEqual([
        409,
        expect.objectContaining({ code: "no-undo", detail: expect.stringContaining("hidden from you") }),
      ]);
      const links = async (who: string) => (await server.get(`/v1/calls/${call}`, who)).body.links;
      expect([await links("bo"), await links("bot")]).toEqual([
        expect.not.objectContaining({ undo: expect.anything() }),
        expect.objectContaining({ undo: `/v1/calls/${call}/undo` }),
      ]);
    }
    expect(server.service.store.calls()).toHaveLength(before);
    expect((await undo(body.call)).body.outcome.kind).toBe("succeeded");
  });

  it("starts a new undo call if the first undo failed", async () => {
    server.service.notes.pinned.set("door", "");
    const { body } = await server.call("notes.pin", { place: "door", text: "new" }, { prefer: "wait=60" });
    const failed = await undo(body.call);
    expect(failed.body.outcome.kind).toBe("failed");
    const again = await undo(body.call);
    expect(again.body.call).not.toBe(failed.body.call);
  });

  it("states why a call has no undo", async () => {
    const read = await server.call("notes.list", {}, { prefer: "wait=60" });
    const refused = await server.call("notes.forbidden", { text: "x" });
    const open = await server.call("billing.refund", { payment: "p", cents: 1 });
    const lost = await server.call("notes.lose", { text: "x" }, { prefer: "wait=60" });
    for (const [{ body }, why] of [
      [read, "offers no undo"],
      [refused, "had no effect"],
      [open, "still open"],
      [lost, "outcome of the call is unknown"],
    ] as const) {
      const answer = await undo(body.call);
      expect([answer.status, answer.body]).toEqual([
        409,
        expect.objectContaining({ code: "no-undo", detail: expect.stringContaining(why) }),
      ]);
    }
    expect((await undo(read.body.call, "other")).body.code).toBe("call-unknown");
  });
});
