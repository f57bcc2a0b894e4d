import { afterAll, beforeAll, expect, it } from "vitest";
import { type AssertionOptions, SoftAuthenticator } from "../../../../test/support/soft-authenticator.ts";
import { PasskeyServer } from "../web/testing/passkey-server.ts";

const server = new PasskeyServer();
const key = new SoftAuthenticator();
beforeAll(async () => {
  await server.start();
  await server.enrol(key, "bo");
});
afterAll(() => server.stop());

const read = async (approval: string) => (await server.get(`/v1/approvals/${approval}`, "bo")).body;
const decide = (approval: string, body: object, as = "bo") =>
  server.post(`/v1/approvals/${approval}/decision`, as, { decision: "approve", ...body });
const challengeOf = (approval: string, body: object, as = "bo") =>
  server.post(`/v1/approvals/${approval}/passkey`, as, body);
const sign = (challenge: string) => key.assert(challenge, { origin: server.service.publicUrl });
const readCode = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];

it("[TRUST 27] the API approves with the assertion of the challenge that it created, and with no other", async () => {
  const [first, second] = [await server.ask("api"), await server.ask("other")];
  const { digest } = await read(first.approval);
  const { body, status } = await challengeOf(first.approval, { digest });
  expect([status, body]).toEqual([
    200,
    { challenge: expect.any(String), rpId: "localhost", credentials: [key.credential] },
  ]);
  const other = { digest: (await read(second.approval)).digest, passkey: sign(body.challenge) };
  expect(readCode(await decide(second.approval, other))).toEqual([403, "passkey-invalid"]);
  expect(readCode(await decide(first.approval, { digest }))).toEqual([403, "passkey-required"]);
  const passkey = sign(body.challenge);
  expect(readCode(await decide(first.approval, { digest, passkey }, "audit"))).toEqual([
    403,
    "passkey-invalid",
  ]);
  expect((await decide(first.approval, { digest, passkey })).status).toBe(200);
  expect([(await read(first.approval)).status, (await read(second.approval)).status]).toEqual([
    "approved",
    "open",
  ]);
});

it("[TRUST 27] a challenge needs the current digest, an enrolled passkey and the scope to decide", async () => {
  const { approval } = await server.ask("challenge");
  const { digest } = await read(approval);
  const wrong = await challengeOf(approval, { digest: "0".repeat(64) });
  expect(readCode(wrong)).toEqual([409, "approval-changed"]);
  expect(readCode(await challengeOf(approval, { digest }, "audit"))).toEqual([403, "passkey-invalid"]);
  server.service.narrow("key-bo", ["read"]);
  expect(readCode(await challengeOf(approval, { digest }))).toEqual([403, "scope-missing"]);
  server.service.narrow("key-bo", undefined);
  expect((await read(approval)).votes).toEqual([]);
});

/** Sends a request as a browser in which this person has logged in. */
async function browse(path: string, person: string, body?: object, origin = server.http.url) {
  const response = await server.fetch(path, {
    headers: {
      cookie: `__Host-paraph=${person}`,
      ...(body && { origin, "content-type": "application/json" }),
    },
    ...(body && { method: "POST", body: JSON.stringify(body) }),
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}
const enrolmentOf = async (person: string) => (await browse("/v1/passkeys/enrolment", person)).body.enrolment;

it("[TRUST 27] a session enrols a passkey for its person with a call that another person approves", async () => {
  const made = new SoftAuthenticator();
  const enrolment = await enrolmentOf("audit");
  expect(enrolment).toEqual({
    challenge: expect.any(String),
    ...{ rpId: "localhost", origin: server.service.publicUrl, person: "audit" },
    ...{ credentials: [], algorithms: [-7, -8, -257] },
  });
  const enrol = (options: AssertionOptions, challenge = enrolment.challenge) =>
    browse("/v1/passkeys", "audit", {
      label: "ring",
      registration: made.register(challenge, { origin: enrolment.origin, ...options }),
    });
  const foreign = await enrolmentOf("bo");
  for (const wrong of [
    await enrol({ isUserVerified: false }),
    await enrol({ origin: "https://evil.example" }),
    await enrol({ rpId: "evil.example" }),
    await enrol({}, foreign.challenge),
  ])
    expect(readCode(wrong)).toEqual([403, "passkey-invalid"]);
  const listed = async () => (await server.get("/v1/passkeys", "audit")).body.passkeys;
  const { status, body } = await enrol({});
  expect([status, body.input, body.preview.changes[0].details.fingerprint]).toEqual([
    202,
    { person: "audit", label: "ring", credential: made.credential, publicKey: made.cose },
    expect.stringMatching(/^[0-9a-f]{4}( [0-9a-f]{4}){3}$/),
  ]);
  const { id, digest } = body.waiting.approval;
  const vote = { decision: "approve", digest };
  expect((await server.post(`/v1/approvals/${id}/decision`, "audit", vote)).status).toBe(403);
  const enrolled = async () =>
    (await listed()).filter(({ credential }: { credential: string }) => credential === made.credential);
  expect(await enrolled()).toEqual([]);
  await server.post(`/v1/approvals/${id}/decision`, "ana", vote);
  await server.get(`/v1/calls/${body.call}`, "audit", { prefer: "wait=60" });
  expect(await enrolled()).toMatchObject([{ person: "audit", label: "ring" }]);
  expect((await enrolmentOf("audit")).credentials).toEqual([made.credential]);
});

it("[TRUST 22, 27] only a session enrols passkeys, and only from a page of this server", async () => {
  const { challenge, origin } = await enrolmentOf("audit");
  const body = { label: "ring", registration: new SoftAuthenticator().register(challenge, { origin }) };
  const cookie = { cookie: "__Host-paraph=audit" };
  expect(readCode(await server.get("/v1/passkeys/enrolment", "audit", cookie))).toEqual([
    403,
    "session-required",
  ]);
  expect(readCode(await server.post("/v1/passkeys", "audit", body, cookie))).toEqual([
    403,
    "session-required",
  ]);
  expect(readCode(await browse("/v1/passkeys", "audit", body, "https://evil.example"))).toEqual([
    403,
    "origin-not-allowed",
  ]);
  server.service.publicUrl = server.http.url;
  expect((await browse("/v1/passkeys/enrolment", "audit")).body).toEqual({});
  expect(readCode(await browse("/v1/passkeys", "audit", body))).toEqual([403, "passkey-invalid"]);
  server.service.publicUrl = origin;
});
