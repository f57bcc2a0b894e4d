import {
  type Approval,
  answerGuard,
  type Call,
  type Contract,
  type Delegation,
  type Json,
  type Preview,
  type Principal,
  lastPreview as shownOf,
  toOpenQuestion,
  voteEligibility,
} from "@paraph/core";
import type { Seen } from "../http/middleware/csrf-token.ts";
import { checksOf } from "../http/views/call-view.ts";
import { type Shown, type Sight, shownTo } from "../http/views/mask.ts";
import { asGraveAs, type PlanParts, pagePlan, votesOf } from "./plan-page.ts";
import type {
  ApprovalPage,
  CallPage,
  History,
  PageMessage,
  Standing,
  Unheard,
  Wanted,
} from "./sections/view.ts";

/** What the page of a round is made from, beside the call itself. */
export interface Looking {
  readonly reader: Principal;
  readonly contract: Contract | undefined;
  readonly standing: Exclude<Standing, Unheard>;
  /** Whom the reader stands in for. */
  readonly absent: readonly Delegation[];
  readonly isOnlyPerson: boolean;
  readonly history: History;
  readonly now: number;
  readonly opened: boolean;
  /** This reader has asked for the sensitive fields, and that is recorded. */
  readonly revealed: boolean;
  readonly thread: readonly PageMessage[];
  /** What the round before was shown. */
  readonly earlier?: Preview;
  readonly successor?: ApprovalPage["successor"];
  readonly prove: (seen: Seen) => string;
  readonly sight: Sight;
  readonly notUndone: ApprovalPage["notUndone"];
  /** The calls that it has made, where it is made of steps. */
  readonly steps: PlanParts["steps"];
}

/** The page of a call's newest round, as this reader may see it. */
export function approvalPage(call: Call, round: Approval, looking: Looking): ApprovalPage {
  const { reader, history, now, opened, prove, sight, steps } = looking;
  // Once revealed, it is seen as by who asked.
  const shown = shownTo(looking.revealed ? call.principal : reader, call, looking.contract, sight);
  const { payloads, masked } = shown;
  const standing = standingOf(call, round, looking);
  const isOpen = round.status === "open" && call.state === "asking" && round.expiresAt > now;
  const yesWanted = isOpen && wantsYes(round, reader, standing);
  const editHref = isOpen
    ? (step: string) => `/approvals/${round.id}/edit?${new URLSearchParams({ step })}`
    : undefined;
  const seen = matterOf(call, shown, looking.contract, { steps, contractOf: sight.contractOf, editHref });
  const { contract } = seen;
  const mustOpen = yesWanted && isGrave(contract) && !opened;
  return {
    now,
    reader: { id: reader.id, standing },
    approval: round.id,
    round: round.round,
    status: round.status,
    digest: round.digest,
    askedAt: call.events.findLast(({ kind }) => kind === "asked")?.at ?? call.createdAt,
    expiresAt: round.expiresAt,
    ...seen,
    ...(typeof payloads.purpose === "string" && { purpose: payloads.purpose }),
    guards: round.guards,
    votes: votesOf(call, round),
    checks: checksOf(shown),
    notUndone: looking.notUndone,
    history,
    ...(typeof payloads.reason === "string" && { reason: payloads.reason }),
    opened,
    mustOpen,
    thread: looking.thread,
    ...(round.round > 1 && earlierOf(call, looking)),
    ...(call.editedBy !== undefined && { editedBy: call.editedBy }),
    ...(looking.successor && { successor: looking.successor }),
    ...(round.guards.some(({ id }) => id === answerGuard.id) && { wanted: wantedOf(payloads.input) }),
    forms: {
      ...(isOpen && { say: prove("shown") }),
      ...(isOpen && standing !== "own-call" && { deny: prove("shown") }),
      ...(yesWanted && !mustOpen && { approve: prove("opened") }),
      ...(isOpen && masked.length > 0 && isAsked(standing) && { reveal: prove("shown") }),
    },
  };
}

/** The page of a call that nobody was asked about. */
export function callPage(
  call: Call,
  looking: Pick<Looking, "reader" | "contract" | "sight" | "steps">,
): CallPage {
  const { reader, contract, sight, steps } = looking;
  const shown = shownTo(reader, call, contract, sight);
  const parts = { steps, contractOf: sight.contractOf, editHref: undefined };
  return { reader: reader.id, createdAt: call.createdAt, ...matterOf(call, shown, contract, parts) };
}

/** What it is about, who asks, and where it stands. */
function matterOf(
  call: Call,
  { payloads, masked }: Shown,
  own: Contract | undefined,
  parts: PlanParts,
): Omit<CallPage, "reader" | "createdAt"> {
  const { id, kind, owner, onBehalfOf } = call.principal;
  const preview = previewOf(payloads.preview);
  const input = payloads.input !== undefined && { input: payloads.input };
  const plan = pagePlan(call, { ...input, preview }, parts);
  const contract = own && asGraveAs(own, shownOf(call)?.steps);
  return {
    call: call.call,
    capability: call.capability,
    state: call.state,
    preview,
    masked,
    ...input,
    ...(contract && { contract }),
    asker: {
      id,
      kind,
      ...(owner !== undefined && { owner }),
      ...(onBehalfOf !== undefined && { onBehalfOf }),
    },
    ...(call.outcome && { outcome: call.outcome }),
    ...(plan && { plan }),
    ...(call.parent && { parent: { step: call.parent.step, href: `/calls/${call.parent.call}` } }),
  };
}

/** [TRUST 6] High risk is opened before it is approved; so is what nobody can tell the risk of any more. */
export function isGrave(contract: Pick<Contract, "risk"> | undefined): boolean {
  return contract === undefined || contract.risk === "high" || contract.risk === "critical";
}

function standingOf(call: Call, round: Approval, looking: Looking): Standing {
  const { standing, reader, absent, isOnlyPerson } = looking;
  if (standing === "own-call") return standing;
  return (
    voteEligibility(reader, absent, toOpenQuestion(call, round), isOnlyPerson).ineligibleReason ?? standing
  );
}

function wantsYes({ votes }: Approval, { id }: Principal, standing: Standing): boolean {
  return isAsked(standing) && !votes.some(({ by }) => by === id);
}

function isAsked(standing: Standing): boolean {
  return standing === "approver" || standing === "confirmation";
}

/** The earlier preview as this reader may see it. */
function earlierOf(
  call: Call,
  { reader, contract, earlier, revealed, sight }: Looking,
): Pick<ApprovalPage, "earlier"> {
  if (!earlier) return {};
  const preview = { salt: "", value: earlier as unknown as Json };
  const then = { ...call, payloads: { ...call.payloads, preview } };
  const shown = previewOf(
    shownTo(revealed ? call.principal : reader, then, contract, sight).payloads.preview,
  );
  return typeof shown === "object" ? { earlier: shown } : {};
}

/** How the answer is asked for, where the input says so as `human.ask` does. */
export function wantedOf(input: Json | undefined): Wanted {
  const given = typeof input === "object" && input !== null && !Array.isArray(input) ? input : {};
  const { question, kind, options } = given as { readonly [name: string]: Json };
  const asked = typeof question === "string" ? { question } : {};
  if (kind === "choice" && Array.isArray(options)) return { kind, options: options.map(String), ...asked };
  return kind === "confirm" || kind === "text" ? { kind, ...asked } : { kind: "json", ...asked };
}

/** Masked as a whole, it was still made. */
function previewOf(preview: Json | undefined): ApprovalPage["preview"] {
  if (preview === undefined) return "none";
  return typeof preview === "object" ? (preview as unknown as Preview) : "hidden";
}
