import type { Json } from "@paraph/core";
import { describe, expect, it } from "vitest";
import { createNestedInput, createTestChecks, maxGrowth, measureGrowth } from "../testing/run-check.ts";

const allow = ["example.com", "*.docs.example.com", "example.com:8443", "bücher.example", "192.0.2.7"];
const { judge } = createTestChecks({ options: { links: { allow } } });
const listCodes = async (input: Json) => (await judge("links", input)).findings.map(({ code }) => code);

describe("check.links", () => {
  it.each([
    "see https://example.com/a?b=c#d.",
    "(https://example.com), <https://EXAMPLE.com>; [x](https://example.com)",
    "https://example.com./path",
    "https://example.com:443/",
    "https://example.com:8443/",
    "https://a.b.docs.example.com",
    "https://bücher.example and https://xn--bcher-kva.example",
    "https://ｅｘａｍｐｌｅ.com",
    "https://ex%61mple.com",
    "http://192.0.2.7/status",
    "https://example.com\nThen go on.",
    "https://example.com/@eve and https://example.com/?u=a@evil.net",
    "file.js, README.md, a//b, 10:30, C:\\temp, http, www, key: value",
    "// a comment",
    "javascript: the good parts",
  ])("passes %s", async (text) => {
    expect(await judge("links", { body: text })).toEqual({ passed: true, findings: [] });
  });

  it.each([
    ["https://evil.net", "link-not-allowed"],
    ["HTTPS://EVIL.NET", "link-not-allowed"],
    ["ftp://evil.net/x and ssh://evil.net", "link-not-allowed"],
    ["//evil.net/x", "link-not-allowed"],
    ["www.evil.net", "link-not-allowed"],
    ["https:\\\\evil.net", "link-not-allowed"],
    ["https:evil.net", "link-not-allowed"],
    ["https:/\\evil.net", "link-not-allowed"],
    ["https://sub.example.com", "link-not-allowed"],
    ["https://docs.example.com", "link-not-allowed"],
    ["https://example.com@evil.net", "link-userinfo"],
    ["https://example.com:pw@evil.net/", "link-not-allowed"],
    ["https://example.com%40evil.net", "link-unreadable"],
    ["https://user:pw@example.com/", "link-userinfo"],
    ["https://evil.net\\@example.com", "link-not-allowed"],
    ["https://evil.net#@example.com", "link-not-allowed"],
    ["https://evil.net?@example.com", "link-not-allowed"],
    ["https://example.com.evil.net", "lookalike"],
    ["https://example-com.evil.net", "lookalike"],
    ["https://exampIe.co", "lookalike"],
    ["https://examp1e.com", "lookalike"],
    ["https://ехаmple.com", "mixed-scripts"],
    ["https://еxample.com", "mixed-scripts"],
    ["https://example.com\u200b.evil.net", "lookalike"],
    ["https://evil。net", "link-not-allowed"],
    ["https://example.com:8080", "link-port"],
    ["https://127.0.0.1/", "link-address"],
    ["https://0x7f.1/", "link-address"],
    ["https://2130706433/", "link-address"],
    ["https://0177.0.0.1/", "link-address"],
    ["https://[::1]/", "link-address"],
    ["https://[::ffff:127.0.0.1]:80/", "link-address"],
    ["https://", "link-unreadable"],
    [`https://${"\u200b".repeat(1_989)}example.com.evil.net`, "link-unreadable"],
    [`https://${"a".repeat(2_000)}@evil.net`, "link-unreadable"],
    ["https://example.com\n.evil.net/", "link-unreadable"],
    ["https://exa\tmple.com/", "link-not-allowed"],
    ["javascript:alert(1)", "link-scheme"],
    ["JavaScript:alert(1)", "link-scheme"],
    ["data:text/html;base64,PHNjcmlwdD4=", "link-scheme"],
    ["file:///etc/passwd", "link-scheme"],
    ["https&#58;&#47;&#47;evil.net", "link-not-allowed"],
    ["https：／／evil.net", "link-not-allowed"],
    ["![x](https://evil.net/pixel.png)", "link-not-allowed"],
    ['<a href="https://evil.net">https://example.com</a>', "link-not-allowed"],
  ])("flags %s", async (text, code) => {
    expect(await listCodes({ body: text })).toContain(code);
  });

  it("checks all values and field names, and reports the host in Punycode unless the field is sensitive", async () => {
    const { findings } = await judge("links", {
      a: ["https://bücher.net/secret-path?token=1"],
      "https://evil.net": 1,
      bank: "https://evil.net",
    });
    expect(findings.map(({ sentence }) => sentence)).toEqual([
      "A link to `xn--bcher-kva.net` in `input.a[0]` leads to a host that is not in `checks.links.allow`.",
      "A link to `evil.net` in `input{1}` leads to a host that is not in `checks.links.allow`.",
      "A link in `input.bank` leads to a host that is not in `checks.links.allow`.",
    ]);
    expect(await listCodes(createNestedInput(1_000, "https://evil.net"))).toEqual(["link-not-allowed"]);
  });

  it("[P11] allows no link without a configuration, and rejects an invalid configuration", async () => {
    expect(await createTestChecks().judge("links", { a: "https://example.com" })).toMatchObject({
      passed: false,
    });
    for (const entry of ["https://example.com", "a b", "*", "*.a.net:80", "", "user@a.net"])
      expect(() => createTestChecks({ options: { links: { allow: [entry] } } }), entry).toThrow(
        /checks\.links\.allow/,
      );
  });

  it("[TRUST 24] takes time in proportion to the length of a hostile text", async () => {
    for (const filling of [
      "/",
      "\\",
      ":",
      "http:",
      "https://",
      "a:",
      "www.",
      "a.",
      "data:",
      "//a",
      "@",
      "&#47;",
      "[",
      "https://a@",
      "é:",
    ]) {
      const growing = await measureGrowth(filling, (body) => judge("links", { body }));
      expect(growing, filling.slice(0, 5)).toBeLessThan(maxGrowth);
    }
  });

  it.each(["www.", "http://"])(
    "[TRUST 24] takes less than 2 s of CPU time for long hosts after %s",
    async (start) => {
      for (const mark of [".", ")", "_."]) {
        const host = `${start}${mark.repeat(1_980 / mark.length)}a`;
        const from = process.cpuUsage();
        await judge("links", { body: `${host} ${host}/`.repeat(250) });
        const { user, system } = process.cpuUsage(from);
        expect((user + system) / 1_000, host.slice(0, 12)).toBeLessThan(2_000);
      }
    },
  );
});
