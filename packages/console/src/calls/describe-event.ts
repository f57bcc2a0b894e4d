import { explainOutcome, explainVoidRound } from "@paraph/core/outcome-codes";
import type { CallEvent } from "../api/types.ts";
import { formatDuration } from "../lib/time.ts";
import { describeVoteMeans } from "./vote-means.ts";

type Described = readonly [title: string, detail: string | undefined, tone: string];

const plain = "bg-edge";

/** Returns the kind of an event, such as `voted`. */
export function readEventKind(type: string): string {
  return /^dev\.paraph\.call\.(.+)\.v\d+$/.exec(type)?.[1] ?? type;
}

/** Returns an event as a sentence, with its detail and the color of its mark. */
export function describeEvent({ type, data }: Pick<CallEvent, "type" | "data">): Described {
  const kind = readEventKind(type);
  const text = (name: string) => (data[name] === undefined ? "" : String(data[name]));
  switch (kind) {
    case "accepted":
      return [
        `${text("principal")} requested the call`,
        data.undoes ? `Undoes ${text("undoes")}` : undefined,
        "bg-ink",
      ];
    case "ruled":
      return [
        rulings[text("ruling")] ?? `Policy ruled ${text("ruling")}`,
        text("sentence") || listPolicies(data.policies),
        plain,
      ];
    case "checked":
      return ["Checks ran", undefined, plain];
    case "asked":
      return [
        "Paraph asked for approval",
        Number(data.round) > 1 ? `Again, in round ${text("round")}` : undefined,
        "bg-ink",
      ];
    case "voted":
      return [
        `${text("by")} ${describeDecision(data)}`,
        describeVoteMeans(data),
        data.decision === "approve" ? "bg-good" : "bg-critical",
      ];
    case "round-closed":
      return data.status === "void"
        ? ["The votes no longer count", `${explainVoidRound(text("code"))} (${text("code")})`, plain]
        : [`The round ended: ${text("status")}`, text("code") || undefined, plain];
    case "queued":
      return ["Waits for locks", `${text("keys")} needed`, plain];
    case "locked":
      return ["Holds its locks", undefined, plain];
    case "offered":
      return ["Paraph offered the call to the agent", undefined, plain];
    case "intended":
      return [`Intent of attempt ${text("attempt")} recorded, before any effect`, undefined, plain];
    case "attempted":
      return [
        `Attempt ${text("attempt")}: ${attemptEnds[text("as")] ?? text("as")}`,
        [
          ...(data.ms === undefined ? [] : [formatDuration(Number(data.ms))]),
          ...(data.as === "succeeded" ? [] : [`(${text("code")})`]),
        ].join(" ") || undefined,
        data.as === "succeeded" ? "bg-good" : "bg-critical",
      ];
    case "stepped":
      return [
        `Step ${text("step")}: ${text("outcome")}`,
        text("call"),
        data.outcome === "succeeded" ? "bg-good" : "bg-critical",
      ];
    case "delayed":
      return [
        `Waits ${formatDuration(Number(data.waitMs))} before ${data.probe === undefined ? "the next try" : "it asks the system again"}`,
        undefined,
        plain,
      ];
    case "escalated":
      return ["Paraph asked more people", `Group ${text("group")}`, "bg-ink"];
    case "reassigned":
      return [`${text("by")} reassigned the approval to ${text("to")}`, undefined, plain];
    case "resolved":
      return [
        `${text("by")} found out that it ${data.finding === "happened" ? "happened" : "did not happen"}`,
        data.how === "probe" ? "By a probe of the external system" : undefined,
        data.finding === "happened" ? "bg-good" : plain,
      ];
    default:
      // The closing event is named after the outcome.
      if (data.outcome !== undefined && data.code !== undefined)
        return [
          endings[text("outcome")] ?? `The call ended: ${text("outcome")}`,
          describeCode(text("outcome"), text("code")).join(" ") || undefined,
          data.outcome === "succeeded" ? "bg-good" : "bg-edge",
        ];
      return [sentences[kind] ?? kind, data.by === undefined ? undefined : `By ${text("by")}`, plain];
  }
}

/** Returns the words for the code of an outcome, and the code, unless it only repeats the outcome. */
function describeCode(kind: string, code: string): readonly string[] {
  if (code === kind || code === "done" || code === "") return [];
  const words = explainOutcome({ kind, code })?.replaceAll("`", "");
  return [...(words === undefined ? [] : [words]), `(${code})`];
}

const rulings: Readonly<Record<string, string>> = {
  allow: "Policy allows the call",
  check: "Policy demands checks",
  ask: "Policy asks people",
  block: "Policy refuses the call",
};

const attemptEnds: Readonly<Record<string, string>> = {
  "not-performed": "failed, without an effect",
  permanent: "failed",
  ambiguous: "failed, and may have taken effect",
  lost: "the process ended, and the attempt may have taken effect",
};

const endings: Readonly<Record<string, string>> = {
  succeeded: "The call succeeded",
  failed: "The call failed",
  unknown: "The outcome of the call is unknown",
  refused: "Policy refused the call",
  denied: "The call was denied",
  expired: "The call expired",
  cancelled: "The call was cancelled",
  superseded: "Another call replaced this one",
};

const votes: Readonly<Record<string, string>> = {
  approve: "approved",
  deny: "denied",
  return: "returned it with instructions",
};

const sentences: Readonly<Record<string, string>> = {
  began: "The steps began",
  parked: "A freeze stopped the call",
  resumed: "A person resumed the call",
  withdrawn: "The call was withdrawn",
  reminded: "Paraph reminded the approvers",
  commented: "A message was posted",
  revealed: "Hidden fields were revealed",
  acknowledged: "An approver is on it",
  erased: "An operator erased data",
  "approval-inherited": "The approval of the plan covers this step",
  "segment-failed": "Paraph failed to run the call and tries again",
};

/** Returns the decision of a voter, such as `approved`. The timeline adds how the vote was given. */
export function describeDecision({ decision, as }: CallEvent["data"]): string {
  if (as === "confirmation" && decision === "approve") return "confirmed";
  return votes[String(decision)] ?? String(decision);
}

function listPolicies(policies: unknown): string | undefined {
  return Array.isArray(policies) && policies.length > 0 ? policies.join(", ") : undefined;
}
