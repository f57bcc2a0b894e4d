import type { Json } from "@paraph/core";
import { checkProposal, redactWords } from "@paraph/core/intents";
import { z } from "zod";
import type { Model, ModelOptions } from "../builtin/checks/model/model.ts";
import { createModel } from "../builtin/checks/model/model.ts";
import type { IntentModel } from "../services/intents.ts";
import { buildIntentPrompt, promptVersion } from "./prompt.ts";

/** The option `intents` of the configuration. */
export interface IntentsOptions {
  /** The model for words that the grammar does not understand. */
  readonly model?: ModelOptions;
}

/** The time after which a request to the model is given up. The grammar's questions then stand. */
const timeoutMs = 20_000;

const answerSchema = z.object({
  steps: z.array(z.object({ capability: z.string(), input: z.unknown() as z.ZodType<Json> })).max(50),
  questions: z.array(z.object({ step: z.int(), field: z.string(), message: z.string() })).max(20),
});

/**
 * Creates the part that lets a model understand words which the grammar does not. If the model cannot be reached or
 * answers in another form, it reports a code and returns undefined, so that the grammar's questions stand.
 */
export function createIntentModel(
  options: ModelOptions,
  onProblem: (code: string) => void,
  model: Model = createModel(options, "intents.model"),
): IntentModel {
  return {
    async understand(request, grammar, { credential, signal }) {
      const words = redactWords(request.words, grammar);
      if (words === undefined || request.capabilities.length === 0) return undefined;
      const { now, timeZone } = request;
      const question = {
        ...buildIntentPrompt(words, request.capabilities, { now, timeZone }),
        answer: answerSchema,
      };
      try {
        const answer = await model.answer(question, {
          credential,
          signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
        });
        const understanding = checkProposal(request, answer.output);
        return (
          understanding && {
            understanding,
            understoodBy: { kind: "model", model: answer.model, promptVersion },
          }
        );
      } catch (error) {
        // [P10] The code of the error names the reason. Its message could quote the words.
        onProblem((error as { readonly code?: string }).code ?? "model-failed");
        return undefined;
      }
    },
  };
}
