import { describe, expect, it } from "vitest";
import { disarmLinks } from "./disarm-links.ts";

/** Texts that mail clients turn into links, and how a mail shows them. */
const links = [
  ["http://evil.example", "http[:]//evil[.]example"],
  ["https://evil.example/a.php?q=x.com", "https[:]//evil[.]example/a.php?q=x[.]com"],
  ["HTTPS://EVIL.COM", "HTTPS[:]//EVIL[.]COM"],
  ["https://ana:pw@evil.internal/x", "https[:]//ana:pw[@]evil[.]internal/x"],
  ["http://10.0.0.1:8080/", "http[:]//10[.]0[.]0[.]1:8080/"],
  ["http://localhost/x", "http[:]//localhost/x"],
  ["ftp://files.evil.example", "ftp[:]//files[.]evil[.]example"],
  ["custom-app+x://pay", "custom-app+x[:]//pay"],
  ["https:\\\\evil.com", "https[:]\\\\evil[.]com"],
  ["www.evil", "www[.]evil"],
  ["Log in at paraph-login.com.", "Log in at paraph-login[.]com."],
  ["evil.co.uk/login", "evil[.]co[.]uk/login"],
  ["see readme.md and deploy.sh", "see readme[.]md and deploy[.]sh"],
  ["пример.рф", "пример[.]рф"],
  ["evil。com and evil．com", "evil[。]com and evil[．]com"],
  ["xn--e1afmkfd.xn--p1ai", "xn--e1afmkfd[.]xn--p1ai"],
  ["//evil.example/x", "//evil[.]example/x"],
  ["eve@evil.example.com", "eve[@]evil[.]example[.]com"],
  ["first.last+tag@evil.com", "first.last+tag[@]evil[.]com"],
  ["root@mail.internal", "root[@]mail[.]internal"],
  ["mailto:eve@evil.com?subject=hi", "mailto[:]eve[@]evil[.]com?subject=hi"],
  ["tel:+49123456 sms:123", "tel[:]+49123456 sms[:]123"],
  ["\\\\evil.example\\share", "[\\\\]evil[.]example\\share"],
  ["(\\\\fileserver\\share)", "([\\\\]fileserver\\share)"],
  ["[click](https://evil.com)", "[click](https[:]//evil[.]com)"],
  ["<https://evil.com>", "<https[:]//evil[.]com>"],
  ["evil.com<U+200B>", "evil[.]com<U+200B>"],
] as const;

/** Texts that no client turns into links, and that stay readable. */
const plain = [
  "Refund €3,000.00 to Jon Ash",
  "Update deploy/web.yaml and 2 more",
  "Capability: billing.refund.",
  "update public.users set active = false where age > 3.5",
  "version 1.2.3 of package@1.2.3 by @scope/name",
  "10.0.0.1 at 12:30, C:\\Users\\x, a::b, key: value",
  "e.g. this. And that... end.",
  "+  image: registry/web:1.2.3",
];

describe("[TRUST 5] an address in a foreign text", () => {
  it.each(links)("does not become a link: %s", (text, shown) => {
    expect(disarmLinks(text)).toBe(shown);
  });

  it.each(plain)("is not seen where there is none: %s", (text) => {
    expect(disarmLinks(text)).toBe(text);
  });

  it("can be read back, and is disarmed once", () => {
    for (const [text] of links) {
      const shown = disarmLinks(text);
      expect(shown.replaceAll(/\[([.。．｡:@]|\\\\)\]/gu, "$1")).toBe(text);
      expect(disarmLinks(shown)).toBe(shown);
    }
  });
});

it("[TRUST 24] takes less than 200 ms of CPU time for the longest texts of a mail", () => {
  const line = "//".repeat(75) + "a.b/".repeat(37);
  const took = Array.from({ length: 3 }, () => {
    const from = process.cpuUsage();
    for (let at = 0; at < 300; at += 1) disarmLinks(line);
    const { user, system } = process.cpuUsage(from);
    return (user + system) / 1_000;
  });
  expect(Math.min(...took)).toBeLessThan(200);
});
