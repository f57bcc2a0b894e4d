// A support agent. It may refund a payment if a person approves the refund. It writes letters in its own process if
// policy allows this. `runTurn` takes the conversation so far and returns the answer.
import type { ParaphClient } from "@paraph/sdk";
import { createGovernedTools, createTools, updatePendingResults } from "@paraph/sdk/ai-sdk";
import { generateText, isStepCount, jsonSchema, type LanguageModel, type ModelMessage, tool } from "ai";

export const letters: string[] = [];

/** A tool of this process, like any other. It contains no code of Paraph. */
const writeLetter = tool({
  description: "Write a letter to a customer.",
  inputSchema: jsonSchema<{ customer: string; text: string }>({
    type: "object",
    properties: { customer: { type: "string" }, text: { type: "string" } },
    required: ["customer", "text"],
  }),
  async execute({ customer, text }) {
    letters.push(text);
    return { letter: `${customer}-${letters.length}` };
  },
});

export async function runTurn(
  model: LanguageModel,
  client: ParaphClient,
  conversation: readonly ModelMessage[],
  session: string,
): Promise<{ text: string; conversation: ModelMessage[] }> {
  const options = { waitMs: 0, session: { session } };
  const own = createGovernedTools(
    client,
    { write_letter: { capability: "desk.write", tool: writeLetter } },
    { ...options, waitMs: 60_000 },
  );
  const messages = await updatePendingResults(client, conversation, own);
  const { text, responseMessages } = await generateText({
    model,
    instructions: "You help customers of a shop. Refund what they returned, and write to them.",
    messages,
    tools: { ...(await createTools(client, { ...options, only: ["billing.*"] })), ...own.tools },
    stopWhen: isStepCount(5),
  });
  return { text, conversation: [...messages, ...responseMessages] };
}
