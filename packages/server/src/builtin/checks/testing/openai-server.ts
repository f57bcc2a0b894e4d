import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A request to the test model: the two messages, and the schema of the answer. */
export interface TestModelRequest {
  readonly instructions: string;
  readonly prompt: string;
  readonly temperature: unknown;
  readonly schema: unknown;
  readonly authorization: string | undefined;
}

/** The reply of the test model. `silence` accepts the request and never answers. */
export type ModelReply =
  | { readonly kind: "content"; readonly content: string; readonly finish?: string }
  | { readonly kind: "raw"; readonly status: number; readonly body: string }
  | { readonly kind: "silence" };

/** Starts a model that uses OpenAI's protocol over a real socket and answers as the test defines. */
export async function startTestModel() {
  const asked: TestModelRequest[] = [];
  let answer: (request: TestModelRequest) => ModelReply = () => ({ kind: "silence" });
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await text(request));
    const messageOf = (role: string) =>
      String(body.messages.find((message: { role: string }) => message.role === role)?.content ?? "");
    const question: TestModelRequest = {
      instructions: messageOf("system"),
      prompt: messageOf("user"),
      temperature: body.temperature,
      schema: body.response_format,
      authorization: request.headers.authorization,
    };
    asked.push(question);
    const reply = request.url === "/v1/chat/completions" ? answer(question) : notFoundReply;
    if (reply.kind === "silence") return;
    response.writeHead(reply.kind === "raw" ? reply.status : 200, { "content-type": "application/json" });
    response.end(reply.kind === "raw" ? reply.body : formatCompletion(reply));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    answers: (next: typeof answer) => {
      answer = next;
    },
    stop: () => stopServer(server),
  };
}

const notFoundReply: ModelReply = { kind: "raw", status: 404, body: "{}" };

function formatCompletion({ content, finish = "stop" }: Extract<ModelReply, { kind: "content" }>): string {
  return JSON.stringify({
    id: "1",
    object: "chat.completion",
    created: 0,
    model: "delegate",
    choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: finish }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  });
}

function stopServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

/** An exhibit as the model sees it. */
export interface ShownExhibit {
  readonly number: number;
  readonly text: string;
}

/** Parses a question as a model would: by the mark that the instructions name, not by what a text claims. */
export function parseQuestion({ instructions, prompt }: TestModelRequest): {
  mark: string;
  exhibits: ShownExhibit[];
  sources: string[];
} {
  const mark = /the mark ([0-9a-f]{24})/.exec(instructions)![1]!;
  const blocks = prompt.split(`--- ${mark} `).filter((block) => !block.startsWith("end ---"));
  const textOf = (block: string) => block.slice(block.indexOf("---\n") + 4).trimEnd();
  return {
    mark,
    exhibits: blocks
      .filter((block) => block.startsWith("exhibit "))
      .map((block) => ({ number: Number(/^exhibit (\d+)/.exec(block)![1]), text: textOf(block) })),
    sources: blocks.filter((block) => block.startsWith("source ")).map(textOf),
  };
}
