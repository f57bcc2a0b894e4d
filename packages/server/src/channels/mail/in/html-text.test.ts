import { expect, it } from "vitest";
import { readHtmlText } from "./html-text.ts";

it("keeps the line breaks and the characters above a quote, and drops tags", () => {
  const html = '<p title="a">deny:<br/>1 &lt; 2</p><DIV><b>now</b></DIV><blockquote>approve</blockquote>';
  expect(readHtmlText(html)).toBe("deny:\n1 < 2\n\nnow\n\n>");
});

it("[TRUST 24] takes less than 1 s of CPU time for HTML that never closes its tags", () => {
  for (const tag of ["<p ", "</p ", "<a", "<style>", "<style></style ", "<!--", "&#"]) {
    const from = process.cpuUsage();
    readHtmlText(tag.repeat(200_000 / tag.length));
    const { user, system } = process.cpuUsage(from);
    expect((user + system) / 1_000, tag).toBeLessThan(1_000);
  }
});
