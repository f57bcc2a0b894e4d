import { defineCapability, type Principal } from "@paraph/core";
import { slack as slackChannel } from "@paraph/server";
import { afterAll, expect, it } from "vitest";
import { z } from "zod";
import { eventually } from "./support/eventually.ts";
import { TestParaph } from "./support/servers/test-paraph.ts";
import { link } from "./support/slack-people.ts";
import { listButtons, SlackServer } from "./support/slack-server.ts";

const person = (tenant: string, id: string, ...groups: string[]): Principal => ({
  tenant,
  id,
  kind: "person",
  groups,
});
const createDeploy = (name: string) =>
  defineCapability({
    name,
    version: 1,
    summary: "Deploy",
    effect: "write",
    idempotency: "natural",
    input: z.object({ app: z.string() }),
    output: z.object({}),
    preview: async ({ app }) => ({ changes: [{ kind: "update", target: app }], basis: null }),
    apply: async () => ({}),
  });

const slack = await new SlackServer().start();
const ana = slack.user("U01ANA", "Ana Lima");
const channel = "C01DEPLOYS";
const paraph = await TestParaph.start(
  {
    policy: "permissive",
    capabilities: [createDeploy("app.deploy"), createDeploy("app.restart")],
    rules: ["app.deploy", "app.restart"].map((capability) => ({
      capability,
      ask: "ops",
      sentence: "Ops decide.",
    })),
    channels: [
      slackChannel({
        secret: "slack-bot",
        signingSecret: "slack-signing",
        channel,
        tenant: "acme",
        url: slack.url,
      }),
    ],
  },
  [
    person("acme", "ana", "ops"),
    person("acme", "bo", "ops"),
    person("acme", "root", "paraph:admins"),
    { tenant: "acme", id: "bot", kind: "agent" },
    person("globex", "zoe", "ops"),
    { tenant: "globex", id: "crawler", kind: "agent" },
  ],
  SlackServer.secrets,
);
afterAll(async () => {
  await paraph.stop();
  await slack.stop();
});

const address = `${paraph.url}/slack/events`;
const happen = async (payload: object) => {
  const response = await slack.request(address, payload);
  const text = await response.text();
  expect([response.status, text]).toEqual([200, text]);
  return text === "" ? undefined : JSON.parse(text);
};
const interact = (payload: object) => happen({ payload });

async function ask(app: string, as = "bot", capability = "app.deploy") {
  const { body } = await paraph.request(as, "POST", "/v1/calls", { capability, input: { app } });
  return { call: body.call as string, id: body.approval.id as string };
}
const listMessages = (id: string) =>
  slack.messages.filter((one) => one.channel === channel && JSON.stringify(one.blocks).includes(id));
const findMessage = (id: string) =>
  eventually(() => {
    const [found] = listMessages(id);
    if (!found) throw new Error("no message yet");
    return found;
  });
const readStatus = async (id: string) =>
  (await paraph.database.query("select status from paraph.approval where id = $1", [id]))[0]!.status;

it("[TRUST 3, 4] a request without a valid and recent signature has no effect", async () => {
  const challenge = { type: "url_verification", challenge: "c0ffee" };
  expect(await happen(challenge)).toEqual({ challenge: "c0ffee" });
  const wrong = [
    { secret: "another" },
    { tamper: true },
    { at: Date.now() - 6 * 60_000 },
    { at: Date.now() + 6 * 60_000 },
  ];
  for (const options of wrong)
    expect([options, (await slack.request(address, challenge, options)).status]).toEqual([options, 401]);
  const plain = await fetch(address, { method: "POST", body: JSON.stringify(challenge) });
  expect(plain.status).toBe(401);
  expect((await fetch(address)).status).toBe(405);
  // A proxy can send a body in chunks, without its length.
  const send = (size: number) =>
    fetch(address, { method: "POST", body: new Blob(["x".repeat(size)]).stream(), duplex: "half" } as never);
  expect([(await send(10)).status, (await send(1_100_000)).status]).toEqual([401, 413]);
});

it("[TRUST 4, 10] one message in the channel of the tenant; a request that Slack repeats counts once", async () => {
  await link(slack, paraph, ana, "ana", happen);
  const foreign = await ask("secret-of-globex", "crawler");
  const { id } = await ask("web");
  const message = await findMessage(id);
  const view = await (async () => {
    const press = slack.press(message, "approve", ana);
    expect(await interact(press)).toBeUndefined();
    return slack.views.find(({ trigger }) => trigger === press.trigger_id)!.view;
  })();
  const submission = { payload: slack.submit(view, ana) };
  const [first, again] = [await happen(submission), await happen(submission)];
  expect(first.view.title.text).toBe("Approved");
  expect(again).toEqual(first);
  expect(await readStatus(id)).toBe("approved");
  await eventually(() => expect(JSON.stringify(message.blocks)).toContain("The call succeeded"));
  expect(JSON.stringify(slack.messages)).not.toContain("secret-of-globex");
  expect(listMessages(id)).toHaveLength(1);

  // The account is linked in one tenant, and names a request of another one.
  const value = JSON.stringify({ tenant: "globex", approval: foreign.id, digest: "0" });
  await interact(slack.press(message, "deny", ana, value));
  expect(slack.whispers.at(-1)!.text).toContain("not linked");
  const own = JSON.stringify({ tenant: "acme", approval: foreign.id, digest: "0" });
  await interact(slack.press(message, "deny", ana, own));
  expect(await readStatus(foreign.id)).toBe("open");
});

it("malformed payloads with a valid signature change nothing and are no error", async () => {
  const message = slack.messages.find((one) => one.channel === channel)!;
  const press = slack.press(message, "deny", ana, "{");
  const deep = slack.press(
    message,
    "deny",
    ana,
    JSON.stringify({ tenant: ["acme"], approval: {}, digest: 1 }),
  );
  for (const payload of [press, deep, { ...press, actions: [] }, { ...press, user: null }, [], 7, null])
    expect(await interact(payload as object)).toBeUndefined();
  expect((await slack.request(address, { payload: undefined }, { form: true })).status).toBe(400);
});

it("[TRUST 19] a flood in the channel becomes one message that counts", async () => {
  const before = slack.messages.filter((one) => one.channel === channel).length;
  for (let index = 0; index < 15; index++) await ask(`flood-${index}`, "bot", "app.restart");
  await eventually(() => {
    const texts = slack.messages.filter((one) => one.channel === channel).map(({ text }) => text);
    expect(texts.some((text) => /requests wait for a decision/.test(text))).toBe(true);
  });
  const after = slack.messages.filter((one) => one.channel === channel).length;
  expect(after - before).toBeLessThanOrEqual(8);
  expect(slack.faults).toEqual([]);
  expect(listButtons(slack.messages.at(-1)!).length).toBeGreaterThan(0);
});
