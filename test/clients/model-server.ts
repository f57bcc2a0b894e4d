import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A model provider on loopback. It implements three protocols as real clients use them, over a socket. */
export interface ModelServer extends AsyncDisposable {
  readonly url: string;
  /** The requests to the model in order: the path, the headers and the body as sent. */
  readonly requests: readonly ModelRequest[];
}

export interface ModelRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** One turn of a model: a text, or the use of a tool. */
export type ModelTurn =
  | string
  | { readonly tool: string; readonly namespace?: string; readonly input: object };

/** Starts a server that always gives the same answer, or one that depends on the request. */
export async function startModelServer(
  answer: string | ((request: ModelRequest) => ModelTurn),
): Promise<ModelServer> {
  const asked: ModelRequest[] = [];
  const server = createServer(async (request, response) => {
    const body = await readBody(request);
    const path = request.url ?? "/";
    const protocol = protocols.find(({ is }) => is.test(path));
    if (request.method !== "POST" || !protocol) return void response.writeHead(404).end("{}");
    const question = { path, headers: request.headers, body };
    asked.push(question);
    protocol.reply(response, typeof answer === "string" ? answer : answer(question), path, body);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

interface Protocol {
  readonly is: RegExp;
  reply(response: ServerResponse, turn: ModelTurn, path: string, body: string): void;
}

const usage = { input_tokens: 11, output_tokens: 7 };

/** Anthropic: https://docs.anthropic.com/en/api/messages-streaming */
const messages: Protocol = {
  is: /^\/v1\/messages(\?|$)/,
  reply: (response, turn, _path, body) => {
    const { model, stream } = JSON.parse(body) as { model: string; stream?: boolean };
    const message = { id: "msg_1", type: "message", role: "assistant", model, stop_sequence: null };
    const { block, empty, delta, stop_reason } = toBlock(turn);
    if (!stream) return sendJson(response, { ...message, content: [block], stop_reason, usage });
    sendEvents(response, [
      {
        type: "message_start",
        message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
      },
      { type: "content_block_start", index: 0, content_block: { ...block, ...empty } },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
      { type: "message_stop" },
    ]);
  },
};

function toBlock(turn: ModelTurn) {
  if (typeof turn === "string")
    return {
      block: { type: "text", text: turn },
      empty: { text: "" },
      stop_reason: "end_turn",
      delta: { type: "text_delta", text: turn },
    };
  const { tool, input } = turn;
  return {
    block: { type: "tool_use", id: createId("toolu_"), name: tool, input },
    empty: { input: {} },
    stop_reason: "tool_use",
    delta: { type: "input_json_delta", partial_json: JSON.stringify(input) },
  };
}

/** OpenAI: https://platform.openai.com/docs/api-reference/responses-streaming */
const responses: Protocol = {
  is: /^\/v1\/responses(\?|$)/,
  reply: (response, turn, _path, body) => {
    const { model } = JSON.parse(body) as { model: string };
    const whole = { id: "resp_1", object: "response", created_at: 1, model };
    const { item, empty, delta } = toItem(turn);
    sendEvents(response, [
      { type: "response.created", response: { ...whole, status: "in_progress", output: [] } },
      {
        type: "response.output_item.added",
        output_index: 0,
        item: { ...item, ...empty, status: "in_progress" },
      },
      { ...delta, item_id: item.id, output_index: 0 },
      { type: "response.output_item.done", output_index: 0, item },
      {
        type: "response.completed",
        response: { ...whole, status: "completed", output: [item], usage: { ...usage, total_tokens: 18 } },
      },
    ]);
  },
};

function toItem(turn: ModelTurn) {
  const status = "completed";
  if (typeof turn === "string") {
    const content = [{ type: "output_text", text: turn, annotations: [] }];
    return {
      item: { type: "message", id: "msg_1", role: "assistant", status, content },
      empty: { content: [] },
      delta: { type: "response.output_text.delta", content_index: 0, delta: turn },
    };
  }
  const { tool, namespace, input } = turn;
  const given = JSON.stringify(input);
  return {
    item: {
      type: "function_call",
      id: createId("fc_"),
      call_id: createId("call_"),
      status,
      name: tool,
      arguments: given,
      ...(namespace !== undefined && { namespace }),
    },
    empty: { arguments: "" },
    delta: { type: "response.function_call_arguments.delta", delta: given },
  };
}

function createId(prefix: string): string {
  return `${prefix}${randomUUID().replaceAll("-", "")}`;
}

/** Google: https://ai.google.dev/api/generate-content */
const generate: Protocol = {
  is: /^\/v1beta\/models\/[^/:]+:(generateContent|streamGenerateContent)(\?|$)/,
  reply: (response, turn, path) => {
    const part =
      typeof turn === "string"
        ? { text: turn }
        : { functionCall: { id: createId(""), name: turn.tool, args: turn.input } };
    const whole = {
      candidates: [{ index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 },
      modelVersion: "loopback",
    };
    if (path.includes(":generateContent")) return sendJson(response, whole);
    sendEvents(response, [whole]);
  },
};

const protocols = [messages, responses, generate];

function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function sendEvents(response: ServerResponse, list: readonly object[]): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of list) {
    const name = "type" in event ? `event: ${event.type}\n` : "";
    response.write(`${name}data: ${JSON.stringify(event)}\n\n`);
  }
  response.end();
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
