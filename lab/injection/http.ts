import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { http } from "@paraph/adapters/http";
import { openapi } from "@paraph/adapters/openapi";
import type { JsonObject } from "@paraph/core";
import {
  type ReceivedRequest,
  TestHttpServer,
} from "../../packages/adapters/src/egress/testing/http-server.ts";
import {
  openTestAdapter,
  type TestAdapter,
} from "../../packages/adapters/src/egress/testing/open-adapter.ts";
import type { InjectionStage, InjectionTarget } from "./target.ts";

/** Creates a stage with an allowed host that checks each request it receives. */
export async function createStage(
  open: (site: TestHttpServer) => Promise<TestAdapter>,
  put: (api: TestAdapter, site: TestHttpServer, value: string) => Promise<unknown>[],
  strange: (request: ReceivedRequest, sent: readonly string[]) => string | undefined,
  respond: TestHttpServer["respond"] = (_visit, response) => void response.end(),
): Promise<InjectionStage> {
  const site = await new TestHttpServer().open();
  const api = await open(site);
  /** The values in progress. One value may be in progress twice. */
  const sent: string[] = [];
  const found: string[] = [];
  let reached = 0;
  site.respond = (visit, response) => {
    reached += 1;
    const what =
      strange(visit, sent) ?? (visit.headers.host === site.host ? undefined : "another host was named");
    if (what !== undefined) found.push(what);
    return respond(visit, response);
  };
  return {
    async put(value) {
      sent.push(value);
      await Promise.allSettled(put(api, site, value));
      sent.splice(sent.indexOf(value), 1);
    },
    escapes: async () => found.splice(0),
    reached: () => reached,
    async close() {
      await api[Symbol.asyncDispose]();
      await site.close();
    },
  };
}

/** The egress policy allows every address of this machine, so that only the list of hosts can stop a request. */
const everyAddress = ["127.0.0.0/8", "[::1]", "localhost"];
const openWeb = (site: TestHttpServer) =>
  openTestAdapter(http({ hosts: { [site.origin]: {} }, allow: everyAddress, headers: ["x-note"] }));

const urlTarget: InjectionTarget = {
  name: "http: a URL",
  share: 10,
  prepare: () =>
    createStage(
      openWeb,
      (api, site, value) => [
        ...[
          value,
          `http://${value}`,
          `${site.origin}${value}`,
          `${site.origin}/${value}`,
          `${site.origin}/?${value}`,
        ].map((url) => api.perform("get", { url })),
        api.perform("request", { method: "POST", url: `${site.origin}@${value}`, body: value }),
      ],
      ({ headers }) => (headers.authorization || headers.cookie ? "somebody was named" : undefined),
    ),
};

const allowedHeaders = new Set(["host", "connection", "user-agent", "accept-encoding", "x-note"]);

const headerTarget: InjectionTarget = {
  name: "http: a header",
  share: 10,
  prepare: () =>
    createStage(
      openWeb,
      (api, site, value) => [
        api.perform("get", { url: site.origin, headers: { "x-note": value } }),
        api.perform("get", { url: site.origin, headers: { [value]: "x" } }),
      ],
      ({ method, headers, body }, sent) => {
        const more = Object.keys(headers).filter((name) => !allowedHeaders.has(name));
        if (more.length > 0) return "there is a header that nobody may set";
        if (method !== "GET" || body !== "") return "a header became something else";
        // The header may be missing. Whitespace around the header's value is not part of the value.
        const note = headers["x-note"];
        const known = note === undefined || sent.some((value) => value.trim() === note);
        return known ? undefined : "a header holds what was not sent";
      },
    ),
};

const createOperation = (parameters: readonly JsonObject[], more: JsonObject = {}): JsonObject => ({
  parameters,
  ...more,
});
const createParameter = (name: string, place: string): JsonObject => ({
  name,
  in: place,
  required: true,
  schema: { type: "string" },
});

const document: JsonObject = {
  openapi: "3.1.0",
  info: { title: "spied upon", version: "1" },
  paths: {
    "/in/{p}/path": { get: createOperation([createParameter("p", "path")], { operationId: "path" }) },
    "/in/query": { get: createOperation([createParameter("q", "query")], { operationId: "query" }) },
    "/in/body": {
      post: {
        operationId: "body",
        requestBody: {
          required: true,
          content: { "application/x-www-form-urlencoded": { schema: { type: "object" } } },
        },
      },
    },
  },
};

const parameterTarget: InjectionTarget = {
  name: "openapi: a parameter",
  share: 10,
  prepare: (folder) =>
    createStage(
      async (site) => {
        await writeFile(join(folder, "api.json"), JSON.stringify(document));
        return openTestAdapter(
          openapi({ document: "api.json", server: `${site.origin}/base`, allow: everyAddress }),
          folder,
        );
      },
      (api, _site, value) => [
        api.perform("path", { p: value }),
        api.perform("query", { q: value }),
        api.perform("body", { body: { b: value } }),
      ],
      ({ path, body }, sent) => {
        const got = readHeldValue(path, body);
        if (got === undefined) return "a parameter changed the path";
        return sent.some((value) => value.toWellFormed() === got)
          ? undefined
          : "a parameter holds what was not sent";
      },
    ),
};

/** Returns the value as a host reads it, if the request has one of the three allowed forms. */
function readHeldValue(path: string, body: string): string | undefined {
  const segment = /^\/base\/in\/((?:[\w.~-]|%[0-9A-F]{2})+)\/path$/.exec(path)?.[1];
  if (segment !== undefined) return decodeURIComponent(segment);
  const query = /^\/base\/in\/query\?([^#]*)$/.exec(path)?.[1];
  const form = new URLSearchParams(path === "/base/in/body" ? body : query);
  const names = [...form.keys()].join();
  return names === "q" || names === "b" ? (form.get(names) ?? undefined) : undefined;
}

export const httpTargets: readonly InjectionTarget[] = [urlTarget, headerTarget, parameterTarget];
