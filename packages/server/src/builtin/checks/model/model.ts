import { CapabilityError, type ExecutionContext } from "@paraph/core";
import type { LanguageModel } from "ai";
import type { z } from "zod";
import { createStoppedError } from "../check-error.ts";

/**
 * A model of the Vercel AI SDK, or the name of one. The SDK is optional, so the types that users see do not import it.
 * Every model of the SDK has these fields.
 */
type ProviderModel =
  | string
  | { readonly specificationVersion: string; readonly provider: string; readonly modelId: string };

/** An OpenAI-compatible endpoint, or a model of any provider of the Vercel AI SDK. */
export type ModelOptions =
  | {
      /** The base URL of the endpoint. */
      readonly url: string;
      readonly name: string;
      /** The name of the secret that holds the key. */
      readonly credential?: string;
    }
  | {
      readonly provider: (key: string) => ProviderModel;
      readonly credential: string;
    };

/**
 * A model that answers one question in a given form. If the answer has any other form, the check fails with an error,
 * and Paraph refuses the call.
 */
export interface Model {
  answer<T>(question: ModelQuestion<T>, context: ExecutionContext): Promise<T>;
}

/** A question to a model, with the schema of the answer. */
export interface ModelQuestion<T> {
  readonly instructions: string;
  readonly prompt: string;
  readonly answer: z.ZodType<T>;
}

/** Creates a model from the configuration. */
export function createModel(options: ModelOptions): Model {
  return {
    async answer(question, context) {
      // The SDK is loaded at first use, because most processes never use a model.
      const { APICallError, generateText, Output, RetryError } = await import("ai");
      // Turns off the SDK's warnings, because they quote its input.
      globalThis.AI_SDK_LOG_WARNINGS = false;
      const model = await loadLanguageModel(options, context);
      try {
        const { output, finishReason } = await generateText({
          model,
          instructions: question.instructions,
          prompt: question.prompt,
          output: Output.object({ schema: question.answer }),
          temperature: 0,
          maxRetries: 1,
          abortSignal: context.signal,
          telemetry: { isEnabled: false },
        });
        if (finishReason !== "stop") throw createUnexpectedAnswerError();
        return output;
      } catch (error) {
        if (context.signal.aborted) throw createStoppedError();
        const last = RetryError.isInstance(error) ? error.lastError : error;
        const status = APICallError.isInstance(last) ? (last.statusCode ?? 0) : 200;
        throw status < 200 || status >= 300 ? createUnreachableError(status) : createUnexpectedAnswerError();
      }
    },
  };
}

async function loadLanguageModel(options: ModelOptions, context: ExecutionContext): Promise<LanguageModel> {
  const key = options.credential === undefined ? undefined : await context.credential(options.credential);
  if ("provider" in options) return options.provider(key ?? "") as LanguageModel;
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  return createOpenAICompatible({
    name: "checks",
    baseURL: options.url,
    supportsStructuredOutputs: true,
    ...(key !== undefined && { apiKey: key }),
  })(options.name);
}

/**
 * [P10] Creates the error for a failed request to the model. The endpoint's message may repeat the input, so the error
 * holds only the status. The status is 0 if there was no response.
 */
function createUnreachableError(status: number): CapabilityError {
  const code = status === 0 ? "model-unavailable" : `http-${status}`;
  return new CapabilityError(
    "not-performed",
    code,
    "The request to the model failed. Check `checks.model` in the configuration, or try again later.",
  );
}

export function createUnexpectedAnswerError(): CapabilityError {
  return new CapabilityError(
    "permanent",
    "model-answer-invalid",
    "The model's answer does not have the required format.",
  );
}
