// A support agent that may refund, if a person says so. One turn: what was said so far in, the answer out.
import type { Client } from "@paraph/sdk";
import { catchUp, tools } from "@paraph/sdk/ai-sdk";
import { generateText, isStepCount, type LanguageModel, type ModelMessage } from "ai";

export async function turn(
  model: LanguageModel,
  client: Client,
  conversation: readonly ModelMessage[],
  session: string,
): Promise<{ text: string; conversation: ModelMessage[] }> {
  const messages = await catchUp(client, conversation);
  const { text, responseMessages } = await generateText({
    model,
    instructions: "You help customers of a shop. Refund what they returned.",
    messages,
    tools: await tools(client, { only: ["billing.*"], waitMs: 0, session: { session } }),
    stopWhen: isStepCount(5),
  });
  return { text, conversation: [...messages, ...responseMessages] };
}
