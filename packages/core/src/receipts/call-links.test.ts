import { expect, it } from "vitest";
import { createRawEvent } from "../testing/raw-event.ts";
import { SeededRandom } from "../testing/seeded-random.ts";
import { CallLinks, linkTo } from "./call-links.ts";

const tenant = "acme";

function opened(links: CallLinks, call: string, follows: readonly string[]) {
  links.opened({ tenant, call, events: [{ seq: 1, ...createRawEvent("accepted", 0, { follows }) }] });
}

it("[TRUST 20] later calls link to every call before the last 100, although some concurrent drafts are dropped", () => {
  const random = new SeededRandom("links");
  const links = new CallLinks();
  const linked = new Set<string>();
  const drafts: { call: string; follows: readonly string[] }[] = [];
  const order: string[] = [];
  for (let n = 0; n < 2_000; n += 1) {
    drafts.push({ call: `call_${n}`, follows: links.next(tenant) });
    if (drafts.length < 32) continue;
    const [draft] = drafts.splice(Math.floor(random.chance() * drafts.length), 1);
    if (random.chance() < 0.2) continue;
    opened(links, draft!.call, draft!.follows);
    order.push(draft!.call);
    for (const link of draft!.follows) linked.add(link);
  }
  const missing = order.filter((call) => !linked.has(linkTo({ tenant, call })));
  expect(order.length).toBeGreaterThan(1_000);
  expect(order.slice(-100)).toEqual(expect.arrayContaining(missing));
});

it("[TRUST 10] a call links to calls of its own tenant only, and a link does not show the call's id", () => {
  const links = new CallLinks();
  opened(links, "call_1", []);
  expect(links.next("other")).toEqual([]);
  expect(links.next(tenant)).toEqual([linkTo({ tenant, call: "call_1" })]);
  expect(links.next(tenant)[0]).toMatch(/^[0-9a-f]{16}$/);
});
