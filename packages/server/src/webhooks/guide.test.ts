import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { Webhook } from "standardwebhooks";
import { expect, it } from "vitest";
import { createSignedHeaders } from "./signature.ts";

const guide = readFileSync(new URL("../../../../docs/guides/webhooks.md", import.meta.url), "utf8");
const secret = `whsec_${Buffer.alloc(24, 1).toString("base64")}`;

it("the example receiver accepts a signed message once, and rejects an altered one", () => {
  const block = /<!-- test: receiver -->\n```ts\n([\s\S]*?)```/.exec(guide)?.[1] ?? "";
  const code = stripTypeScriptTypes(block.replaceAll(/^import .*$/gm, "").replace("export ", ""));
  const went: string[] = [];
  const given = {
    Webhook,
    seen: new Set<string>(),
    goOn: (call: string) => went.push(call),
    process: { env: { PARAPH_WEBHOOK_SECRET: secret } },
  };
  const receive = new Function(...Object.keys(given), `${code}; return receive`)(...Object.values(given));
  const body = JSON.stringify({ type: "dev.paraph.call.succeeded.v1", subject: "call_1" });
  const headers = createSignedHeaders(
    { id: "call_1_4", timestamp: Math.floor(Date.now() / 1_000), body },
    secret,
  );
  receive(body, headers);
  receive(body, headers);
  expect(went).toEqual(["call_1"]);
  expect(() => receive(body.replace("call_1", "call_2"), headers)).toThrow();
});

it("Paraph refuses to sign with a weak or invalid secret", () => {
  const message = { id: "a", timestamp: 1, body: "{}" };
  for (const weak of ["", "whsec_c2hvcnQ=", "whsec_not base64!"])
    expect(() => createSignedHeaders(message, weak)).toThrow("webhook-secret-invalid");
});
