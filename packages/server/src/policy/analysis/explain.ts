import {
  type Call,
  commitment,
  type Environment,
  type Guard,
  type Json,
  type Payload,
  type PolicySet,
  type Principal,
  type RecordedEvent,
  type Ruling,
  toRecorded,
} from "@paraph/core";
import type { RecordedRuling } from "./past-call.ts";

/** An explanation of every ruling about one call. */
export interface Explanation {
  readonly call: string;
  readonly capability: string;
  readonly rulings: readonly ExplainedRuling[];
}

/** One ruling, with the policies that determined it and the evidence that policy had. */
export interface ExplainedRuling {
  readonly at: number;
  /** The stage at which policy ruled: at admission, at a revalidation, or just before the intent. */
  readonly moment: "admission" | "revalidation" | "intent";
  readonly ruling: Ruling["kind"];
  readonly code?: string;
  readonly sentence?: string;
  /** The version of the policy set that made the ruling. `inForce` tells whether that set is active now. */
  readonly version: string;
  readonly inForce: boolean;
  readonly policies: readonly { readonly id: string; readonly sentence?: string }[];
  /** The guards that earlier rulings demanded, and the evidence that has met them since. */
  readonly satisfied: readonly SatisfiedGuard[];
  /** The demands that the call must still meet. */
  readonly unmet: readonly UnmetDemand[];
  /**
   * A summary of the policy request: the principal, the environment, and whether there was a preview. Undefined if the
   * request was erased.
   */
  readonly asked?: QuestionSummary;
  readonly observed?: RecordedRuling;
  readonly shadow?: RecordedRuling;
}

/** A guard and the evidence that lifted it. */
export interface SatisfiedGuard {
  readonly policy: string;
  readonly by: "people" | "checks" | "grant";
  /** The source of the evidence: the ids of the people, the names of the checks, or the id of the grant. */
  readonly who: readonly string[];
}

/** A demand of a policy that the call does not meet yet. */
export interface UnmetDemand {
  readonly policy?: string;
  readonly sentence: string;
}

interface QuestionSummary {
  readonly principal: Omit<Principal, "tenant">;
  readonly preview: boolean;
  readonly env?: Environment;
}

/** Options of `explainCall`. */
export interface ExplainOptions {
  /** The stored policy requests about the call, without erased ones. */
  readonly requests: readonly Payload[];
  /** Returns a policy set by its version, if it is still available. */
  readonly set: (version: string) => Pick<PolicySet, "guards" | "sentences"> | undefined;
  /** The active version. */
  readonly inForce: string;
}

/**
 * The content of the stored policy request. If the request is not stored, this object holds only the evidence that the
 * events record.
 */
interface RecordedQuestion extends Partial<QuestionSummary> {
  readonly discharged: readonly string[];
  readonly votes?: readonly { readonly by: string; readonly decision: string }[];
  readonly checks?: readonly { readonly check: string; readonly passed: boolean }[];
}

/** Explains each ruling from its event and its policy request, or from the event alone if the request was erased. */
export function explainCall(call: Call, options: ExplainOptions): Explanation {
  const asked = new Map(
    options.requests.map(({ salt, value }) => [
      commitment(salt, value),
      value as unknown as RecordedQuestion,
    ]),
  );
  const demanded = new Set<string>();
  const rulings: ExplainedRuling[] = [];
  const events = toRecorded(call.events);
  for (const event of listRulingEvents(events)) {
    const request = asked.get(String(event.data.request)) ?? rebuildEvidence(event, events, demanded);
    const explained = explainRuling(event, request, demanded, rulings.length === 0, call, options);
    rulings.push(explained);
    if (["ask", "check"].includes(explained.ruling))
      for (const { id } of explained.policies) demanded.add(id);
  }
  return { call: call.call, capability: call.capability, rulings };
}

/**
 * Lists the events with rulings. If an intent directly follows a ruling and only repeats it, the list leaves the intent
 * out.
 */
function listRulingEvents(events: readonly RecordedEvent[]): RecordedEvent[] {
  return events.filter(({ kind, data }, index) => {
    if (kind === "ruled") return true;
    if (kind !== "intended" || !Array.isArray(data.policies)) return false;
    const before = events[index - 1];
    return !(before?.kind === "ruled" && `${before.data.policies}` === `${data.policies}`);
  });
}

function explainRuling(
  { kind, at, data }: RecordedEvent,
  request: RecordedQuestion | undefined,
  demanded: ReadonlySet<string>,
  isFirst: boolean,
  call: Call,
  { set, inForce }: ExplainOptions,
): ExplainedRuling {
  const version = String(data.version);
  const known = set(version);
  const guard = (id: string) => findGuard(id, call, known);
  const said: RecordedRuling = {
    kind: kind === "intended" ? "allow" : (data.ruling as Ruling["kind"]),
    policies: toTexts(data.policies),
    ...(typeof data.code === "string" && { code: data.code }),
  };
  const observed = parseRuling(data.observed);
  const shadow = parseRuling(data.shadow);
  return {
    at,
    moment: kind === "intended" ? "intent" : isFirst ? "admission" : "revalidation",
    ruling: said.kind,
    ...(said.code !== undefined && { code: said.code }),
    ...(typeof data.sentence === "string" && { sentence: data.sentence }),
    version,
    inForce: version === inForce,
    policies: said.policies.map((id) => {
      const sentence = guard(id)?.sentence ?? known?.sentences?.get(id);
      return { id, ...(sentence !== undefined && { sentence }) };
    }),
    satisfied: [...demanded].flatMap((id) => findSatisfied(id, guard(id), request, data.grant)),
    unmet: listUnmetDemands(said, guard),
    ...(request && toQuestionSummary(request)),
    ...(observed && { observed }),
    ...(shadow && { shadow }),
  };
}

/**
 * Returns the guard with this id from the policy set. If the set does not contain the guard, returns the guard from the
 * approval or the requirements of the call.
 */
function findGuard(id: string, call: Call, known: Pick<PolicySet, "guards"> | undefined): Guard | undefined {
  const own = [...(call.approval?.guards ?? []), ...call.requirements];
  return known?.guards.get(id) ?? own.find((guard) => guard.id === id);
}

function findSatisfied(
  policy: string,
  guard: Guard | undefined,
  request: RecordedQuestion | undefined,
  grant: Json | undefined,
): SatisfiedGuard[] {
  if (!request?.discharged.includes(policy)) return [];
  const passed = (request.checks ?? []).filter((one) => one.passed).map(({ check }) => check);
  const wanted = guard?.checks ?? [];
  if (guard?.ruling === "check" && wanted.every((check) => passed.includes(check)))
    return [{ policy, by: "checks", who: wanted }];
  if (typeof grant === "string") return [{ policy, by: "grant", who: [grant] }];
  const voters = (request.votes ?? []).filter(({ decision }) => decision === "approve").map(({ by }) => by);
  return voters.length > 0 ? [{ policy, by: "people", who: voters }] : [];
}

function listUnmetDemands(
  { kind, policies, code }: RecordedRuling,
  guard: (id: string) => Guard | undefined,
): UnmetDemand[] {
  switch (kind) {
    case "allow":
      return [];
    case "block":
      return [
        { sentence: blockRemedies[code ?? ""] ?? "No approval can lift this. The policies must change." },
      ];
    case "check":
    case "ask":
      return policies.map((policy) => ({ policy, sentence: describeDemand(guard(policy), kind) }));
  }
}

const blockRemedies: Readonly<Record<string, string>> = {
  forbidden: "No approval can lift this. The policies that forbid it must change.",
  "not-permitted": "No policy permits this. Add a policy that does.",
  "policy-error": "Policy could not rule on the call. Fix the policies or the data that they read.",
  "check-failed": "Fix the input so that the checks pass, and request a new call.",
  "check-error": "The check could not run. Fix the check.",
  "not-confirmed": "Approval by a person, a grant, or a permit for unattended use.",
};

function describeDemand(guard: Guard | undefined, kind: "check" | "ask"): string {
  if (!guard) return kind === "ask" ? "Approval by people." : "Checks that pass.";
  const { checks = [], quorum, group, proof, onFail } = guard;
  const of = group === undefined ? "" : ` of \`${group}\``;
  const approval = `approval by ${quorum === 1 ? "one person" : `${quorum} people`}${of}${proof === "passkey" ? " with a passkey" : ""}`;
  if (guard.ruling === "ask") return `${capitalise(approval)}.`;
  if (kind === "ask") return `${capitalise(approval)}, because a check did not pass.`;
  const passing = `${checks.map((check) => `\`${check}\``).join(", ")} to pass`;
  return onFail === "ask" ? `${passing}, or else ${approval}.` : `${passing}.`;
}

function capitalise(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function toQuestionSummary({ principal, preview, env }: RecordedQuestion): Pick<ExplainedRuling, "asked"> {
  if (!principal) return {};
  return { asked: { principal, preview: preview === true, ...(env && { env }) } };
}

/**
 * Rebuilds the evidence from the events if policy allowed the call. Such a call has met every guard that earlier
 * rulings demanded, so the evidence contains all of these guards.
 */
function rebuildEvidence(
  { kind, data, seq }: RecordedEvent,
  events: readonly RecordedEvent[],
  demanded: ReadonlySet<string>,
): RecordedQuestion | undefined {
  if (kind !== "intended" && data.ruling !== "allow") return undefined;
  const earlier = events.filter((event) => event.seq < seq);
  const round = earlier.findLast((event) => event.kind === "voted")?.data.round;
  const votes = earlier.filter((event) => event.kind === "voted" && event.data.round === round);
  const checked = earlier.findLast((event) => event.kind === "checked")?.data.results ?? [];
  return {
    discharged: [...demanded],
    votes: votes.map((vote) => ({ by: String(vote.data.by), decision: String(vote.data.decision) })),
    checks: checked as unknown as NonNullable<RecordedQuestion["checks"]>,
  };
}

function parseRuling(value: Json | undefined): RecordedRuling | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { kind, policies, code } = value as unknown as RecordedRuling;
  return { kind, policies: [...policies], ...(code !== undefined && { code }) };
}

function toTexts(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
