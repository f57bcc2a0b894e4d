import type {
  Json,
  Preview,
  ReceiptBundle,
  ReceiptPredicate,
  RecordedEvent,
  VerifiedReceipt,
} from "@paraph/core";
import { escapeInvisible } from "@paraph/core/escape-invisible";
import type { Paint } from "../output.ts";
import { moment, span } from "../times.ts";
import { changeLine } from "./changes.ts";
import { fields } from "./fields.ts";
import { outcomeStyle } from "./outcome.ts";
import { timeline } from "./timeline.ts";

/** A verified receipt as its reader asks: who, by what right, who agreed, what was done, how it ended, who says so. */
export function receiptText(
  { story, keyId, disclosed }: VerifiedReceipt,
  bundle: ReceiptBundle,
  keyFile: string,
  paint: Paint,
): string {
  const head = `${paint(["bold", "green"], "✔ verified")}  ${escapeInvisible(story.call)}`;
  return [
    head,
    "",
    fields(
      [
        ["capability", `${escapeInvisible(story.capability)} (version ${story.version})`],
        ["asked by", asker(story)],
        story.parent && [
          "step of",
          `${escapeInvisible(story.parent.call)}, as ${escapeInvisible(story.parent.step)}`,
        ],
        ["policy", policySaid(story)],
        ...answers(story),
        performed(story),
        ...performer(story),
        ...changed(bundle),
        ["outcome", paint(outcomeStyle(story.outcome.kind), outcome(story))],
        ["disclosed", disclosures(story, disclosed)],
        ["signed by", `${escapeInvisible(keyId)}\ntrusted through ${escapeInvisible(keyFile)}`],
      ],
      paint,
    ),
    "",
    timeline(story.events, paint),
  ].join("\n");
}

function asker({ principal, tenant, events }: ReceiptPredicate): string {
  const owner = principal.owner === undefined ? "" : ` of ${escapeInvisible(principal.owner)}`;
  const at = events[0] === undefined ? "" : `, ${moment(events[0].at)}`;
  return `${escapeInvisible(principal.id)} (${principal.kind}${owner}, tenant ${escapeInvisible(tenant)})${at}`;
}

function policySaid({ events }: ReceiptPredicate): string {
  const ruled = events.filter(({ kind }) => kind === "ruled");
  const last = ruled.at(-1);
  if (!last) return "no ruling is recorded";
  const ids = Array.isArray(last.data.policies)
    ? last.data.policies.map((id) => escapeInvisible(String(id))).join(", ")
    : "";
  return `${escapeInvisible(String(last.data.ruling))}${ids === "" ? "" : `: ${ids}`}`;
}

function answers({ events }: ReceiptPredicate): [string, string][] {
  return events
    .filter(({ kind }) => kind === "voted" || kind === "covered")
    .map((event) =>
      event.kind === "covered"
        ? ["approved", `with the whole, by ${votersOf(event)}`]
        : [
            answerWord(event),
            `by ${escapeInvisible(String(event.data.by))}, ${moment(event.at)}${confirmation(event)}`,
          ],
    );
}

function votersOf({ data }: RecordedEvent): string {
  const votes = Array.isArray(data.votes) ? (data.votes as readonly { readonly by?: Json }[]) : [];
  return votes.map(({ by }) => escapeInvisible(String(by))).join(" and ");
}

function answerWord({ data }: RecordedEvent): string {
  if (data.decision !== "approve") return "denied";
  return data.as === "confirmation" ? "confirmed" : "approved";
}

function confirmation({ data }: RecordedEvent): string {
  return data.decision === "approve" && data.as === "confirmation"
    ? "\nthe agent's own owner: nobody else was there to ask"
    : "";
}

/** An attempt is not yet an effect: only the outcome says how it ended. A whole acts through its steps. */
function performed({ attempts, durationMs, children }: ReceiptPredicate): [string, string] {
  if (children) {
    const kinds = Map.groupBy(children, ({ outcome }) => outcome.kind);
    const counts = [...kinds].map(([kind, all]) => `${all.length} ${kind}`);
    return ["steps", `${counts.join(", ") || "none"}; each has a receipt of its own`];
  }
  return ["attempts", attemptsMade(attempts, durationMs)];
}

function attemptsMade(attempts: number, durationMs: number): string {
  if (attempts === 0) return "none: nothing was performed";
  return attempts === 1
    ? `1, it took ${span(durationMs)}`
    : `${attempts}, together they took ${span(durationMs)}`;
}

/** Then everything said of the effect is the agent's own word, and a reader should weigh it so. */
function performer({ performer: by, principal }: ReceiptPredicate): [string, string][] {
  if (by !== "agent") return [];
  return [
    ["performed by", `the agent (${escapeInvisible(principal.id)}): what came of it is its own report`],
  ];
}

/** The preview was disclosed and matches its commitment: only then can the changes be told. */
function changed(bundle: ReceiptBundle): [string, string][] {
  const preview = bundle.disclosures.preview?.value as unknown as Preview | undefined;
  if (!Array.isArray(preview?.changes) || preview.changes.length === 0) return [];
  return [["changes", preview.changes.map(changeLine).join("\n")]];
}

function outcome({ outcome: { kind, code } }: ReceiptPredicate): string {
  return code === "done" || code === kind ? kind : `${kind} (${escapeInvisible(code)})`;
}

function disclosures({ commitments }: ReceiptPredicate, disclosed: readonly string[]): string {
  const withheld = Object.keys(commitments).filter((name) => !disclosed.includes(name));
  const shown =
    disclosed.length === 0 ? "nothing" : `${disclosed.map(escapeInvisible).join(", ")}: as signed`;
  return withheld.length === 0 ? shown : `${shown}\nwithheld: ${withheld.map(escapeInvisible).join(", ")}`;
}
