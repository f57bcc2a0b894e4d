import { isPasskeySealed, roles } from "@paraph/core";
import { createTestSigner } from "@paraph/core/testing";
import { afterAll, describe, expect, it } from "vitest";
import { SoftAuthenticator } from "../../../../../../test/support/soft-authenticator.ts";
import { createPasskeyStore } from "../../../postgres/index.ts";
import { adminTestTenant, createTestAdmin, readFault } from "../testing/create-test-admin.ts";

const { close, db, perform, sight } = await createTestAdmin();
afterAll(close);
const store = createPasskeyStore(db.app);
const as = (id: string, groups: readonly string[] = []) => ({
  principal: { tenant: adminTestTenant, id, kind: "person", groups } as const,
});
const key = new SoftAuthenticator();
const input = { person: "bo", credential: key.credential, publicKey: key.cose, label: "ring" };

describe("[TRUST 27] admin.passkey_add", () => {
  it("previews the key with a fingerprint to compare, then enrols it with a seal, and a repeated attempt gives the same result", async () => {
    const { changes } = await sight("passkey_add", input, as("bo"));
    expect(changes).toEqual([
      {
        kind: "create",
        target: 'passkey "ring" of bo',
        summary: expect.stringMatching(
          /shows the key fingerprint [0-9a-f]{4}( [0-9a-f]{4}){3}\. bo has 0 passkeys/,
        ),
        details: expect.objectContaining({ algorithm: "ES256" }),
      },
    ]);
    expect(await store.list(adminTestTenant)).toEqual([]);
    const made = { person: "bo", credential: key.credential };
    expect(await perform("passkey_add", input, as("bo"))).toEqual(made);
    expect(await perform("passkey_add", input, { ...as("bo"), basis: null })).toEqual(made);
    const row = (await store.find(adminTestTenant, key.credential))!;
    expect(row).toMatchObject({ person: "bo", publicKey: key.cose, counter: 0 });
    // Another deployment has another sealing key, so its seals do not count here.
    expect(isPasskeySealed(adminTestTenant, row, row.seal, await createTestSigner())).toBe(false);
  });

  it("is only for oneself, even for an administrator, and refuses keys that no verifier can read", async () => {
    const other = { ...input, credential: "other" };
    expect(await readFault(sight("passkey_add", other, as("ana", [roles.admins])))).toBe(
      "permanent passkey-not-yours",
    );
    expect(await readFault(sight("passkey_add", { ...other, publicKey: "AAAA" }, as("bo")))).toBe(
      "permanent passkey-invalid",
    );
    expect(await readFault(sight("passkey_add", input, as("bo")))).toBe("permanent passkey-taken");
    const agent = { principal: { tenant: adminTestTenant, id: "bo", kind: "agent" } as const };
    expect(await readFault(sight("passkey_add", other, agent))).toBe("permanent not-a-person");
  });
});

it("[TRUST 4] a signature counter must increase, unless the authenticator has none", async () => {
  const use = (counter: number) => store.recordUse(adminTestTenant, key.credential, counter);
  const results = [await use(0), await use(0), await use(5), await use(5), await use(0), await use(6)];
  expect(results).toEqual([true, true, true, false, false, true]);
});

describe("admin.passkey_remove", () => {
  it("is for the passkey's own person and for administrators", async () => {
    const remove = { credential: key.credential };
    expect(await readFault(sight("passkey_remove", remove, as("cy")))).toBe("permanent passkey-not-yours");
    expect((await sight("passkey_remove", remove, as("bo"))).changes).toMatchObject([{ kind: "delete" }]);
    expect(await perform("passkey_remove", remove, as("ana", [roles.admins]))).toEqual(remove);
    expect(await store.find(adminTestTenant, key.credential)).toBeUndefined();
    expect(await perform("passkey_remove", remove, { ...as("bo"), basis: null })).toEqual(remove);
  });
});
