import type { CallEvent } from "../api/types.ts";
import { describeVoteMeans } from "./vote-means.ts";

type Described = readonly [title: string, detail: string | undefined, tone: string];

const plain = "bg-edge";

/** Returns an event as a sentence, with its detail and the color of its mark. */
export function describeEvent({ type, data }: Pick<CallEvent, "type" | "data">): Described {
  const kind = /^dev\.paraph\.call\.(.+)\.v\d+$/.exec(type)?.[1] ?? type;
  const text = (name: string) => (data[name] === undefined ? "" : String(data[name]));
  switch (kind) {
    case "accepted":
      return [
        `${text("principal")} requested the call`,
        data.undoes ? `Undoes ${text("undoes")}` : undefined,
        "bg-ink",
      ];
    case "ruled":
      return [`Policy ruled ${text("ruling")}`, text("sentence") || listPolicies(data.policies), plain];
    case "checked":
      return ["Checks ran", undefined, plain];
    case "asked":
      return ["Paraph asked approvers", `Round ${text("round")}`, "bg-ink"];
    case "voted":
      return [
        `${text("by")} ${votes[text("decision")] ?? text("decision")}`,
        describeVoteMeans(data),
        data.decision === "approve" ? "bg-good" : "bg-critical",
      ];
    case "round-closed":
      return [`The round ended: ${text("status")}`, text("code") || undefined, plain];
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
        `Attempt ${text("attempt")}: ${text("as")}`,
        `${text("code")}, ${text("ms")} ms`,
        data.as === "succeeded" ? "bg-good" : "bg-critical",
      ];
    case "stepped":
      return [
        `Step ${text("step")}: ${text("outcome")}`,
        text("call"),
        data.outcome === "succeeded" ? "bg-good" : "bg-critical",
      ];
    case "delayed":
      return ["Waits before the next try", `${text("waitMs")} ms`, plain];
    case "closed":
      return [
        `The call ended: ${text("outcome") || text("kind")}`,
        text("code") || undefined,
        data.outcome === "succeeded" ? "bg-good" : "bg-edge",
      ];
    default:
      // The closing event is named after the outcome.
      if (data.outcome !== undefined && data.code !== undefined)
        return [
          `The call ended: ${text("outcome")}`,
          text("code"),
          kind === "succeeded" ? "bg-good" : "bg-edge",
        ];
      return [sentences[kind] ?? kind, data.by === undefined ? undefined : `By ${text("by")}`, plain];
  }
}

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
  escalated: "Paraph asked more people",
  commented: "A message was posted",
  revealed: "Hidden fields were revealed",
  reassigned: "An approver reassigned the request",
  acknowledged: "An approver is on it",
  resolved: "The unknown outcome was resolved",
  erased: "An operator erased data",
  "approval-inherited": "The approval of the plan covers this step",
  "segment-failed": "Paraph failed to run the call and tries again",
};

function listPolicies(policies: unknown): string | undefined {
  return Array.isArray(policies) && policies.length > 0 ? policies.join(", ") : undefined;
}
