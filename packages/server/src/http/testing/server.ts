import { pages } from "../../web/pages/index.ts";
import type { LogLine } from "../context.ts";
import { type HttpServer, serveHttp } from "../serve.ts";
import { createTestService, type TestService } from "./service.ts";

export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  readonly body: any;
}

/** A server on a real socket, with short methods to call it. */
export class TestServer {
  service!: TestService;
  http!: HttpServer;
  readonly lines: LogLine[] = [];
  readonly spans: [name: string, traceparent: string | undefined][] = [];

  async start(): Promise<void> {
    this.service = createTestService();
    this.http = await serveHttp({
      service: this.service,
      pages,
      port: 0,
      log: (line) => this.lines.push(line),
      runInSpan: (name, traceparent, _attributes, body) => {
        this.spans.push([name, traceparent]);
        return body();
      },
    });
  }

  stop(): Promise<void> {
    return this.http.stop();
  }

  fetch(path: string, init: RequestInit & { as?: string } = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (init.as) headers.set("authorization", `Bearer key-${init.as}`);
    return fetch(`${this.http.url}${path}`, { ...init, headers });
  }

  async get(path: string, as?: string, headers: Record<string, string> = {}): Promise<TestResponse> {
    return readResponse(await this.fetch(path, { headers, ...(as !== undefined && { as }) }));
  }

  async post(
    path: string,
    as: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<TestResponse> {
    return readResponse(
      await this.fetch(path, {
        as,
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    );
  }

  call(
    capability: string,
    input: unknown,
    headers: Record<string, string> = {},
    as = "bot",
  ): Promise<TestResponse> {
    return this.post("/v1/calls", as, { capability, input }, headers);
  }
}

async function readResponse(response: Response): Promise<TestResponse> {
  const text = await response.text();
  const isJson = /[/+]json/.test(response.headers.get("content-type") ?? "");
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}
