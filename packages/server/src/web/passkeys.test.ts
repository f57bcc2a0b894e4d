import { verifyReceipt } from "@paraph/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AssertionOptions, SoftAuthenticator } from "../../../../test/support/soft-authenticator.ts";
import { PasskeyServer } from "./testing/passkey-server.ts";

const server = new PasskeyServer();
beforeAll(() => server.start());
afterAll(() => server.stop());

async function visit(path: string, as: string, form?: Record<string, string>) {
  const response = await server.fetch(path, {
    redirect: "manual",
    headers: { cookie: `__Host-paraph=${as}`, ...(form && { origin: server.http.url }) },
    ...(form && { method: "POST", body: new URLSearchParams(form) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text };
}

const readField = (html: string, name: string) =>
  new RegExp(`name="${name}" value="([^"]+)"`).exec(html)?.[1] ?? "";

/** Opens the approval's page as its reader, and returns the form that the page would post. */
async function openForm(approval: string, as: string) {
  const page = await visit(`/approvals/${approval}?opened=1`, as);
  const text = page.text.slice(page.text.indexOf('id="decision"'));
  return { decision: "approve", digest: readField(text, "digest"), proof: readField(text, "proof") };
}

async function approve(
  approval: string,
  as: string,
  key: SoftAuthenticator,
  options: AssertionOptions & { challenge?: string } = {},
) {
  const form = await openForm(approval, as);
  const asked = await visit(`/approvals/${approval}/passkey`, as, form);
  const { challenge = "" } = JSON.parse(asked.text);
  const origin = server.service.publicUrl;
  const assertion = key.assert(options.challenge ?? challenge, { origin, ...options });
  return visit(`/approvals/${approval}/decision`, as, { ...form, assertion: JSON.stringify(assertion) });
}

const statusOf = async (approval: string) =>
  (await server.get(`/v1/approvals/${approval}`, "bo")).body.status;

describe("[TRUST 27] an approval that needs a passkey", () => {
  const key = new SoftAuthenticator();
  beforeAll(() => server.enrol(key, "bo"));

  it("offers `Approve with passkey` with this server's script only, and tells API callers and pages without script what to do", async () => {
    const { approval } = await server.ask("page");
    const { text, headers } = await visit(`/approvals/${approval}`, "bo");
    expect(text).toContain("Approve with passkey");
    expect(headers.get("content-security-policy")).toContain("script-src 'self'; connect-src 'self'");
    const { text: own, headers: plain } = await visit(`/approvals/${approval}`, "ana");
    expect(own).not.toContain("<script");
    expect(plain.get("content-security-policy")).not.toContain("script-src");
    const { body } = await server.get(`/v1/approvals/${approval}`, "bo");
    expect(body).toMatchObject({ needsPasskey: true, guards: [{ proof: "passkey" }] });
    const voted = await server.post(`/v1/approvals/${approval}/decision`, "bo", {
      decision: "approve",
      digest: body.digest,
    });
    expect([voted.status, voted.body.code]).toEqual([403, "passkey-required"]);
    const posted = await visit(`/approvals/${approval}/decision`, "bo", await openForm(approval, "bo"));
    expect([posted.status, await statusOf(approval)]).toEqual([403, "open"]);
    expect(posted.text).toContain("Policy demands a passkey");
  });

  it("is approved by a valid assertion; the call runs, and its receipt proves the passkey", async () => {
    const { approval, call } = await server.ask("valid");
    expect((await approve(approval, "bo", key)).status).toBe(303);
    const { body } = await server.get(`/v1/calls/${call}`, "bot", { prefer: "wait=60" });
    expect([body.outcome.kind, server.opened]).toEqual(["succeeded", ["valid"]]);
    const receipt = await server.get(`/v1/calls/${call}/receipt`, "bo");
    const verified = await verifyReceipt(receipt.body, server.service.listPublicKeys());
    expect(verified.passkeys).toEqual(["bo"]);
    expect((await visit(`/approvals/${approval}`, "bo")).text).toContain("with a passkey");
  });

  it.each([
    ["EdDSA", -8],
    ["RS256", -257],
  ] as const)("is approved with %s too, and not if one bit of the signature differs", async (_, alg) => {
    const other = new SoftAuthenticator(alg);
    await server.enrol(other, "bo");
    const { approval, call } = await server.ask(`alg${alg}`);
    const form = await openForm(approval, "bo");
    const { challenge } = JSON.parse((await visit(`/approvals/${approval}/passkey`, "bo", form)).text);
    const assertion = other.assert(challenge, { origin: server.service.publicUrl });
    const bytes = Buffer.from(assertion.signature, "base64url");
    bytes[9]! ^= 1;
    const wrong = { ...assertion, signature: bytes.toString("base64url") };
    const post = (given: object) =>
      visit(`/approvals/${approval}/decision`, "bo", { ...form, assertion: JSON.stringify(given) });
    expect([(await post(wrong)).status, await statusOf(approval)]).toEqual([403, "open"]);
    expect((await post(assertion)).status).toBe(303);
    await server.get(`/v1/calls/${call}`, "bot", { prefer: "wait=60" });
    const receipt = await server.get(`/v1/calls/${call}/receipt`, "bo");
    const verified = await verifyReceipt(receipt.body, server.service.listPublicKeys());
    expect(verified.passkeys).toEqual(["bo"]);
  });

  it("is denied without a passkey", async () => {
    const { approval } = await server.ask("denied");
    const form = { ...(await openForm(approval, "bo")), decision: "deny" };
    expect((await visit(`/approvals/${approval}/decision`, "bo", form)).status).toBe(303);
    expect(await statusOf(approval)).toBe("denied");
  });

  it.each<[string, AssertionOptions]>([
    ["without user verification", { isUserVerified: false }],
    ["from another origin", { origin: "https://evil.example" }],
    ["from another port of the same host", { origin: "http://localhost:1" }],
    ["for another relying party", { rpId: "evil.example" }],
  ])("refuses an assertion %s", async (_, options) => {
    const { approval } = await server.ask("wrong");
    expect((await approve(approval, "bo", key, options)).status).toBe(403);
    expect(await statusOf(approval)).toBe("open");
  });

  it("refuses the assertion of another approval, and one that was used before", async () => {
    const first = await server.ask("first");
    const form = await openForm(first.approval, "bo");
    const { challenge } = JSON.parse((await visit(`/approvals/${first.approval}/passkey`, "bo", form)).text);
    const second = await server.ask("second");
    expect((await approve(second.approval, "bo", key, { challenge })).status).toBe(403);
    expect(await statusOf(second.approval)).toBe("open");
    const old = JSON.stringify(key.assert(challenge, { origin: server.service.publicUrl }));
    await approve((await server.ask("third")).approval, "bo", key);
    const replayed = await visit(`/approvals/${first.approval}/decision`, "bo", { ...form, assertion: old });
    expect([replayed.status, await statusOf(first.approval)]).toEqual([403, "open"]);
    expect(replayed.text).toContain("repeats a signature counter");
  });

  it("refuses a passkey of another person, a removed one, one that nobody enrolled, and one without its seal", async () => {
    const foreign = new SoftAuthenticator();
    await server.enrol(foreign, "audit");
    const removed = new SoftAuthenticator();
    await server.enrol(removed, "bo");
    await server.service.passkeyStore.remove("acme", removed.credential);
    const forged = new SoftAuthenticator();
    const row = { credential: forged.credential, person: "bo", publicKey: forged.cose, label: "forged" };
    await server.service.passkeyStore.add("acme", { ...row, seal: "forged" });
    const { approval } = await server.ask("keys");
    for (const wrong of [foreign, removed, new SoftAuthenticator(), forged]) {
      const refused = await approve(approval, "bo", wrong);
      expect(refused.status).toBe(403);
      expect(refused.text).toContain("not enrolled for you");
    }
    expect(await statusOf(approval)).toBe("open");
  });

  it("[TRUST 33] refuses a person who is frozen after the ceremony", async () => {
    const { approval } = await server.ask("disabled");
    const form = await openForm(approval, "bo");
    const asked = await visit(`/approvals/${approval}/passkey`, "bo", form);
    const { challenge } = JSON.parse(asked.text);
    const assertion = JSON.stringify(key.assert(challenge, { origin: server.service.publicUrl }));
    server.service.store.freeze("acme", { id: "freeze_1", kind: "principal", subject: "bo", by: "ana" });
    const posted = await visit(`/approvals/${approval}/decision`, "bo", { ...form, assertion });
    server.service.store.thaw("acme", "freeze_1");
    expect([posted.status, await statusOf(approval)]).toEqual([403, "open"]);
  });
});

describe("enrolment", () => {
  it("verifies the registration and becomes a call; the passkey works only after another person approved it", async () => {
    const key = new SoftAuthenticator();
    const { text } = await visit("/passkeys", "audit");
    const { challenge, rpId } = JSON.parse(
      (/data-options="([^"]+)"/.exec(text)?.[1] ?? "").replaceAll("&quot;", '"').replaceAll("&#34;", '"'),
    );
    expect(rpId).toBe("localhost");
    const proof = readField(text, "proof");
    const origin = server.service.publicUrl;
    const post = (options: AssertionOptions, given = challenge) =>
      visit("/passkeys", "audit", {
        proof,
        label: "ring",
        registration: JSON.stringify(key.register(given, { origin, ...options })),
      });
    expect((await post({ isUserVerified: false })).status).toBe(422);
    expect((await post({ origin: "https://evil.example" })).status).toBe(422);
    expect((await post({}, "AAAA")).status).toBe(422);
    const enrolled = await post({});
    expect(enrolled.status).toBe(303);
    const listed = async () =>
      (await server.get("/v1/passkeys", "audit")).body.passkeys.filter(
        ({ credential }: { credential: string }) => credential === key.credential,
      );
    const { approval } = await server.ask("enrolled");
    expect([await listed(), (await approve(approval, "audit", key)).status]).toEqual([[], 403]);
    const path = `/v1${enrolled.headers.get("location")}`;
    const { id, digest } = (await server.get(path, "audit")).body.waiting.approval;
    const vote = { decision: "approve", digest };
    expect((await server.post(`/v1/approvals/${id}/decision`, "audit", vote)).status).toBe(403);
    await server.post(`/v1/approvals/${id}/decision`, "ana", vote);
    expect((await server.get(path, "audit", { prefer: "wait=60" })).body.outcome.kind).toBe("succeeded");
    expect(await listed()).toMatchObject([{ person: "audit", label: "ring", publicKey: key.cose }]);
    expect((await server.get("/v1/passkeys", "bo")).body.passkeys).not.toContainEqual(
      expect.objectContaining({ person: "audit" }),
    );
    expect((await approve(approval, "audit", key)).status).toBe(303);
    const removed = await visit("/passkeys/remove", "audit", { proof, credential: key.credential });
    expect(removed.status).toBe(303);
    await server.get(`/v1${removed.headers.get("location")}`, "audit", { prefer: "wait=60" });
    expect(await listed()).toEqual([]);
  });

  it.each([
    ["EdDSA", -8],
    ["RS256", -257],
  ] as const)("verifies a registration with %s", async (name, alg) => {
    const key = new SoftAuthenticator(alg);
    const { text } = await visit("/passkeys", "audit");
    const { challenge } = JSON.parse(
      (/data-options="([^"]+)"/.exec(text)?.[1] ?? "").replaceAll("&#34;", '"'),
    );
    const registration = JSON.stringify(key.register(challenge, { origin: server.service.publicUrl }));
    const posted = await visit("/passkeys", "audit", {
      proof: readField(text, "proof"),
      label: name,
      registration,
    });
    expect(posted.status).toBe(303);
    const { body } = await server.get(`/v1${posted.headers.get("location")}`, "audit");
    expect(JSON.stringify(body)).toContain(name);
  });

  it("is possible only for oneself, and only through the form of the page", async () => {
    const { credential, cose: publicKey } = new SoftAuthenticator();
    const input = { person: "bo", credential, publicKey, label: "mine" };
    const { body } = await server.call("admin.passkey_add", input, { prefer: "wait=60" }, "ana");
    expect(body.outcome).toMatchObject({ kind: "refused" });
    const remove = { proof: "wrong", credential };
    expect((await visit("/passkeys/remove", "bo", remove)).status).toBe(409);
    expect((await visit("/passkeys", "bo", remove)).status).toBe(409);
  });
});
