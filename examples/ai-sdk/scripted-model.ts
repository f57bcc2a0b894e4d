// A model server on loopback that uses OpenAI's protocol and follows a script, so that the example needs no account.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

interface Message {
  readonly role: string;
  readonly content: string | null;
}

/** The model's reply to a conversation: a text, or the use of a tool. */
type Reply = { readonly text: string } | { readonly tool: string; readonly input: unknown };

export async function startScriptedModel(
  script: (messages: readonly Message[]) => Reply,
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  let replies = 0;
  const server = createServer(async (request, response) => {
    const { messages } = JSON.parse(Buffer.concat(await request.toArray()).toString());
    replies += 1;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(toCompletion(script(messages), replies)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

function toCompletion(reply: Reply, number: number) {
  const message =
    "text" in reply
      ? { role: "assistant", content: reply.text }
      : {
          role: "assistant",
          content: null,
          tool_calls: [
            {
              id: `tool_${number}`,
              type: "function",
              function: { name: reply.tool, arguments: JSON.stringify(reply.input) },
            },
          ],
        };
  return {
    id: `completion_${number}`,
    object: "chat.completion",
    created: 0,
    model: "scripted",
    choices: [{ index: 0, message, finish_reason: "text" in reply ? "stop" : "tool_calls" }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
}
