import { eventually } from "./eventually.ts";
import type { TestParaph } from "./servers/test-paraph.ts";
import { listButtons, type SlackServer, type SlackUser, toDirect } from "./slack-server.ts";

type Deliver = (payload: object) => Promise<unknown>;

/** Follows the link that the app offers in a direct message, as this person, and returns the call that links. */
export async function requestLink(
  slack: SlackServer,
  paraph: TestParaph,
  user: SlackUser,
  person: string,
  deliver: Deliver,
): Promise<string> {
  const channel = toDirect(user.id);
  const before = slack.messages.filter((one) => one.channel === channel).length;
  await deliver(slack.comment(user, "hi", { channel }));
  const offer = (await slack.waitFor(channel, before + 1)).at(-1)!;
  const browser = await paraph.browser("acme", person);
  const page = await browser.open(toLocal(listButtons(offer)[0].url, paraph.url));
  const call = await browser.submit(page);
  return /call_[a-z0-9]+/.exec(call.text)![0];
}

/** Links an account: the person requests it, and an administrator approves it. */
export async function link(
  slack: SlackServer,
  paraph: TestParaph,
  user: SlackUser,
  person: string,
  deliver: Deliver,
): Promise<void> {
  const call = await requestLink(slack, paraph, user, person, deliver);
  const { body } = await paraph.request("root", "GET", `/v1/calls/${call}`);
  const approval = await paraph.request("root", "GET", `/v1/approvals/${body.approval.id}`);
  await paraph.request("root", "POST", `/v1/approvals/${body.approval.id}/decision`, {
    decision: "approve",
    digest: approval.body.digest,
  });
  await eventually(async () => {
    const ended = (await paraph.request("root", "GET", `/v1/calls/${call}`)).body;
    if (ended.outcome?.kind !== "succeeded") throw new Error(`${ended.outcome?.kind} ${ended.outcome?.code}`);
  });
}

/** Replaces the public address in a link by the address of the test's server. */
export function toLocal(address: string, url: string): string {
  const { pathname, search } = new URL(address);
  return new URL(pathname + search, url).href;
}

/** Returns the links in a message, wherever they are in it, with the address of the test's server. */
export function listLinks(message: unknown, url: string): readonly string[] {
  const found = JSON.stringify(message).match(/https?:\/\/[^\s"\\<>|]+/g) ?? [];
  return [...new Set(found)].map((address) => toLocal(address, url));
}
