import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A model's provider on loopback: the three protocols as their clients speak them, over a socket, with one answer. */
export interface ModelServer extends AsyncDisposable {
  readonly url: string;
  /** What was asked of a model, in order: the path, the headers and the body as sent. */
  readonly asked: readonly Asked[];
}

export interface Asked {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export async function modelServer(answer: string): Promise<ModelServer> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const body = await textOf(request);
    const path = request.url ?? "/";
    const protocol = protocols.find(({ is }) => is.test(path));
    if (request.method !== "POST" || !protocol) return void response.writeHead(404).end("{}");
    asked.push({ path, headers: request.headers, body });
    protocol.reply(response, answer, path, body);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

interface Protocol {
  readonly is: RegExp;
  reply(response: ServerResponse, answer: string, path: string, body: string): void;
}

const usage = { input_tokens: 11, output_tokens: 7 };

/** Anthropic: https://docs.anthropic.com/en/api/messages-streaming */
const messages: Protocol = {
  is: /^\/v1\/messages(\?|$)/,
  reply: (response, text, _path, body) => {
    const { model, stream } = JSON.parse(body) as { model: string; stream?: boolean };
    const message = { id: "msg_1", type: "message", role: "assistant", model, stop_sequence: null };
    if (!stream) {
      const content = [{ type: "text", text }];
      return json(response, { ...message, content, stop_reason: "end_turn", usage });
    }
    events(response, [
      {
        type: "message_start",
        message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
      },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage },
      { type: "message_stop" },
    ]);
  },
};

/** OpenAI: https://platform.openai.com/docs/api-reference/responses-streaming */
const responses: Protocol = {
  is: /^\/v1\/responses(\?|$)/,
  reply: (response, text, _path, body) => {
    const { model } = JSON.parse(body) as { model: string };
    const whole = { id: "resp_1", object: "response", created_at: 1, model };
    const content = [{ type: "output_text", text, annotations: [] }];
    const item = { type: "message", id: "msg_1", role: "assistant", status: "completed", content };
    events(response, [
      { type: "response.created", response: { ...whole, status: "in_progress", output: [] } },
      {
        type: "response.output_item.added",
        output_index: 0,
        item: { ...item, status: "in_progress", content: [] },
      },
      {
        type: "response.output_text.delta",
        item_id: "msg_1",
        output_index: 0,
        content_index: 0,
        delta: text,
      },
      { type: "response.output_item.done", output_index: 0, item },
      {
        type: "response.completed",
        response: { ...whole, status: "completed", output: [item], usage: { ...usage, total_tokens: 18 } },
      },
    ]);
  },
};

/** Google: https://ai.google.dev/api/generate-content */
const generate: Protocol = {
  is: /^\/v1beta\/models\/[^/:]+:(generateContent|streamGenerateContent)(\?|$)/,
  reply: (response, text, path) => {
    const whole = {
      candidates: [{ index: 0, content: { role: "model", parts: [{ text }] }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 },
      modelVersion: "loopback",
    };
    if (path.includes(":generateContent")) return json(response, whole);
    events(response, [whole]);
  },
};

const protocols = [messages, responses, generate];

function json(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function events(response: ServerResponse, list: readonly object[]): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of list) {
    const name = "type" in event ? `event: ${event.type}\n` : "";
    response.write(`${name}data: ${JSON.stringify(event)}\n\n`);
  }
  response.end();
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
