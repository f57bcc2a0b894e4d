import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toCanonicalUrl } from "./canonical-url.ts";

const spelled = (raw: string) => {
  const read = toCanonicalUrl(raw);
  return read.kind === "canonical" ? read.url.href : read.kind;
};

describe("[TRUST 30] a URL has one spelling", () => {
  it.each([
    ["https://API.Example.com", "https://api.example.com/"],
    ["HTTPS://api.example.com:443/a", "https://api.example.com/a"],
    ["http://0x7f.1/a", "http://127.0.0.1/a"],
    ["http://0177.0.0.1/", "http://127.0.0.1/"],
    ["http://2130706433/", "http://127.0.0.1/"],
    ["http://127。0。0。1/", "http://127.0.0.1/"],
    ["https://bücher.example/", "https://xn--bcher-kva.example/"],
    ["http://[::FFFF:127.0.0.1]/", "http://[::ffff:7f00:1]/"],
    ["http://a.example./", "http://a.example./"],
    ["http://a.example/%66orbidden", "http://a.example/forbidden"],
    ["http://a.example/%7euser/%c3%a9", "http://a.example/~user/%C3%A9"],
    ["http://a.example/é", "http://a.example/%C3%A9"],
    ["http://a.example/group%2fproject", "http://a.example/group%2Fproject"],
    ["http://a.example/v1.0/...", "http://a.example/v1.0/..."],
    ["http://a.example/a/?", "http://a.example/a/"],
    ["http://a.example/a?x=%61&y=%2f&z=../b", "http://a.example/a?x=a&y=%2F&z=../b"],
  ])("%s becomes %s", (raw, one) => {
    expect(spelled(raw)).toBe(one);
    expect(spelled(one)).toBe(one);
  });

  it.each([
    ...["/safe/../admin", "/safe/%2e%2e/admin", "/safe/.%2E/admin", "/./admin", "/safe/%2e/x", "/safe/.."],
    ...[
      "/safe/..;/admin",
      "/safe/%252e%252e/admin",
      "/safe/..%2fadmin",
      "/safe/..%5cadmin",
      "/a/%25252e%25252e",
    ],
    ...[
      "//admin",
      "/safe//admin",
      "/safe/\\..\\admin",
      "/a%00b",
      "/a%0d%0ab",
      "/a\tb",
      "/a\nb",
      "/a b",
      "/a%zz",
    ],
    ...["/admin#/safe/", "/admin#", "/\ud800"],
  ])("the path %j is refused", (path) => {
    expect(spelled(`http://a.example${path}`)).toBe("refused");
  });

  it.each([
    ...[
      "http:a.example/",
      "http:/a.example/",
      "http:///a.example/",
      "//a.example/",
      "/a",
      "",
      "file:///etc/passwd",
    ],
    ...[
      "http://user@a.example/",
      "http://user:password@a.example/",
      "http://@a.example/",
      "http://a.example\\@b/",
    ],
    ...[
      " http://a.example/",
      "http://a.example /",
      "ht\ntp://a.example/",
      "http://a.example:99999/",
      "http://a%2fb/",
    ],
  ])("%j is refused", (raw) => {
    expect(spelled(raw)).toBe("refused");
  });

  it("an accepted URL is sent unchanged, and has no `.` or `..` segment even when decoded twice", () => {
    const part = fc.constantFrom(
      "/",
      "..",
      ".",
      "%2e",
      "%2F",
      "%5c",
      "a",
      "?",
      "#",
      "%",
      ";",
      "//",
      "é",
      "%25",
      "&",
      "@",
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const one = spelled(`http://a.example/${parts.join("")}`);
        if (one === "refused") return;
        const url = new URL(one);
        expect(spelled(one)).toBe(one);
        expect(url.origin + url.pathname + url.search).toBe(one);
        const steps = unescape(unescape(url.pathname)).split("/");
        expect(steps.filter((step) => step === "." || step === "..")).toEqual([]);
      }),
      { numRuns: 3_000 },
    );
  });
});
