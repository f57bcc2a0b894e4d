import { defineCapability, type Principal } from "@paraph/core";
import { slack as slackChannel } from "@paraph/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { hostileText } from "../packages/server/src/web/testing/samples.ts";
import { eventually } from "./support/eventually.ts";
import { TestParaph } from "./support/servers/test-paraph.ts";
import { link, listLinks, requestLink, toLocal } from "./support/slack-people.ts";
import {
  listButtons,
  type SlackMessage,
  SlackServer,
  type SlackUser,
  toDirect,
} from "./support/slack-server.ts";
import { hasBrowser, launchBrowser } from "./support/web/browser.ts";
import { pressEverything } from "./support/web/press-everything.ts";

const tenant = "acme";
const person = (id: string, ...groups: string[]): Principal => ({ tenant, id, kind: "person", groups });

const input = z.object({
  customer: z.string(),
  diff: z.string().default("-open\n+refunded\n"),
  card: z.string().default(""),
});
const applied: string[] = [];
const createRefund = (name: string, risk: "medium" | "high") =>
  defineCapability({
    name,
    version: 1,
    summary: "Refund a customer",
    effect: "write",
    risk,
    idempotency: "natural",
    sensitive: name === "billing.card" ? ["card"] : [],
    input,
    output: z.object({}),
    headline: ({ customer }) => `Refund ${customer}`,
    preview: async ({ customer, diff, card }) => ({
      changes: [{ kind: "update", target: customer, diff, ...(card !== "" && { summary: `card ${card}` }) }],
      basis: null,
    }),
    apply: async ({ customer }) => {
      applied.push(customer);
      return {};
    },
  });

const slack = await new SlackServer().start();
const ana = slack.user("U01ANA", "Ana Lima");
const bo = slack.user("U02BO", "Bo <!channel>");
const cy = slack.user("U03CY", "Cy");
const stranger = slack.user("U09STRANGER", "Stranger");
const twin = { ...ana, team: "T99OTHER" };
// More than five requests of one agent for one capability within a minute are a flood.
const refunds = Array.from({ length: 8 }, (_, index) => `billing.refund_${index}`);
const names = [...refunds, "billing.card", "billing.passkey", "billing.pair"];
const paraph = await TestParaph.start(
  {
    policy: "permissive",
    capabilities: [
      ...names.map((name) => createRefund(name, "medium")),
      createRefund("billing.purge", "high"),
    ],
    rules: [
      ...[...refunds, "billing.card", "billing.purge"].map((capability) => ({
        capability,
        ask: "finance",
        sentence: "Refunds need finance.",
      })),
      { capability: "billing.passkey", ask: "finance", proof: "passkey", sentence: "Needs a passkey." },
      { capability: "billing.pair", ask: "finance", people: 2, sentence: "Two people decide." },
    ],
    // The tests send ana more messages within a minute than one person may get.
    channels: [
      slackChannel({ secret: "slack-bot", appSecret: "slack-app", url: slack.url, maxPerRecipient: 1_000 }),
    ],
  },
  [
    person("ana", "finance"),
    person("bo", "finance"),
    person("cy", "finance"),
    person("root", "paraph:admins"),
    { tenant, id: "bot", kind: "agent", owner: "cy" },
  ],
  SlackServer.secrets,
);
afterAll(async () => {
  await paraph.stop();
  await slack.stop();
});

const interact = (payload: object) => slack.send("interactive", payload);
const happen = (payload: object) => slack.send("events_api", payload);

let asked = 0;
async function ask(
  customer: string,
  capability = refunds[asked++ % refunds.length],
  more: object = {},
  purpose?: string,
) {
  const seen = slack.messages.length;
  const { body } = await paraph.request("bot", "POST", "/v1/calls", {
    capability,
    input: { customer, ...more },
    ...(purpose !== undefined && { purpose }),
  });
  const id = body.approval.id as string;
  const findMessage = (user = ana) =>
    eventually(() => {
      const found = slack.messages
        .slice(seen)
        .find((one) => one.channel === toDirect(user.id) && JSON.stringify(one.blocks).includes(id));
      if (!found) throw new Error("no message yet");
      return found;
    });
  return { call: body.call as string, id, findMessage };
}

const readStatus = async (id: string) =>
  (await paraph.request("root", "GET", `/v1/approvals/${id}`)).body.status;
const listActions = (message: SlackMessage) => listButtons(message).map(({ action_id }) => action_id);

async function openDialog(message: SlackMessage, action: string, user = ana) {
  const payload = slack.press(message, action, user);
  await interact(payload);
  return slack.views.find(({ trigger }) => trigger === payload.trigger_id)?.view;
}

/**
 * Waits for the messages to ana and to bo. Paraph posts one after the other, and posts none about a request that is
 * already decided.
 */
function findBothMessages(findMessage: (user: SlackUser) => Promise<SlackMessage>) {
  return Promise.all([findMessage(ana), findMessage(bo)]);
}

async function untilUpdated(message: SlackMessage, words: string) {
  await eventually(() => expect(JSON.stringify(message.blocks)).toContain(words));
}

beforeAll(async () => {
  await link(slack, paraph, ana, "ana", happen);
  await link(slack, paraph, bo, "bo", happen);
});

describe("linking", () => {
  it("[TRUST 9, 27] a link counts only after an administrator approved it", async () => {
    const call = await requestLink(slack, paraph, cy, "cy", happen);
    const { id, findMessage } = await ask("c-link");
    const message = await findMessage();
    expect((await paraph.request("root", "GET", `/v1/calls/${call}`)).body.state).toBe("asking");
    expect(await openDialog(message, "deny", cy)).toBeUndefined();
    expect(await readStatus(id)).toBe("open");
    const browser = await paraph.browser(tenant, "bo");
    const page = await browser.open(`${paraph.url}/notifications`);
    expect(page.text).toContain("Bo &#60;!channel&#62;");
  });

  it("[TRUST 2] opening the link changes nothing, and needs a login", async () => {
    await happen(slack.comment(stranger, "hello", { channel: toDirect(stranger.id) }));
    const [offer] = await slack.waitFor(toDirect(stranger.id), 1);
    const address = toLocal(listButtons(offer!)[0].url, paraph.url);
    const answer = await fetch(address, { redirect: "manual" });
    expect([answer.status, answer.headers.get("location")]).toEqual([
      303,
      expect.stringMatching(/^\/login\?to=%2Fslack%2Flink%2F/),
    ]);
    const browser = await paraph.browser(tenant, "cy");
    expect((await browser.open(address)).text).toContain("Stranger");
    const forged = address.replace(/link\/./, (start) => `${start}A`);
    expect((await browser.open(forged)).status).toBe(422);
    const found = await paraph.database.query("select person from paraph.slack_account order by person");
    expect(found.map((row) => row.person)).toEqual(["ana", "bo"]);
  });

  it("[TRUST 9] an account that is not linked decides nothing, nor the same id of another workspace", async () => {
    const { id, findMessage } = await ask("c-1");
    const message = await findMessage();
    for (const user of [stranger, twin]) {
      const before = slack.whispers.length;
      expect(await openDialog(message, "approve", user)).toBeUndefined();
      expect(slack.whispers.length).toBe(before + 1);
      const view = { callback_id: "approve", private_metadata: toMetadata(message) };
      const answer = await interact(slack.submit(view, user));
      expect(JSON.stringify(answer)).toContain("not linked");
    }
    expect(slack.whispers.at(-2)!.blocks[1].elements[0].url).toContain("/slack/link/");
    expect(slack.whispers.at(-1)!.blocks).toHaveLength(1);
    expect(await readStatus(id)).toBe("open");
  });

  it("[TRUST 32] a link that someone wrote into the database decides nothing", async () => {
    const { id, findMessage } = await ask("c-forged");
    const message = await findMessage();
    await paraph.database.query(
      "insert into paraph.slack_account values ('acme', $1, $2, 'cy', 'Acme', 'Stranger', 'x.y', now())",
      [stranger.team, stranger.id],
    );
    const view = { callback_id: "deny", private_metadata: toMetadata(message) };
    expect(JSON.stringify(await interact(slack.submit(view, stranger)))).toContain("not linked");
    expect(await readStatus(id)).toBe("open");
    await paraph.database.query("delete from paraph.slack_account where account = $1", [stranger.id]);
  });
});

const toMetadata = (message: SlackMessage) =>
  JSON.stringify({
    ...JSON.parse(listButtons(message).find(({ action_id }) => action_id === "deny").value),
    message: `${message.channel}:${message.ts}`,
  });

describe("deciding", () => {
  it("[TRUST 1, 4] a dialog with the whole preview approves, once, and the message shows the outcome", async () => {
    const { call, findMessage } = await ask("c-2");
    const [message, bosMessage] = await findBothMessages(findMessage);
    expect(listActions(message)).toEqual(["approve", "open", "deny", "return", "acknowledge"]);
    const view = await openDialog(message, "approve");
    expect(JSON.stringify(view)).toContain("-open\\n+refunded");
    const payload = slack.submit(view, ana);
    const [first, again] = [await interact(payload), await interact(payload)];
    expect(first).toMatchObject({ response_action: "update", view: { title: { text: "Approved" } } });
    expect(again).toEqual(first);
    await untilUpdated(message, "Approved by ana. The call succeeded.");
    await eventually(() => expect(applied.filter((one) => one === "c-2")).toHaveLength(1));
    const votes = await paraph.database.query(
      "select data from paraph.event where call = $1 and kind = 'voted'",
      [call],
    );
    expect(votes).toHaveLength(1);
    expect(votes[0]!.data).toMatchObject({ by: "ana", decision: "approve", via: "slack" });
    await untilUpdated(bosMessage, "Approved by ana. The call succeeded.");
    expect(listActions(message)).toEqual(["open"]);
  });

  it.runIf(hasBrowser)(
    "[TRUST 2] a browser without a login that follows the links of messages and presses buttons decides nothing",
    async () => {
      const { id, findMessage } = await ask("c-robot");
      const message = await findMessage();
      await happen(slack.comment(stranger, "hello", { channel: toDirect(stranger.id) }));
      await openDialog(message, "approve", stranger);
      const offer = slack.messages.findLast(({ channel }) => channel === toDirect(stranger.id));
      const view = await openDialog(message, "approve");
      const links = [message, offer, slack.whispers.at(-1), view].map((one) => listLinks(one, paraph.url));
      expect(links.slice(0, 3).map(({ length }) => length)).toEqual([1, 1, 1]);
      const countWrites = () =>
        paraph.database.query(
          `select (select count(*) from paraph.vote) as votes, (select count(*) from paraph.call) as calls,
             (select count(*) from paraph.message) as comments, (select count(*) from paraph.slack_account) as accounts`,
        );
      const before = await countWrites();
      const browser = await launchBrowser();
      const paths = await pressEverything(await browser.newContext(), links.flat()).finally(() =>
        browser.close(),
      );
      expect(await countWrites()).toEqual(before);
      expect(await readStatus(id)).toBe("open");
      expect(paths).toContain("/login");
    },
  );

  it("[TRUST 1] a digest that is not the shown one decides nothing", async () => {
    const { id, findMessage } = await ask("c-3");
    const message = await findMessage();
    const view = await openDialog(message, "approve");
    const changed = { ...JSON.parse(view.private_metadata), digest: "0".repeat(64) };
    const answer = await interact(slack.submit({ ...view, private_metadata: JSON.stringify(changed) }, ana));
    expect(answer.view.title.text).toBe("Nothing was changed");
    expect(await readStatus(id)).toBe("open");
  });

  it.each(["billing.purge", "billing.passkey", "billing.card"])(
    "[TRUST 6, 16, 27] %s has no way to approve here, also with forged payloads",
    async (capability) => {
      const { id, findMessage } = await ask("c-4", capability, {
        ...(capability === "billing.card" && { card: "canary-4242" }),
      });
      const message = await findMessage();
      expect(JSON.stringify(message)).not.toContain("canary");
      expect(listActions(message)).toEqual(["open", "deny", "return", "acknowledge"]);
      const { value } = listButtons(message).find(({ action_id }) => action_id === "deny");
      const press = slack.press(message, "approve", ana, value);
      await interact(press);
      expect(slack.views.some(({ trigger }) => trigger === press.trigger_id)).toBe(false);
      const view = { callback_id: "approve", private_metadata: toMetadata(message) };
      expect((await interact(slack.submit(view, ana))).view.title.text).toBe("Nothing was changed");
      expect(await readStatus(id)).toBe("open");
    },
  );

  it("[TRUST 6] a change that does not fit leaves only the page", async () => {
    const { findMessage } = await ask("c-5", undefined, { diff: `+${"x".repeat(3_000)}\n` });
    const message = await findMessage();
    expect(listActions(message)).not.toContain("approve");
    expect(JSON.stringify(message.blocks)).toContain("Only the page shows this change in full.");
    const { findMessage: findHidden } = await ask("c-6", undefined, { diff: "\u200b".repeat(2_000) });
    expect(listActions(await findHidden())).not.toContain("approve");
    expect(slack.faults).toEqual([]);
  });

  it("denies with a reason, returns with instructions, and updates a message that is out of date", async () => {
    const { id, findMessage, call } = await ask("c-7");
    const [anasMessage, message] = await findBothMessages(findMessage);
    const old = { ...message, blocks: message.blocks };
    const view = await openDialog(message, "deny", bo);
    await interact(slack.submit(view, bo, "Not this week"));
    await untilUpdated(anasMessage, "Denied by bo. The call did not run.");
    expect(await readStatus(id)).toBe("denied");
    expect((await paraph.request("bot", "GET", `/v1/calls/${call}`)).body.outcome.code).toBe("denied");
    const pressed = await openDialog(old, "approve", ana);
    expect([pressed, slack.whispers.at(-1)!.text]).toEqual([
      undefined,
      expect.stringContaining("already decided"),
    ]);

    const second = await ask("c-8");
    const returned = await openDialog(await second.findMessage(), "return");
    await interact(slack.submit(returned, ana, "Use the other account"));
    await untilUpdated(await second.findMessage(), "Returned with instructions by ana");
  });

  it("[TRUST 12, 33] the owner of the agent cannot decide, nor a person whose account was unlinked or disabled", async () => {
    await link(slack, paraph, cy, "cy", happen);
    const { id, findMessage } = await ask("c-9");
    const view = await openDialog(await findMessage(), "approve", cy);
    const answer = await interact(slack.submit(view, cy));
    expect(JSON.stringify(answer)).toContain("You can't decide on your own request");
    const browser = await paraph.browser(tenant, "cy");
    const page = await browser.open(`${paraph.url}/notifications`);
    const [, proof = ""] =
      /slack\/unlink"><input type="hidden" name="proof" value="([^"]+)/.exec(page.text) ?? [];
    const headers = { origin: paraph.url };
    const forged = new URLSearchParams({ proof: "x" });
    const path = `${paraph.url}/slack/unlink`;
    expect((await browser.fetch(path, { method: "POST", body: forged, headers })).status).toBe(409);
    await browser.fetch(path, { method: "POST", body: new URLSearchParams({ proof }), headers });
    await eventually(async () => {
      expect(JSON.stringify(await interact(slack.submit(view, cy)))).toContain("not linked");
    });
    await link(slack, paraph, cy, "cy", happen);
    await paraph.database.query("select paraph.principal_disable('acme', 'cy', 'root')");
    const after = await interact(slack.submit(view, cy));
    expect(JSON.stringify(after)).toContain("not linked");
    expect(await readStatus(id)).toBe("open");
  });

  it("shows an acknowledgement and the first of two approvals in place", async () => {
    const { findMessage } = await ask("c-10", "billing.pair");
    const message = await findMessage();
    await interact(slack.press(message, "acknowledge", ana));
    await untilUpdated(message, "ana looks at this request.");
    await interact(slack.submit(await openDialog(message, "approve"), ana));
    await untilUpdated(message, "Approved by ana. More approvals are needed.");
    await interact(slack.submit(await openDialog(await findMessage(bo), "approve", bo), bo));
    await untilUpdated(message, "Approved by ana, bo. The call succeeded.");
  });

  it("a decision on another surface changes the message", async () => {
    const { id, findMessage } = await ask("c-11");
    const message = await findMessage();
    const { digest } = (await paraph.request("bo", "GET", `/v1/approvals/${id}`)).body;
    await paraph.request("bo", "POST", `/v1/approvals/${id}/decision`, { decision: "deny", digest });
    await untilUpdated(message, "Denied by bo. The call did not run.");
  });
});

describe("messages", () => {
  it("[TRUST 5] hostile text stays text: no mention, link or formatting, and hidden characters are visible", async () => {
    const evil = `${hostileText} <!channel> <@U01ANA> <https://evil.example|Open> *bold* \`code\` :tada:`;
    const { findMessage } = await ask(evil.slice(0, 190), undefined, { diff: evil }, evil);
    const message = await findMessage();
    const all = JSON.stringify([message.text, message.blocks]);
    expect(all).not.toMatch(/"mrkdwn"|"link"|"user"|"emoji":true|"broadcast"/);
    expect(
      `${message.text}${JSON.stringify(message.blocks.filter(({ type }) => type !== "rich_text"))}`,
    ).not.toMatch(/<[!@h]/);
    expect(all).not.toMatch(/[\u202a-\u202e\u200b-\u200f\u2066-\u2069]/u);
    expect(all).toContain("Purpose given by the requester (not verified)");
    const { args } = slack.calls.findLast(
      ({ method, args }) => method === "chat.postMessage" && args.text === message.text,
    )!;
    expect(args).toMatchObject({ mrkdwn: false, link_names: false, parse: "none", unfurl_links: false });
    expect(slack.faults).toEqual([]);
  });

  it("posts a comment of the thread once, as the person who wrote it", async () => {
    const { call, findMessage } = await ask("c-12");
    const message = await findMessage();
    await eventually(async () => {
      const [row] = await paraph.database.query(
        "select provider_id from paraph.notice where call = $1 and recipient = 'ana'",
        [call],
      );
      expect(row!.provider_id).toBe(`${message.channel}:${message.ts}`);
    });
    const comment = slack.comment(ana, "Is 3 &lt; 4 &amp; paid?", message);
    await happen(comment);
    await happen(comment);
    await happen(slack.comment(stranger, "approve", message));
    await happen(slack.comment(twin, "approve", message));
    const { body } = await paraph.request("root", "GET", `/v1/calls/${call}/messages`);
    expect(body.messages).toMatchObject([{ by: "ana", kind: "comment", text: "Is 3 < 4 & paid?" }]);
  });

  it("[TRUST 4] a message whose answer was lost is found again and not posted twice", async () => {
    slack.onPosted = (_message, response) => {
      slack.onPosted = () => {};
      response.destroy();
    };
    const { call, id, findMessage } = await ask("c-13");
    await eventually(async () => {
      const rows = await paraph.database.query("select state from paraph.notice where call = $1", [call]);
      expect(rows.map(({ state }) => state)).toEqual(["sent", "sent"]);
    });
    await findMessage();
    const copies = slack.messages.filter(({ blocks }) => JSON.stringify(blocks).includes(id));
    expect(copies.map(({ channel }) => channel).sort()).toEqual([toDirect(ana.id), toDirect(bo.id)]);
  });

  it("waits as long as Slack says before it calls the method again", async () => {
    slack.answers.set("chat.postMessage", [{ status: 429, headers: { "retry-after": "2" } }]);
    const from = slack.calls.length;
    const { findMessage } = await ask("c-14");
    await Promise.all([findMessage(ana), findMessage(bo)]);
    const posts = slack.calls.slice(from).filter(({ method }) => method === "chat.postMessage");
    expect(posts[1]!.at - posts[0]!.at).toBeGreaterThanOrEqual(1_900);
  });
});

it("connects again after a refresh and after a lost connection", async () => {
  for (const how of ["refresh", "cut"] as const) {
    const before = slack.connectionCount;
    slack.disconnect(how);
    await eventually(() => {
      // Paraph requests an address before it connects, so the open connection could still be the earlier one.
      expect(slack.connectionCount).toBeGreaterThan(before);
      expect(slack.openSockets).toBe(1);
    });
    const { findMessage } = await ask(`c-again-${how}`);
    expect(await openDialog(await findMessage(), "deny")).toMatchObject({ type: "modal" });
  }
});
