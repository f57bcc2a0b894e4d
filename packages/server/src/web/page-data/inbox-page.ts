import type { Contract, Delegation, Principal } from "@paraph/core";
import { describeCapability } from "../../http/views/headline-view.ts";
import { findGravest, listStepRisks, raiseToHighestRisk } from "../../http/views/highest-risk.ts";
import { canVote, findEntryStatus, findRowStatus } from "../../http/views/voter-status.ts";
import type { InboxRow } from "../../services/approver-service.ts";
import type { ParaphService } from "../../services/paraph-service.ts";
import type { InboxItem, InboxPage } from "./list-types.ts";

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
  { delegations, isOnlyPerson }: ReaderContext,
  contract: Contract | undefined,
): InboxItem {
  const { approval, capability, question, votes, expiresAt, flood, steps } = row;
  const rows = flood?.items ?? [row];
  const canDecide = (one: InboxRow) => canVote(findRowStatus(one, reader, delegations, isOnlyPerson));
  // Among calls of one risk, the reader knows the bundle by a call that waits for them.
  const gravest = findGravest(
    row,
    rows.toSorted((a, b) => Number(canDecide(b)) - Number(canDecide(a))),
  );
  const status = findEntryStatus(row, reader, delegations, isOnlyPerson);
  return {
    approval,
    headline: gravest.headline ?? describeCapability(contract, capability),
    capability,
    asker: question.asker,
    guards: question.guards,
    votes,
    expiresAt,
    ...(contract && { contract: raiseToHighestRisk(contract, rows.flatMap(listStepRisks)) }),
    ...(steps && !flood && { steps: Object.values(steps).reduce((sum, some) => sum + some, 0) }),
    ...(!canVote(status) && { notYours: status }),
    ...(flood && { flood: { count: flood.count, others: rows.filter((one) => !canDecide(one)).length } }),
  };
}
