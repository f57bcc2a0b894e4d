import { CapabilityError, type ExecutionContext, type JsonObject } from "@paraph/core";
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
  answer<T>(question: ModelQuestion<T>, context: ModelContext): Promise<ModelAnswer<T>>;
}

/** The parts of a call's context that a question to a model needs. */
export type ModelContext = Pick<ExecutionContext, "signal" | "credential">;

/** The answer of a model, and the model that the endpoint says it was. */
export interface ModelAnswer<T> {
  readonly output: T;
  readonly model: string;
}

/** A question to a model, with the schema of the answer. */
export interface ModelQuestion<T> {
  readonly instructions: string;
  readonly prompt: string;
  readonly answer: z.ZodType<T>;
  /** The JSON schema for the model, if it differs from that of `answer`. */
  readonly schema?: JsonObject;
}

/** Creates a model from the configuration. `key` is the key of the configuration, for error messages. */
export function createModel(options: ModelOptions, key = "checks.model"): Model {
  return {
    async answer(question, context) {
      // The SDK is loaded at first use, because most processes never use a model.
      const { APICallError, generateText, jsonSchema, Output, RetryError } = await import("ai");
      // Turns off the SDK's warnings, because they quote its input.
      globalThis.AI_SDK_LOG_WARNINGS = false;
      const model = await loadLanguageModel(options, context);
      try {
        const { output, finishReason, response } = await generateText({
          model,
          instructions: question.instructions,
          prompt: question.prompt,
          output: Output.object({
            schema: question.schema ? jsonSchema(question.schema) : question.answer,
          }),
          temperature: 0,
          maxRetries: 1,
          abortSignal: context.signal,
          telemetry: { isEnabled: false },
        });
        if (finishReason !== "stop") throw createUnexpectedAnswerError();
        return { output: question.answer.parse(output), model: response.modelId };
      } catch (error) {
        if (context.signal.aborted) throw createStoppedError();
        const last = RetryError.isInstance(error) ? error.lastError : error;
        const status = APICallError.isInstance(last) ? (last.statusCode ?? 0) : 200;
        throw status < 200 || status >= 300
          ? createUnreachableError(status, key)
          : createUnexpectedAnswerError();
      }
    },
  };
}

async function loadLanguageModel(options: ModelOptions, context: ModelContext): Promise<LanguageModel> {
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
function createUnreachableError(status: number, key: string): CapabilityError {
  const code = status === 0 ? "model-unavailable" : `http-${status}`;
  return new CapabilityError(
    "not-performed",
    code,
    `The request to the model failed. Check \`${key}\` in the configuration, or try again later.`,
  );
}

export function createUnexpectedAnswerError(): CapabilityError {
  return new CapabilityError(
    "permanent",
    "model-answer-invalid",
    "The model's answer does not have the required format.",
  );
}
