import { expect, it } from "vitest";
import { createLineSplitter } from "./progress-lines.ts";
import { createScrubber } from "./scrub.ts";

it("[P10] takes secrets out in every form tools print them in", () => {
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

it("[P10] two hidden values of one name are both hidden", () => {
  expect(createScrubber({ pin: "12345" }, { pin: "67890" })("12345 67890")).toBe(
    "[hidden: pin] [hidden: pin]",
  );
});

it("[P10] where there is too much to look for, all is hidden, and soon", () => {
  const many = Array.from({ length: 100_000 }, (_, line) => `line ${line}`).join("\n");
  expect(createScrubber({ TEXT: many })(many)).toBe("[hidden]");
});

it("[P10] progress is whole lines, so a secret is not missed in two halves", () => {
  const told: string[] = [];
  const scrub = createScrubber({ KEY: "topsecret" });
  const lines = createLineSplitter((text) => told.push(scrub(text)));
  lines("a tops", "stdout");
  lines("other\n", "stderr");
  lines("ecret b\nrest", "stdout");
  expect(told).toEqual(["other\n", "a [hidden: KEY] b\n"]);
});

it("[P10] a line that never ends is not told, not even its end", () => {
  const told: string[] = [];
  const lines = createLineSplitter((text) => told.push(text));
  for (let count = 0; count < 20; count += 1) lines("x".repeat(10_000), "stdout");
  lines("end\nnext\n", "stdout");
  expect(told).toEqual(["next\n"]);
});
