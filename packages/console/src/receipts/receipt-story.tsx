import type { Preview, ReceiptPredicate } from "@paraph/core";
import type { VerifiedReceipt } from "@paraph/core/verify-receipt";
import { EyeOff } from "lucide-react";
import type { ReactNode } from "react";
import type { Change } from "../api/types.ts";
import { Code } from "../approval/blocks.tsx";
import { ChangeBlock } from "../approval/change-block.tsx";
import { OutcomeMark } from "../calls/outcome-mark.tsx";
import { Timeline } from "../calls/timeline.tsx";
import { describeVoteChannel } from "../calls/vote-means.ts";
import { Foreign, formatJson } from "../lib/foreign.tsx";
import { formatDuration, formatExactTime } from "../lib/time.ts";
import { Notice } from "../ui/states.tsx";

/** Shows the facts that a verified receipt proves: the call, its people, its outcome, its disclosed data and its events. */
export function ReceiptStory({
  found: { story, keyId, disclosed, passkeys },
  disclosures,
}: {
  readonly found: VerifiedReceipt;
  readonly disclosures: Readonly<Record<string, { readonly value: unknown }>>;
}) {
  const { outcome, events, principal, parent, performer } = story;
  const headline = disclosed.includes("headline") ? disclosures.headline?.value : undefined;
  const isContentKnown = ["input", "preview", "headline"].some((name) => disclosed.includes(name));
  const changes = readChanges(disclosures.preview?.value);
  const withheld = Object.keys(story.commitments).filter((name) => !disclosed.includes(name));
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 p-3.5">
      {typeof headline === "string" && (
        <p className="text-xl font-semibold [overflow-wrap:anywhere]">
          <Foreign text={headline} />
        </p>
      )}
      <p className="flex flex-wrap items-center gap-x-3 text-xl font-semibold">
        <code className="text-lg [overflow-wrap:anywhere]">
          <Foreign text={story.capability} />
        </code>
        <span className="text-base">
          <OutcomeMark state="closed" outcome={outcome} />
        </span>
      </p>
      {!isContentKnown && (
        <Notice tone="plain" icon={EyeOff}>
          <strong>The content of this call is not disclosed.</strong> The receipt proves which capability was
          requested, by whom, who decided, and how it ended. It does not show for whom or for what. The
          signature covers the content, so a receipt that discloses it can prove it later.
        </Notice>
      )}
      <dl className="grid grid-cols-[minmax(88px,140px)_minmax(0,1fr)] gap-x-3 gap-y-1.5">
        <Row name="Call">
          <code>
            <Foreign text={story.call} />
          </code>
          {parent && (
            <>
              , step <Foreign text={parent.step} /> of <Foreign text={parent.call} />
            </>
          )}
        </Row>
        <Row name="Requester">
          <Foreign text={principal.id} /> ({principal.kind})
          {principal.owner !== undefined && (
            <>
              , owner <Foreign text={principal.owner} />
            </>
          )}
          {principal.onBehalfOf !== undefined && (
            <>
              , for <Foreign text={principal.onBehalfOf} />
            </>
          )}
        </Row>
        <Row name="Requested">{formatEventTime(events[0])}</Row>
        <Row name="Ended">{formatEventTime(events.at(-1))}</Row>
        <Row name="Tenant">
          <Foreign text={story.tenant} />
        </Row>
        <Row name="Policy">
          <Foreign text={describeRuling(story)} />
        </Row>
        {listVotes(story).map(({ word, by, where }) => (
          <Row key={`${word} ${by}`} name={word}>
            <Foreign text={by} />
            {approvals.includes(word) && (passkeys?.includes(by) ? ", with passkey" : ", without passkey")},{" "}
            {where}
            {word === "Confirmed by" && ". It is the agent's own owner, because there was no other approver"}
          </Row>
        ))}
        <Row name={story.children ? "Steps" : "Attempts"}>
          {story.children
            ? `${story.children.length}, each with its own receipt`
            : story.attempts === 0
              ? "None, so nothing was performed"
              : `${story.attempts}, took ${formatDuration(story.durationMs)}`}
        </Row>
        {performer === "agent" && <Row name="Performed by">The agent, which reported the result itself</Row>}
        <Row name="Outcome">
          {outcome.kind} (<Foreign text={outcome.code} />)
        </Row>
        <Row name="Disclosed">
          {disclosed.length === 0 ? "Nothing" : `${disclosed.join(", ")}, as signed`}
        </Row>
        {withheld.length > 0 && <Row name="Not disclosed">{withheld.join(", ")}, signed only as digests</Row>}
        <Row name="Signed by">
          <code className="[overflow-wrap:anywhere]">
            <Foreign text={keyId} />
          </code>
        </Row>
      </dl>
      {changes.length > 0 && (
        <section aria-label="Changes" className="card divide-y divide-line overflow-hidden">
          {changes.map((change, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the changes of one receipt never move
            <ChangeBlock key={index} change={change} />
          ))}
        </section>
      )}
      {disclosed
        .filter((name) => name !== "preview" && name !== "headline")
        .map((name) => (
          <details key={name}>
            <summary className="cursor-pointer font-medium max-md:min-h-11">
              Disclosed <Foreign text={name} />
            </summary>
            <Code text={formatJson(disclosures[name]?.value)} />
          </details>
        ))}
      <details>
        <summary className="cursor-pointer font-medium max-md:min-h-11">
          {events.length} events, in UTC
        </summary>
        <div className="pt-3">
          <Timeline
            timeZone="UTC"
            events={events.map(({ seq, kind, at, data }) => ({
              id: String(seq),
              type: kind,
              time: new Date(at).toISOString(),
              data: data as Record<string, unknown>,
            }))}
          />
        </div>
      </details>
      <Limits story={story} passkeys={passkeys} />
    </div>
  );
}

/** Lists the facts that a receipt does not prove, because readers may assume that it does. */
function Limits({
  story,
  passkeys = [],
}: {
  readonly story: ReceiptPredicate;
  readonly passkeys: VerifiedReceipt["passkeys"] | undefined;
}) {
  const isServersWord = listVotes(story).some(
    ({ word, by }) => approvals.includes(word) && !passkeys.includes(by),
  );
  return (
    <section aria-labelledby="limits" className="text-sm text-muted">
      <h3 id="limits" className="font-medium text-text">
        Limits of this receipt
      </h3>
      <ul className="ml-4 list-disc">
        {isServersWord && (
          <li>
            Who approved, for approvals without a passkey. For these, you rely on the operator's server.
          </li>
        )}
        {story.attempts > 0 && (
          <li>
            {story.performer === "agent"
              ? "That the effect happened. The agent reported the result itself."
              : "That the effect lasted. The receipt contains the result that Paraph recorded when the call ended."}
          </li>
        )}
        <li>When something happened. The times are those of the operator's server.</li>
        <li>That there were no other calls. Every call has its own receipt.</li>
      </ul>
    </section>
  );
}

/** Formats the time of an event. A receipt goes to readers in other zones, so its times are in UTC. */
function formatEventTime(event: ReceiptPredicate["events"][number] | undefined): string {
  return event ? formatExactTime(new Date(event.at).toISOString(), "UTC") : "Not recorded";
}

function Row({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </>
  );
}

function describeRuling({ events }: ReceiptPredicate): string {
  const last = events.findLast(({ kind }) => kind === "ruled");
  if (!last) return "No ruling is recorded";
  const policies = Array.isArray(last.data.policies) ? last.data.policies.join(", ") : "";
  return `${String(last.data.ruling)}${policies && `: ${policies}`}`;
}

/** A vote. The votes of a plan count for its steps. */
interface ReceiptVote {
  readonly word: "Approved by" | "Confirmed by" | "Denied by" | "Returned by";
  readonly by: string;
  readonly where: string;
}

function listVotes({ events }: ReceiptPredicate): readonly ReceiptVote[] {
  const votes = events.flatMap(({ kind, data }) => {
    if (kind === "voted") return [toVote(data, describeVoteChannel(data.via))];
    if (kind !== "approval-inherited" || !Array.isArray(data.votes)) return [];
    return (data.votes as unknown as readonly object[]).map((vote) =>
      toVote({ decision: "approve", ...vote }, "for the whole plan"),
    );
  });
  return [...new Map(votes.map((vote) => [`${vote.word} ${vote.by}`, vote])).values()];
}

const approvals: readonly ReceiptVote["word"][] = ["Approved by", "Confirmed by"];

function toVote(
  data: { readonly by?: unknown; readonly decision?: unknown; readonly as?: unknown },
  where: string,
): ReceiptVote {
  return { word: chooseWord(data), by: String(data.by), where };
}

function chooseWord(data: { readonly decision?: unknown; readonly as?: unknown }): ReceiptVote["word"] {
  if (data.decision === "return") return "Returned by";
  if (data.decision !== "approve") return "Denied by";
  return data.as === "confirmation" ? "Confirmed by" : "Approved by";
}

/** Reads the changes of a disclosed preview, which matches its signed commitment. */
function readChanges(preview: unknown): readonly Change[] {
  const changes = (preview as Preview | undefined)?.changes;
  return Array.isArray(changes) ? (changes as readonly Change[]) : [];
}
