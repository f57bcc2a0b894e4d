import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly status: { readonly code: number; readonly message?: string };
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
  readonly events: readonly unknown[];
}

/** A collector that accepts OTLP over HTTP with JSON and records what it receives. */
export interface OtlpReceiver {
  readonly url: string;
  /** The raw body of every request. */
  readonly bodies: string[];
  spans(): ReceivedSpan[];
  metricNames(): string[];
  stop(): Promise<void>;
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const received: { path: string; body: string }[] = [];
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    received.push({ path: request.url ?? "", body });
    bodies.push(body);
    response.setHeader("content-type", "application/json").end("{}");
  });
  const url = await listen(server);
  // biome-ignore lint/suspicious/noExplicitAny: OTLP's JSON, read by a test
  const parsed = (path: string): any[] =>
    received.filter((each) => each.path === path).map(({ body }) => JSON.parse(body));
  return {
    url,
    bodies,
    spans: () =>
      parsed("/v1/traces").flatMap(({ resourceSpans }) =>
        // biome-ignore lint/suspicious/noExplicitAny: as above
        resourceSpans.flatMap((each: any) => each.scopeSpans.flatMap((scope: any) => scope.spans)),
      ),
    metricNames: () =>
      parsed("/v1/metrics").flatMap(({ resourceMetrics }) =>
        // biome-ignore lint/suspicious/noExplicitAny: as above
        resourceMetrics.flatMap((each: any) =>
          // biome-ignore lint/suspicious/noExplicitAny: as above
          each.scopeMetrics.flatMap((scope: any) => scope.metrics.map(({ name }: any) => name)),
        ),
      ),
    stop: () => closeServer(server),
  };
}

/** Starts a server that accepts connections and never responds. */
export async function startSilentServer(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const server = createServer(() => {});
  return { url: await listen(server), stop: () => closeServer(server) };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
