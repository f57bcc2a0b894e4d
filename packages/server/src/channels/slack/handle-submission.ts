import { decide, eventsOfKind, ParaphError, type Principal } from "@paraph/core";
import type { HandleContext } from "../channel.ts";
import { canApproveInSlack, composeResult } from "./compose-message.ts";
import { findPerson } from "./find-person.ts";
import type { Submission } from "./payloads.ts";
import { loadContent, refreshMessage } from "./refresh-message.ts";
import type { SlackClient } from "./slack-client.ts";

const titles = { approve: "Approved", deny: "Denied", return: "Returned" } as const;

/**
 * [TRUST 1, 4] Handles a dialog. The vote carries the digest that the dialog showed, and core checks it like any other
 * vote. Whether Slack may approve the request is checked again, because the dialog only names it.
 */
export async function handleSubmission(
  { user, team, view }: Submission,
  client: SlackClient,
  context: HandleContext,
): Promise<object> {
  const { callback_id: decision, private_metadata: subject } = view;
  const answer = (title: string, words: string) => ({
    response_action: "update",
    view: composeResult(title, words),
  });
  const refuse = (words: string) => answer("Nothing was changed", words);
  const actor = { team: user.team_id ?? team?.id ?? "", account: user.id };
  const found = await findPerson(subject.tenant, actor, client, context);
  if (found.kind !== "person") return refuse("This Slack account is not linked to Paraph.");
  const reason = view.state?.values?.reason?.text.value?.trim();
  const voted = { answer: () => answer(titles[decision], "Paraph recorded your decision.") };
  if (await hasVoted(subject, found.principal, decision, context)) return voted.answer();
  if (decision === "approve") {
    const content = await loadContent(subject, context);
    if (!content) return refuse("This request no longer exists.");
    if (content.kind !== "outcome" && !canApproveInSlack(content))
      return refuse(`This request is approved on the page: ${content.links.page}`);
  }
  const [channel = "", ts = ""] = subject.message.split(":");
  try {
    const decided = await decide(
      {
        approval: subject.approval,
        digest: subject.digest,
        voter: found.principal,
        decision,
        ...(decision !== "approve" && reason && { reason }),
        via: "slack",
      },
      context.ports,
    );
    await context.announceChange(decided.call, decided.wakes);
    if (decided.call.state === "asking") await refreshMessage(subject, { channel, ts }, client, context);
    return voted.answer();
  } catch (error) {
    if (!(error instanceof ParaphError)) throw error;
    if (["approval-closed", "approval-changed"].includes(error.code))
      await refreshMessage(subject, { channel, ts }, client, context);
    return refuse(error.message);
  }
}

/** [TRUST 4] Returns whether this vote was recorded before, because Slack sent the dialog twice. */
async function hasVoted(
  { tenant, approval, digest }: Submission["view"]["private_metadata"],
  { id }: Principal,
  decision: string,
  { ports }: HandleContext,
): Promise<boolean> {
  const call = await ports.store.findByApproval(tenant, approval);
  return eventsOfKind(call?.events ?? [], "voted").some(
    ({ data }) =>
      data.by === id && data.decision === decision && data.digest === digest && data.via === "slack",
  );
}
