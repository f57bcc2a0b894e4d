import type { Json } from "@paraph/core";
import { describe, expect, it } from "vitest";
import { createNestedInput, createTestChecks, maxGrowth, measureGrowth } from "../testing/run-check.ts";

const allow = ["@example.com", "@*.team.example.com", "@münchen.example", "ana@partner.example"];
const { judge } = createTestChecks({ options: { recipients: { allow } } });
const listCodes = async (input: Json) => (await judge("recipients", input)).findings.map(({ code }) => code);

describe("check.recipients", () => {
  it.each([
    "bob@example.com",
    "Bob <BOB@EXAMPLE.COM>, ana@partner.example",
    "bob@example.com.",
    "bob@ｅｘａｍｐｌｅ．ｃｏｍ",
    "x@a.team.example.com",
    "x@xn--mnchen-3ya.example",
    "x@MÜNCHEN.example",
    "Ana@Partner.Example",
    '"bob smith"@example.com',
    "mailto:bob@example.com?subject=hi",
    "no address here, only @mentions, @types/node, pkg@1.2.3, pkg@latest and a@",
    "git log --author=me | sed s@a@b@",
  ])("passes %s", async (text) => {
    expect(await judge("recipients", { to: text })).toEqual({ passed: true, findings: [] });
  });

  it.each([
    ["eve@evil.net", "recipient-not-allowed"],
    ["bob@example.com, eve@evil.net", "recipient-not-allowed"],
    ["bob@example.com\r\nBcc: eve@evil.net", "recipient-not-allowed"],
    ["eve@sub.example.com.evil.net", "lookalike"],
    ["eve@example.com.evil.net", "lookalike"],
    ["eve@examp1e.com", "lookalike"],
    ["eve@exarnple.com", "lookalike"],
    ["eve@exmaple.com", "lookalike"],
    ["eve@еxamplе.com", "mixed-scripts"],
    ["eve@example.com\u200b.evil.net", "lookalike"],
    ["eve@evil\u00ad.net", "recipient-not-allowed"],
    ["eve@evil。net", "recipient-not-allowed"],
    ["eve＠evil.net", "recipient-not-allowed"],
    ["eve%40evil.net", "recipient-not-allowed"],
    ["eve&#64;evil.net", "recipient-not-allowed"],
    ["eve&#x40;evil.net", "recipient-not-allowed"],
    ["mailto:eve%40evil.net", "recipient-not-allowed"],
    ["eve%evil.net@example.com", "address-routed"],
    ["evil.net!eve@example.com", "address-routed"],
    ["eve@evil.net@example.com", "recipient-not-allowed"],
    ["eve@[192.0.2.1]", "address-literal"],
    ["eve@[IPv6:2001:db8::1]", "address-literal"],
    ["eve@192.0.2.1", "address-literal"],
    ["root@localhost", "recipient-not-allowed"],
    ['"bob@example.com"@evil.net', "address-routed"],
    ["eve@team.example.com", "recipient-not-allowed"],
    ["bob@partner.example", "recipient-not-allowed"],
    ["eve@a..net", "address-unreadable"],
    [`eve@${"\u200b".repeat(289)}example.com.evil.net`, "address-unreadable"],
  ])("flags %s", async (text, code) => {
    const found = await listCodes({ to: text });
    expect(found).toContain(code);
  });

  it("checks field names, arrays and deeply nested values", async () => {
    const { findings } = await judge("recipients", {
      cc: ["bob@example.com", "eve@evil.net"],
      headers: { "eve@evil.net": 1 },
    });
    expect(findings.map(({ path }) => path)).toEqual(["input.cc[1]", "input.headers{0}"]);
    expect(await listCodes(createNestedInput(1_000, "eve@evil.net"))).toEqual(["recipient-not-allowed"]);
    expect(await listCodes(JSON.parse('{"__proto__":"eve@evil.net"}'))).toEqual(["recipient-not-allowed"]);
  });

  it("reports the host in Punycode but never the person, and neither of them for a sensitive field", async () => {
    const { findings } = await judge("recipients", { to: "eve.private@bücher.net", bank: "eve@evil.net" });
    expect(findings.map(({ sentence }) => sentence)).toEqual([
      "An address at `xn--bcher-kva.net` in `input.to` is not in `checks.recipients.allow`.",
      "An address in `input.bank` is not in `checks.recipients.allow`.",
    ]);
  });

  it("[P11] allows no recipient without a configuration", async () => {
    const bare = createTestChecks();
    expect(await bare.judge("recipients", { to: "bob@example.com" })).toMatchObject({ passed: false });
    expect(await bare.judge("recipients", { to: "nobody" })).toMatchObject({ passed: true });
  });

  it.each(["example.com", "@", "@exa mple.com", "@a/b", "a@b@c", "@[", ""])(
    "rejects the configuration `%s` with an error that names checks.recipients.allow",
    (entry) => {
      expect(() => createTestChecks({ options: { recipients: { allow: [entry] } } })).toThrow(
        /checks\.recipients\.allow/,
      );
    },
  );

  it("[TRUST 24] takes time in proportion to the length of a hostile text", async () => {
    for (const filling of [
      "@",
      "a@",
      "@a",
      "a@b.",
      '"@',
      "＠",
      "%40",
      "&#64;",
      `${"a".repeat(200)}@`,
      "\ud800@",
      "a.b@[",
      "@@.@",
    ]) {
      const growing = await measureGrowth(filling, (body) => judge("recipients", { body }));
      expect(growing, filling.slice(0, 5)).toBeLessThan(maxGrowth);
    }
  });
});
