import type { Json, RecordedEvent } from "@paraph/core";
import { escapeInvisible } from "@paraph/core/escape-invisible";
import { formatDuration, formatTimestamp } from "../terminal/format-time.ts";

/**
 * Describes one event of a call in a sentence. The function escapes the names in the sentence, because names are
 * foreign text.
 */
export function describeEvent({ kind, data }: Pick<RecordedEvent, "kind" | "data">): string {
  const said = (name: string) => escapeInvisible(String(data[name] ?? "?"));
  switch (kind) {
    case "accepted":
      return `${said("principal")} requests ${said("capability")} (version ${said("version")})`;
    case "ruled":
      return `policy says ${said("ruling")}${describePolicies(data.policies)}${describeObserved(data.observed)}`;
    case "checked":
      return `checks: ${describeChecks(data.results)}`;
    case "parked":
      return `waits to be thawed (${said("freeze")})`;
    case "asked":
      return `round ${said("round")}: ${describePeople(data.guards)} asked, until ${formatTime(data.expiresAt)}`;
    case "voted":
      return `${said("by")} ${describeVote(data)}${data.reason === undefined ? "" : ", with a reason"}`;
    case "round-closed":
      return `round ${said("round")} is ${said("status")}${data.code === undefined ? "" : `: ${said("code")}`}`;
    case "queued":
      return "waits for locks";
    case "locked":
      return data.keys === 1 ? "holds its lock" : `holds its ${said("keys")} locks`;
    case "offered":
      return `offered to the agent until ${formatTime(data.until)}; the agent performs the call itself`;
    case "intended":
      if (data.performer === "agent")
        return `the agent claims the call and is about to act (attempt ${said("attempt")}); policy says allow${describePolicies(data.policies)}`;
      return data.ruling === "again"
        ? `attempt ${said("attempt")} is about to act again`
        : `attempt ${said("attempt")} is about to act; policy says allow${describePolicies(data.policies)}`;
    case "approval-inherited":
      return `approved as a step of ${said("by")}, by ${listVoters(data.votes)}`;
    case "began":
      return `the steps begin${describeDeclined(data.declined)}; policy says allow${describePolicies(data.policies)}`;
    case "stepped":
      return `step ${said("step")} (${said("call")}): ${said("outcome")}${data.code === "done" ? "" : ` (${said("code")})`}`;
    case "attempted":
      return `attempt ${said("attempt")}: ${said("as")}${data.code === "done" ? "" : ` (${said("code")})`}`;
    case "delayed":
      return data.probe === undefined
        ? `tries again in ${formatDuration(Number(data.waitMs))}`
        : `the probe of the external system failed; Paraph probes again in ${formatDuration(Number(data.waitMs))}`;
    case "segment-failed":
      return data.stuck === true
        ? `stuck, because segments keep failing (${said("code")}); run \`paraph retry CALL\` to resume the call`
        : `a segment failed (${said("code")}); Paraph tries again in ${formatDuration(Number(data.waitMs))}`;
    case "resumed":
      return `${said("by")} resumes it`;
    case "reminded":
      return `round ${said("round")}: Paraph reminds the approvers`;
    case "escalated":
      return `round ${said("round")}: Paraph also asks ${said("group")}`;
    case "reassigned":
      return `round ${said("round")}: ${said("by")} reassigns it to ${said("to")}${data.groups === undefined ? "" : ` (${joinNames(data.groups)})`}`;
    case "acknowledged":
      return `round ${said("round")}: ${said("by")} looks at it`;
    case "revealed":
      return `${said("by")} viewed sensitive values: ${joinNames(data.paths)}`;
    case "commented":
      return `${said("by")} ${data.as === "question" ? "asks" : data.as === "answer" ? "answers" : "comments"} (${said("message")})`;
    case "withdrawn":
      return `${said("by")} withdraws it${data.reason === undefined ? "" : ", with a reason"}`;
    case "resolved":
      return `${said("by")} finds that it ${data.finding === "happened" ? "happened" : "did not happen"}`;
    case "erased":
      return `${said("by")} erases its payloads: ${said("reason")}`;
    case "closed":
      return `${said("outcome")}${data.code === "done" || data.code === data.outcome ? "" : ` (${said("code")})`}${data.successor === undefined ? "" : `; ${said("successor")} replaces it`}`;
  }
}

/** Describes the ruling that policy made in observe mode and that Paraph did not enforce. */
function describeObserved(observed: Json | undefined): string {
  if (observed === undefined) return "";
  return ` (observe mode: the ruling would have been ${escapeInvisible(String((observed as { kind?: Json }).kind))})`;
}

function describeChecks(found: Json | undefined): string {
  const list = Array.isArray(found) ? (found as { check?: Json; passed?: Json; error?: Json }[]) : [];
  const one = ({ check, passed, error }: (typeof list)[number]) =>
    `${escapeInvisible(String(check))} ${error ? "could not be run" : passed ? "passed" : "did not pass"}`;
  return list.length === 0 ? "none" : list.map(one).join(", ");
}

function describePolicies(policies: Json | undefined): string {
  if (!Array.isArray(policies) || policies.length === 0) return "";
  return `: ${policies.map((id) => escapeInvisible(String(id))).join(", ")}`;
}

function describePeople(guards: Json | undefined): string {
  const quorum = Array.isArray(guards)
    ? Math.max(1, ...guards.map((guard) => Number((guard as { quorum?: Json }).quorum ?? 1)))
    : 1;
  return quorum === 1 ? "one person is" : `${quorum} people are`;
}

/**
 * Describes a vote. In a tenant with only one person, the agent's owner confirms the call, so the wording must not
 * suggest that a second person approved it.
 */
function describeVote(data: RecordedEvent["data"]): string {
  if (data.decision === "return") return "returns it with instructions";
  if (data.decision !== "approve") return "denies";
  const how = data.proof === undefined ? "" : " with passkey";
  return data.as === "confirmation" ? `confirms${how}, as the agent's owner` : `approves${how}`;
}

/** Lists the people who approved the plan or composite that the call is a step of. */
function listVoters(votes: Json | undefined): string {
  if (!Array.isArray(votes) || votes.length === 0) return "no voter";
  return votes.map((one) => escapeInvisible(String((one as { by?: Json }).by))).join(" and ");
}

function describeDeclined(steps: Json | undefined): string {
  if (!Array.isArray(steps) || steps.length === 0) return "";
  return `, without ${steps.map((step) => escapeInvisible(String(step))).join(", ")}`;
}

function formatTime(at: Json | undefined): string {
  return typeof at === "number" ? formatTimestamp(at) : "?";
}

function joinNames(paths: Json | undefined): string {
  return Array.isArray(paths) ? paths.map((path) => escapeInvisible(String(path))).join(", ") : "?";
}
