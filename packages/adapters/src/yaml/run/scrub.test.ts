import { expect, it } from "vitest";
import { createLineSplitter } from "./progress-lines.ts";
import { createScrubber } from "./scrub.ts";

it("[P10] hides secrets as plain text, JSON, URL encoding, Base64 and single lines", () => {
  const key = 'p"ss/wörd+1';
  const pem = "-----BEGIN-----\nAAAABBBBCCCC\n-----END-----";
  const scrub = createScrubber({ KEY: key, PEM: pem, TINY: "abc" });
  const said = [
    ...[key, JSON.stringify(key), encodeURIComponent(key), Buffer.from(key).toString("base64")],
    ...[pem, "line AAAABBBBCCCC", "abc"],
  ];
  const scrubbed = said.map(scrub).join("\n");
  expect(scrubbed).not.toMatch(/p\\?"ss|p%22ss|cCJzc|AAAABBBB/);
  expect(scrubbed).toContain("[hidden: KEY]");
  expect(scrubbed).toContain("abc");
});

it("[P10] hides two secret values with the same name", () => {
  expect(createScrubber({ pin: "12345" }, { pin: "67890" })("12345 67890")).toBe(
    "[hidden: pin] [hidden: pin]",
  );
});

it("[P10] hides the whole text at once if a secret has 100,000 lines", () => {
  const many = Array.from({ length: 100_000 }, (_, line) => `line ${line}`).join("\n");
  expect(createScrubber({ TEXT: many })(many)).toBe("[hidden]");
});

it("[P10] reports progress in whole lines, so that a secret split over two chunks is hidden", () => {
  const told: string[] = [];
  const scrub = createScrubber({ KEY: "topsecret" });
  const lines = createLineSplitter((text) => told.push(scrub(text)));
  lines("a tops", "stdout");
  lines("other\n", "stderr");
  lines("ecret b\nrest", "stdout");
  expect(told).toEqual(["other\n", "a [hidden: KEY] b\n"]);
});

it("[P10] drops an overlong line completely, including its end", () => {
  const told: string[] = [];
  const lines = createLineSplitter((text) => told.push(text));
  for (let count = 0; count < 20; count += 1) lines("x".repeat(10_000), "stdout");
  lines("end\nnext\n", "stdout");
  expect(told).toEqual(["next\n"]);
});
