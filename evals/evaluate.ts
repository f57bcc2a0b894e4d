import { isDeepStrictEqual } from "node:util";
import type { Json } from "@paraph/core";
import { type IntentRequest, type Understanding, understandWithGrammar } from "@paraph/core/intents";
import type { ModelOptions } from "../packages/server/src/builtin/checks/model/model.ts";
import { startTestModel } from "../packages/server/src/builtin/checks/testing/openai-server.ts";
import { createIntentModel } from "../packages/server/src/intents/intent-model.ts";
import type { IntentModel } from "../packages/server/src/services/intents.ts";
import { allowedCapabilities } from "./catalog.ts";
import { type Category, categories, type EvaluatedIntent, readIntents } from "./intents.ts";

/** The result of one intent. `unwanted` counts planned steps that the words do not ask for. */
interface IntentResult {
  readonly id: string;
  readonly isCorrect: boolean;
  readonly unwanted: number;
  readonly understood: Understanding;
}

/** The score of one category. */
export interface CategoryScore {
  readonly category: Category;
  readonly intents: number;
  /** The number of intents that are understood as expected, by the grammar alone and with the model behind it. */
  readonly grammar: number;
  readonly withModel: number;
  /** The number of planned steps that the words do not ask for, by either. */
  readonly unwanted: number;
  /** The ids of the intents that the grammar with the model does not understand as expected. */
  readonly failed: readonly string[];
}

/** The scores, and the model that stood behind the grammar. */
export interface Evaluation {
  readonly model: string;
  readonly scores: readonly CategoryScore[];
  /** The codes of requests to the model that failed. */
  readonly problems: readonly string[];
}

/** A Wednesday. All relative dates of the intents refer to it. */
const now = Date.UTC(2026, 10, 18, 12);

/**
 * Evaluates all intents with the grammar alone, and with a model behind it. By default, a server on loopback gives the
 * recorded answers in OpenAI's protocol. With `live`, the configured model answers.
 */
export async function evaluateIntents(live?: {
  readonly options: ModelOptions;
  readonly key: string;
}): Promise<Evaluation> {
  const recorded = await startTestModel();
  const problems: string[] = [];
  try {
    const options = live?.options ?? { url: recorded.url, name: "recorded" };
    const model = createIntentModel(options, (code) => problems.push(code));
    const scores: CategoryScore[] = [];
    for (const category of categories) {
      const intents = await readIntents(category);
      const results = [];
      for (const intent of intents) {
        const content = JSON.stringify(intent.model ?? { steps: [], questions: [] });
        recorded.answers(() => ({ kind: "content", content }));
        results.push(await evaluateIntent(intent, model, live?.key ?? "none"));
      }
      scores.push(toScore(category, results));
    }
    return { model: live ? "live" : "recorded", scores, problems };
  } finally {
    await recorded.stop();
  }
}

async function evaluateIntent(intent: EvaluatedIntent, model: IntentModel, key: string) {
  const request: IntentRequest = {
    ...{ words: intent.words, now, timeZone: "Europe/Berlin", capabilities: allowedCapabilities },
  };
  const grammar = understandWithGrammar(request);
  const byModel =
    grammar.kind === "plan"
      ? undefined
      : await model.understand(request, grammar, {
          credential: async () => key,
          signal: new AbortController().signal,
        });
  return {
    grammar: toResult(intent, grammar),
    withModel: toResult(intent, byModel?.understanding ?? grammar),
  };
}

function toResult({ id, expect }: EvaluatedIntent, understood: Understanding): IntentResult {
  const planned = listSteps(understood);
  const wanted = expect.kind === "plan" ? expect.steps : [];
  const isWanted = (step: Json) => wanted.some((one) => isDeepStrictEqual(one, step));
  return {
    id,
    isCorrect: isExpected(expect, understood, planned),
    unwanted: planned.filter((step) => !isWanted(step)).length,
    understood,
  };
}

function listSteps(understood: Understanding): readonly Json[] {
  if (understood.kind !== "plan") return [];
  return understood.plan.steps.map(({ capability, input }) => ({
    capability,
    input: (input as { readonly $literal: Json }).$literal,
  }));
}

function isExpected(expect: EvaluatedIntent["expect"], understood: Understanding, planned: readonly Json[]) {
  if (expect.kind === "plan") return isDeepStrictEqual(planned, expect.steps);
  if (expect.kind === "nothing") return understood.kind !== "plan";
  if (understood.kind !== "question") return false;
  const { codes = [], fields = [] } = expect;
  return understood.questions.some(
    ({ code, field }) => codes.includes(code) || (field !== undefined && fields.includes(field)),
  );
}

function toScore(
  category: Category,
  results: readonly { readonly grammar: IntentResult; readonly withModel: IntentResult }[],
): CategoryScore {
  const unwanted = results.reduce((sum, one) => sum + one.grammar.unwanted + one.withModel.unwanted, 0);
  return {
    category,
    intents: results.length,
    grammar: results.filter(({ grammar }) => grammar.isCorrect).length,
    withModel: results.filter(({ withModel }) => withModel.isCorrect).length,
    unwanted,
    failed: results.flatMap(({ withModel }) => (withModel.isCorrect ? [] : [withModel.id])),
  };
}
