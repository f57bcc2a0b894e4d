// A planner with a model behind it. The model only chooses between ways that the beliefs leave open.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, jsonSchema, Output } from "ai";
import type { Way } from "./beliefs.ts";
import type { Planner } from "./planner.ts";

/** The endpoint of a model that speaks OpenAI's protocol. */
export interface ModelEndpoint {
  readonly url: string;
  readonly name: string;
  readonly key?: string;
}

/** Creates a planner that asks a model. If the model does not name an open way, the other planner chooses. */
export function createModelPlanner({ url, name, key }: ModelEndpoint, otherwise: Planner): Planner {
  const provider = createOpenAICompatible({
    ...{ name: "planner", baseURL: url, supportsStructuredOutputs: true },
    ...(key !== undefined && { apiKey: key }),
  });
  return async (choice) => {
    try {
      const { output } = await generateText({
        model: provider(name),
        instructions:
          "Choose how to handle the draft. Prefer ways whose capabilities succeeded. Return one of the open ways.",
        prompt: JSON.stringify(choice),
        output: Output.object({
          schema: jsonSchema<{ way: Way }>({
            type: "object",
            properties: { way: { enum: [...choice.ways] } },
            required: ["way"],
            additionalProperties: false,
          }),
        }),
        maxRetries: 0,
      });
      return choice.ways.includes(output.way) ? output.way : otherwise(choice);
    } catch {
      return otherwise(choice);
    }
  };
}
