import { afterAll, beforeAll, expect, it } from "vitest";
import { SoftAuthenticator } from "../../../../test/support/soft-authenticator.ts";
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
