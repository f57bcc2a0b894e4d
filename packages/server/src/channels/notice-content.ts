import {
  type Approval,
  type Call,
  type Change,
  type CheckResult,
  type Contract,
  eventsOfKind,
  type Guard,
  type Outcome,
  type Ports,
  type Preview,
  type Principal,
  type Risk,
} from "@paraph/core";
import { readChecks, toVoidCode } from "../http/views/call-view.ts";
import { showHeadline } from "../http/views/headline-view.ts";
import type { NoticeKind } from "../postgres/index.ts";
import { resolveFieldVisibility } from "../visibility/field-visibility.ts";
import { maskPayloads } from "../visibility/mask-payloads.ts";
import { isChatApprovable } from "./reply-approval.ts";
import type { RequestContent } from "./request-content.ts";

/** The content of a message, which channels render. */
export type NoticeContent = CallContent | SummaryContent | AnswerContent | RequestContent;

/** A message about one call. It contains no sensitive field, also for readers who may see these on the page. */
export interface CallContent {
  readonly kind: Exclude<NoticeKind, "summary">;
  /** One line that says what the call does. */
  readonly headline: string;
  readonly capability: string;
  readonly effect?: Contract["effect"];
  readonly risk?: Risk;
  readonly requester: Pick<Principal, "id" | "kind" | "owner" | "onBehalfOf">;
  readonly editedBy?: string;
  readonly guards: readonly Guard[];
  readonly changes: readonly Change[];
  /** Whether the call has a preview that this message may show. */
  readonly previewed: boolean;
  /** The number of sensitive fields that only the page can reveal. */
  readonly masked: number;
  readonly checks: readonly CheckResult[];
  /** The requester's own words. */
  readonly purpose?: string;
  /** The id of the approval. */
  readonly approval: string;
  /** Whether a dialog of a chat service may approve the request if it shows every change. */
  readonly chatApprovable: boolean;
  readonly round: number;
  /** The code with which the round before became void. */
  readonly voidCode?: string;
  readonly digest: string;
  readonly expiresAt: number;
  readonly now: number;
  /** The group to which Paraph escalated the request, if the message is about that. */
  readonly escalatedTo?: string;
  /** The person who reassigned the request to the recipient, if the message is about that. */
  readonly reassignedBy?: string;
  /** The people who look at the request. */
  readonly acknowledgedBy: readonly string[];
  readonly status: Approval["status"];
  readonly votes: Approval["votes"];
  readonly outcome?: Outcome;
  /** The reason that an approver gave. */
  readonly reason?: string;
  readonly links: NoticeLinks;
}

/** A message that replaces many. */
export interface SummaryContent {
  readonly kind: "summary";
  /** The number of requests that wait for the recipient. */
  readonly waiting: number;
  /** The number of requests of which the recipient was told, and which ended. */
  readonly ended: number;
  readonly links: NoticeLinks;
}

/** A message that says why a reply had no effect. It repeats nothing of the reply. */
export interface AnswerContent {
  readonly kind: "answer";
  /** Whether the reply was about an approval, or about a request by mail. */
  readonly about: "approval" | "request";
  readonly code: string;
  readonly links: NoticeLinks;
}

/** The addresses of the pages that a message links to. Opening them changes nothing. */
export interface NoticeLinks {
  /** The approval, or the inbox for a summary. */
  readonly page: string;
  readonly preferences: string;
}

/** The dependencies of `buildCallContent`. */
export interface ContentDeps {
  readonly ports: Pick<Ports, "store" | "catalog" | "clock">;
  /** Returns the URL at which browsers reach this deployment. */
  readonly url: () => string;
}

/**
 * [TRUST 16] Builds a message about a call. It masks for a reader without any rights, because a message leaves the
 * deployment. The page shows more to those who may see more.
 */
export async function buildCallContent(
  call: Call,
  round: Approval,
  about: { readonly kind: CallContent["kind"]; readonly seq: number },
  { ports, url }: ContentDeps,
): Promise<CallContent> {
  const { tenant, principal } = call;
  const capability = ports.catalog.find(tenant, call.capability);
  const contract = capability?.contractDigest === call.contractDigest ? capability.contract : undefined;
  const outsider: Principal = { tenant, id: "", kind: "service" };
  const visibility = await resolveFieldVisibility(outsider, call, {
    findCapability: (...of) => ports.catalog.find(...of),
    findCall: (_, id) => ports.store.load({ tenant, call: id }),
    approver: { listDelegationsTo: async () => [] },
  });
  const visible = maskPayloads(outsider, call, contract, visibility);
  const { payloads, masked } = visible;
  const preview = typeof payloads.preview === "object" ? (payloads.preview as unknown as Preview) : undefined;
  const cause = call.events.find(({ seq }) => seq === about.seq);
  return {
    kind: about.kind,
    headline: showHeadline(call, visible, contract),
    capability: call.capability,
    ...(contract && { effect: contract.effect, risk: contract.risk }),
    requester: {
      id: principal.id,
      kind: principal.kind,
      ...(principal.owner !== undefined && { owner: principal.owner }),
      ...(principal.onBehalfOf !== undefined && { onBehalfOf: principal.onBehalfOf }),
    },
    ...(call.editedBy !== undefined && { editedBy: call.editedBy }),
    guards: round.guards,
    changes: preview?.changes ?? [],
    previewed: preview !== undefined,
    masked: masked.length,
    checks: readChecks(visible),
    ...(typeof payloads.purpose === "string" && { purpose: payloads.purpose }),
    approval: round.id,
    chatApprovable: isChatApprovable(call, round, capability),
    round: round.round,
    ...toVoidCode(call, round),
    digest: round.digest,
    expiresAt: round.expiresAt,
    now: ports.clock.now(),
    ...(cause?.kind === "escalated" && { escalatedTo: cause.data.group }),
    ...(cause?.kind === "reassigned" && { reassignedBy: cause.data.by }),
    acknowledgedBy: eventsOfKind(call.events, "acknowledged")
      .filter(({ data }) => data.round === round.round)
      .map(({ data }) => data.by),
    status: round.status,
    votes: round.votes,
    ...(call.outcome && { outcome: call.outcome }),
    ...(hasDenial(call) && typeof payloads.reason === "string" && { reason: payloads.reason }),
    links: createNoticeLinks(url(), `/approvals/${round.id}`),
  };
}

/** Creates the links of a message. They carry no token, so a link alone gives no right. */
export function createNoticeLinks(base: string, page: string): NoticeLinks {
  return { page: new URL(page, base).href, preferences: new URL("/notifications", base).href };
}

function hasDenial({ events }: Call): boolean {
  return eventsOfKind(events, "voted").some(({ data }) => data.decision !== "approve");
}
