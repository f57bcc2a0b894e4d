import { type Contract, type Delegation, type Principal, type Risk, voteEligibility } from "@paraph/core";
import { describeCapability } from "../../http/views/headline-view.ts";
import { raiseToHighestRisk } from "../../http/views/highest-risk.ts";
import type { InboxRow } from "../../services/approver-service.ts";
import type { ParaphService } from "../../services/paraph-service.ts";
import type { InboxItem, InboxPage } from "./page-types.ts";

/** The facts, other than the rows, that determine whether the reader's approval would count. */
interface ReaderContext {
  readonly delegations: readonly Delegation[];
  readonly isOnlyPerson: boolean;
}

/** Builds a page of open approvals for this reader. `next` is the start of the following page. */
export function buildInboxPage(
  { rows, next }: Awaited<ReturnType<ParaphService["approver"]["listInbox"]>>,
  reader: Principal,
  service: ParaphService,
  { now, ...reading }: { readonly now: number } & ReaderContext,
): InboxPage {
  return {
    now,
    reader: reader.id,
    items: rows.map((row) =>
      toInboxItem(row, reader, reading, service.findCapability(reader.tenant, row.capability)?.contract),
    ),
    ...(next && { next: `${next.expiresAt}.${next.approval}` }),
  };
}

/** Parses the cursor of a page, or returns undefined if it is invalid. */
export function parseInboxCursor(
  after: string | undefined,
): { expiresAt: number; approval: string } | undefined {
  const [, at, approval] = /^(\d{1,15})\.([A-Za-z0-9_-]{1,128})$/.exec(after ?? "") ?? [];
  return at === undefined || approval === undefined ? undefined : { expiresAt: Number(at), approval };
}

function toInboxItem(
  row: InboxRow,
  reader: Principal,
  reading: ReaderContext,
  contract: Contract | undefined,
): InboxItem {
  const { approval, capability, question, votes, expiresAt, flood, steps } = row;
  // A flood has many headlines, so its row describes the capability.
  const headline = flood === undefined ? row.headline : undefined;
  const notYours = explainNotYours(row, reader, reading);
  const grave = Object.keys(steps ?? {}).map((risk) => ({ risk: risk as Risk }));
  return {
    approval,
    headline: headline ?? describeCapability(contract, capability),
    capability,
    asker: question.asker,
    guards: question.guards,
    votes,
    expiresAt,
    ...(contract && { contract: raiseToHighestRisk(contract, grave) }),
    ...(steps && { steps: Object.values(steps).reduce((sum, some) => sum + some, 0) }),
    ...(notYours && { notYours }),
    ...(flood !== undefined && { flood }),
  };
}

function explainNotYours(
  row: InboxRow,
  reader: Principal,
  { delegations, isOnlyPerson }: ReaderContext,
): InboxItem["notYours"] {
  if (row.voted) return "voted";
  if (row.ownCall) return "own-call";
  return voteEligibility(reader, delegations, row.question, isOnlyPerson).ineligibleReason;
}
