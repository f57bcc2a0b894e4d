import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { TestHttpServer } from "../egress/testing/http-server.ts";
import { openTestAdapter, type TestAdapter } from "../egress/testing/open-adapter.ts";
import { http } from "./index.ts";

const site = new TestHttpServer();
const secret = 'ab/cd+ef"g=h\\i&jkl';
const maxBytes = 2_000;
let api: TestAdapter;
beforeAll(async () => {
  await site.open();
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how a configuration names a secret.
  const credential = { header: "Authorization", value: "Bearer ${TOKEN}" };
  const hosts = { [site.origin]: { credential } };
  api = await openTestAdapter(http({ hosts, allow: [site.host], maxBytes }), "/", { TOKEN: secret });
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await site.close();
});

const inUrl = encodeURIComponent(secret);
const json = (text: string) => (response: ServerResponse) =>
  response.setHeader("content-type", "application/json").end(text);
const base64 = (text: string) => Buffer.from(text).toString("base64");
const escaped = [...secret].map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");

const echoes: Record<string, (response: ServerResponse) => unknown> = {
  text: (response) => response.end(`you sent ${secret}`),
  JSON: json(JSON.stringify({ sent: secret })),
  "JSON as PHP writes it": json(JSON.stringify({ sent: secret }).replaceAll("/", "\\/")),
  "JSON in escapes": json(`{"sent":"${escaped}"}`),
  "JSON within JSON": json(JSON.stringify({ sent: JSON.stringify({ sent: secret }) })),
  "the name of a field": json(JSON.stringify({ [secret]: 1 })),
  HTML: (response) => response.end(secret.replaceAll("&", "&amp;").replaceAll('"', "&quot;")),
  "a URL": (response) => response.end(`?token=${inUrl}`),
  "a URL in lower case": (response) => response.end(inUrl.replaceAll(/%../g, (code) => code.toLowerCase())),
  base64: (response) => response.end(base64(secret)),
  "base64 of more": (response) => response.end(`${base64(`u:${secret}`)} ${base64(`ab:${secret}:x`)}`),
  "bytes that are no text": (response) => response.end(Buffer.concat([Buffer.of(0xff), Buffer.from(secret)])),
  "a compressed body": (response) =>
    response.setHeader("content-encoding", "gzip").end(gzipSync(`you sent ${secret}`)),
  "a body that is cut within it": (response) =>
    response.end("x".repeat(maxBytes - secret.length + 1) + secret),
  "a header": (response) => response.setHeader("link", `<https://x/?token=${inUrl}>`).end(),
  "an error": (response) => {
    response.statusCode = 400;
    json(JSON.stringify({ sent: secret }))(response);
  },
  "a redirect": (response) => response.writeHead(302, { location: `/x?token=${inUrl}` }).end(),
};

it.each(Object.keys(echoes))(
  "[TRUST 16] a credential that the host echoes stays hidden, in %s",
  async (form) => {
    site.respond = (_visit, response) => void echoes[form]!(response);
    const told = await api.perform("get", { url: `${site.origin}/` }).catch(({ message }) => ({ message }));
    const texts = [JSON.stringify(told), told.message, String(told.body), told.body?.sent].filter(Boolean);
    const bytes = Buffer.from(String(told.body), "base64");
    const all = [...texts, bytes.toString("latin1"), bytes.toString("base64")].join("\n");
    for (const half of [secret.slice(0, 9), secret.slice(-9)])
      for (const written of [half, JSON.stringify(half).slice(1, -1), encodeURIComponent(half)])
        expect(all.toLowerCase()).not.toContain(written.toLowerCase());
    expect(all).not.toContain(base64(secret).slice(4, -4));
    expect(all).not.toContain(base64(`u:${secret}`).slice(4, -8));
  },
);
