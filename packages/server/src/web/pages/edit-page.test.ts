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
    "You can't approve your own edit. Another person has to approve it. Who can: members of support, except ana and carla.",
  );
  expect(read({ people: 2, groups: [], excluded: [] })).toContain(
    "2 other people have to approve it. Who can: any person, except you.",
  );
  expect(read({ groups: [], excluded: ["ana"] })).toContain("Who can: any person, except you and ana.");
  const alone = read({ isOnlyPerson: true });
  expect(alone).toContain("You are the only person of this tenant, so you confirm your own edit.");
  expect(alone).not.toContain("Another person");
});
