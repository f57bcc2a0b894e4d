import { expect, it } from "vitest";
import { readText } from "../../../../../test/support/web/dom.ts";
import { editSample } from "../testing/samples.ts";
import { renderEditPage } from "./edit-page.ts";

it("[TRUST 28] the edit form says beforehand that another person has to approve the edit, and who can", () => {
  const read = (approvers: Partial<typeof editSample.approvers>) =>
    readText(renderEditPage({ ...editSample, approvers: { ...editSample.approvers, ...approvers } })).replace(
      /\s+/g,
      " ",
    );
  expect(read({})).toContain(
    "You can't approve your own edit. Another member of support has to approve it. Who can: cy and dora.",
  );
  expect(read({ quorum: 2, groups: [] })).toContain(
    "2 other people have to approve it. Who can: cy and dora.",
  );
  const many = Array.from({ length: 11 }, (_, index) => `p${index}`);
  for (const more of [{ people: many }, { people: many.slice(1), hasMore: true }])
    expect(read(more)).toMatch(/p9(, p10)? and others\./);
  expect(read({ people: [] })).toContain("At present, no other person can.");
  const alone = read({ isOnlyPerson: true });
  expect(alone).toContain("You are the only person of this tenant, so you confirm your own edit.");
  expect(alone).not.toContain("Another person");
});
