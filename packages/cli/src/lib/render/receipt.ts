import type {
  Json,
  Preview,
  ReceiptBundle,
  ReceiptPredicate,
  RecordedEvent,
  VerifiedReceipt,
} from "@paraph/core";
import { escapeInvisible } from "@paraph/core/escape-invisible";
import { formatDuration, formatTimestamp } from "../terminal/format-time.ts";
import type { Paint } from "../terminal/output.ts";
import { formatChangeLine } from "./changes.ts";
import { formatFields } from "./fields.ts";
import { pickOutcomeStyle } from "./outcome.ts";
import { formatTimeline } from "./timeline.ts";

/** Formats a verified receipt: the requester, the policy, the approvals, the effect, the outcome and the signer. */
export function formatReceipt(
  { story, keyId, disclosed }: VerifiedReceipt,
  bundle: ReceiptBundle,
  keyFile: string,
  paint: Paint,
): string {
  const head = `${paint(["bold", "green"], "✔ verified")}  ${escapeInvisible(story.call)}`;
  return [
    head,
    "",
    formatFields(
      [
        ["capability", `${escapeInvisible(story.capability)} (version ${story.version})`],
        ["requester", formatRequester(story)],
        story.parent && [
          "step of",
          `${escapeInvisible(story.parent.call)}, as ${escapeInvisible(story.parent.step)}`,
        ],
        ["policy", formatRuling(story)],
        ...formatVotes(story),
        formatAttempts(story),
        ...formatPerformer(story),
        ...formatDisclosedChanges(bundle),
        ["outcome", paint(pickOutcomeStyle(story.outcome.kind), formatOutcome(story))],
        ["disclosed", formatDisclosures(story, disclosed)],
        ["signed by", `${escapeInvisible(keyId)}\ntrusted through ${escapeInvisible(keyFile)}`],
      ],
      paint,
    ),
    "",
    formatTimeline(story.events, paint),
  ].join("\n");
}

function formatRequester({ principal, tenant, events }: ReceiptPredicate): string {
  const owner = principal.owner === undefined ? "" : ` of ${escapeInvisible(principal.owner)}`;
  const at = events[0] === undefined ? "" : `, ${formatTimestamp(events[0].at)}`;
  return `${escapeInvisible(principal.id)} (${principal.kind}${owner}, tenant ${escapeInvisible(tenant)})${at}`;
}

function formatRuling({ events }: ReceiptPredicate): string {
  const ruled = events.filter(({ kind }) => kind === "ruled");
  const last = ruled.at(-1);
  if (!last) return "no ruling is recorded";
  const ids = Array.isArray(last.data.policies)
    ? last.data.policies.map((id) => escapeInvisible(String(id))).join(", ")
    : "";
  return `${escapeInvisible(String(last.data.ruling))}${ids === "" ? "" : `: ${ids}`}`;
}

function formatVotes({ events }: ReceiptPredicate): [string, string][] {
  return events
    .filter(({ kind }) => kind === "voted" || kind === "approval-inherited")
    .map((event) =>
      event.kind === "approval-inherited"
        ? ["approved", `with its parent call, by ${formatVoters(event)}`]
        : [
            pickVoteWord(event),
            `${formatProof(event.data)}by ${escapeInvisible(String(event.data.by))}, ${formatTimestamp(event.at)}${formatConfirmation(event)}`,
          ],
    );
}

function formatVoters({ data }: RecordedEvent): string {
  const votes = Array.isArray(data.votes)
    ? (data.votes as readonly { readonly by?: Json; readonly proof?: Json }[])
    : [];
  return votes
    .map((vote) => `${escapeInvisible(String(vote.by))}${vote.proof ? " with passkey" : ""}`)
    .join(" and ");
}

/** Only a verified receipt is shown, so its assertion is valid. */
function formatProof({ proof }: RecordedEvent["data"]): string {
  return proof === undefined ? "" : "with passkey ";
}

function pickVoteWord({ data }: RecordedEvent): string {
  if (data.decision !== "approve") return "denied";
  return data.as === "confirmation" ? "confirmed" : "approved";
}

function formatConfirmation({ data }: RecordedEvent): string {
  return data.decision === "approve" && data.as === "confirmation"
    ? "\nthe agent's own owner, because there was no other approver"
    : "";
}

/**
 * Formats the attempts of a call. For a plan or composite, formats the steps instead, because a plan or composite acts
 * only through its steps. An attempt may have had no effect, so only the outcome shows how the call ended.
 */
function formatAttempts({ attempts, durationMs, children }: ReceiptPredicate): [string, string] {
  if (children) {
    const kinds = Map.groupBy(children, ({ outcome }) => outcome.kind);
    const counts = [...kinds].map(([kind, all]) => `${all.length} ${kind}`);
    return ["steps", `${counts.join(", ") || "none"}; each has its own receipt`];
  }
  return ["attempts", formatAttemptCount(attempts, durationMs)];
}

function formatAttemptCount(attempts: number, durationMs: number): string {
  if (attempts === 0) return "none, so nothing was performed";
  return attempts === 1
    ? `1, took ${formatDuration(durationMs)}`
    : `${attempts}, took ${formatDuration(durationMs)}`;
}

/** Adds a note if the agent itself performed the call, because the result is then only the agent's own report. */
function formatPerformer({ performer, principal }: ReceiptPredicate): [string, string][] {
  if (performer !== "agent") return [];
  return [["performed by", `the agent (${escapeInvisible(principal.id)}), which reported the result itself`]];
}

/** Formats the changes. They are known only if the preview was disclosed and matches its commitment. */
function formatDisclosedChanges(bundle: ReceiptBundle): [string, string][] {
  const preview = bundle.disclosures.preview?.value as unknown as Preview | undefined;
  if (!Array.isArray(preview?.changes) || preview.changes.length === 0) return [];
  return [["changes", preview.changes.map(formatChangeLine).join("\n")]];
}

function formatOutcome({ outcome: { kind, code } }: ReceiptPredicate): string {
  return code === "done" || code === kind ? kind : `${kind} (${escapeInvisible(code)})`;
}

function formatDisclosures({ commitments }: ReceiptPredicate, disclosed: readonly string[]): string {
  const withheld = Object.keys(commitments).filter((name) => !disclosed.includes(name));
  const shown =
    disclosed.length === 0 ? "nothing" : `${disclosed.map(escapeInvisible).join(", ")}: as signed`;
  return withheld.length === 0 ? shown : `${shown}\nwithheld: ${withheld.map(escapeInvisible).join(", ")}`;
}
