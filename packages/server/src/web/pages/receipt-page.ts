import type { EventKind, JsonObject, ReceiptPredicate, VerifiedReceipt } from "@paraph/core";
import { type Html, html, joinList, renderForeign } from "../html/html.ts";
import { formatDuration, renderTime } from "../html/time.ts";
import type { ReceiptPage } from "../page-data/approval-types.ts";
import { renderRequester } from "../sections/votes-section.ts";
import { renderLayout } from "./layout.ts";

/** Renders what the signed receipt of a call proves, with a link to download it for programs. */
export function renderReceiptPage({ reader, call, headline, receipt, fault }: ReceiptPage): string {
  return renderLayout(
    `Receipt: ${headline}`,
    reader,
    html`<main class="notice"><header><div class="standing ${receipt ? "good" : "bad"}" role="status"><p>${
      receipt
        ? html`<strong>The signature is valid.</strong> It proves which request, decisions and outcome Paraph recorded, to all who trust this server's key. This server checked it with its own keys. To check it independently, download the receipt and run <code>paraph verify FILE --key KEYS</code>.`
        : html`<strong>The receipt does not verify.</strong> ${fault}`
    }</p></div></header>
    <h1>Receipt</h1><p>${renderForeign(headline)}</p>
    ${receipt && renderStory(receipt)}
    <p><a class="button" href="/v1/calls/${call}/receipt" download="receipt-${call}.json">Download receipt (JSON)</a> <a class="button" href="/calls/${call}">View call</a></p></main>`,
  );
}

function renderStory({ story, keyId, keyRevokedAt, passkeys = [] }: VerifiedReceipt): Html {
  const { outcome, editors = [], attempts, durationMs, performer, children, events } = story;
  const rows: readonly (readonly [string, Html | false])[] = [
    ["Outcome", html`<strong>${outcome.kind}</strong> <code>${outcome.code}</code>`],
    ["Call", html`<code>${renderForeign(story.capability)}</code> <span class="quiet">${story.call}</span>`],
    ["Request", renderRequester(story.principal)],
    ["Edited by", editors.length > 0 && joinList(editors.map(renderForeign))],
    ["Attempts", html`${attempts}${attempts > 0 && `, took ${formatDuration(durationMs)}`}`],
    ["Performer", performer === "agent" && html`The agent, which reported the result itself`],
    ["Passkeys", passkeys.length > 0 && html`${joinList(passkeys.map(renderForeign))}`],
    ["Steps", children !== undefined && renderSteps(children, listLeftOut(events))],
    ["Signed by", html`<code>${renderForeign(keyId)}</code>`],
    ["Key revoked", keyRevokedAt !== undefined && renderTime(keyRevokedAt)],
  ];
  const shown = rows.filter((row): row is readonly [string, Html] => row[1] !== false);
  return html`<dl>${shown.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
    <h2>Events</h2><ol class="plain events">${events.map(renderEvent)}</ol>`;
}

function renderSteps(children: NonNullable<ReceiptPredicate["children"]>, leftOut: readonly string[]): Html {
  const made = children.map(
    ({ step, call, outcome }) =>
      html`<li><a href="/calls/${call}/receipt">${renderForeign(step)}</a> ${outcome.kind}</li>`,
  );
  return html`<ul class="plain">${made}${leftOut.map((step) => html`<li>${renderForeign(step)} left out</li>`)}</ul>`;
}

/** Returns the steps that the approvers left out. The receipt has no child for them, because they made no call. */
function listLeftOut(events: ReceiptPredicate["events"]): readonly string[] {
  return readSteps(events.findLast(({ kind }) => kind === "began")?.data ?? {});
}

const eventTexts: Readonly<Record<EventKind, string>> = {
  accepted: "Paraph accepted the call",
  ruled: "Policy ruled",
  checked: "Checks ran",
  asked: "Paraph asked for approval",
  voted: "Vote",
  "round-closed": "The approval closed",
  queued: "The call waited for a lock",
  locked: "The call got its locks",
  offered: "Paraph offered the call to the agent",
  "approval-inherited": "The approval of the plan applied",
  began: "The steps began",
  stepped: "A step ended",
  intended: "An attempt was about to act",
  attempted: "The attempt ended",
  delayed: "The call waited",
  "segment-failed": "Paraph failed to run the call",
  resumed: "A person resumed the call",
  parked: "A freeze stopped the call",
  withdrawn: "The call was withdrawn",
  reminded: "Paraph reminded the approvers",
  escalated: "Paraph asked another group",
  reassigned: "The approval was reassigned",
  acknowledged: "An approver looked at the request",
  revealed: "An approver revealed sensitive fields",
  commented: "A message was posted",
  closed: "The call ended",
  resolved: "The outcome was resolved",
  erased: "The payloads were erased",
};

/** Renders an event with the ids and codes that say who acted and how it ended. */
function renderEvent({ kind, at, data }: ReceiptPredicate["events"][number]): Html {
  const facts = ["decision", "by", "step", "status", "ruling", "outcome", "as", "code"] as const;
  const leftOut = readSteps(data);
  const found = [
    ...facts.flatMap((name) => readText(data, name) ?? []),
    ...(leftOut.length > 0 ? [`without ${leftOut.join(", ")}`] : []),
  ];
  return html`<li>${eventTexts[kind] ?? kind}${found.length > 0 && html` <span class="facts">${joinFacts(found)}</span>`} <span class="quiet">${renderTime(at)}</span></li>`;
}

function joinFacts(facts: readonly string[]): Html {
  return html`${facts.map((fact, index) => [index > 0 && " · ", renderForeign(fact)])}`;
}

function readSteps({ declined }: JsonObject): readonly string[] {
  return Array.isArray(declined) ? declined.map(String) : [];
}

function readText(data: JsonObject, name: string): string | undefined {
  const value = data[name];
  return typeof value === "string" ? value : undefined;
}
