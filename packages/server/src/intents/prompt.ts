import type { Capability, JsonObject } from "@paraph/core";

/** The version of the prompt. Change it with every change of the instructions, because calls record it. */
export const promptVersion = 1;

/** The maximum number of capabilities in one prompt. More would cost much and confuse the model. */
const maxCapabilities = 60;

const instructions = [
  "You turn a request into steps. Each step uses one of the capabilities below, and its input fits that capability's schema.",
  "Copy every value from the request. Never invent, complete, translate or correct a value.",
  "[[quote 1]] stands for a text that you cannot see. Use such a placeholder only as a whole value.",
  "Write amounts of money in minor units if the schema has cents. Write days and times as the list of dates gives them.",
  "Leave out optional fields that the request does not mention.",
  "If a required fact is missing, or the request can mean several things, ask in `questions` and return no steps.",
  'A question has the number of its step, the field that it is about (or ""), and one short sentence.',
  "If no capability fits, return neither steps nor questions.",
].join("\n");

/** Builds the instructions, the prompt and the schema of the answer for words without their quotations. */
export function buildIntentPrompt(
  words: string,
  capabilities: readonly Capability[],
  { now, timeZone }: { readonly now: number; readonly timeZone: string | undefined },
) {
  const shown = selectCapabilities(words, capabilities);
  const list = shown.map(({ contract: { name, summary, effect, input } }) =>
    JSON.stringify({ name, summary, effect, input: toEmbeddedSchema(input) }),
  );
  return {
    instructions,
    prompt: [
      "Capabilities:",
      ...list,
      "",
      `Now: ${new Date(now).toISOString()}, time zone of the requester: ${timeZone ?? "unknown"}`,
      "",
      "Request:",
      words,
    ].join("\n"),
    schema: buildAnswerSchema(shown),
  };
}

/** Selects the capabilities that share most words with the request. */
function selectCapabilities(words: string, capabilities: readonly Capability[]): readonly Capability[] {
  if (capabilities.length <= maxCapabilities) return capabilities;
  const asked = new Set(splitWords(words));
  return capabilities
    .map((capability) => {
      const { name, summary } = capability.contract;
      const score = splitWords(`${name} ${summary}`).filter((word) => asked.has(word)).length;
      return { capability, score };
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, maxCapabilities)
    .map(({ capability }) => capability);
}

function splitWords(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 2);
}

/** Returns the schema that binds an answer to the contracts: a step is one of these capabilities with its input. */
function buildAnswerSchema(capabilities: readonly Capability[]): JsonObject {
  const step = ({ contract: { name, input } }: Capability): JsonObject => ({
    type: "object",
    properties: { capability: { const: name }, input: toEmbeddedSchema(input) },
    required: ["capability", "input"],
    additionalProperties: false,
  });
  return {
    type: "object",
    properties: {
      steps: { type: "array", maxItems: 50, items: { anyOf: capabilities.map(step) } },
      questions: {
        type: "array",
        maxItems: 20,
        items: {
          type: "object",
          properties: {
            step: { type: "integer" },
            field: { type: "string" },
            message: { type: "string" },
          },
          required: ["step", "field", "message"],
          additionalProperties: false,
        },
      },
    },
    required: ["steps", "questions"],
    additionalProperties: false,
  };
}

/** A schema with references works only at the root of a document, so it is replaced. Paraph validates the input later. */
function toEmbeddedSchema({ $schema: _dialect, ...schema }: JsonObject): JsonObject {
  return JSON.stringify(schema).includes('"$ref"') ? { type: "object" } : schema;
}
