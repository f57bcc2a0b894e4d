import { type Json, ParaphError, type Ports } from "@paraph/core";
import type { DraftStep } from "@paraph/core/intents";
import {
  isUnavailable,
  type MailMeaning,
  type MailRequest,
  type MailRequestStore,
  type ReachablePerson,
} from "../../../postgres/index.ts";
import type { UnderstoodWords, WordsService } from "../../channel.ts";
import { describePlan } from "./plan-summary.ts";

/** The scopes of requests by mail. Words in a mail never reach administration. */
const scopes = ["calls"];

/** The dependencies of `understandRequest`. */
export interface UnderstandDeps {
  readonly mailRequests: MailRequestStore;
  readonly intents: WordsService;
  readonly ports: Pick<Ports, "catalog">;
}

/**
 * Understands the words of a request, and records the question, the plan or the refusal. It performs nothing, so it may
 * run again after a crash. The mail with the result is then due.
 */
export async function understandRequest(
  ref: { readonly tenant: string; readonly id: string },
  person: ReachablePerson,
  deps: UnderstandDeps,
): Promise<void> {
  const request = await deps.mailRequests.find(ref.tenant, ref.id);
  if (request?.state !== "received") return;
  await deps.mailRequests.recordMeaning(request, await findMeaning(request, person, deps));
}

async function findMeaning(
  { words, answers }: MailRequest,
  { principal, quiet }: ReachablePerson,
  { intents, ports }: UnderstandDeps,
): Promise<MailMeaning> {
  try {
    const understood = await intents.understand(
      { principal, scopes },
      { words: words ?? "", timeZone: quiet?.timeZone, ...(answers.length > 0 && { answers }) },
    );
    if (understood.kind === "no") return { state: "closed", code: understood.code };
    if (understood.kind === "question")
      return { state: "question", result: describeQuestions(principal.tenant, understood, ports.catalog) };
    const { plan, intent } = understood;
    const summary = describePlan(principal.tenant, understood, ports.catalog);
    return { state: "plan", result: { plan, intent, summary } as unknown as Json };
  } catch (error) {
    if (isUnavailable(error)) throw error;
    // A request that always fails must not keep the mails behind it from being read.
    return { state: "closed", code: error instanceof ParaphError ? error.code : "failed" };
  }
}

/** [TRUST 16] Returns the questions and the plan so far. A step with sensitive fields shows no object. */
function describeQuestions(
  tenant: string,
  { questions, steps = [] }: Extract<UnderstoodWords, { kind: "question" }>,
  catalog: Ports["catalog"],
): Json {
  const shown = steps.map(({ capability, object }): DraftStep => {
    const isOpen = catalog.find(tenant, capability)?.contract.sensitive.length === 0;
    return { capability, ...(isOpen && object !== undefined && { object }) };
  });
  return { questions, steps: shown } as unknown as Json;
}
