import {
  type Approval,
  type Call,
  conflictedPrincipals,
  type Delegation,
  filterEligible,
  type HeardQuestion,
  type OutcomeKind,
  type Ports,
  type PossibleApprover,
  type Principal,
  type Risk,
  recordReveal,
  selectApprovers,
  toOpenQuestion,
  type Vote,
  voteEligibility,
  voterRole,
} from "@paraph/core";
import {
  type Database,
  listInbox,
  listPossibleApprovers,
  listQuestions,
  summarizePastCalls,
} from "../postgres/index.ts";
import { maxBundleItems, maxUnbundledApprovals } from "./paraph-service.ts";

/** The data that the approvers' pages need besides the calls themselves. */
export interface ApproverService {
  /** Returns open approvals, the soonest to expire first. `next` is the start of the following page. */
  listInbox(
    reader: Principal,
    page: InboxFilter,
  ): Promise<{ readonly rows: readonly InboxRow[]; readonly next?: InboxFilter["after"] }>;
  /** Returns the questions of these approvals for the reader, by the ids of the approvals. */
  listQuestions(
    reader: Principal,
    approvals: readonly string[],
  ): Promise<ReadonlyMap<string, ReaderQuestion>>;
  /**
   * Returns the role in which this reader may vote under separation of duties, or the reason why the reader may not
   * vote.
   */
  findVoterRole(reader: Principal, call: Call): Promise<Vote["as"] | "own-call" | "not-a-person">;
  /**
   * Returns the people whose approval would count now, by id: at most 50 of those whom the round asks. `hasMore` means
   * that it asks more people.
   */
  listApprovers(
    call: Call,
    round: Approval,
  ): Promise<{ readonly approvers: readonly EligibleApprover[]; readonly hasMore: boolean }>;
  /** Returns the delegations under which the reader may vote now. */
  listDelegationsTo(reader: Principal): Promise<readonly Delegation[]>;
  /** Returns whether the reader is the tenant's only person. Such a person confirms their own edits. */
  isOnlyPerson(reader: Principal): Promise<boolean>;
  /** Returns how this requester's earlier calls of this capability ended. */
  readHistory(call: Call): Promise<RequesterHistory>;
  /** Records that Paraph showed the reader these sensitive fields of a waiting call. */
  recordReveal(reader: Principal, call: Call, paths: readonly string[]): Promise<void>;
}

/** A person whose approval would count. */
export interface EligibleApprover {
  readonly id: string;
  /** The groups of the guards in which the approval counts. */
  readonly groups: readonly string[];
  /** The people whose groups the approval needs, as their delegate or because they reassigned it. */
  readonly inPlaceOf: readonly string[];
}

/** Selects a page of the inbox. The page has at most `limit` rows and starts after the row `after`. */
export interface InboxFilter {
  readonly after?: { readonly expiresAt: number; readonly approval: string };
  readonly limit: number;
}

/** The question of an open approval, and what it means for one reader. */
export interface ReaderQuestion {
  readonly question: HeardQuestion;
  /** Whether the reader has voted already. */
  readonly voted: boolean;
  /**
   * Whether this is the reader's own call and another person could decide. A call is the reader's own if the reader
   * requested it, owns the requester, or is the person for whom the requester acts.
   */
  readonly ownCall: boolean;
}

/** One open approval in the inbox. */
export interface InboxRow extends ReaderQuestion {
  readonly approval: string;
  /** Missing for steps, because the reader may not see their details. */
  readonly headline?: string;
  readonly capability: string;
  readonly votes: number;
  readonly expiresAt: number;
  /** The number of steps at each risk, if the call is a plan. */
  readonly steps?: Readonly<Partial<Record<Risk, number>>>;
  /** The flood that this row represents: the number of its open approvals, and those that expire first. */
  readonly flood?: { readonly count: number; readonly items: readonly InboxRow[] };
}

/** The outcomes of a requester's earlier calls of one capability. */
export interface RequesterHistory {
  readonly outcomes: Readonly<Partial<Record<OutcomeKind, number>>>;
  readonly lastDeniedAt?: number;
  /** The number of the requester's newest calls that were scanned. Present only if the scan reached its maximum. */
  readonly newest?: number;
}

/** The maximum number of people whom a list of approvers considers. */
const maxListedApprovers = 50;

/** Creates the service for the approvers' pages. */
export function createApproverService(
  ports: Ports,
  database: Database,
  moved: (call: Call) => Promise<void>,
): ApproverService {
  return {
    listInbox: (reader, page) =>
      listInbox(database.app, reader, { ...page, singles: maxUnbundledApprovals, items: maxBundleItems }),
    listQuestions: (reader, approvals) => listQuestions(database.app, reader, approvals),
    async listApprovers(call, round) {
      const limit = maxListedApprovers + 1;
      const asked = await listPossibleApprovers(
        database.app,
        call.tenant,
        selectApprovers(call, round),
        limit,
      );
      return {
        approvers: await toApprovers(asked.slice(0, maxListedApprovers), call, round, ports),
        hasMore: asked.length === limit,
      };
    },
    listDelegationsTo: ({ tenant, id }) => ports.store.delegationsTo(tenant, id),
    findVoterRole: async (reader, { tenant, principal }) =>
      voterRole(reader, principal, await ports.store.hasOtherPerson(tenant, conflictedPrincipals(principal))),
    isOnlyPerson: async ({ tenant, id }) => !(await ports.store.hasOtherPerson(tenant, [id])),
    recordReveal: async (by, call, paths) => moved(await recordReveal({ call, by, paths }, ports)),
    readHistory: (call) => summarizePastCalls(database.app, call),
  };
}

/** Returns the people whose approval would count now, with the groups in which it counts. */
export async function toApprovers(
  people: readonly PossibleApprover[],
  call: Call,
  round: Approval,
  ports: Pick<Ports, "clock" | "store">,
): Promise<readonly EligibleApprover[]> {
  const question = toOpenQuestion(call, round);
  const eligible = await filterEligible(people, call, round, ports);
  return eligible.map(({ principal, delegations }) => {
    // Whether it is the only person changes no groups, only whether an editor may approve.
    const { groups, inPlaceOf } = voteEligibility(principal, delegations, question, true);
    return { id: principal.id, groups, inPlaceOf };
  });
}
