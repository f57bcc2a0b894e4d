import { type ExecutionContext, roles } from "@paraph/core";
import { afterAll, describe, expect, it } from "vitest";
import { createGrantStore, provision } from "../../../postgres/index.ts";
import {
  adminTestTenant,
  createAgentCall,
  createTestAdmin,
  parseTestInput,
  readFault,
} from "../testing/create-test-admin.ts";

const { alarms, capability, close, database, db, perform, sight, store } = await createTestAdmin();
afterAll(close);

const grants = createGrantStore(db.app);
const byBo = { approvers: [{ by: "bo", groups: [] }] };

describe("[TRUST 15] admin.grant", () => {
  it("previews in plain words which calls would need no approval, and grants nothing", async () => {
    const summary = async (more: object) =>
      (await sight("grant", { capability: "things.write", count: 3, ...more })).changes[0]?.summary;
    expect(
      await summary({
        principal: "bot",
        bounds: { path: { startsWith: "notes/" }, text: { oneOf: ["a", "b"] } },
        expires: "90m",
        amount: 500,
      }),
    ).toBe(
      'For 1 h 30 min, 3 calls of things.write by "bot", up to 500 minor units in all, would need no approval, ' +
        'with any input where path begins with "notes/" and text is one of "a", "b".',
    );
    expect(await summary({})).toBe(
      "For 1 h, 3 calls of things.write by any principal would need no approval, with any input.",
    );
    expect(await grants.list(adminTestTenant)).toEqual([]);
  });

  it("counts as the approval of its approvers with their groups, never of its requester", async () => {
    const input = { capability: "things.write", principal: "bot", bounds: { path: { is: "a" } }, count: 3 };
    const context: Partial<ExecutionContext> = {
      call: "call_g1",
      approvers: [
        { by: "ana", groups: [] },
        { by: "bo", groups: [] },
      ],
    };
    const output = await perform("grant", input, context);
    expect(output.grant).toBe("grant_g1");
    expect(Date.parse(output.expires) - Date.now()).toBeGreaterThan(59 * 60_000);
    expect(await perform("grant", input, context)).toEqual(output);
    expect(await grants.list(adminTestTenant)).toEqual([
      {
        id: "grant_g1",
        capability: "things.write",
        principal: "bot",
        bounds: { path: { is: "a" } },
        people: [{ by: "bo", groups: ["finance"] }],
        countLeft: 3,
        given: { people: [{ by: "bo", groups: ["finance"] }], count: 3, seal: expect.any(String) },
        expiresAt: Date.parse(output.expires),
      },
    ]);
    expect(capability("grant").undo!(input, output)).toEqual({
      capability: "admin.grant_revoke",
      input: { grant: "grant_g1" },
    });
    for (const approvers of [[], [{ by: "ana", groups: [] }]])
      expect(await readFault(perform("grant", input, { approvers }))).toBe("permanent not-approved");
  });

  it("refuses destructive capabilities without `destroy`, administration, and more than 8 h", async () => {
    const grant = (more: object) =>
      readFault(sight("grant", { capability: "things.write", count: 1, ...more }));
    expect(await grant({ capability: "things.erase" })).toBe("permanent destroys");
    expect(await grant({ capability: "things.erase", destroy: true })).toBe("no fault");
    expect(await grant({ capability: "admin.group_change" })).toBe("permanent not-grantable");
    expect(await grant({ capability: "things.nothing" })).toBe("permanent capability-unknown");
    expect(await grant({ principal: "nobody" })).toBe("permanent principal-unknown");
    expect(await grant({ bounds: { pth: { is: 1 } } })).toBe("permanent bound-unknown");
    for (const bad of [{ expires: "9h" }, { expires: "0m" }, { count: 0 }, { bounds: { path: {} } }])
      expect(() =>
        parseTestInput(capability("grant"), { capability: "things.write", count: 1, ...bad }),
      ).toThrow();
  });

  it("is refused at the preview if no other person can approve it", async () => {
    await provision(database.ownerUrl, async (p) => {
      await p.addTenant("solo");
      await p.addPrincipal({ tenant: "solo", id: "me", kind: "person", groups: [roles.admins] });
    });
    const me = { tenant: "solo", id: "me", kind: "person", groups: [roles.admins] } as const;
    const input = { capability: "things.write", count: 1 };
    expect(await readFault(sight("grant", input, { tenant: "solo", principal: me }))).toBe(
      "permanent no-other-approver",
    );
  });

  it("ends when it is revoked", async () => {
    await perform("grant", { capability: "things.write", count: 2 }, { call: "call_g2", ...byBo });
    const { changes } = await sight("grant_revoke", { grant: "grant_g2" });
    expect(changes[0]?.summary).toBe(
      "2 calls of things.write that the grant still allows would need approval again.",
    );
    expect(await perform("grant_revoke", { grant: "grant_g2" })).toEqual({ grant: "grant_g2" });
    expect((await grants.list(adminTestTenant)).map(({ id }) => id)).toEqual(["grant_g1"]);
    expect(await readFault(sight("grant_revoke", { grant: "grant_g2" }))).toBe("permanent already-revoked");
    expect(await readFault(sight("grant_revoke", { grant: "grant_g9" }))).toBe("permanent grant-unknown");
  });
});

describe("admin.break_glass", () => {
  const breaker = { tenant: adminTestTenant, id: "bo", kind: "person", groups: [roles.breakGlass] } as const;
  const reason = "the site is down";

  it("requires its own group, and refuses an administrator who is not in it", async () => {
    const input = { capability: "things.erase", reason };
    expect(await readFault(sight("break_glass", input))).toBe("permanent not-administrator");
    expect(await readFault(sight("break_glass", input, { principal: breaker }))).toBe("no fault");
  });

  it("raises an alarm, and allows one call by the same person within the given minutes", async () => {
    const input = { capability: "things.erase", bounds: { path: { is: "a" } }, minutes: 5, reason };
    const { changes } = await sight("break_glass", input, { principal: breaker });
    expect(changes[0]?.summary).toBe(
      'EMERGENCY: within 5 min, one call of things.erase by "bo" would need no approvals and no checks, ' +
        'with any input where path is "a". Responsible: bo.',
    );
    expect(alarms).toEqual([]);
    await perform("break_glass", input, { principal: breaker, call: "call_b1" });
    expect(alarms).toEqual(["call_b1"]);
    const made = (await grants.list(adminTestTenant)).find(({ id }) => id === "grant_b1");
    expect(made).toMatchObject({
      principal: "bo",
      countLeft: 1,
      breakGlass: true,
      destroy: true,
      people: [{ by: "bo", groups: [roles.breakGlass] }],
    });
    expect(made!.expiresAt - Date.now()).toBeLessThanOrEqual(5 * 60_000);
    for (const bad of [{ minutes: 16 }, { minutes: 0 }, { reason: "" }, { call: "call_x" }])
      expect(() => parseTestInput(capability("break_glass"), { ...input, ...bad })).toThrow();
  });

  it("[P10] for a waiting call, uses the call's input as bounds and stores no sensitive field", async () => {
    const long = "x".repeat(500);
    const input = { path: "a", text: long, secret: "s3cret", to: ["x"] };
    await store.open(createAgentCall("call_asked", { state: "asking", input }));
    const { changes } = await sight("break_glass", { call: "call_asked", reason }, { principal: breaker });
    expect(changes[0]?.summary).toContain('by "bot" would need no approvals and no checks');
    expect(changes[0]?.summary).toContain("Without a bound: secret, text and to.");
    await perform("break_glass", { call: "call_asked", reason }, { principal: breaker, call: "call_b2" });
    const [row] = await database.query(
      "select bounds::text from paraph.standing_grant where id = 'grant_b2'",
    );
    expect(JSON.parse(String(row?.bounds))).toEqual({ path: { is: "a" } });
  });

  it("[TRUST 16] for a waiting call, neither shows nor stores what a person of the tenant may not see", async () => {
    const card = { number: "4111-1111", kind: "visa" };
    const input = { path: "a", text: "charge 4111-1111", card };
    await store.open(createAgentCall("call_paid", { state: "asking", input }));
    const { changes } = await sight("break_glass", { call: "call_paid", reason }, { principal: breaker });
    expect(changes[0]?.summary).toContain("Without a bound: card and text.");
    await perform("break_glass", { call: "call_paid", reason }, { principal: breaker, call: "call_b3" });
    const [row] = await database.query(
      "select bounds::text from paraph.standing_grant where id = 'grant_b3'",
    );
    expect(JSON.parse(String(row?.bounds))).toEqual({ path: { is: "a" } });

    const steps = [{ id: "one", capability: "things.write", input: { path: "a" }, visibility: "approvers" }];
    const plan = { capability: "plan.apply", input: { version: 1, steps } };
    await store.open(createAgentCall("call_plan", { state: "composing", ...plan }));
    const step = {
      ...createAgentCall("call_one", { state: "asking" }),
      parent: { call: "call_plan", step: "one", depth: 1 },
    };
    await store.open(step);
    expect(await readFault(sight("break_glass", { call: "call_one", reason }, { principal: breaker }))).toBe(
      "permanent call-hidden",
    );
  });

  it("refuses administration, except `admin.thaw`", async () => {
    const glass = (name: string) =>
      readFault(sight("break_glass", { capability: name, reason }, { principal: breaker }));
    expect(await glass("admin.group_change")).toBe("permanent not-openable");
    expect(await glass("admin.break_glass")).toBe("permanent not-openable");
    expect(await glass("admin.thaw")).toBe("no fault");
  });
});
