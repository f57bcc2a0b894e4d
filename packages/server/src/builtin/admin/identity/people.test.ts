import { roles } from "@paraph/core";
import { afterAll, describe, expect, it } from "vitest";
import { authenticateKey, generateApiKey } from "../../../postgres/index.ts";
import { adminTestTenant, createTestAdmin, parseTestInput, readFault } from "../testing/create-test-admin.ts";

const { administration, capability, close, database, db, perform, sight } = await createTestAdmin();
afterAll(close);
const { people } = administration;

describe("admin.principal_add", () => {
  it("[P3] previews the principal without adding it, then adds it, and a repeated attempt gives the same result", async () => {
    const input = { id: "helper", kind: "agent", owner: "bo" };
    expect((await sight("principal_add", input)).changes).toEqual([
      {
        kind: "create",
        target: "agent helper",
        summary: "New agent. Owner: bo. It can do nothing until it has a key.",
      },
    ]);
    expect(await people.find(adminTestTenant, "helper")).toBeUndefined();
    expect(await perform("principal_add", input)).toEqual({ principal: "helper" });
    expect(await perform("principal_add", input, { basis: null })).toEqual({ principal: "helper" });
    expect(await people.find(adminTestTenant, "helper")).toMatchObject({ kind: "agent", owner: "bo" });
    expect(await readFault(sight("principal_add", input))).toBe("permanent principal-taken");
  });

  it("rejects an owner who is not a person of the tenant, and new ids with other than visible ASCII", async () => {
    const add = (owner: string) => sight("principal_add", { id: "x", kind: "agent", owner });
    expect(await readFault(add("bot"))).toBe("permanent owner-unknown");
    expect(await readFault(add("nobody"))).toBe("permanent owner-unknown");
    for (const id of ["a\u202eb", "а", "a b", ""])
      expect(() => parseTestInput(capability("principal_add"), { id, kind: "person" })).toThrow(
        "visible ASCII",
      );
    expect(() =>
      parseTestInput(capability("principal_add"), { id: "p", kind: "person", owner: "ana" }),
    ).toThrow();
  });
});

describe("admin.group_change", () => {
  it("previews the members before and after, adds and removes members, and offers an undo", async () => {
    const input = { group: "finance", add: ["ana"], remove: ["bo"] };
    const preview = await sight("group_change", input);
    expect(preview).toEqual({
      changes: [
        {
          kind: "update",
          target: "group finance",
          summary:
            '"ana" would join; "bo" would leave (1 member before, 1 after). The requester would become a member.',
          details: { before: ["bo"], after: ["ana"] },
        },
      ],
      basis: { members: ["bo"] },
    });
    const output = await perform("group_change", input);
    expect(output).toEqual({ added: ["ana"], removed: ["bo"] });
    expect(await people.listMembers(adminTestTenant, "finance")).toEqual([{ id: "ana", kind: "person" }]);

    // An attempt that died half-way and runs again must report the same changes, or its undo would miss one.
    expect(await perform("group_change", input, { basis: preview.basis })).toEqual(output);
    const undo = capability("group_change").undo!(input, output)!;
    expect(undo).toEqual({
      capability: "admin.group_change",
      input: { group: "finance", add: ["bo"], remove: ["ana"] },
    });
    await perform("group_change", undo.input);
    expect(await people.listMembers(adminTestTenant, "finance")).toEqual([{ id: "bo", kind: "person" }]);
  });

  it("refuses to remove the last administrator, even in exchange for an agent", async () => {
    const change = (add: string[], remove: string[]) =>
      readFault(sight("group_change", { group: roles.admins, add, remove }));
    expect(await change([], ["ana"])).toBe("permanent last-administrator");
    expect(await change(["bot"], ["ana"])).toBe("permanent not-a-person");
    expect(await change(["bo"], ["ana"])).toBe("no fault");
    expect(await change(["nobody"], [])).toBe("permanent principal-unknown");
  });

  it("locks the group, so that only one change of it runs at a time", () => {
    const locks = (group: string) => capability("group_change").locks({ group, add: ["bo"], remove: [] });
    expect(locks("a")).toEqual(locks("a"));
    expect(locks("a")).not.toEqual(locks("b"));
  });
});

describe("admin.key_create and admin.key_revoke", () => {
  it("[TRUST 21] activate a key by its hash alone, and revoke it", async () => {
    const { id, hash, key } = generateApiKey(adminTestTenant);
    const input = { principal: "bot", keyId: id, hash, scopes: ["calls:things.*"], label: "ci" };
    expect(await perform("key_create", input)).toEqual({ keyId: id, principal: "bot" });
    expect(await authenticateKey(db.app, key)).toMatchObject({
      principal: { id: "bot" },
      scopes: ["calls:things.*"],
    });
    expect(await perform("key_create", input, { basis: null })).toEqual({ keyId: id, principal: "bot" });
    expect(await readFault(sight("key_create", input))).toBe("permanent key-taken");

    expect((await sight("key_revoke", { keyId: id })).changes[0]?.summary).toContain('A key of "bot" (ci)');
    await perform("key_revoke", { keyId: id });
    expect(await authenticateKey(db.app, key)).toBeUndefined();
    expect(await readFault(sight("key_revoke", { keyId: id }))).toBe("permanent already-revoked");
    expect(await readFault(sight("key_revoke", { keyId: "00000000" }))).toBe("permanent key-unknown");
    const [row] = await database.query("select created_by from paraph.api_key where id = $1", [id]);
    expect(row).toEqual({ created_by: "ana" });
  });

  it("reject a key for an unknown principal, and say how to add it", async () => {
    const { id: keyId, hash } = generateApiKey(adminTestTenant);
    const input = { principal: "support-bot", keyId, hash };
    const advice = "paraph principals add agent support-bot --owner PERSON";
    await expect(sight("key_create", input)).rejects.toThrow(advice);
    await expect(perform("key_create", input, { basis: null })).rejects.toThrow(advice);
  });

  it("the preview states which principal's rights a key gives", async () => {
    const { id: keyId, hash } = generateApiKey(adminTestTenant);
    const summary = async (principal: string, scopes?: string[]) =>
      (await sight("key_create", { principal, keyId, hash, ...(scopes && { scopes }) })).changes[0]?.summary;
    expect(await summary("ana")).toBe(
      'The key authenticates its holder as the person "ana", with full access. The holder can approve as this person. The holder can administer Paraph as this person. It does not expire.',
    );
    expect(await summary("ana", ["read"])).toBe(
      'The key authenticates its holder as the person "ana", with the scopes read. It does not expire.',
    );
    expect(() =>
      parseTestInput(capability("key_create"), { principal: "bot", keyId, hash, scopes: ["all"] }),
    ).toThrow();
  });
});

describe("admin.contact_change", () => {
  it("sets, replaces and removes a person's mail address, and the preview shows both", async () => {
    await perform("contact_change", { principal: "bo", mail: "bo@example.com" });
    const input = { principal: "bo", mail: "bo@other.example" };
    expect((await sight("contact_change", input)).changes).toMatchObject([
      { kind: "update", target: "mail address of bo: bo@other.example" },
    ]);
    expect((await sight("contact_change", input)).changes[0]?.summary).toContain("Before: bo@example.com.");
    await perform("contact_change", input);
    expect(await administration.people.findMailAddress(adminTestTenant, "bo")).toBe("bo@other.example");
    await perform("contact_change", { principal: "bo" });
    expect(await administration.people.findMailAddress(adminTestTenant, "bo")).toBeUndefined();
    expect(await readFault(sight("contact_change", { principal: "bot", mail: "b@example.com" }))).toBe(
      "permanent principal-unknown",
    );
  });

  it("[TRUST 5] rejects an address that could form a header", () => {
    for (const mail of [
      "a@b\r\nBcc: c@d",
      "Eve <eve@example.com>",
      "a@b, c@d",
      '"a b"@c',
      "a@ü.example",
      "a",
    ])
      expect(() => parseTestInput(capability("contact_change"), { principal: "bo", mail })).toThrow();
  });
});

it("[TRUST 12] agents, services and people without the role cannot administer, whatever policy says", async () => {
  const who = [
    { tenant: adminTestTenant, id: "bot", kind: "agent", groups: [roles.admins] },
    { tenant: adminTestTenant, id: "svc", kind: "service", groups: [roles.admins] },
    { tenant: adminTestTenant, id: "bo", kind: "person", groups: [roles.auditors, roles.breakGlass] },
  ] as const;
  for (const principal of who) {
    const input = { group: "finance", add: ["ana"] };
    expect(await readFault(sight("group_change", input, { principal }))).toBe("permanent not-administrator");
    const done = perform("group_change", input, { principal, basis: { members: [] } });
    expect(await readFault(done)).toBe("permanent not-administrator");
  }
});
