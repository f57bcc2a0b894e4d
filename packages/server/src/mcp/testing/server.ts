import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Facade, Json } from "@paraph/core";
import { type HttpServer, serveHttp } from "../../http/serve.ts";
import { createTestService, type TestService } from "../../http/testing/service.ts";
import { pages } from "../../web/pages/index.ts";
import { createMcpGateway, type McpGateway } from "../gateway.ts";

/** The real MCP endpoint on a real socket over the real pipeline, with clients of every protocol version. */
export class McpTestServer {
  readonly service: TestService = createTestService();
  readonly facades = new Map<string, Facade>();
  readonly problems: unknown[] = [];
  gateway!: McpGateway;
  http!: HttpServer;
  readonly #open: Client[] = [];
  #hasty!: McpGateway;
  #hasShortWaits = false;

  /** Starts the endpoint. `patienceMs` is the wait after which a client gets a pending result (default: 45 s). */
  async start({ patienceMs = 45_000, issuer }: { patienceMs?: number; issuer?: string } = {}): Promise<void> {
    const url = () => this.http.url;
    const createGateway = (maxWaitMs: number) =>
      createMcpGateway({
        service: { ...this.service, getFacades: () => this.facades },
        url,
        version: "0.0.0",
        maxWaitMs,
        listenCheckMs: 50,
        onProblem: (error) => this.problems.push(error),
      });
    this.gateway = createGateway(patienceMs);
    this.#hasty = createGateway(shortPatienceMs);
    this.http = await serveHttp({
      service: this.service,
      pages,
      port: 0,
      log: () => {},
      mcp: {
        hasServer: this.gateway.hasServer,
        // The endpoint is stateless, so either gateway can answer any request of a client.
        serve: (...given) => (this.#hasShortWaits ? this.#hasty : this.gateway).serve(...given),
      },
      ...(issuer !== undefined && { tokens: { issuer, url } }),
    });
  }

  async stop(): Promise<void> {
    await Promise.all(this.#open.splice(0).map((client) => client.close()));
    await Promise.all([this.gateway.close(), this.#hasty.close()]);
    await this.http.stop();
  }

  /**
   * Runs the body while a client soon gets a pending result. Only calls that wait for a person belong here. On a busy
   * machine, another call may need longer than this wait.
   */
  async withShortWaits<T>(body: () => Promise<T>): Promise<T> {
    this.#hasShortWaits = true;
    try {
      return await body();
    } finally {
      this.#hasShortWaits = false;
    }
  }

  /** Connects the SDK's client (default: the newest protocol version). */
  async client({
    as = "bot",
    path = "/mcp",
    name = "test",
    era = "2026-07-28",
    ...options
  }: TestClientOptions = {}): Promise<Client> {
    const mode = era === "legacy" ? ("legacy" as const) : { pin: era };
    const client = new Client({ name, version: "1" }, { versionNegotiation: { mode }, ...options });
    const headers = { authorization: `Bearer key-${as}` };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(path, this.http.url), { requestInit: { headers } }),
    );
    this.#open.push(client);
    return client;
  }

  post(
    body: unknown,
    { as = "bot", path = "/mcp", ...headers }: Record<string, string> = {},
    signal?: AbortSignal,
  ): Promise<Response> {
    return fetch(`${this.http.url}${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer key-${as}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
      body: typeof body === "string" ? body : JSON.stringify(body),
      ...(signal && { signal }),
    });
  }

  /** Decides the newest open approval as an approver, and resolves when its call is closed. */
  async decide(decision: "approve" | "deny", reason?: string): Promise<void> {
    const { approvals } = await this.service.listApprovals(people.bo, { status: "open", limit: 1 });
    const { approval, digest } = approvals[0]!;
    const { call } = await this.service.decide({
      voter: people.bo,
      approval,
      digest,
      decision,
      ...(reason !== undefined && { reason }),
    });
    await this.waitForClose(call.call);
  }

  /** Edits the newest open approval as the owner of its requester. */
  async edit(input: Json): Promise<void> {
    const { approvals } = await this.service.listApprovals(people.bo, { status: "open", limit: 1 });
    const { approval, digest } = approvals[0]!;
    await this.service.actions.edit({ approval, editor: people.ana, digest, input });
  }

  /** Resolves when this many approvals are open. */
  async waitForApprovals(count = 1): Promise<void> {
    for (;;) {
      const { approvals } = await this.service.listApprovals(people.bo, { status: "open", limit: 100 });
      if (approvals.length >= count) return;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async waitForClose(call: string): Promise<void> {
    for (;;) {
      const found = await this.service.findCall(people.bo, call);
      if (found?.state === "closed") return;
      await this.service.waitForChange(people.bo, call, found?.epoch ?? 0, 5_000);
    }
  }

  /** Resolves when no reader waits. A server notices a disconnected client only after a delay. */
  async waitForNoWaiters(): Promise<void> {
    while (this.service.countWaiters() > 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

const shortPatienceMs = 400;

interface TestClientOptions extends ClientOptions {
  readonly as?: string;
  readonly path?: string;
  readonly name?: string;
  readonly era?: string;
}

const people = {
  ana: { tenant: "acme", id: "ana", kind: "person" },
  bo: { tenant: "acme", id: "bo", kind: "person" },
} as const;
