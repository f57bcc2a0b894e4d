import { escapeInvisible, escapeInvisibleJson } from "@paraph/core/escape-invisible";
import type { IntentQuestionView, IntentView, PlannedIntentView } from "../../lib/api/api-views.ts";
import { type ApiClient, createApiClient } from "../../lib/api/client.ts";
import { type CallerRole, resolveConnection } from "../../lib/api/connection.ts";
import { CliError, usageError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { formatPreview } from "../../lib/render/preview.ts";
import { askYesNo } from "../../lib/terminal/ask-yes-no.ts";
import { type PlanOptions, requestPlan } from "./plan.ts";

export interface AskOptions extends Pick<PlanOptions, "wait" | "key" | "session"> {
  readonly as: Extract<CallerRole, "agent" | "person">;
  readonly yes?: boolean;
  /** The fingerprint of the plan that the user reviewed. */
  readonly fingerprint?: string;
}

/** An answer of the user to a question about one field. */
interface Answer {
  readonly step: number;
  readonly field: string;
  readonly value: string;
}

/** The maximum number of times that the command asks the user for missing facts. */
const maxRounds = 5;

/**
 * Asks the server what the words mean, shows the plan with its preview, and requests it after a confirmation. The
 * command asks the user for missing facts if there is a terminal.
 */
export async function askInWords(
  context: Context,
  words: readonly string[],
  options: AskOptions,
): Promise<ExitCode> {
  if (options.yes && options.fingerprint === undefined)
    throw usageError(
      "`--yes` requests the plan without showing it. Run the command without `--yes` first, and pass the `--fingerprint` that it shows.",
    );
  const client = createApiClient(await resolveConnection(context, options.as), context.signal);
  const understood = await understand(context, client, words.join(" "));
  if (context.json && (understood.kind !== "plan" || !options.yes)) context.output.json(understood);
  if (understood.kind === "question") return reportQuestions(context, understood.questions);
  if (understood.kind === "no") return reportNo(context, understood.message);
  if (!context.json && !options.yes) context.output.data(formatIntent(context, understood));
  if (understood.preview.ruling === "block") return exitCode.refused;
  if (context.json && !options.yes) return exitCode.ok;
  if (!(await isConfirmed(context, understood, options))) return exitCode.ok;
  const { plan, intent } = understood;
  return requestPlan(context, client, { plan, intent }, options);
}

/** Asks the server until no fact is missing, or the user does not answer. */
async function understand(context: Context, client: ApiClient, words: string): Promise<IntentView> {
  const answers: Answer[] = [];
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  for (let round = 1; ; round += 1) {
    const body = { words, timeZone, ...(answers.length > 0 && { answers }) };
    const understood = await client.request<IntentView>("/v1/intents", { method: "POST", body });
    const missing = understood.kind === "question" ? understood.questions.filter(isAnswerable) : [];
    if (!context.question || context.json || round > maxRounds || missing.length === 0) return understood;
    if (understood.kind === "question" && missing.length < understood.questions.length) return understood;
    for (const { step, field, message, options } of missing) {
      const choices = options ? ` (${options.map(escapeInvisible).join(", ")})` : "";
      const value = (await context.question(`${escapeInvisible(message)}${choices} `)).trim();
      if (value === "") return understood;
      answers.push({ step, field: field!, value });
    }
  }
}

function isAnswerable({ code, field }: IntentQuestionView): boolean {
  return (code === "field-missing" || code === "object-ambiguous") && field !== undefined;
}

function reportQuestions({ output, json }: Context, questions: readonly IntentQuestionView[]): ExitCode {
  if (!json) {
    output.info("Some facts are missing, so there is no plan yet:");
    for (const { message, options } of questions) {
      const choices = options ? ` (${options.map(escapeInvisible).join(", ")})` : "";
      output.info(`  ? ${escapeInvisible(message)}${choices}`);
    }
  }
  return exitCode.pending;
}

function reportNo({ output, json }: Context, message: string): ExitCode {
  if (!json) output.info(escapeInvisible(message));
  return exitCode.refused;
}

/** Formats the steps with their whole inputs, because a preview may not show every value. */
function formatIntent(
  { output: { paint } }: Context,
  { plan, preview, fingerprint }: PlannedIntentView,
): string {
  const steps = plan.steps.map(
    ({ id, capability, input }) =>
      `  ${escapeInvisible(id)}  ${paint("bold", escapeInvisible(capability))}  ${escapeInvisibleJson(input.$literal)}`,
  );
  return [
    ...steps,
    "",
    formatPreview(preview, paint),
    "",
    `  fingerprint  ${escapeInvisible(fingerprint)}`,
  ].join("\n");
}

async function isConfirmed(
  context: Context,
  { fingerprint }: PlannedIntentView,
  { yes, fingerprint: given }: AskOptions,
): Promise<boolean> {
  if (given !== undefined && given.replaceAll(/\s/g, "").toLowerCase() !== fingerprint)
    throw new CliError(
      "intent-changed",
      "The words now lead to another plan than the one with this fingerprint, so nothing was requested. Review the new plan.",
      { exitCode: exitCode.refused },
    );
  if (yes) return true;
  if (!context.question)
    throw usageError(
      `This is not an interactive terminal, so Paraph cannot ask you. Review the plan, then pass \`--fingerprint ${fingerprint} --yes\`.`,
    );
  return askYesNo(context.question, "Request this plan?");
}
