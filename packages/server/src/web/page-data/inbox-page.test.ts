import type { Principal } from "@paraph/core";
import { expect, it } from "vitest";
import { readText } from "../../../../../test/support/web/dom.ts";
import type { InboxRow } from "../../services/approver-service.ts";
import type { ParaphService } from "../../services/paraph-service.ts";
import { renderInboxPage } from "../pages/inbox-page.ts";
import { buildInboxPage } from "./inbox-page.ts";

const reader: Principal = { tenant: "acme", id: "bo", kind: "person" };
const service = {
  findCapability: () => ({
    contract: { name: "plan.apply", summary: "Run a plan", risk: "low", effect: "write" },
  }),
} as unknown as ParaphService;

const row = (approval: string, headline: string, more: Partial<InboxRow> & { editors?: string[] } = {}) => {
  const { editors = [], ...rest } = more;
  return {
    approval,
    headline,
    capability: "plan.apply",
    votes: 0,
    expiresAt: 60_000,
    voted: false,
    ownCall: false,
    question: {
      guards: [],
      asker: { id: "bot" },
      editors,
      escalatedTo: [],
      reassignments: [],
      represented: [],
    },
    ...rest,
  } as InboxRow;
};
const guards = [{ id: "g", ruling: "ask", quorum: 1, urgency: "normal", sentence: "Ask." }] as const;
const forBo = (one: InboxRow): InboxRow => ({ ...one, question: { ...one.question, guards } });

const build = (items: readonly InboxRow[], count = items.length) => {
  const rows = [{ ...items[0]!, flood: { count, items } }];
  const reading = { now: 0, delegations: [], isOnlyPerson: false };
  return buildInboxPage({ rows }, reader, service, reading);
};
const edited = forBo(row("ask_1", "Pin a note", { editors: ["bo"] }));
const quiet = forBo(row("ask_2", "Unpin a note", { steps: { low: 2 } }));
const grave = forBo(row("ask_3", "Mail all customers", { steps: { low: 1, high: 1 } }));

it("a call that the reader edited does not hide the other calls of its bundle", () => {
  const page = build([edited, quiet, grave]);
  expect(page.items).toMatchObject([{ flood: { count: 3, others: 1 } }]);
  expect(page.items[0]).not.toHaveProperty("notYours");
  expect(readText(renderInboxPage(page)).replace(/\s+/g, " ")).toMatch(
    /Waiting for you .*1 call for another person/,
  );
  expect(build([edited]).items).toMatchObject([{ notYours: "own-edit" }]);
});

it("[TRUST 6] a bundle has the title and the risk of its call with the highest risk", () => {
  const page = build([quiet, grave, quiet], 9);
  expect(page.items).toMatchObject([{ headline: "Mail all customers", contract: { risk: "high" } }]);
  expect(readText(renderInboxPage(page))).toContain("Mail all customers and 8 more calls");
  const [first] = build([edited, forBo(row("ask_4", "Pin a card"))]).items;
  expect(first!.headline).toBe("Pin a card");
});
