import { once } from "node:events";
import { afterAll, expect, it } from "vitest";
import { eventually } from "./support/eventually.ts";
import { TestCluster } from "./support/servers/test-cluster.ts";
import { type SlackMessage, SlackServer } from "./support/slack-server.ts";
import { TestClient } from "./support/test-client.ts";

const channel = "C01LAB";
const slack = await new SlackServer().start();
const cluster = await TestCluster.start();
cluster.environment = {
  SLACK_URL: slack.url,
  PARAPH_SECRET__DEPLOYMENT__SLACK_BOT: SlackServer.secrets["deployment/slack-bot"],
  PARAPH_SECRET__DEPLOYMENT__SLACK_APP: SlackServer.secrets["deployment/slack-app"],
  NORMAL_EXPIRES: "8h",
};
let paraph = await cluster.startProcess("api,worker");
afterAll(async () => {
  await cluster.stop();
  await slack.stop();
});

/** Kills the process after Slack accepted its next message and before Slack answers. Then others post 450 messages. */
async function dieAtNextPost(): Promise<SlackMessage> {
  const posted = Promise.withResolvers<SlackMessage>();
  const gone = once(paraph.child, "exit");
  slack.onPosted = (message, response) => {
    slack.onPosted = () => {};
    paraph.child.kill("SIGKILL");
    response.destroy();
    posted.resolve(message);
  };
  const message = await posted.promise;
  await gone;
  slack.chat(channel, message.thread_ts, 450);
  paraph = await cluster.startProcess("api,worker");
  return message;
}

const listNotices = (call: string) =>
  cluster.database.query("select kind, state, provider_id from paraph.notice where call = $1 order by seq", [
    call,
  ]);
/** Returns the messages that Paraph posted, and its replies in their threads. */
const listPosted = () => slack.messages.filter(({ metadata }) => metadata?.event_type === "paraph_notice");

it("[TRUST 4] a process that dies between a post to Slack and its record posts nothing twice", async () => {
  const firstDeath = dieAtNextPost();
  const ask = () =>
    new TestClient(paraph.url, cluster.keys).call("asked.keyed", { name: "door" }, { key: "door" });
  const answer = ask().catch(() => undefined);
  const message = await firstDeath;
  // The process may die before it answers. The repeated request names the same call.
  const { body } = (await answer) ?? (await ask());
  const sent = { state: "sent", provider_id: `${channel}:${message.ts}` };
  await eventually(async () => expect(await listNotices(body.call)).toEqual([{ kind: "request", ...sent }]));
  expect(listPosted()).toEqual([message]);

  const secondDeath = dieAtNextPost();
  await cluster.database.query(
    "create or replace function paraph.now() returns timestamptz language sql volatile as $$ select clock_timestamp() + interval '3 minutes' $$",
  );
  const reply = await secondDeath;
  expect(reply).toMatchObject({ thread_ts: message.ts, text: expect.stringContaining("Reminder") });
  const reminded = ["request", "reminder"].map((kind) => ({ kind, ...sent }));
  await eventually(async () => expect(await listNotices(body.call)).toEqual(reminded));

  const client = new TestClient(paraph.url, cluster.keys);
  const { approval } = (await client.request("owner", "GET", `/v1/calls/${body.call}`)).body.waiting!;
  await client.decide(approval!.id, { decision: "deny", digest: approval!.digest });
  await eventually(async () =>
    expect(await listNotices(body.call)).toEqual([...reminded, { kind: "outcome", ...sent }]),
  );
  expect(listPosted()).toEqual([message, reply]);
  expect(JSON.stringify(message.blocks)).toContain("Denied by owner.");
});
